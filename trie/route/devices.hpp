// SPDX-License-Identifier: MIT
// The interfaces of a namespace with their state and addresses, as the embedder tells of them.
//
// Thread safety: the writer's, but for the device_record of each, which readers look at through legs.
// Invariants: 1. A record, once made, stays till its owner is retired.  2. Addresses stand in the order in which the
// kernel keeps them: primary ones first, then the secondary ones; an address is secondary when a primary one of the
// same subnet came before.
// Source: sections "Flush" and "Which nexthops are accepted" of the kernel's behaviour.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fibtrie/device.h"
#include "fibtrie/status.h"
#include "trie/route/fib_info.hpp"

namespace fibtrie::route {

struct interface_address {
  address_spec spec;
  bool secondary = false;

  key32 mask() const noexcept { return prefix_mask<key32>(spec.plen); }
  key32 network() const noexcept { return spec.local & mask(); }
  bool same_subnet(key32 other) const noexcept { return ((other ^ spec.local) & mask()) == 0; }
};

struct device {
  device_spec spec;
  std::unique_ptr<device_record> record;
  std::vector<interface_address> addresses;

  bool has_carrier() const noexcept { return spec.up && spec.carrier; }
};

class device_table {
 public:
  // Null: no such interface.
  device* find(std::uint32_t index) noexcept;
  const device* find(std::uint32_t index) const noexcept;
  std::uint32_t index_of(const std::string& name) const noexcept;  // 0: none
  // exists when the index or the name is taken; invalid for index 0.  May throw std::bad_alloc.
  status add(const device_spec& spec);
  // The record is the caller's to retire.
  std::unique_ptr<device_record> remove(std::uint32_t index) noexcept;

  void set_ignore_linkdown(std::uint32_t index, bool ignore) noexcept;  // 0: for all

  // The address a packet leaves with through an interface towards a gateway (0: none given); 0: no address.
  key32 select_source(std::uint32_t index, key32 gateway, std::uint8_t scope) const noexcept;

  auto begin() noexcept { return devices_.begin(); }
  auto end() noexcept { return devices_.end(); }
  auto begin() const noexcept { return devices_.begin(); }
  auto end() const noexcept { return devices_.end(); }

 private:
  void refresh(device& dev) noexcept;

  std::map<std::uint32_t, device> devices_;
  bool ignore_for_all_ = false;
};

}  // namespace fibtrie::route
