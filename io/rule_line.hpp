// SPDX-License-Identifier: MIT
// A policy rule in the words of `ip rule`, e.g. "priority 100 from 10.0.0.0/8 fwmark 1/0xff table 7".
//
//   [not] [priority P] [from PREFIX] [to PREFIX] [tos T] [dscp N] [fwmark M[/MASK]] [iif NAME] [oif NAME] [ipproto N]
//   [sport A[-B]] [dport A[-B]] [uidrange A-B] [suppress_prefixlength N] [table N | goto P | nop | blackhole |
//   unreachable | prohibit]
//
// Thread safety: one thread.
// Invariants: 1. A line that was parsed is complete; nothing unknown is passed over in silence.
// Source: iproute2's words and defaults.
#pragma once

#include <string>
#include <string_view>

#include "fibtrie/rule.h"

namespace fibtrie::io {

// Parses what follows add or del.  Returns what is wrong with it, or an empty text.  An add without action and table
// means main; a delete, any.
std::string parse_rule_line(std::string_view words, bool remove, rule_spec& out);

}  // namespace fibtrie::io
