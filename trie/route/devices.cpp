// SPDX-License-Identifier: MIT
// Interfaces and their addresses.
//
// Thread safety: one writer.
#include "trie/route/devices.hpp"

#include <algorithm>

namespace fibtrie::route {

device* device_table::find(std::uint32_t index) noexcept {
  const auto at = devices_.find(index);
  return at == devices_.end() ? nullptr : &at->second;
}

const device* device_table::find(std::uint32_t index) const noexcept {
  const auto at = devices_.find(index);
  return at == devices_.end() ? nullptr : &at->second;
}

std::uint32_t device_table::index_of(const std::string& name) const noexcept {
  for (const auto& [index, dev] : devices_) {
    if (dev.spec.name == name) return index;
  }
  return 0;
}

// relaxed: a setting, nothing hangs on it
void device_table::refresh(device& dev) noexcept {
  dev.record->ignore_linkdown.store(ignore_for_all_ || dev.spec.ignore_linkdown, std::memory_order_relaxed);
}

status device_table::add(const device_spec& spec) {
  if (spec.index == 0) return status::invalid;
  if (find(spec.index) != nullptr || (!spec.name.empty() && index_of(spec.name) != 0)) return status::exists;
  device fresh;
  fresh.spec = spec;
  fresh.record = std::make_unique<device_record>();
  fresh.record->index = spec.index;
  fresh.record->group.store(spec.group, std::memory_order_relaxed);  // relaxed: not published yet
  refresh(fresh);
  devices_.emplace(spec.index, std::move(fresh));
  return status::ok;
}

std::unique_ptr<device_record> device_table::remove(std::uint32_t index) noexcept {
  const auto at = devices_.find(index);
  auto record = std::move(at->second.record);
  devices_.erase(at);
  return record;
}

void device_table::set_ignore_linkdown(std::uint32_t index, bool ignore) noexcept {
  if (index == 0) {
    ignore_for_all_ = ignore;
    for (auto& [i, dev] : devices_) refresh(dev);
  } else if (device* const dev = find(index)) {
    dev->spec.ignore_linkdown = ignore;
    refresh(*dev);
  }
}

namespace {

// The first primary address of a fitting scope, better one in the gateway's subnet.
key32 select_on(const device& dev, key32 gateway, std::uint8_t scope) noexcept {
  key32 any = 0;
  for (const interface_address& a : dev.addresses) {
    if (a.secondary || std::min<std::uint8_t>(a.spec.scope, scope::link) > scope) continue;
    if (gateway == 0 || a.same_subnet(gateway)) return a.spec.local;
    if (any == 0) any = a.spec.local;
  }
  return any;
}

}  // namespace

key32 device_table::select_source(std::uint32_t index, key32 gateway, std::uint8_t scope) const noexcept {
  const device* const own = find(index);
  if (own != nullptr) {
    if (const key32 found = select_on(*own, gateway, scope); found != 0) return found;
  }
  for (const auto& [i, dev] : devices_) {  // an address of another interface will do, unless it is bound to its link
    for (const interface_address& a : dev.addresses) {
      if (!a.secondary && a.spec.scope != scope::link && a.spec.scope <= scope) return a.spec.local;
    }
  }
  return 0;
}

}  // namespace fibtrie::route
