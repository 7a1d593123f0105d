// SPDX-License-Identifier: MIT
// Interfaces of operation lists, and dispatch of their operations.
//
// Thread safety: one thread.
#include "io/net_world.hpp"

#include <fmt/format.h>

namespace fibtrie::io {

namespace {

// The loopback interface gets its address when it comes up, unless something is in its way.
status set_link(fib_net& net, std::uint32_t index, bool up) {
  const auto dev = net.device(index);
  if (dev && dev->loopback && up && !dev->up) {
    address_spec own;
    own.local = ipv4(127, 0, 0, 1);
    own.plen = 8;
    own.scope = scope::host;
    const status code = net.add_address(index, own);
    if (code != status::ok && code != status::exists && code != status::invalid) return code;
  }
  return net.set_up(index, up);
}

}  // namespace

status make_world(fib_net& net, const list_settings& settings) {
  device_spec lo;
  lo.index = device_index("lo", 0);
  lo.name = "lo";
  lo.up = false;
  lo.loopback = true;
  if (const status code = net.add_device(lo); code != status::ok) return code;
  for (unsigned k = 0; k < settings.devices; ++k) {
    device_spec dev;
    dev.index = device_index(fmt::format("d{}", k), settings.devices);
    dev.name = device_name(dev.index);
    if (const status code = net.add_device(dev); code != status::ok) return code;
    if (!settings.addresses) continue;
    address_spec address;
    address.local = ipv4(198, 18, static_cast<std::uint8_t>(k), 1);
    address.plen = 24;
    if (const status code = net.add_address(dev.index, address); code != status::ok) return code;
  }
  return status::ok;
}

status apply(fib_net& net, const operation& op) {
  switch (op.kind) {
    case operation_kind::insert: return net.insert(op.spec, op.flags);
    case operation_kind::remove: return net.remove(op.spec);
    case operation_kind::link: return set_link(net, op.device, op.state);
    case operation_kind::carrier: return net.set_carrier(op.device, op.state);
    case operation_kind::remove_device: return net.remove_device(op.device);
    case operation_kind::add_address: return net.add_address(op.device, op.address);
    case operation_kind::remove_address: return net.remove_address(op.device, op.address.local, op.address.plen);
    case operation_kind::add_nexthop: return net.add_nexthop(op.nexthop, op.flags);
    case operation_kind::remove_nexthop: return net.remove_nexthop(op.nexthop.id);
    case operation_kind::ignore_linkdown: return net.set_ignore_linkdown(op.device, op.state);
    case operation_kind::unmerge:
    case operation_kind::add_rule: return net.add_rule(op.rule, op.flags);
    case operation_kind::remove_rule: return net.remove_rule(op.rule);
  }
  return status::invalid;
}

}  // namespace fibtrie::io
