// SPDX-License-Identifier: MIT
// A routing namespace: interfaces and addresses, routes of several kinds, a policy rule, a listener, lookups, a dump.
#include <cstdio>
#include <memory>

#include "fibtrie/net.h"
#include "fibtrie/rcu.h"

namespace {

using namespace fibtrie;

// Told of the route that counts for each prefix, as the drivers of switches are.
class printer final : public route_listener {
  status on_event(const fib_event& event) override {
    if (event.what != fib_event::kind::entry_replace && event.what != fib_event::kind::entry_del) return status::ok;
    const char sign = event.what == fib_event::kind::entry_replace ? '+' : '-';
    const prefix4 dst = event.route->dst;
    std::printf("%c %u.%u.%u.%u/%u table %u\n", sign, dst.key >> 24, dst.key >> 16 & 255, dst.key >> 8 & 255,
                dst.key & 255, dst.plen, event.route->table);
    return status::ok;  // anything else vetoes the change
  }
};

// Two interfaces with an address each; the addresses make their own routes.
bool add_interfaces(fib_net& net) {
  for (const std::uint32_t index : {1u, 2u}) {
    device_spec device;
    device.index = index;
    device.name = index == 1 ? "eth0" : "eth1";
    address_spec address;
    address.local = ipv4(192, 0, static_cast<std::uint8_t>(index), 1);
    address.plen = 24;
    if (net.add_device(device) != status::ok || net.add_address(index, address) != status::ok) return false;
  }
  return true;
}

bool add_routes(fib_net& net) {
  route_spec route;
  route.hop.gateway = ipv4(192, 0, 1, 254);  // default via 192.0.1.254
  if (net.insert(route, insert_verb::add) != status::ok) return false;

  route = {};
  route.dst = {ipv4(198, 51, 100, 0), 24};  // over both interfaces, 3 to 1
  route.multipath = {{ipv4(192, 0, 1, 7), 1, 3, 0, 0}, {ipv4(192, 0, 2, 7), 2, 1, 0, 0}};
  if (net.insert(route, insert_verb::add) != status::ok) return false;

  route = {};
  route.dst = {ipv4(203, 0, 113, 0), 24};
  route.type = route_type::unreachable;
  if (net.insert(route, insert_verb::add) != status::ok) return false;

  route = {};
  route.table = 100;  // for marked packets: everything over eth1
  route.hop.gateway = ipv4(192, 0, 2, 254);
  if (net.insert(route, insert_verb::add) != status::ok) return false;
  rule_spec rule;
  rule.priority = 1000;
  rule.mark = 1;
  rule.mark_mask = UINT32_MAX;
  rule.table = 100;
  return net.add_rule(rule, insert_flag::create | insert_flag::exclusive) == status::ok;
}

void look_up(const fib_net& net, key32 destination, std::uint32_t mark, std::uint32_t hash) {
  flow4 flow;
  flow.daddr = destination;
  flow.mark = mark;
  flow.hash = hash;
  flow_result found;
  const status code = net.lookup(flow, 0, found);
  if (code != status::ok) {
    std::printf("%s\n", to_text(code));
    return;
  }
  net.select_path(flow, found);  // one of several next hops
  const key32 via = found.gateway() != 0 ? found.gateway() : destination;
  std::printf("via %u.%u.%u.%u interface %u\n", via >> 24, via >> 16 & 255, via >> 8 & 255, via & 255, found.oif());
}

}  // namespace

int main() {
  const rcu::thread_registration<rcu::memb> registered;
  std::unique_ptr<fib_net> net;
  if (fib_net::create(rcu::memb::instance(), {}, net) != status::ok) return 1;
  if (!add_interfaces(*net)) return 1;
  printer listener;  // is told what is there, then of every change
  if (net->subscribe(listener) != status::ok || !add_routes(*net)) return 1;
  {
    const rcu::read_section<rcu::memb> section;
    look_up(*net, ipv4(8, 8, 8, 8), 0, 0);
    look_up(*net, ipv4(8, 8, 8, 8), 1, 0);              // marked
    look_up(*net, ipv4(198, 51, 100, 1), 0, 1u << 30);  // the hash chooses the leg
    look_up(*net, ipv4(198, 51, 100, 1), 0, ~0u >> 1);
    look_up(*net, ipv4(203, 0, 113, 1), 0, 0);
    unsigned routes = 0;
    dump_cursor cursor;
    net->dump(cursor, table_id::main, [&](const route_report&) { return ++routes != 0; });
    std::printf("%u routes in main\n", routes);
  }
  if (net->set_up(1, false) != status::ok) return 1;  // its routes go
  const rcu::read_section<rcu::memb> section;
  look_up(*net, ipv4(198, 51, 100, 1), 0, 0);
  net->unsubscribe(listener);
}
