// SPDX-License-Identifier: MIT
// Interfaces come, go, and change their state.
//
// Thread safety: one writer.
// Source: section "Flush" of the kernel's behaviour.
#include "trie/route/net.hpp"

namespace fibtrie::route {

status net::add_device(const device_spec& spec) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  if (const status code = devices_.add(spec); code != status::ok) return code;
  try {
    resolve_rules();
  } catch (...) {
    devices_.remove(spec.index);  // nothing leads through it yet
    throw;
  }
  return status::ok;
}

status net::set_up(std::uint32_t index, bool up) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  device* const dev = devices_.find(index);
  if (dev == nullptr) return status::no_device;
  if (dev->spec.up == up) return status::ok;
  if (up) return bring_up(*dev);
  bring_down(*dev);
  return status::ok;
}

// Addresses make their routes anew, before legs come back to life.
status net::bring_up(device& dev) {
  dev.spec.up = true;
  journal log;
  log.batch = true;
  status code = status::ok;
  try {
    reserve_retire(records_per_address * dev.addresses.size());
    for (const interface_address& address : dev.addresses) {
      code = add_address_routes(dev, address, log);
      if (code != status::ok) break;
    }
  } catch (const std::bad_alloc&) {
    code = status::no_memory;
  }
  if (code != status::ok) {
    undo(log);
    dev.spec.up = false;
    return code;
  }
  static_cast<void>(tell_events(log, false));
  settle(log);
  sync_up(dev, nexthop_flag::dead);
  return status::ok;
}

void net::bring_down(device& dev) noexcept {
  dev.spec.up = false;
  drop_nexthops_of(dev.spec.index, false);
  if (sync_down(dev.spec.index, down_reason::down, false)) flush_dead();
}

status net::set_carrier(std::uint32_t index, bool carrier) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  device* const dev = devices_.find(index);
  if (dev == nullptr) return status::no_device;
  if (dev->spec.carrier == carrier) return status::ok;
  dev->spec.carrier = carrier;
  if (!dev->spec.up) return status::ok;
  if (carrier) {
    sync_up(*dev, nexthop_flag::linkdown);
  } else {
    drop_nexthops_of(index, false);
    sync_down(index, down_reason::carrier, false);
  }
  return status::ok;
}

status net::set_ignore_linkdown(std::uint32_t index, bool ignore) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  if (index != 0 && devices_.find(index) == nullptr) return status::no_device;
  devices_.set_ignore_linkdown(index, ignore);
  return status::ok;
}

status net::remove_device(std::uint32_t index) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  device* const dev = devices_.find(index);
  if (dev == nullptr) return status::no_device;
  if (dev->spec.up) bring_down(*dev);
  while (!dev->addresses.empty()) {
    if (const status code = drop_address(*dev, 0, true); code != status::ok) return code;
  }
  drop_nexthops_of(index, true);
  if (sync_down(index, down_reason::unregistered, true)) flush_dead();
  // It is down and without addresses; removing it can be tried again.
  if (flush_due_ || objects_due_) return status::no_memory;
  retire_device(devices_.remove(index));
  refresh_sources();
  resolve_rules();
  return status::ok;
}

void net::retire_device(std::unique_ptr<device_record> record) noexcept {
  retired_.retire(retired_record(retired_kind::device, record.release()), sizeof(device_record));
}

}  // namespace fibtrie::route
