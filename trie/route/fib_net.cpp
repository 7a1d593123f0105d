// SPDX-License-Identifier: MIT
// The public namespace on top of trie/route: no exception leaves it.
#include <new>

#include "fibtrie/net.h"
#include "trie/route/net.hpp"

namespace fibtrie {

namespace {

// Operations throw std::bad_alloc only before they change anything.
template <class Operation>
status guarded(Operation&& operation) noexcept {
  try {
    return operation();
  } catch (const std::bad_alloc&) {
    return status::no_memory;
  } catch (...) {
    return status::invalid;  // a listener threw: not allowed
  }
}

}  // namespace

kernel_behaviour kernel_behaviour::of(unsigned major, unsigned minor) noexcept {
  const unsigned version = major << 16 | minor;
  const auto since = [version](unsigned a, unsigned b) { return version >= (a << 16 | b); };
  kernel_behaviour b;
  b.ecn_bits_refused = since(5, 18);
  b.source_prefers_leg = since(6, 16);
  b.every_alias_announced = !since(5, 6);
  b.prefsrc_removal_announced = since(6, 7);
  b.network_broadcast_route = !since(5, 14);
  b.signed_metric_text = !since(6, 13);
  return b;
}

fib_net::fib_net(std::unique_ptr<route::net> net) noexcept : net_(std::move(net)) {}
fib_net::~fib_net() = default;

status fib_net::create(const rcu::domain& domain, const net_options& options, std::unique_ptr<fib_net>& out) noexcept {
  return guarded([&] {
    auto made = std::make_unique<route::net>(domain, options);
    if (const status code = made->open(); code != status::ok) return code;
    out.reset(new fib_net(std::move(made)));
    return status::ok;
  });
}

status fib_net::insert(const route_spec& spec, std::uint16_t flags) noexcept {
  return guarded([&] { return net_->insert(spec, flags); });
}
status fib_net::remove(const route_spec& criteria) noexcept {
  return guarded([&] { return net_->remove(criteria); });
}
status fib_net::apply(std::span<const route_operation> operations, std::size_t* failed) noexcept {
  return guarded([&] { return net_->apply(operations, failed); });
}
status fib_net::replace_all(std::uint32_t table, std::span<const route_spec> routes, std::size_t* failed) noexcept {
  return guarded([&] { return net_->replace_all(table, routes, failed); });
}

status fib_net::add_device(const device_spec& device) noexcept {
  return guarded([&] { return net_->add_device(device); });
}
status fib_net::remove_device(std::uint32_t index) noexcept {
  return guarded([&] { return net_->remove_device(index); });
}
status fib_net::set_up(std::uint32_t index, bool up) noexcept {
  return guarded([&] { return net_->set_up(index, up); });
}
status fib_net::set_carrier(std::uint32_t index, bool carrier) noexcept {
  return guarded([&] { return net_->set_carrier(index, carrier); });
}
status fib_net::set_ignore_linkdown(std::uint32_t index, bool ignore) noexcept {
  return guarded([&] { return net_->set_ignore_linkdown(index, ignore); });
}
status fib_net::add_address(std::uint32_t index, const address_spec& address) noexcept {
  return guarded([&] { return net_->add_address(index, address); });
}
status fib_net::remove_address(std::uint32_t index, key32 local, std::uint8_t plen) noexcept {
  return guarded([&] { return net_->remove_address(index, local, plen); });
}
std::optional<device_spec> fib_net::device(std::uint32_t index) const {
  const route::device* const dev = net_->devices().find(index);
  return dev == nullptr ? std::nullopt : std::optional(dev->spec);
}
std::vector<address_spec> fib_net::addresses(std::uint32_t index) const {
  std::vector<address_spec> all;
  const route::device* const dev = net_->devices().find(index);
  if (dev == nullptr) return all;
  for (const route::interface_address& a : dev->addresses) all.push_back(a.spec);
  return all;
}
std::uint32_t fib_net::device_index(const std::string& name) const noexcept { return net_->devices().index_of(name); }

status fib_net::add_nexthop(const nexthop_object& object, std::uint16_t flags) noexcept {
  return guarded([&] { return net_->add_nexthop(object, flags); });
}
status fib_net::remove_nexthop(std::uint32_t id) noexcept {
  return guarded([&] { return net_->remove_nexthop(id); });
}
std::vector<nexthop_object> fib_net::nexthops() const {
  std::vector<nexthop_object> all;
  for (const auto& [id, record] : net_->nexthops()) all.push_back(record->object);
  return all;
}

status fib_net::add_rule(const rule_spec& rule, std::uint16_t flags) noexcept {
  return guarded([&] { return net_->add_rule(rule, flags); });
}
status fib_net::remove_rule(const rule_spec& rule) noexcept {
  return guarded([&] { return net_->remove_rule(rule); });
}
std::vector<rule_spec> fib_net::rules() const {
  std::vector<rule_spec> all;
  for (const route::compiled_rule& rule : net_->rules().list()->rules) all.push_back(rule.spec);
  return all;
}

status fib_net::lookup(const flow4& flow, unsigned flags, flow_result& out) const noexcept {
  return net_->lookup(flow, flags, out);
}
status fib_net::lookup_table(std::uint32_t table, const flow4& flow, unsigned flags, flow_result& out) const noexcept {
  return net_->lookup_table(table, flow, flags, out);
}
void fib_net::select_path(const flow4& flow, flow_result& result, const neighbour_callback* neighbours) const {
  net_->select_path(flow, result, neighbours);
}
plain_view fib_net::plain(std::uint32_t table) const noexcept { return net_->plain(table); }

void fib_net::dump(dump_cursor& cursor, std::uint32_t table,
                   const std::function<bool(const route_report&)>& visit) const {
  net_->dump(cursor, table, visit);
}
route_report fib_net::report(const flow_result& result) const { return net_->report(result); }
std::vector<std::uint32_t> fib_net::tables() const { return net_->tables(); }
void fib_net::visit_shape(std::uint32_t table, table_shape_visitor& visitor) const {
  net_->visit_shape(table, visitor);
}
trie_stats fib_net::stats(std::uint32_t table) const { return net_->stats(table); }
memory_stats fib_net::memory() const { return net_->memory(); }
memory_report fib_net::report_memory() const { return net_->report_memory(); }
std::size_t fib_net::shared_infos() const noexcept { return net_->shared_infos(); }
std::string fib_net::verify_invariants() const { return net_->verify_invariants(); }

status fib_net::subscribe(route_listener& listener) noexcept {
  return guarded([&] { return net_->subscribe(listener); });
}
void fib_net::unsubscribe(route_listener& listener) noexcept { net_->unsubscribe(listener); }

status fib_net::compact(std::uint32_t table) noexcept { return net_->compact(table); }
status fib_net::flush() noexcept { return net_->flush(); }
const net_options& fib_net::options() const noexcept { return net_->options(); }

}  // namespace fibtrie
