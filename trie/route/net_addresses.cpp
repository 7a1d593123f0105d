// SPDX-License-Identifier: MIT
// Addresses of interfaces and the routes that they make: the address itself, its subnet, its broadcast address.
//
// Thread safety: one writer.
// Source: what the kernel is seen to do when addresses come and go.
#include <algorithm>

#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

bool has_no_memory(status code) noexcept {
  return code == status::no_memory || code == status::no_buffers || code == status::backlog_full;
}

// The primary address of the subnet of an address, itself perhaps.
const interface_address* primary_of(const device& dev, const interface_address& a) noexcept {
  for (const interface_address& p : dev.addresses) {
    if (!p.secondary && p.spec.plen == a.spec.plen && p.same_subnet(a.spec.local)) return &p;
  }
  return nullptr;
}

struct own_route {
  route_type type = route_type::local;
  prefix4 dst{};
  key32 source = 0;
  std::uint32_t priority = 0;

  // As a delete sees it.
  bool same(const own_route& o) const noexcept { return type == o.type && dst == o.dst && source == o.source; }
};

// Routes of an address, in the order in which they are made; up: the interface is.
std::vector<own_route> routes_of(const device& dev, const interface_address& a, bool up, const net_options& options) {
  std::vector<own_route> routes;
  const interface_address* const primary = a.secondary ? primary_of(dev, a) : &a;
  if (primary == nullptr) return routes;
  const key32 source = primary->spec.local;
  const auto add = [&](route_type type, key32 key, std::uint8_t plen, std::uint32_t priority = 0) {
    routes.push_back({type, {key, plen}, source, priority});
  };
  add(route_type::local, a.spec.local, 32);
  if (!up) return routes;
  if (a.spec.broadcast != 0 && a.spec.broadcast != 0xffffffffu) add(route_type::broadcast, a.spec.broadcast, 32);
  const key32 network = a.network();
  const bool zero_net = network >> 24 == 0;
  if (zero_net || a.secondary || (network == a.spec.local && a.spec.plen == 32)) return routes;
  if (a.spec.prefix_route) {
    add(dev.spec.loopback ? route_type::local : route_type::unicast, network, a.spec.plen, a.spec.priority);
  }
  if (a.spec.plen < 31) {
    if (options.behaviour.network_broadcast_route) add(route_type::broadcast, network, 32);
    add(route_type::broadcast, network | ~a.mask(), 32);
  }
  return routes;
}

route_spec spec_of(const device& dev, const own_route& r) {
  route_spec spec;
  spec.dst = r.dst;
  spec.type = r.type;
  spec.scope = r.type == route_type::local ? scope::host : scope::link;
  spec.protocol = protocol::kernel;
  spec.priority = r.priority;
  spec.prefsrc = r.source;
  spec.table = r.type == route_type::unicast ? table_id::main : table_id::local;
  spec.hop.oif = dev.spec.index;
  return spec;
}

}  // namespace

// A route that is there already, or cannot be, is passed over; an error is of memory.
status net::add_address_routes(const device& dev, const interface_address& a, journal& log) {
  if (!options_.address_routes) return status::ok;
  for (const own_route& r : routes_of(dev, a, dev.spec.up, options_)) {
    const route_spec spec = spec_of(dev, r);
    const status code = insert_in(*table_for(spec.table), spec, insert_verb::append, log);
    if (has_no_memory(code)) return code;
  }
  return status::ok;
}

// Takes away what no other address needs, or what any does if the interface itself goes.  The address is not in the
// interface's list any more.
status net::remove_address_routes(const device& dev, const interface_address& a, bool dying, journal& log) {
  if (!options_.address_routes) return status::ok;
  std::vector<own_route> needed;
  for (const interface_address& other : dev.addresses) {
    if (dying) break;
    const auto routes = routes_of(dev, other, true, options_);
    needed.insert(needed.end(), routes.begin(), routes.end());
  }
  auto routes = routes_of(dev, a, true, options_);
  // The subnet goes first, then broadcast addresses, the address itself last.
  std::stable_sort(routes.begin(), routes.end(), [](const own_route& x, const own_route& y) {
    const auto rank = [](const own_route& r) {
      return r.dst.plen < 32 && r.type != route_type::broadcast ? 0 : r.type == route_type::broadcast ? 1 : 2;
    };
    return rank(x) < rank(y);
  });
  for (const own_route& r : routes) {
    if (std::any_of(needed.begin(), needed.end(), [&](const own_route& n) { return n.same(r); })) continue;
    route_spec spec = spec_of(dev, r);
    spec.priority = 0;
    table* const t = existing_table(spec.table);
    const status code = t == nullptr ? status::not_found : remove_in(*t, spec, log);
    if (has_no_memory(code)) return code;
  }
  return status::ok;
}

status net::add_address(std::uint32_t index, const address_spec& spec) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  device* const dev = devices_.find(index);
  if (dev == nullptr) return status::no_device;
  if (spec.plen > 32 || spec.local == 0) return status::invalid;
  interface_address fresh{spec, false};
  std::size_t place = 0;
  for (std::size_t i = 0; i < dev->addresses.size(); ++i) {
    const interface_address& other = dev->addresses[i];
    if (!other.secondary && spec.scope <= other.spec.scope) place = i + 1;
    if (other.spec.plen != spec.plen || !other.same_subnet(spec.local)) continue;
    if (other.spec.local == spec.local) return status::exists;
    if (other.spec.scope != spec.scope) return status::invalid;
    fresh.secondary = true;
  }
  if (fresh.secondary) place = dev->addresses.size();
  const auto at = dev->addresses.insert(dev->addresses.begin() + static_cast<std::ptrdiff_t>(place), fresh);
  journal log;
  log.batch = true;
  status code = status::no_memory;
  try {
    code = add_address_routes(*dev, *at, log);
  } catch (const std::bad_alloc&) {
    // undone below
  }
  if (code != status::ok) {
    undo(log);
    dev->addresses.erase(at);
    return code;
  }
  static_cast<void>(tell_events(log, false));
  settle(log);
  sync_up(*dev, nexthop_flag::dead);
  refresh_sources();
  return status::ok;
}

