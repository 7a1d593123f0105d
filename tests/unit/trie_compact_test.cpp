// SPDX-License-Identifier: MIT
// Compaction: it ends whatever the budget, changes no answer and no shape, and leaves no gaps.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/compared_table.hpp"
#include "tests/support/prefix_kinds.hpp"

namespace fibtrie::testing {
namespace {

class trie_compact : public ::testing::TestWithParam<std::size_t> {};

TEST_P(trie_compact, a_round_ends_and_changes_nothing) {
  random_source random(1);
  compared_table all;
  for (int i = 0; i < 3000; ++i) all.replace(i % 2 == 0 ? clustered(random) : neighbours(random), any_result(random));
  for (int lap = 0; lap < 2; ++lap) {
    bool more = true;
    unsigned calls = 0;
    const std::uint64_t slots = all.table().stats().pointers;
    while (more && calls < 20000) {
      ASSERT_EQ(all.table().compact(GetParam(), &more), status::ok);
      ++calls;
    }
    ASSERT_FALSE(more) << "no end after " << calls << " calls";
    EXPECT_GE(calls, std::min<std::uint64_t>(slots, slots / GetParam() / 64));
  }
  all.compare_shape();
  all.check_invariants();
  for (int i = 0; i < 3000; ++i) all.probe_edges(clustered(random));
  all.flush();
  all.check_invariants();
  EXPECT_FALSE(all.failed()) << all.failure();
}
INSTANTIATE_TEST_SUITE_P(budgets, trie_compact, ::testing::Values(1, 2, 3, 16, 100, 5000, SIZE_MAX),
                         [](const auto& budget) { return std::to_string(budget.param); });

// Updates between the steps of a round.
TEST(trie_compact_online, rounds_end_beside_updates) {
  random_source random(2);
  compared_table all;
  for (int i = 0; i < 2000; ++i) all.replace(clustered(random), 1);
  unsigned rounds = 0;
  for (unsigned i = 0; i < scaled(20000); ++i) {
    random.one_in(2) ? all.replace(clustered(random), i) : all.remove(clustered(random));
    bool more = true;
    ASSERT_EQ(all.table().compact(256, &more), status::ok);
    rounds += more ? 0 : 1;
    if (i % 16 == 0) all.flush();
    if (i % 512 == 0) all.check_invariants();
    all.probe(static_cast<key32>(ipv4(10, 0, 0, 0) | (random() & 0x0303ffff)));
    ASSERT_FALSE(all.failed()) << all.failure();
  }
  EXPECT_GT(rounds, scaled(20000) / 200);
}

// Round after round the arena does not grow: what a round leaves behind is used by the next.
TEST(trie_compact_memory, rounds_leave_few_gaps) {
  random_source random(3);
  manual_domain domain;
  std::unique_ptr<fib> table;
  ASSERT_EQ(fib::create(domain, table), status::ok);
  for (unsigned i = 0; i < 60000; ++i) {
    ASSERT_NE(table->add(cut(static_cast<key32>(random()), 24), i), status::no_memory);
    if (i % 1000 == 0) {
      ASSERT_EQ(table->flush(), status::ok);
    }
  }
  for (int lap = 0; lap < 20; ++lap) {
    ASSERT_EQ(table->compact(), status::ok);
    ASSERT_EQ(table->flush(), status::ok);
  }
  const memory_stats after = table->memory();
  EXPECT_LE(after.arena_top_bytes, 2 * after.slot_bytes + (std::size_t{2} << 20));
}

}  // namespace
}  // namespace fibtrie::testing
