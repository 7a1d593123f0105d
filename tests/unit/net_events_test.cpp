// SPDX-License-Identifier: MIT
// Subscriptions, vetoes, transactions, the switch of whole tables, and dumps that are taken up again.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/seed.hpp"
#include "tests/support/small_net.hpp"

namespace fibtrie::testing {
namespace {

// What an offload driver would hold: the first route of each prefix and table, by events alone.
class mirror final : public route_listener {
 public:
  using key = std::tuple<std::uint32_t, key32, std::uint8_t>;

  status on_event(const fib_event& event) override {
    if (veto != status::ok && event.what == fib_event::kind::entry_replace) return veto;
    if (event.rule != nullptr) {
      rules += event.what == fib_event::kind::rule_add ? 1 : -1;
      return status::ok;
    }
    if (event.route == nullptr || event.leg != nullptr) return status::ok;
    const key at{event.route->table, event.route->dst.key, event.route->dst.plen};
    if (event.what == fib_event::kind::entry_replace) {
      first[at] = io::route_text(*event.route, io::device_name);
    } else {
      EXPECT_EQ(event.what, fib_event::kind::entry_del);
      EXPECT_EQ(first.erase(at), 1u);
    }
    return status::ok;
  }

  std::map<key, std::string> first;
  int rules = 0;
  status veto = status::ok;
};

std::map<mirror::key, std::string> first_routes(small_net& net) {
  std::map<mirror::key, std::string> first;
  dump_cursor cursor;
  net->dump(cursor, 0, [&](const route_report& r) {
    first.try_emplace({r.table, r.dst.key, r.dst.plen}, io::route_text(r, io::device_name));
    return true;
  });
  return first;
}

std::string random_line(random_source& random) {
  const std::string prefix = "10." + std::to_string(random.below(3)) + "." + std::to_string(random.below(3)) + ".0/" +
                             (random.one_in(2) ? "24" : "25");
  static const std::vector<std::string> verbs = {"add", "append", "prepend", "replace", "change", "del", "del"};
  std::string line = random.pick(verbs) + " " + prefix;
  if (random.one_in(4)) line += " tos 0x10";
  if (random.one_in(3)) line += " metric " + std::to_string(random.below(3));
  if (random.one_in(4)) line += " table " + std::to_string(100 + random.below(2));
  if (!line.starts_with("del")) line += " dev d" + std::to_string(random.below(4));
  return line;
}

TEST(net_events, a_mirror_by_events_holds_the_first_route_of_each_prefix) {
  small_net net;
  random_source random(2);
  for (int i = 0; i < 200; ++i) static_cast<void>(net.play(random_line(random)));
  mirror events;
  ASSERT_EQ(net->subscribe(events), status::ok);
  EXPECT_EQ(net->subscribe(events), status::exists);
  EXPECT_EQ(events.first, first_routes(net));
  EXPECT_EQ(events.rules, 3);
  EXPECT_GT(events.first.size(), 20u);
  std::set<std::size_t> sizes;
  for (unsigned i = 0; i < scaled(3000); ++i) {
    if (random.one_in(40)) {
      static_cast<void>(net.play("@link d" + std::to_string(random.below(4)) + (random.one_in(2) ? " down" : " up")));
    } else {
      static_cast<void>(net.play(random_line(random)));
    }
    ASSERT_EQ(events.first, first_routes(net)) << i;
    sizes.insert(events.first.size());
  }
  EXPECT_GT(sizes.size(), 10u);
  net->unsubscribe(events);
}

TEST(net_events, a_veto_undoes_the_insert) {
  small_net net;
  net.must({"add 10.0.0.0/8 dev d0", "append 10.0.0.0/8 metric 5 dev d1"});
  mirror events;
  ASSERT_EQ(net->subscribe(events), status::ok);
  const auto before = net.routes();
  const std::size_t infos = net->shared_infos();
  events.veto = status::no_buffers;
  for (const char* line : {"add 11.0.0.0/8 dev d0", "replace 10.0.0.0/8 dev d2", "prepend 10.0.0.0/8 dev d3"}) {
    EXPECT_EQ(net.play(line), status::no_buffers) << line;
    EXPECT_EQ(net.routes(), before) << line;
    EXPECT_EQ(net->shared_infos(), infos) << line;
    EXPECT_EQ(net->verify_invariants(), "") << line;
  }
  EXPECT_EQ(net.play("append 10.0.0.0/8 metric 9 dev d2"), status::ok);  // not the first of its prefix: no event
  mirror late;
  late.veto = status::no_buffers;
  EXPECT_EQ(net->subscribe(late), status::no_buffers);  // it cannot take what is there
  net->unsubscribe(events);
}

TEST(net_transactions, all_or_nothing) {
  small_net net;
  net.must({"add 10.0.0.0/8 dev d0", "append 10.0.0.0/8 dev d1", "add 10.1.0.0/16 dev d0"});
  const auto before = net.routes();
  std::vector<route_operation> batch = {parsed_step("del 10.0.0.0/8"),
                                        parsed_step("del 10.0.0.0/8"),
                                        parsed_step("add 12.0.0.0/8 dev d2"),
                                        parsed_step("replace 12.0.0.0/8 dev d3"),
                                        parsed_step("add 10.0.0.0/8 via 198.18.0.9"),
                                        parsed_step("del 10.9.0.0/16")};
  std::size_t failed = 99;
  EXPECT_EQ(net->apply(batch, &failed), status::not_found);
  EXPECT_EQ(failed, 5u);
  EXPECT_EQ(net.routes(), before);
  EXPECT_EQ(net->verify_invariants(), "");
  batch.pop_back();
  EXPECT_EQ(net->apply(batch, &failed), status::ok);
  EXPECT_EQ(net.routes(),
            (std::vector<std::string>{"unicast 10.0.0.0/8 metric 0 proto 3 scope universe via 198.18.0.9 dev d0",
                                      "unicast 10.1.0.0/16 metric 0 proto 3 scope link dev d0",
                                      "unicast 12.0.0.0/8 metric 0 proto 3 scope link dev d3"}));
  EXPECT_EQ(net->verify_invariants(), "");
}

TEST(net_transactions, a_delete_is_refused_as_it_is_alone) {
  small_net net;
  net.must({"add 10.0.0.0/8 dev d0"});
  for (const char* line : {"del 10.0.0.0/8 nhid 9", "del 10.0.0.1/8", "del 11.0.0.0/8", "del 10.0.0.0/8 table 77"}) {
    const status alone = net.play(line);
    EXPECT_NE(alone, status::ok) << line;
    EXPECT_EQ(net->apply(std::vector<route_operation>{parsed_step(line)}), alone) << line;
  }
}

TEST(net_transactions, random_batches_end_as_their_operations_do_or_not_at_all) {
  small_net one, many;
  random_source random(3);
  unsigned done = 0, undone = 0;
  for (unsigned round = 0; round < 600; ++round) {
    std::vector<route_operation> batch;
    std::vector<std::string> lines;
    for (unsigned i = 1 + random.below(12); i > 0; --i) lines.push_back(random_line(random));
    for (const std::string& line : lines) batch.push_back(parsed_step(line));
    const auto before = many.routes();
    const status code = many->apply(batch, nullptr);
    if (code != status::ok) {
      ++undone;
      ASSERT_EQ(many.routes(), before);
      continue;
    }
    ++done;
    for (const std::string& line : lines) ASSERT_EQ(one.play(line), status::ok) << line;
    ASSERT_EQ(many.routes(), one.routes());
    ASSERT_EQ(many.routes(101), one.routes(101));
    ASSERT_EQ(many->shared_infos(), one->shared_infos());
  }
  EXPECT_EQ(many->verify_invariants(), "");
  EXPECT_GT(done, 10u);
  EXPECT_GT(undone, 10u);
}

TEST(net_transactions, a_table_is_replaced_as_a_whole) {
  small_net net;
  net.must({"add 10.0.0.0/8 dev d0", "add 10.1.0.0/16 dev d0", "add 12.0.0.0/8 dev d1"});
  mirror events;
  ASSERT_EQ(net->subscribe(events), status::ok);
  std::vector<route_spec> routes;
  for (const char* line :
       {"add 10.0.0.0/8 dev d2", "add 10.0.0.0/8 metric 5 dev d3", "add 13.0.0.0/8 via 198.18.0.9"}) {
    routes.push_back(parsed_line(line).spec);
  }
  const std::vector<std::string> expected = {
      "unicast 10.0.0.0/8 metric 0 proto 3 scope link dev d2", "unicast 10.0.0.0/8 metric 5 proto 3 scope link dev d3",
      "unicast 13.0.0.0/8 metric 0 proto 3 scope universe via 198.18.0.9 dev d0"};
  ASSERT_EQ(net->replace_all(small_net::table, routes), status::ok);
  EXPECT_EQ(net.routes(), expected);
  EXPECT_EQ(events.first, first_routes(net));
  EXPECT_EQ(net->verify_invariants(), "");
  routes.push_back(parsed_line("add 14.0.0.0/8 via 203.0.113.1").spec);
  std::size_t failed = 0;
  EXPECT_EQ(net->replace_all(small_net::table, routes, &failed), status::net_unreachable);
  EXPECT_EQ(failed, 3u);
  EXPECT_EQ(net.routes(), expected);
  EXPECT_EQ(net->replace_all(table_id::main, {}), status::unsupported);  // shared with local
  EXPECT_EQ(net->replace_all(small_net::table, {}), status::ok);
  EXPECT_TRUE(net.routes().empty());
  EXPECT_EQ(net->verify_invariants(), "");
  net->unsubscribe(events);
}

TEST(net_dump, a_dump_goes_on_across_changes) {
  small_net net;
  random_source random(4);
  for (int i = 0; i < 400; ++i) static_cast<void>(net.play(random_line(random)));
  for (int i = 0; i < 200; ++i) net.must({"add 20.0.0." + std::to_string(i) + " dev d0"});  // these stay
  for (const unsigned step : {1u, 3u, 17u}) {
    std::map<std::string, unsigned> seen;
    dump_cursor cursor;
    while (!cursor.done) {
      unsigned count = 0;
      net->dump(cursor, 0, [&](const route_report& r) {
        ++seen[io::route_text(r, io::device_name)];
        return ++count < step;
      });
      for (unsigned i = random.below(4); i > 0; --i) static_cast<void>(net.play(random_line(random)));
    }
    for (int i = 0; i < 200; ++i) {
      const std::string line =
          "unicast 20.0.0." + std::to_string(i) + "/32 table 100 metric 0 proto 3 scope link dev d0";
      ASSERT_EQ(seen[line], 1u) << line;
    }
    EXPECT_GT(seen.size(), 220u);
  }
}

}  // namespace
}  // namespace fibtrie::testing
