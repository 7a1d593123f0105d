// SPDX-License-Identifier: MIT
// A namespace of every flavour under churn: readers of all kinds beside one writer that changes everything.
//
// Thread safety: a program of its own.
// Invariants: 1. Each question has a few right answers, whatever the writer is at; none in between is one of them.
//   2. Of a table that is replaced as a whole a reader never sees a state older than one it has seen.
// Source: docs/semantics.md, "what a reader may see".
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fibtrie/net.h"
#include "fibtrie/rcu.h"
#include "io/net_world.hpp"
#include "io/route_text.hpp"
#include "tests/support/flavour_types.hpp"
#include "tests/support/parsed_line.hpp"
#include "tests/support/seed.hpp"
#include "trie/assert.hpp"

namespace fibtrie::testing {
namespace {

constexpr auto run_time = std::chrono::milliseconds(800);
constexpr std::uint32_t own_table = 100;
constexpr std::uint32_t switched_table = 101;
constexpr std::uint32_t d0 = 2, d1 = 3, d2 = 4, d3 = 5;
constexpr unsigned switched_routes = 60;

class tortured_net {
 public:
  explicit tortured_net(const rcu::domain& domain) {
    net_options options;
    options.table.backlog_objects = 20000;
    options.table.backlog = on_backlog::wait;
    FIBTRIE_CHECK(fib_net::create(domain, options, net_) == status::ok);
    FIBTRIE_CHECK(io::make_world(*net_, {}) == status::ok);
    for (const char* line :
         {"add default dev d3", "add 11.0.0.0/16 dev d0", "add 12.0.0.0/24 dev d0", "@nexthop add id 1 dev d0",
          "@nexthop add id 2 dev d1", "@nexthop add id 11 group 1/2", "add 13.0.0.0/16 nhid 1",
          "add 13.1.0.0/16 nhid 11", "add 15.0.0.0/8 dev d1", "add 15.0.0.0/8 dev d0 table main",
          "add 16.0.0.0/16 nexthop dev d1 nexthop dev d2", "add blackhole 17.0.0.0/8"}) {
      must(line);
    }
    for (unsigned n = 0; n < 64; ++n) must("add 10." + std::to_string(n) + ".0.0/16 dev d" + std::to_string(n % 2));
  }

  // ---- the writer
  void churn(random_source& random) {
    ++changes_;
    const std::string n = std::to_string(random.below(64));
    switch (random.below(12)) {
      case 0: return switch_table();
      case 1: return may("@nexthop replace id 1 dev d" + std::to_string(random.below(2)));
      case 2: return may(random.one_in(2) ? "@nexthop replace id 11 group 2,9" : "@nexthop replace id 11 group 1/2,3");
      case 3:
        return may(random.one_in(2) ? "@rule add priority 100 to 15.0.0.0/8 table 100" : "@rule del priority 100");
      case 4: return may(random.one_in(2) ? "@link d2 down" : "@link d2 up");
      case 5: return may(random.one_in(2) ? "add 12.0.0.0/24 tos 0x10 dev d1" : "del 12.0.0.0/24 tos 0x10");
      case 6: return may("replace 11.0.0.0/16 dev d" + std::to_string(random.below(2)));
      case 7: return may(random.one_in(2) ? "add 17.1.0.0/16 dev d0" : "del 17.1.0.0/16");
      case 8: return may(random.one_in(2) ? "@addr add 18.0.0.1/24 dev d1" : "@addr del 18.0.0.1/24 dev d1");
      default: return may((random.one_in(2) ? "add 10." : "del 10.") + n + ".200.0/24 metric 5 dev d2");
    }
  }
  void finish() {
    EXPECT_EQ(net_->flush(), status::ok);
    EXPECT_EQ(net_->verify_invariants(), "");
  }
  std::uint64_t changes() const noexcept { return changes_; }
  const fib_net& net() const noexcept { return *net_; }

 private:
  void must(const std::string& line) { FIBTRIE_CHECK(io::apply(*net_, parsed_line(line)) == status::ok); }
  // Something may be in the way of it, or there already.
  void may(const std::string& line) { static_cast<void>(io::apply(*net_, parsed_line(line))); }
  void switch_table() {
    std::vector<route_spec> routes;
    ++generation_;
    for (unsigned i = 0; i < switched_routes; ++i) {
      route_spec spec = parsed_line("add 14.0." + std::to_string(i) + ".0/24 dev d0").spec;
      spec.table = switched_table;
      spec.priority = generation_;
      routes.push_back(std::move(spec));
    }
    FIBTRIE_CHECK(net_->replace_all(switched_table, routes) == status::ok);
  }

  std::unique_ptr<fib_net> net_;
  std::uint64_t changes_ = 0;
  std::uint32_t generation_ = 0;
};

// What one reader asks, and what it has seen.
class asker {
 public:
  asker(const fib_net& net, std::uint64_t stream) : net_(net), random_(stream) {}

