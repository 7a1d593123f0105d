// SPDX-License-Identifier: MIT
// Names of route types, scopes and metrics, as `ip route` has them.
//
// Thread safety: functions of their arguments.
// Source: words and numbers of rtnetlink and iproute2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fibtrie/route.h"

namespace fibtrie::io {

// "unicast"; "throw" for throw_route.
std::string_view type_name(route_type type) noexcept;
std::optional<route_type> type_from_name(std::string_view name) noexcept;
// "UNICAST", as in /proc/net/fib_trie.
std::string_view proc_type_name(route_type type) noexcept;

// "universe", "link", ...; a number for scopes without a name.
std::string scope_name(std::uint8_t scope);
// "universe" or "scope=17", as in /proc/net/fib_trie.
std::string proc_scope_name(std::uint8_t scope);
// A name or a number.
std::optional<std::uint8_t> scope_from_name(std::string_view name) noexcept;

// "boot", "static", ... ; a number for protocols without a name.
std::string protocol_name(std::uint8_t protocol);
std::optional<std::uint8_t> protocol_from_name(std::string_view name) noexcept;

// "mtu" is 2; 0: no such metric.
unsigned metric_from_name(std::string_view name) noexcept;
std::string_view metric_name(unsigned number) noexcept;
// Times are kept in units of their own.
constexpr bool is_time_metric(unsigned number) noexcept {
  return number == metric::rtt || number == metric::rttvar || number == metric::rto_min;
}
constexpr std::uint32_t metric_ms(unsigned number, std::uint32_t value) noexcept {
  return number == metric::rtt ? value / 8 : number == metric::rttvar ? value / 4 : value;
}

// The scope a route gets whose maker gives none.  has_nexthops: a gateway, a list of next hops or a next-hop object.
std::uint8_t default_scope(route_type type, bool has_nexthops) noexcept;

}  // namespace fibtrie::io
