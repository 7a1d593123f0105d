// SPDX-License-Identifier: MIT
// A namespace is asked for anything: fields of every value, in and out of range, in every operation.
//
// Thread safety: one thread.
// Invariants: 1. Whatever is asked, the answer is a status; the namespace stays right and loses nothing.
// Source: none; nobody may be trusted to stay in range.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fibtrie/net.h"
#include "io/net_proc_text.hpp"
#include "io/route_text.hpp"
#include "tests/support/manual_domain.hpp"
#include "tests/support/seed.hpp"

namespace fibtrie::testing {
namespace {

class hostile_source {
 public:
  explicit hostile_source(std::uint64_t stream) : random_(stream) {}

  random_source& random() { return random_; }
  // Mostly small, sometimes an edge, sometimes anything.
  template <class T>
  T number() {
    switch (random_.below(8)) {
      case 0: return static_cast<T>(random_());
      case 1: return std::numeric_limits<T>::max();
      case 2: return std::numeric_limits<T>::min();
      case 3: return static_cast<T>(std::numeric_limits<T>::max() / 2 + random_.below(2));
      default: return static_cast<T>(random_.below(6));
    }
  }
  key32 address() {
    static constexpr std::array<key32, 8> some = {0,
                                                  1,
                                                  ipv4(198, 18, 0, 9),
                                                  ipv4(198, 18, 1, 9),
                                                  ipv4(198, 18, 0, 1),
                                                  ipv4(224, 0, 0, 1),
                                                  ipv4(127, 0, 0, 1),
                                                  UINT32_MAX};
    return random_.one_in(4) ? static_cast<key32>(random_()) : random_.pick(some);
  }
  prefix4 prefix() {
    const auto plen = random_.one_in(16) ? number<std::uint8_t>() : static_cast<std::uint8_t>(random_.below(33));
    const key32 key = random_.one_in(3) ? address() : ipv4(10, 0, 0, 0) | random_.below(4) << 8;
    return {plen <= 32 && !random_.one_in(16) ? key & prefix_mask<key32>(plen) : key, plen};
  }
  std::uint32_t table() {
    static constexpr std::array<std::uint32_t, 6> some = {0, 100, 101, 254, 255, 356};
    return random_.one_in(64) ? static_cast<std::uint32_t>(random_()) : random_.pick(some);
  }
  std::uint8_t scope_or_any() {
    static constexpr std::array<std::uint8_t, 5> some = {scope::universe, scope::link, scope::link, scope::host,
                                                         scope::nowhere};
    return random_.one_in(6) ? number<std::uint8_t>() : random_.pick(some);
  }
  nexthop_spec hop() {
    nexthop_spec made;
    if (!random_.one_in(3)) made.gateway = address();
    if (!random_.one_in(3)) made.oif = number<std::uint32_t>();
    if (random_.one_in(6)) made.weight = number<std::uint16_t>();
    if (random_.one_in(4)) made.flags = number<std::uint8_t>();
    if (random_.one_in(8)) made.flow = number<std::uint32_t>();
    return made;
  }
  route_spec route() {
    route_spec made;
    made.dst = prefix();
    if (random_.one_in(4)) made.tos = number<std::uint8_t>();
    if (random_.one_in(3))
      made.type = static_cast<route_type>(random_.one_in(8) ? random_.below(256) : random_.below(12));
    made.scope = scope_or_any();
    if (random_.one_in(3)) made.protocol = number<std::uint8_t>();
    if (random_.one_in(3)) made.priority = number<std::uint32_t>();
    if (random_.one_in(8)) made.prefsrc = address();
    made.table = table();
    if (random_.one_in(5)) made.nexthop_id = number<std::uint32_t>();
    if (!random_.one_in(4)) made.hop = hop();
    if (random_.one_in(5)) {
      for (std::uint32_t i = random_.one_in(50) ? 300 : random_.below(4); i-- > 0;) made.multipath.push_back(hop());
    }
    if (random_.one_in(8)) made.metrics.value[random_.below(18)] = number<std::uint32_t>();
    return made;
  }
  std::uint16_t flags() {
    static constexpr std::array<std::uint16_t, 6> verbs = {insert_verb::add,     insert_verb::append,
                                                           insert_verb::prepend, insert_verb::replace,
                                                           insert_verb::change,  insert_verb::test};
    return random_.one_in(8) ? number<std::uint16_t>() : random_.pick(verbs);
  }
  std::string name() {
    static const std::vector<std::string> some = {"", "lo", "d0", "d1", std::string(300, 'x'), std::string("d0\0x", 4)};
    return random_.pick(some);
  }
  device_spec device() {
    device_spec made;
    made.index = number<std::uint32_t>();
    made.name = name();
    made.up = !random_.one_in(3);
    made.carrier = !random_.one_in(3);
    made.loopback = random_.one_in(5);
    made.group = number<std::uint32_t>();
    return made;
  }
  address_spec interface_address() {
    address_spec made;
    made.local = address();
    made.plen = random_.one_in(3) ? number<std::uint8_t>() : static_cast<std::uint8_t>(random_.below(33));
    if (random_.one_in(3)) made.broadcast = address();
    made.prefix_route = !random_.one_in(4);
    if (random_.one_in(4)) made.priority = number<std::uint32_t>();
    if (random_.one_in(3)) made.scope = scope_or_any();
    return made;
  }
  nexthop_object nexthop() {
    nexthop_object made;
    made.id = number<std::uint32_t>();
    made.blackhole = random_.one_in(6);
    if (!random_.one_in(3)) made.hop = hop();
    if (random_.one_in(3)) {
      for (std::uint32_t i = random_.below(5); i-- > 0;) {
        made.group.push_back({number<std::uint32_t>(), random_.one_in(3) ? number<std::uint16_t>() : std::uint16_t{1}});
      }
    }
    return made;
  }
  rule_spec rule() {
    rule_spec made;
    if (!random_.one_in(3)) made.priority = number<std::uint32_t>();
    if (random_.one_in(2)) made.action = static_cast<rule_action>(random_.below(9));
    if (random_.one_in(16)) made.action = static_cast<rule_action>(number<std::uint8_t>());
    made.table = table();
    made.target = number<std::uint32_t>();
    made.invert = random_.one_in(4);
    if (random_.one_in(3)) made.from = prefix();
    if (random_.one_in(3)) made.to = prefix();
    if (random_.one_in(6)) made.tos = number<std::uint8_t>();
    if (random_.one_in(6)) made.dscp = number<std::uint8_t>();
    if (random_.one_in(4)) made.mark = number<std::uint32_t>();
    if (random_.one_in(4)) made.mark_mask = number<std::uint32_t>();
    if (random_.one_in(4)) made.iif = name();
    if (random_.one_in(4)) made.oif = name();
    if (random_.one_in(6)) made.ip_protocol = number<std::uint8_t>();
    if (random_.one_in(6)) made.sport = {number<std::uint16_t>(), number<std::uint16_t>()};
    if (random_.one_in(6)) made.uid = {number<std::uint32_t>(), number<std::uint32_t>()};
    if (random_.one_in(6)) made.suppress_prefixlength = number<int>();
    if (random_.one_in(6)) made.suppress_group = number<int>();
    return made;
  }
  flow4 flow() {
    flow4 made;
    made.daddr = random_.one_in(2) ? address() : ipv4(10, 0, 0, 0) | random_.below(1024);
    if (random_.one_in(3)) made.saddr = address();
    if (random_.one_in(4)) made.oif = number<std::uint32_t>();
    if (random_.one_in(4)) made.iif = number<std::uint32_t>();
    made.tos = number<std::uint8_t>();
    if (random_.one_in(8)) made.scope = number<std::uint8_t>();
    made.mark = number<std::uint32_t>();
    made.ip_protocol = number<std::uint8_t>();
    made.sport = number<std::uint16_t>();
    made.dport = number<std::uint16_t>();
    made.uid = number<std::uint32_t>();
    made.hash = number<std::uint32_t>();
    return made;
  }