  // One question, in a read section; what is wrong with the answer, or an empty text.
  std::string ask() {
    const auto n = static_cast<std::uint8_t>(random_.below(64));
    switch (random_.below(10)) {
      case 0: return expect(ipv4(10, n, 7, 7), 0, {n % 2u == 0 ? d0 : d1}, 16);
      case 1: return expect(ipv4(10, n, 200, 7), 0, {n % 2u == 0 ? d0 : d1, d2}, 0);
      case 2: return expect(ipv4(11, 0, 1, 1), 0, {d0, d1}, 16);
      case 3: return expect(ipv4(12, 0, 0, 1), 0x10, {d0, d1}, 24);
      case 4: return expect(ipv4(12, 0, 0, 1), 0, {d0}, 24);
      case 5: return expect(ipv4(13, static_cast<std::uint8_t>(random_.below(2)), 0, 1), 0, {d0, d1}, 16);
      case 6: return expect(ipv4(16, 0, 0, 1), 0, {d1, d2}, 16);
      case 7: return by_rules();
      case 8: return switched();
      default: return plain(n);
    }
  }
  std::size_t answers() const noexcept { return seen_.size(); }

 private:
  std::string expect(key32 daddr, std::uint8_t tos, const std::set<std::uint32_t>& oifs, unsigned plen) {
    flow4 flow;
    flow.daddr = daddr;
    flow.tos = tos;
    flow.hash = static_cast<std::uint32_t>(random_());
    const bool quick = plen == 0 || random_.one_in(2);
    flow_result found;
    const status code = net_.lookup_table(own_table, flow, quick ? lookup_flag::without_prefix : 0, found);
    if (code != status::ok) return "no route to " + std::to_string(daddr);
    if (!quick && found.route.plen != plen) return "a shorter route to " + std::to_string(daddr);
    net_.select_path(flow, found);
    seen_.insert({daddr >> 16, found.oif()});
    return oifs.count(found.oif()) != 0 ? "" : "another way to " + std::to_string(daddr);
  }
  std::string by_rules() {
    flow4 flow;
    flow.daddr = ipv4(15, 0, 0, 1);
    flow_result found;
    if (net_.lookup(flow, 0, found) != status::ok) return "no route by rules";
    seen_.insert({15, found.oif()});
    if (found.oif() != d0 && found.oif() != d1) return "another way by rules";
    flow.daddr = ipv4(198, 18, 3, 1);
    if (net_.lookup(flow, 0, found) != status::ok || found.type != route_type::local) return "an address is not local";
    flow.daddr = ipv4(17, 2, 0, 1);
    return net_.lookup_table(own_table, flow, 0, found) == status::invalid ? "" : "no black hole";
  }
  std::string switched() {
    for (int i = 0; i < 3; ++i) {
      flow4 flow;
      flow.daddr = ipv4(14, 0, static_cast<std::uint8_t>(random_.below(switched_routes)), 1);
      flow_result found;
      if (net_.lookup_table(switched_table, flow, 0, found) != status::ok)
        return newest_ == 0 ? "" : "a hole in a table";
      if (found.priority() < newest_) return "an older table";
      newest_ = found.priority();
    }
    seen_.insert({14, newest_});
    return {};
  }
  std::string plain(std::uint8_t n) {
    const plain_view view = net_.plain(own_table);
    if (!view.exists() || !view.lookup(ipv4(10, n, 7, 7)).found) return "a plain lookup finds nothing";
    std::set<std::string> routes;
    dump_cursor cursor;
    if (!random_.one_in(50)) return {};
    net_.dump(cursor, own_table, [&](const route_report& r) {
      if (r.dst.plen == 16 && r.dst.key >> 24 == 10) routes.insert(io::route_text(r, io::device_name));
      return true;
    });
    return routes.size() == 64 ? "" : "a dump of " + std::to_string(routes.size());
  }

  const fib_net& net_;
  random_source random_;
  std::uint32_t newest_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;
};

template <class F>
class net_torture : public ::testing::Test {};

TYPED_TEST_SUITE(net_torture, flavours, flavour_names);

TYPED_TEST(net_torture, every_answer_is_a_right_one) {
  using F = TypeParam;
  const rcu::thread_registration<F> registered;
  tortured_net shared(F::instance());
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  std::vector<std::string> wrong(3);
  std::vector<std::size_t> answers(3);
  for (unsigned r = 0; r < wrong.size(); ++r) {
    readers.emplace_back([&, r] {
      const rcu::thread_registration<F> mine;
      asker questions(shared.net(), 100 + r);
      // relaxed: only ends the loop
      while (!stop.load(std::memory_order_relaxed) && wrong[r].empty()) {
        F::read_lock();
        for (int i = 0; i < 16 && wrong[r].empty(); ++i) wrong[r] = questions.ask();
        F::read_unlock();
        F::quiescent_state();
      }
      answers[r] = questions.answers();
    });
  }
  random_source random(7);
  const auto until = std::chrono::steady_clock::now() + run_time;
  while (std::chrono::steady_clock::now() < until) {
    shared.churn(random);
    F::quiescent_state();
  }
  stop.store(true, std::memory_order_relaxed);  // relaxed: join() orders
  {
    const rcu::offline_scope<F> waiting;
    for (std::thread& reader : readers) reader.join();
  }
  for (const std::string& text : wrong) EXPECT_EQ(text, "");
  for (const std::size_t count : answers) EXPECT_GT(count, 60u);
  shared.finish();
  EXPECT_GT(shared.changes(), 100u);
}

}  // namespace
}  // namespace fibtrie::testing
