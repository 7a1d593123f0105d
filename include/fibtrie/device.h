// SPDX-License-Identifier: MIT
// Interfaces and their addresses, as far as routes depend on them; fed by the embedder.
//
// Thread safety: values only.
// Invariants: 1. An interface is known by its index, 1 or more.
// Source: sections "Flush" and "Which nexthops are accepted" of the kernel's behaviour.
#pragma once

#include <cstdint>
#include <string>

#include "fibtrie/key.h"

namespace fibtrie {

struct device_spec {
  std::uint32_t index = 0;
  std::string name;
  bool up = true;
  bool carrier = true;
  bool loopback = false;
  bool ignore_linkdown = false;  // ignore_routes_with_linkdown of this interface
  std::uint32_t group = 0;
};

// 192.0.2.1/24 is {ipv4(192, 0, 2, 1), 24}.
struct address_spec {
  key32 local = 0;
  std::uint8_t plen = 32;
  key32 broadcast = 0;  // an explicit one; 0: none
  bool prefix_route = true;
  std::uint32_t priority = 0;  // metric of the prefix route
  std::uint8_t scope = 0;      // of the address

  friend bool operator==(const address_spec&, const address_spec&) = default;
};

}  // namespace fibtrie
