// SPDX-License-Identifier: MIT
// The order of arrival does not matter to answers, and what is taken away leaves nothing behind.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fibtrie/fib.h"
#include "tests/support/manual_domain.hpp"
#include "tests/support/naive_table.hpp"
#include "tests/support/prefix_kinds.hpp"

namespace fibtrie::testing {
namespace {

std::unique_ptr<fib> empty_table(const manual_domain& domain) {
  std::unique_ptr<fib> table;
  EXPECT_EQ(fib::create(domain, table), status::ok);
  return table;
}

bool same_use(const memory_stats& a, const memory_stats& b) {
  return a.slot_bytes == b.slot_bytes && a.header_bytes == b.header_bytes && a.descriptor_bytes == b.descriptor_bytes &&
         a.entry_bytes == b.entry_bytes && a.arena_top_bytes == b.arena_top_bytes &&
         a.backlog_bytes == b.backlog_bytes && a.backlog_objects == b.backlog_objects;
}

std::vector<naive_route<key32>> some_routes(prefix_kind make, std::size_t count, random_source& random) {
  naive_table<key32> set;
  while (set.size() < count) (void)set.replace(make(random), any_result(random));
  return set.routes();
}

// Each shuffle: the same lookups, the same routes; afterwards everything is taken away in another order.
void shuffles(prefix_kind make, std::uint64_t stream) {
  random_source random(stream);
  manual_domain domain;
  auto routes = some_routes(make, scaled(1500), random);
  naive_table<key32> truth;
  for (const auto& r : routes) (void)truth.add(r.route, r.result);
  const auto in_order = truth.routes();
  std::vector<key32> probes;
  for (const auto& r : routes) {
    for (const key32 a : {r.route.key, r.route.key - 1, last_address(r.route), last_address(r.route) + 1})
      probes.push_back(a);
  }
  const auto table = empty_table(domain);
  const memory_stats empty = table->memory();
  for (int shuffle = 0; shuffle < 10; ++shuffle) {
    std::shuffle(routes.begin(), routes.end(), random);
    for (const auto& r : routes) ASSERT_EQ(table->add(r.route, r.result), status::ok);
    for (const key32 a : probes) {
      const auto want = truth.match(a);
      ASSERT_EQ(table->lookup(a), (lookup_result{want.value, want.found}));
    }
    std::vector<naive_route<key32>> seen;
    walk_cursor cursor;
    table->walk(cursor, [&](const route4& r) {
      seen.push_back({r.route, r.result});
      return true;
    });
    ASSERT_EQ(seen, in_order);
    ASSERT_EQ(table->stats().prefixes, routes.size());
    ASSERT_EQ(table->verify_invariants(), "");
    std::shuffle(routes.begin(), routes.end(), random);
    for (const auto& r : routes) ASSERT_EQ(table->remove(r.route), status::ok);
    ASSERT_EQ(table->flush(), status::ok);
    ASSERT_TRUE(same_use(table->memory(), empty)) << "shuffle " << shuffle;
    ASSERT_EQ(table->verify_invariants(), "");
  }
}

TEST(order, anything) { shuffles(anything, 1); }
TEST(order, clustered) { shuffles(clustered, 2); }
TEST(order, few_bits) { shuffles(few_bits, 3); }
TEST(order, fan) { shuffles(fan, 4); }

// A long-lived table under the same few updates again and again grows by nothing.
TEST(order, resources_do_not_drift) {
  random_source random(5);
  manual_domain domain;
  const auto table = empty_table(domain);
  for (const auto& r : some_routes(clustered, 800, random)) ASSERT_EQ(table->add(r.route, r.result), status::ok);
  const auto guests = some_routes(
      [](random_source& s) { return cut(ipv4(10, 1, 0, 0) | (s.below(1u << 16)), 25 + s.below(8)); }, 40, random);
  memory_stats after_first;
  for (unsigned lap = 0; lap < scaled(2000); ++lap) {
    for (const auto& g : guests) ASSERT_EQ(table->add(g.route, lap), status::ok);
    ASSERT_EQ(table->flush(), status::ok);
    for (const auto& g : guests) ASSERT_EQ(table->remove(g.route), status::ok);
    ASSERT_EQ(table->flush(), status::ok);
    const memory_stats now = table->memory();
    if (lap == 3) after_first = now;
    if (lap <= 3) continue;
    ASSERT_EQ(now.slot_bytes, after_first.slot_bytes) << lap;
    ASSERT_EQ(now.header_bytes, after_first.header_bytes) << lap;
    ASSERT_EQ(now.descriptor_bytes, after_first.descriptor_bytes) << lap;
    ASSERT_EQ(now.entry_bytes, after_first.entry_bytes) << lap;
    ASSERT_LE(now.arena_top_bytes, after_first.arena_top_bytes + 4096) << lap;
  }
  EXPECT_EQ(table->verify_invariants(), "");
}

}  // namespace
}  // namespace fibtrie::testing
