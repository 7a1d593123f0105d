// SPDX-License-Identifier: MIT
// Next-hop objects and groups of them, which routes refer to by id.
//
// Thread safety: values only.
// Invariants: 1. An object is a blackhole, or a group, or one next hop.  2. Groups have no groups inside.
// Source: the kernel's next-hop objects (`ip nexthop`).
#pragma once

#include <cstdint>
#include <vector>

#include "fibtrie/route.h"

namespace fibtrie {

struct nexthop_member {
  std::uint32_t id = 0;
  std::uint16_t weight = 1;  // 1..256

  friend bool operator==(const nexthop_member&, const nexthop_member&) = default;
};

struct nexthop_object {
  std::uint32_t id = 0;
  bool blackhole = false;
  nexthop_spec hop{};                 // gateway, oif, flags
  std::vector<nexthop_member> group;  // not empty: a group
  std::uint8_t protocol = protocol::unspec;

  friend bool operator==(const nexthop_object&, const nexthop_object&) = default;
};

}  // namespace fibtrie
