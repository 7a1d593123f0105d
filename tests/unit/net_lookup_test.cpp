// SPDX-License-Identifier: MIT
// Full lookups: the two ways to one answer, the choice among next hops and default routes, and policy rules.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/seed.hpp"
#include "tests/support/small_net.hpp"

namespace fibtrie::testing {
namespace {

TEST(net_lookup, without_the_prefix_the_answer_is_the_same) {
  small_net net;
  random_source random(1);
  const std::vector<std::string> types = {"", "", "", "blackhole ", "unreachable ", "prohibit ", "throw "};
  net.must({"@nexthop add id 1 via 198.18.1.9 dev d1", "@link lo up", "@nexthop add id 2 blackhole"});
  for (unsigned i = 0; i < scaled(4000); ++i) {
    const std::string& type = random.pick(types);
    std::string line = "append " + type + "10." + std::to_string(random.below(4)) + "." +
                       std::to_string(random.below(4)) + "." + std::to_string(random.below(256)) + "/32";
    if (random.one_in(4)) line = "append " + type + "10." + std::to_string(random.below(4)) + ".0.0/16";
    if (random.one_in(8)) line += " tos 0x10";
    if (type.empty())
      line += random.one_in(5) ? " nhid " + std::to_string(1 + random.below(2))
                               : " dev d" + std::to_string(random.below(4));
    static_cast<void>(net.play(line));
  }
  net.must({"@link d3 down"});
  std::map<status, unsigned> seen;
  for (unsigned i = 0; i < scaled(40000); ++i) {
    flow4 flow;
    flow.daddr = ipv4(10, static_cast<std::uint8_t>(random.below(5)), static_cast<std::uint8_t>(random.below(4)),
                      static_cast<std::uint8_t>(random.below(256)));
    if (random.one_in(4)) flow.tos = 0x10;
    if (random.one_in(6)) flow.oif = 2 + random.below(4);
    flow_result full, quick;
    const status code = net->lookup_table(small_net::table, flow, 0, full);
    ASSERT_EQ(net->lookup_table(small_net::table, flow, lookup_flag::without_prefix, quick), code) << flow.daddr;
    ++seen[code];
    if (code != status::ok) continue;
    ASSERT_EQ(quick.info, full.info);
    ASSERT_EQ(quick.leg, full.leg);
    ASSERT_EQ(quick.nexthop_index, full.nexthop_index);
    ASSERT_EQ(quick.entry_result, full.entry_result);
    ASSERT_EQ(quick.type, full.type);
    ASSERT_EQ(quick.tos, full.tos);
  }
  EXPECT_EQ(seen.size(), 5u);  // found, no match, and three errors
}

// The interface of the leg that a hash selects.
std::uint32_t chosen(small_net& net, const std::string& daddr, std::uint32_t hash, key32 saddr = 0) {
  flow4 flow = small_net::flow(daddr);
  flow.hash = hash;
  flow.saddr = saddr;
  flow_result found;
  EXPECT_EQ(net->lookup_table(small_net::table, flow, 0, found), status::ok);
  net->select_path(flow, found);
  return found.oif();
}

TEST(net_lookup, weights_share_the_hashes_exactly) {
  small_net net;
  net.must({"add 10.0.0.0/8 nexthop dev d0 weight 3 nexthop dev d1 weight 1 nexthop dev d2 weight 4"});
  constexpr std::uint32_t all = 0x80000000u;
  const auto expect = [&](std::uint32_t hash, std::uint32_t oif) {
    EXPECT_EQ(chosen(net, "10.0.0.1", hash), oif) << hash;
  };
  expect(0, 2);
  expect(all / 8 * 3 - 1, 2);
  expect(all / 8 * 3, 3);
  expect(all / 8 * 4 - 1, 3);
  expect(all / 8 * 4, 4);
  expect(all - 1, 4);
  expect(all, 2);  // the 32nd bit does not count
  net.must({"@link d1 down"});
  expect(static_cast<std::uint32_t>(std::uint64_t{all} * 3 / 7), 2);  // rounded, less one
  expect(static_cast<std::uint32_t>(std::uint64_t{all} * 3 / 7) + 1, 4);
  expect(all - 1, 4);
  net.must({"@sysctl net.ipv4.conf.d2.ignore_routes_with_linkdown 1", "@link p2 down"});
  for (const std::uint32_t hash : {0u, all / 2, all - 1}) expect(hash, 2);
}

TEST(net_lookup, groups_share_the_hashes_by_weight_too) {
  small_net net;
  net.must({"@nexthop add id 1 dev d0", "@nexthop add id 2 dev d1", "@nexthop add id 11 group 1/2,3",
            "add 10.0.0.0/8 nhid 11"});
  EXPECT_EQ(chosen(net, "10.0.0.1", 0x20000000u - 1), 2u);
  EXPECT_EQ(chosen(net, "10.0.0.1", 0x20000000u), 3u);
  net.must({"@nexthop replace id 11 group 2/1"});
  EXPECT_EQ(chosen(net, "10.0.0.1", 0x40000000u - 1), 3u);
  EXPECT_EQ(chosen(net, "10.0.0.1", 0x40000000u), 2u);
  net.must({"@nexthop del id 2"});
  EXPECT_EQ(chosen(net, "10.0.0.1", 0x10000000u), 2u);
}

TEST(net_lookup, a_source_address_prefers_its_leg_since_6_16) {
  const std::string route = "add 10.0.0.0/8 nexthop via 198.18.0.9 dev d0 nexthop via 198.18.1.9 dev d1";
  small_net now;
  now.must({route});
  EXPECT_EQ(chosen(now, "10.0.0.1", 0, ipv4(198, 18, 1, 1)), 3u);
  EXPECT_EQ(chosen(now, "10.0.0.1", 0x7fffffff, ipv4(198, 18, 0, 1)), 2u);
  EXPECT_EQ(chosen(now, "10.0.0.1", 0, ipv4(192, 0, 2, 1)), 2u);
  net_options old;
  old.behaviour = kernel_behaviour::of(6, 15);
  small_net before(old);
  before.must({route});
  EXPECT_EQ(chosen(before, "10.0.0.1", 0, ipv4(198, 18, 1, 1)), 2u);
}

class defaults : public ::testing::Test {
 protected:
  void SetUp() override {
    net_.must({"append default via 198.18.0.9", "append default via 198.18.1.9", "append default via 198.18.2.9",
               "append default metric 5 via 198.18.3.9"});
  }
  // The interface chosen while the gateways of d0, d1 and d2 are in these states.
  std::uint32_t choice(std::vector<neighbour_state> states) {
    const neighbour_callback ask = [&](key32, std::uint32_t oif) { return states[oif - 2]; };
    const flow4 flow = small_net::flow("8.8.8.8");
    flow_result found;
    EXPECT_EQ(net_->lookup_table(small_net::table, flow, 0, found), status::ok);
    net_->select_path(flow, found, &ask);
    return found.oif();
  }
  small_net net_;
};

TEST_F(defaults, the_first_that_does_not_look_dead_wins) {
  using enum neighbour_state;
  EXPECT_EQ(choice({none, none, none}), 2u);
  EXPECT_EQ(choice({failed, reachable, none}), 3u);
  EXPECT_EQ(choice({failed, failed, reachable}), 4u);
  EXPECT_EQ(choice({reachable, failed, failed}), 2u);
}

TEST_F(defaults, one_that_is_doubtful_again_yields) {
  using enum neighbour_state;
  EXPECT_EQ(choice({failed, stale, stale}), 3u);
  EXPECT_EQ(choice({failed, stale, stale}), 4u);  // the one chosen last is not trusted twice
  EXPECT_EQ(choice({failed, stale, stale}), 3u);
}

TEST_F(defaults, of_dead_ones_the_next_one_is_tried) {
  using enum neighbour_state;
  const std::uint32_t first = choice({failed, failed, failed});
  const std::uint32_t second = choice({failed, failed, failed});
  EXPECT_NE(first, second);
  for (int i = 0; i < 6; ++i) EXPECT_NE(choice({failed, failed, failed}), 5u);  // never one of a worse metric
}

TEST_F(defaults, a_single_one_is_not_asked_for) {
  small_net net;
  net.must({"add default via 198.18.0.9"});
  const neighbour_callback never = [](key32, std::uint32_t) -> neighbour_state {
    ADD_FAILURE() << "asked";
    return neighbour_state::failed;
  };
  const flow4 flow = small_net::flow("8.8.8.8");
  flow_result found;
  ASSERT_EQ(net->lookup_table(small_net::table, flow, 0, found), status::ok);
  net->select_path(flow, found, &never);
  EXPECT_EQ(found.oif(), 2u);
}

struct selector {
  const char* words;
  flow4 fits;
  flow4 other;
};

flow4 with(void (*change)(flow4&)) {
  flow4 flow = small_net::flow("10.0.0.1");
  change(flow);
  return flow;
}

TEST(net_rules, every_selector_selects) {
  const std::vector<selector> all = {
      {"from 198.18.0.0/24", with([](flow4& f) { f.saddr = ipv4(198, 18, 0, 77); }), with([](flow4&) {})},
      {"to 10.0.0.0/8", with([](flow4&) {}), with([](flow4& f) { f.daddr = ipv4(11, 0, 0, 1); })},
      {"tos 0x10", with([](flow4& f) { f.tos = 0x10; }), with([](flow4& f) { f.tos = 0x08; })},
      {"dscp 46", with([](flow4& f) { f.tos = 0xb8; }), with([](flow4& f) { f.tos = 0x38; })},
      {"fwmark 0x10/0xf0", with([](flow4& f) { f.mark = 0x1f; }), with([](flow4& f) { f.mark = 0x20; })},
      {"fwmark 7", with([](flow4& f) { f.mark = 7; }), with([](flow4& f) { f.mark = 0x107; })},
      {"iif d1", with([](flow4& f) { f.iif = 3; }), with([](flow4& f) { f.iif = 4; })},
      {"oif d1", with([](flow4& f) { f.oif = 3; }), with([](flow4& f) { f.oif = 4; })},
      {"ipproto 6", with([](flow4& f) { f.ip_protocol = 6; }), with([](flow4& f) { f.ip_protocol = 17; })},
      {"sport 1000-2000", with([](flow4& f) { f.sport = 2000; }), with([](flow4& f) { f.sport = 2001; })},
      {"dport 443", with([](flow4& f) { f.dport = 443; }), with([](flow4& f) { f.dport = 442; })},
      {"uidrange 5-9", with([](flow4& f) { f.uid = 5; }), with([](flow4& f) { f.uid = 10; })},
  };
  for (const selector& s : all) {
    SCOPED_TRACE(s.words);
    for (const bool invert : {false, true}) {
      small_net net;
      net.must({std::string("@rule add ") + (invert ? "not " : "") + "priority 100 " + s.words + " prohibit"});
      flow_result found;
      const status in = net->lookup(s.fits, 0, found);
      const status out = net->lookup(s.other, 0, found);
      EXPECT_EQ(in == status::no_access, !invert);
      EXPECT_EQ(out == status::no_access, invert);
    }
  }
}

TEST(net_rules, the_walk_follows_actions_and_priorities) {
  small_net net;
  net.must({"add 10.0.0.0/8 dev d0", "add 10.0.0.0/16 dev d1 table 101", "add throw 10.1.0.0/16 table 101",
            "add 10.0.0.0/8 dev d2 table main"});
  const auto answer = [&](const std::string& daddr) {
    flow_result found;
    const status code = net->lookup(small_net::flow(daddr), 0, found);
    return code == status::ok ? io::device_name(found.oif()) : std::string(io::result_text(code));
  };
  EXPECT_EQ(answer("10.0.0.1"), "d2");
  net.must({"@rule add priority 500 table 101", "@rule add priority 600 table 100"});
  EXPECT_EQ(answer("10.0.0.1"), "d1");
  EXPECT_EQ(answer("10.1.0.1"), "d0");  // thrown on
  EXPECT_EQ(answer("11.0.0.1"), "ENETUNREACH");
  net.must({"@rule add priority 400 goto 600"});
  EXPECT_EQ(answer("10.0.0.1"), "d0");
  net.must({"@rule add priority 300 table 101 suppress_prefixlength 16"});
  EXPECT_EQ(answer("10.0.0.1"), "d0");
  net.must({"@rule add priority 200 table 101 suppress_prefixlength 15"});
  EXPECT_EQ(answer("10.0.0.1"), "d1");
  net.must({"@rule add priority 150 nop", "@rule add priority 100 unreachable"});
  EXPECT_EQ(answer("10.0.0.1"), "ENETUNREACH");
  net.must({"@rule del priority 100", "@rule add priority 100 blackhole"});
  EXPECT_EQ(answer("10.0.0.1"), "EINVAL");
  EXPECT_EQ(net.play("@rule add priority 100 goto 100"), status::invalid);
  EXPECT_EQ(net.play("@rule add priority 100 blackhole"), status::exists);
  EXPECT_EQ(net.play("@rule del priority 99"), status::no_entry);
}

}  // namespace
}  // namespace fibtrie::testing