status net::remove_address(std::uint32_t index, key32 local, std::uint8_t plen) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  device* const dev = devices_.find(index);
  if (dev == nullptr) return status::no_device;
  for (std::size_t i = 0; i < dev->addresses.size(); ++i) {
    const address_spec& a = dev->addresses[i].spec;
    if (a.local == local && a.plen == plen) return drop_address(*dev, i, false);
  }
  return status::no_address;
}

// The address at that place goes, and with a primary one the secondary ones of its subnet, unless the first of these is
// to take over, or the interface itself goes.  First all routes are taken away, which can fail and is then undone; then
// it is told of, and routes that had a vanished source are swept out, address by address.
status net::drop_address(device& dev, std::size_t place, bool dying) {
  const std::vector<interface_address> old = dev.addresses;
  departure leaving;
  leaving.dying = dying;
  leaving.promote = options_.promote_secondaries && !dying;
  status code = status::no_memory;
  std::size_t records = 0;
  try {
    // A chunk more, so that what a sweep in between leaves of it is enough without new memory.
    reserve_retire(records_per_address * dev.addresses.size() + rcu::retire_queue::records_per_chunk);
    code = drop_address_routes(dev, place, leaving);
    for (const address_step& step : leaving.steps) records += step.records();
  } catch (const std::bad_alloc&) {
    code = status::no_memory;
  }
  if (code != status::ok) {
    for (auto step = leaving.steps.rbegin(); step != leaving.steps.rend(); ++step) undo(step->log);
    dev.addresses = old;
    return code;
  }
  pending_retires_ = records;
  for (address_step& step : leaving.steps) {
    pending_retires_ -= step.records();
    static_cast<void>(tell_events(step.log, false));
    settle(step.log);
    if (step.stray) forget_source(step.local);
  }
  if (leaving.promote) code = promote_addresses(dev, leaving.heirs);
  refresh_sources();
  if (!dev.addresses.empty()) return code;
  if (sync_down(dev.spec.index, down_reason::down, true)) flush_dead();
  return code;
}

void net::forget_source(key32 local) noexcept {
  if (sync_down_source(local)) flush_dead();
}

// Takes an address off an interface, and its routes.
status net::take_address(device& dev, std::size_t place, bool comes_back, departure& leaving) {
  const interface_address a = dev.addresses[place];
  dev.addresses.erase(dev.addresses.begin() + static_cast<std::ptrdiff_t>(place));
  address_step& step = leaving.steps.emplace_back();
  step.local = a.spec.local;
  const status code = remove_address_routes(dev, a, leaving.dying, step.log);
  step.stray = !comes_back && address_type(table_id::local, a.spec.local) != route_type::local;
  return code;
}

status net::drop_address_routes(device& dev, std::size_t place, departure& leaving) {
  const interface_address primary = dev.addresses[place];
  for (const interface_address& a : dev.addresses) {
    const bool same = a.secondary && a.spec.plen == primary.spec.plen && primary.same_subnet(a.spec.local);
    if (!primary.secondary && !leaving.dying && same) leaving.heirs.push_back(a);
  }
  const auto place_of = [&](const interface_address& wanted) {
    const auto at = std::find_if(dev.addresses.begin(), dev.addresses.end(), [&](const interface_address& a) {
      return a.spec == wanted.spec && a.secondary == wanted.secondary;
    });
    return static_cast<std::size_t>(at - dev.addresses.begin());
  };
  for (const interface_address& heir : leaving.heirs) {
    const status code = take_address(dev, place_of(heir), leaving.promote, leaving);
    if (code != status::ok) return code;
  }
  return take_address(dev, place_of(primary), false, leaving);
}

// The first heir becomes a primary address, behind the others.  Without memory for their routes the heirs are gone, as
// if there were no promotion.
status net::promote_addresses(device& dev, std::vector<interface_address>& heirs) noexcept {
  journal log;
  log.batch = true;
  status code = status::ok;
  const auto primary_count = [&] {
    std::size_t count = 0;
    while (count < dev.addresses.size() && !dev.addresses[count].secondary) ++count;
    return count;
  };
  try {
    reserve_retire(records_per_address * heirs.size());
    for (std::size_t i = 0; i < heirs.size() && code == status::ok; ++i) {
      heirs[i].secondary = i > 0;
      const std::size_t at = i > 0 ? dev.addresses.size() : primary_count();
      dev.addresses.insert(dev.addresses.begin() + static_cast<std::ptrdiff_t>(at), heirs[i]);
      code = add_address_routes(dev, heirs[i], log);
    }
  } catch (const std::bad_alloc&) {
    code = status::no_memory;
  }
  if (code == status::ok) {
    static_cast<void>(tell_events(log, false));
    settle(log);
    return status::ok;
  }
  undo(log);
  for (const interface_address& heir : heirs) {
    std::erase_if(dev.addresses, [&](const interface_address& a) { return a.spec == heir.spec; });
  }
  for (const interface_address& heir : heirs) {
    if (address_type(table_id::local, heir.spec.local) != route_type::local) forget_source(heir.spec.local);
  }
  return code;
}

}  // namespace fibtrie::route
