// SPDX-License-Identifier: MIT
// Which next hops are accepted: from a request to the shared part of a route.
//
// Thread safety: one writer.
// Source: sections "fib_info" and "Which nexthops are accepted" of the kernel's behaviour.
#include "trie/route/lookup.hpp"
#include "trie/route/multipath.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

// The widest scope that a type may have.
std::uint8_t least_scope(route_type type) noexcept {
  switch (type) {
    case route_type::broadcast:
    case route_type::anycast: return scope::link;
    case route_type::local: return scope::host;
    case route_type::nat:
    case route_type::xresolve: return scope::nowhere;
    default: return scope::universe;
  }
}

bool has_route(route_type type) noexcept { return type >= route_type::unicast && type <= route_type::multicast; }

void fill_leg(fib_leg& leg, const nexthop_spec& hop) noexcept {
  leg.gateway = hop.gateway;
  leg.oif = hop.oif;
  leg.flow = hop.flow;
  leg.weight = hop.weight;
  leg.request_flags = hop.flags;
}

bool is_bad_hop(const nexthop_spec& hop) noexcept {
  return (hop.flags & (nexthop_flag::dead | nexthop_flag::linkdown)) != 0 || hop.weight == 0 || hop.weight > 256;
}

// Values that are limited are cut, as the kernel does; false: an unknown one.
bool fit_metrics(route_metrics& metrics) noexcept {
  constexpr std::uint32_t known_features = 0x1f;
  auto& v = metrics.value;
  if (v[metric::advmss] > 65535 - 40) v[metric::advmss] = 65535 - 40;
  if (v[metric::mtu] > 65535 - 15) v[metric::mtu] = 65535 - 15;
  if (v[metric::hoplimit] > 255) v[metric::hoplimit] = 255;
  return (v[metric::features] & ~known_features) == 0;
}

}  // namespace

status net::make_info(const route_spec& spec, std::unique_ptr<fib_info>& out) const {
  if (spec.type > route_type::xresolve || least_scope(spec.type) > spec.scope) return status::invalid;
  const nexthop_record* const record = spec.nexthop_id != 0 ? nexthops_.find(spec.nexthop_id) : nullptr;
  if (spec.nexthop_id != 0 && record == nullptr) return status::invalid;
  auto info = std::make_unique<fib_info>();
  info->table = spec.table == table_id::unspec ? table_id::main : spec.table;
  info->priority = spec.priority;
  info->prefsrc = spec.prefsrc;
  info->type = spec.type;
  info->protocol = spec.protocol;
  info->scope = spec.scope;
  info->metrics = spec.metrics;
  if (!fit_metrics(info->metrics)) return status::invalid;
  if (record != nullptr) {
    info->nexthop = const_cast<nexthop_record*>(record);
    // A request without metrics takes any info of the object's, and what it was checked for holds.
    const fib_info* const there = spec.metrics.any() ? nullptr : store_.infos().find_like(*info);
    if (there != nullptr) {
      info->metrics = there->metrics;
      out = std::move(info);
      return status::ok;
    }
  } else {
    info->leg_count = spec.multipath.empty() ? 1 : static_cast<std::uint32_t>(spec.multipath.size());
    info->legs = std::make_unique<fib_leg[]>(info->leg_count);
    for (std::uint32_t i = 0; i < info->leg_count; ++i) {
      const nexthop_spec& hop = spec.multipath.empty() ? spec.hop : spec.multipath[i];
      if (is_bad_hop(hop)) return status::invalid;
      fill_leg(info->legs[i], hop);
    }
  }
  if (is_error_type(spec.type)) {
    if (spec.hop.gateway != 0 || spec.hop.oif != 0 || !spec.multipath.empty()) return status::invalid;
    out = std::move(info);
    return status::ok;
  }
  if (!has_route(spec.type) || spec.scope > scope::host) return status::invalid;
  const status code =
      record != nullptr ? check_object(spec.scope, record->is_group(), *leg_at(*record, 0)) : check_legs(spec, *info);
  if (code != status::ok) return code;
  if (spec.prefsrc != 0 && !is_local_source(spec)) return status::invalid;
  choose_sources(*info);
  set_bounds(*info);
  out = std::move(info);
  return status::ok;
}

// A route of that scope by an object that is a group, or whose (first) leg is that one.
status net::check_object(std::uint8_t route_scope, bool group, const fib_leg& leg) noexcept {
  if (group && route_scope == scope::host) return status::invalid;
  if (route_scope == scope::host && leg.gateway != 0) return status::invalid;
  if ((leg.request_flags & nexthop_flag::onlink) != 0 && route_scope >= scope::link) return status::invalid;
  return status::ok;
}

