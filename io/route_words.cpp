// SPDX-License-Identifier: MIT
// Tables of names.
//
// Thread safety: functions of their arguments.
#include "io/route_words.hpp"

#include <algorithm>
#include <array>

#include "io/words.hpp"

namespace fibtrie::io {

namespace {

constexpr std::array<std::string_view, 12> type_names = {"unspec",   "unicast",   "local",     "broadcast",
                                                         "anycast",  "multicast", "blackhole", "unreachable",
                                                         "prohibit", "throw",     "nat",       "xresolve"};
constexpr std::array<std::string_view, 12> proc_type_names = {"UNSPEC",   "UNICAST",   "LOCAL",     "BROADCAST",
                                                              "ANYCAST",  "MULTICAST", "BLACKHOLE", "UNREACHABLE",
                                                              "PROHIBIT", "THROW",     "NAT",       "XRESOLVE"};
constexpr std::array<std::string_view, 18> metric_names = {
    "",         "",        "mtu",      "window",     "rtt",      "rttvar",
    "ssthresh", "cwnd",    "advmss",   "reordering", "hoplimit", "initcwnd",
    "features", "rto_min", "initrwnd", "quickack",   "congctl",  "fastopen_no_cookie"};

struct named_number {
  std::string_view name;
  std::uint8_t number;
};
constexpr std::array<named_number, 5> scopes = {{{"universe", scope::universe},
                                                 {"site", scope::site},
                                                 {"link", scope::link},
                                                 {"host", scope::host},
                                                 {"nowhere", scope::nowhere}}};
constexpr std::array<named_number, 22> protocols = {
    {{"unspec", 0}, {"redirect", 1}, {"kernel", 2},      {"boot", 3},   {"static", 4},    {"gated", 8},
     {"ra", 9},     {"mrt", 10},     {"zebra", 11},      {"bird", 12},  {"dnrouted", 13}, {"xorp", 14},
     {"ntk", 15},   {"dhcp", 16},    {"keepalived", 18}, {"babel", 42}, {"openr", 99},    {"bgp", 186},
     {"isis", 187}, {"ospf", 188},   {"rip", 189},       {"eigrp", 192}}};

template <std::size_t N>
std::string_view name_of(const std::array<named_number, N>& table, std::uint8_t number) noexcept {
  for (const named_number& n : table) {
    if (n.number == number) return n.name;
  }
  return {};
}

template <std::size_t N>
std::optional<std::uint8_t> number_of(const std::array<named_number, N>& table, std::string_view name) noexcept {
  for (const named_number& n : table) {
    if (n.name == name) return n.number;
  }
  std::uint8_t number = 0;
  return parse_number(name, number) ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string_view type_name(route_type type) noexcept { return type_names[static_cast<std::size_t>(type)]; }
std::string_view proc_type_name(route_type type) noexcept { return proc_type_names[static_cast<std::size_t>(type)]; }

std::optional<route_type> type_from_name(std::string_view name) noexcept {
  const auto* found = std::find(type_names.begin() + 1, type_names.end(), name);  // nobody asks for unspec
  if (found == type_names.end()) return std::nullopt;
  return static_cast<route_type>(found - type_names.begin());
}

std::string scope_name(std::uint8_t scope) {
  const auto name = name_of(scopes, scope);
  return name.empty() ? std::to_string(scope) : std::string(name);
}

std::string proc_scope_name(std::uint8_t scope) {
  const auto name = name_of(scopes, scope);
  return name.empty() ? "scope=" + std::to_string(scope) : std::string(name);
}

std::optional<std::uint8_t> scope_from_name(std::string_view name) noexcept { return number_of(scopes, name); }

std::string protocol_name(std::uint8_t protocol) {
  const auto name = name_of(protocols, protocol);
  return name.empty() ? std::to_string(protocol) : std::string(name);
}

std::optional<std::uint8_t> protocol_from_name(std::string_view name) noexcept { return number_of(protocols, name); }

unsigned metric_from_name(std::string_view name) noexcept {
  const auto* found = std::find(metric_names.begin() + metric::mtu, metric_names.end(), name);
  return found == metric_names.end() ? 0 : static_cast<unsigned>(found - metric_names.begin());
}

std::string_view metric_name(unsigned number) noexcept { return metric_names[number]; }

std::uint8_t default_scope(route_type type, bool has_nexthops) noexcept {
  switch (type) {
    case route_type::local:
    case route_type::nat: return scope::host;
    case route_type::broadcast:
    case route_type::multicast:
    case route_type::anycast: return scope::link;
    case route_type::unicast: return has_nexthops ? scope::universe : scope::link;
    default: return scope::universe;
  }
}

}  // namespace fibtrie::io
