// SPDX-License-Identifier: MIT
// A route in the words of `ip route`, e.g. "replace 10.0.0.0/8 metric 5 via 192.0.2.1 dev d0".
//
//   VERB [TYPE] PREFIX [tos T] [metric M] [proto P] [scope S] [src A] [table N] [onlink] [MTU-LIKE [lock] N]...
//        [via G] [dev D] | [nexthop [via G] [dev D] [weight W] [onlink]]... | [nhid N]
//
// VERB is add, append, prepend, replace, change, test or del; `default` is 0.0.0.0/0, no length is /32.
//
// Thread safety: one thread.
// Invariants: 1. A line that was parsed is complete; nothing unknown is passed over in silence.
// Source: iproute2's words and defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fibtrie/key.h"
#include "fibtrie/route.h"

namespace fibtrie::io {

// The index of an interface; 0: there is none of that name.
using device_names = std::function<std::uint32_t(std::string_view)>;

struct route_line {
  bool remove = false;      // del: spec holds the criteria
  std::uint16_t flags = 0;  // insert_verb, of the others
  route_spec spec;          // host bits may be set
};

// "10.0.0.0/8", "10.0.0.1" (/32) or "default".  False for anything else; host bits are kept.
bool parse_route(std::string_view text, prefix4& out) noexcept;

// "main", "local", "default" or a number, which is not 0.
bool parse_table(std::string_view text, std::uint32_t& out) noexcept;

// Parses one line.  Returns what is wrong with it, or an empty text.  table: where nothing is said.
std::string parse_route_line(std::string_view line, const device_names& devices, std::uint32_t table, route_line& out);

}  // namespace fibtrie::io