status net::check_legs(const route_spec& spec, fib_info& info) const {
  if (spec.scope == scope::host) {
    fib_leg& leg = info.legs[0];
    if (info.leg_count != 1 || leg.gateway != 0) return status::invalid;
    const device* const dev = devices_.find(leg.oif);
    if (dev == nullptr) return status::no_device;
    leg.device = dev->record.get();
    leg.scope = scope::nowhere;
    return status::ok;
  }
  bool all_down = true;
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    if (const status code = check_leg(spec, info.legs[i]); code != status::ok) return code;
    all_down = all_down && info.legs[i].is_linkdown();
  }
  if (all_down) info.flags.store(nexthop_flag::linkdown, std::memory_order_relaxed);  // relaxed: not published yet
  return status::ok;
}

status net::check_leg(const route_spec& spec, fib_leg& leg) const {
  if (leg.gateway == 0) return check_device_leg(leg);
  if ((leg.request_flags & nexthop_flag::onlink) != 0) return check_onlink(spec.scope, leg);
  return check_gateway(spec.table, spec.scope, leg);
}

status net::check_device_leg(fib_leg& leg) const {
  if ((leg.request_flags & (nexthop_flag::pervasive | nexthop_flag::onlink)) != 0) return status::invalid;
  const device* const dev = devices_.find(leg.oif);
  if (dev == nullptr) return status::no_device;
  if (!dev->spec.up) return status::net_down;
  leg.device = dev->record.get();
  leg.scope = scope::host;
  // relaxed: not published yet
  if (!dev->has_carrier()) leg.flags.store(nexthop_flag::linkdown, std::memory_order_relaxed);
  return status::ok;
}

status net::check_onlink(std::uint8_t route_scope, fib_leg& leg) const {
  if (route_scope >= scope::link) return status::invalid;
  const device* const dev = devices_.find(leg.oif);
  if (dev == nullptr) return status::no_device;
  if (!dev->spec.up) return status::net_down;
  if (address_type(table_id::local, leg.gateway) != route_type::unicast) return status::invalid;
  leg.device = dev->record.get();
  leg.scope = scope::link;
  // relaxed: not published yet
  if (!dev->has_carrier()) leg.flags.store(nexthop_flag::linkdown, std::memory_order_relaxed);
  return status::ok;
}

// The gateway must be on the link: a route of at least link scope leads to it.
status net::check_gateway(std::uint32_t table, std::uint8_t route_scope, fib_leg& leg) const {
  flow4 flow;
  flow.daddr = leg.gateway;
  flow.oif = leg.oif;
  flow.iif = 1;
  flow.uid = 0;
  flow.scope = std::max<std::uint8_t>(static_cast<std::uint8_t>(route_scope + 1), scope::link);
  flow_result found;
  status code = status::no_match;
  if (table != table_id::main && table != table_id::unspec && existing_table(table) != nullptr) {
    code = lookup_table(table, flow, lookup_flag::ignore_linkstate, found);
  }
  if (code != status::ok) code = lookup(flow, lookup_flag::ignore_linkstate, found);
  if (code != status::ok) return code;
  if (found.type != route_type::unicast && found.type != route_type::local) return status::invalid;
  leg.scope = found.scope();
  leg.oif = found.oif();
  const device* const dev = devices_.find(leg.oif);
  if (dev == nullptr) return status::host_unreachable;
  leg.device = dev->record.get();
  // relaxed: not published yet
  if (!dev->has_carrier()) leg.flags.store(nexthop_flag::linkdown, std::memory_order_relaxed);
  return dev->spec.up ? status::ok : status::net_down;
}

// What an address is by a table: local, broadcast, ...; unicast when nothing is known of it.
route_type net::address_type(std::uint32_t table, key32 address) const {
  if (address >> 24 == 0 || address == 0xffffffffu) return route_type::broadcast;
  if (address >> 28 == 0xe) return route_type::multicast;
  if (existing_table(table) == nullptr) return route_type::broadcast;
  flow4 flow;
  flow.daddr = address;
  flow_result found;
  return lookup_table(table, flow, 0, found) == status::ok ? found.type : route_type::unicast;
}

bool net::is_local_source(const route_spec& spec) const {
  if (spec.type == route_type::local && spec.dst.key != 0 && spec.prefsrc == spec.dst.key) return true;
  const bool in_main = spec.table == table_id::main || spec.table == table_id::unspec;
  const std::uint32_t table = in_main ? table_id::local : spec.table;
  if (address_type(table, spec.prefsrc) == route_type::local) return true;
  return table != table_id::local && address_type(table_id::local, spec.prefsrc) == route_type::local;
}

void net::choose_sources(fib_info& info) const noexcept {
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    fib_leg& leg = info.legs[i];
    // relaxed: an address stands for itself
    leg.source.store(devices_.select_source(leg.oif, leg.gateway, info.scope), std::memory_order_relaxed);
  }
}

fib_info* net::adopt(std::unique_ptr<fib_info>& made, bool& fresh) noexcept {
  fresh = false;
  if (fib_info* const same = store_.infos().find(*made)) return same;
  fib_info* const info = made.get();
  if (!store_.infos().adopt(made)) return nullptr;
  fresh = true;
  return info;
}

void net::abandon(fib_info* info) noexcept {
  store_.infos().drop(*info);
  store_.infos().reclaim(info);
}

}  // namespace fibtrie::route