 private:
  random_source random_;
};

std::string any_name(std::uint32_t index) { return "if" + std::to_string(index); }

// Reads everything that is reported, so that nothing of it may be wild.
class reading_listener final : public route_listener {
 public:
  void on_message(const route_message& m) override { bytes += io::message_text(m, any_name).size(); }
  status on_event(const fib_event& e) override {
    if (e.route != nullptr) bytes += io::route_text(*e.route, any_name).size();
    ++events;
    return events % 97 == 0 ? status::unsupported : status::ok;
  }
  std::size_t bytes = 0;
  std::size_t events = 0;
};

class attacked_net {
 public:
  explicit attacked_net(std::uint64_t stream) : source_(stream) {
    net_options options;
    options.promote_secondaries = source_.random().one_in(2);
    options.multipath_uses_neighbours = source_.random().one_in(2);
    options.behaviour.every_alias_announced = source_.random().one_in(2);
    EXPECT_EQ(fib_net::create(domain_, options, net_), status::ok);
    for (const std::uint32_t index : {1u, 2u, 3u, 4u}) {
      device_spec device;
      device.index = index;
      device.name = index == 1 ? "lo" : "d" + std::to_string(index - 2);
      device.loopback = index == 1;
      EXPECT_EQ(net_->add_device(device), status::ok);
      address_spec address;
      address.local = index == 1 ? ipv4(127, 0, 0, 1) : ipv4(198, 18, static_cast<std::uint8_t>(index - 2), 1);
      address.plen = index == 1 ? 8 : 24;
      EXPECT_EQ(net_->add_address(index, address), status::ok);
    }
    EXPECT_EQ(net_->subscribe(listener_), status::ok);
  }
  ~attacked_net() { net_->unsubscribe(listener_); }

