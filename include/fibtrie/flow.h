// SPDX-License-Identifier: MIT
// What a full lookup is asked: the fields of a packet that routes and policy rules look at.
//
// Thread safety: values only.
// Invariants: 1. Addresses and ports are in host order.  2. A zero field is "not known" and matches no rule that asks
// for it.
// Source: sections "Lookup in one table", "Multipath" and "Policy rules" of the kernel's behaviour.
#pragma once

#include <cstdint>

#include "fibtrie/key.h"

namespace fibtrie {

struct flow4 {
  key32 daddr = 0;
  key32 saddr = 0;
  std::uint32_t oif = 0;   // only routes through this interface
  std::uint32_t iif = 0;   // where the packet came in; the loopback device for packets of this host
  std::uint8_t tos = 0;    // the packet's TOS byte
  std::uint8_t scope = 0;  // only routes of at least this scope
  std::uint32_t mark = 0;
  std::uint8_t ip_protocol = 0;
  std::uint16_t sport = 0;
  std::uint16_t dport = 0;
  std::uint32_t uid = UINT32_MAX;  // all ones: no user
  std::uint64_t tunnel_id = 0;
  std::uint32_t hash = 0;  // for multipath: 31 bits, the same for all packets of a flow
};

namespace lookup_flag {
// Legs without carrier count as usable even where their device says otherwise.
inline constexpr unsigned ignore_linkstate = 2;
// The caller does not need flow_result::route: a lookup then is as cheap as a plain one where nothing else is asked.
inline constexpr unsigned without_prefix = 0x100;
}  // namespace lookup_flag

}  // namespace fibtrie