  status change() {
    switch (source_.random().below(20)) {
      case 0: return net_->add_device(source_.device());
      case 1: return source_.random().one_in(4) ? net_->remove_device(number()) : status::ok;
      case 2: return net_->set_up(number(), !source_.random().one_in(4));
      case 3: return net_->set_carrier(number(), source_.random().one_in(2));
      case 4: return net_->set_ignore_linkdown(number(), source_.random().one_in(2));
      case 5: return net_->add_address(number(), source_.interface_address());
      case 6: {
        const address_spec gone = source_.interface_address();
        return net_->remove_address(number(), gone.local, gone.plen);
      }
      case 7: return net_->add_nexthop(source_.nexthop(), source_.flags());
      case 8: return source_.random().one_in(3) ? net_->remove_nexthop(number()) : status::ok;
      case 9: return source_.random().one_in(8) ? net_->add_rule(source_.rule(), source_.flags()) : status::ok;
      case 10: return net_->remove_rule(source_.rule());
      case 11: return transaction();
      case 12: return replacement();
      case 13: return net_->compact(source_.table());
      case 14:
      case 15: return net_->remove(source_.route());
      default: return net_->insert(source_.route(), source_.flags());
    }
  }

  void look() {
    const flow4 flow = source_.flow();
    const auto lookup_flags = source_.random().one_in(2) ? 0u : source_.number<unsigned>();
    flow_result found;
    if (net_->lookup(flow, lookup_flags, found) == status::ok) follow(flow, lookup_flags, found);
    found = {};
    const status code = net_->lookup_table(source_.table(), flow, lookup_flags, found);
    if (code == status::ok) follow(flow, lookup_flags, found);
    const plain_view plain = net_->plain(source_.table());
    if (plain.exists()) static_cast<void>(plain.lookup(flow.daddr));
  }

  std::string check() {
    std::string text;
    io::text_sink sink(text);
    io::write_fib_trie(sink, *net_);
    io::write_fib_triestat(sink, *net_);
    sink.flush();
    dump_cursor cursor;
    std::size_t routes = 0;
    net_->dump(cursor, 0, [&](const route_report& r) {
      static_cast<void>(io::ip_route_text(r, io::names_in(*net_)));
      static_cast<void>(io::ip_route_json(r, io::names_in(*net_)));
      ++routes;
      return true;
    });
    most_routes_ = std::max(most_routes_, routes);
    domain_.advance();
    return net_->verify_invariants();
  }

  std::size_t most_routes() const noexcept { return most_routes_; }
  std::size_t found() const noexcept { return found_; }
  std::size_t events() const noexcept { return listener_.events; }

 private:
  std::uint32_t number() { return source_.number<std::uint32_t>(); }

  void follow(const flow4& flow, unsigned lookup_flags, flow_result& found) {
    ++found_;
    const neighbour_callback neighbours = [&](key32, std::uint32_t) {
      return static_cast<neighbour_state>(source_.random().below(5));
    };
    net_->select_path(flow, found, source_.random().one_in(2) ? &neighbours : nullptr);
    static_cast<void>(found.gateway() + found.oif() + found.source() + found.priority());
    if ((lookup_flags & lookup_flag::without_prefix) == 0) static_cast<void>(net_->report(found));
  }
  status transaction() {
    std::vector<route_operation> steps(source_.random().below(5));
    for (route_operation& step : steps) {
      step.what = static_cast<route_operation::kind>(source_.random().below(source_.random().one_in(9) ? 256 : 2));
      step.flags = source_.flags();
      step.spec = source_.route();
    }
    return net_->apply(steps);
  }
  status replacement() {
    const std::uint32_t table = source_.table();
    std::vector<route_spec> routes(source_.random().below(4));
    for (route_spec& route : routes) {
      route = source_.route();
      if (!source_.random().one_in(9)) route.table = table;
    }
    return net_->replace_all(table, routes);
  }

  hostile_source source_;
  manual_domain domain_;
  std::unique_ptr<fib_net> net_;
  reading_listener listener_;
  std::size_t most_routes_ = 0;
  std::size_t found_ = 0;
};

TEST(net_hostile, anything_may_be_asked) {
  std::set<status> answers;
  std::size_t done = 0;
  std::size_t found = 0;
  for (unsigned round = 0; round < scaled(320) + 10; ++round) {
    attacked_net net(round);
    for (unsigned step = 0; step < 1500; ++step) {
      const status code = net.change();
      answers.insert(code);
      done += code == status::ok ? 1 : 0;
      net.look();
      if (step % 100 == 0) {
        ASSERT_EQ(net.check(), "") << "round " << round << ", step " << step;
      }
    }
    EXPECT_GT(net.most_routes(), 5u) << round;
    EXPECT_GT(net.events(), 5u) << round;
    found += net.found();
  }
  EXPECT_GT(answers.size(), 10u);
  EXPECT_GT(done, 2000u);
  EXPECT_GT(found, 500u);
}

}  // namespace
}  // namespace fibtrie::testing
