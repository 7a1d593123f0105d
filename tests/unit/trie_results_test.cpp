// SPDX-License-Identifier: MIT
// Changing results: every 32-bit number, and what a change costs.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include "tests/support/compared_table.hpp"
#include "tests/support/prefix_kinds.hpp"

namespace fibtrie::testing {
namespace {

constexpr prefix4 wide{0x0a000000, 13};

// One prefix around many empty slots.
void fill(compared_table& all, unsigned hosts) {
  random_source random(1);
  all.add(wide, 1);
  for (unsigned i = 0; i < hosts; ++i) all.replace(cut(wide.key | (static_cast<key32>(random()) & 0x0007ffff), 24), i);
}

TEST(trie_results, every_pair_of_extremes) {
  const std::vector<std::uint32_t> results = {
      0, 1, (1u << 17) - 1, 1u << 17, 1u << 25, (1u << 30) - 2, (1u << 30) - 1, 1u << 30, 1u << 31, ~0u};
  compared_table all;
  const std::vector<prefix4> routes = {{0, 0},           {0x80000000, 1},  {0x0a000000, 12},
                                       {0x0a000000, 13}, {0x0a010000, 16}, {0x0a010203, 32}};
  for (const auto from : results) {
    for (const auto to : results) {
      for (const prefix4 p : routes) all.replace(p, from);
      for (const prefix4 p : routes) {
        all.replace(p, to);
        for (const prefix4 q : routes) all.probe_edges(q);
      }
      all.check_invariants();
      ASSERT_FALSE(all.failed()) << all.failure() << ' ' << from << " to " << to;
    }
    for (const prefix4 p : routes) all.remove(p);
  }
}

// The first change of a prefix with very many slots writes them all, later ones are one store.
TEST(trie_results, a_prefix_with_many_slots_changes_by_one_store) {
  compared_table all;
  fill(all, 800);
  const auto stores_of_change = [&](std::uint32_t result) {
    const std::uint64_t before = all.table().writer().visible_stores;
    all.replace(wide, result);
    return all.table().writer().visible_stores - before;
  };
  EXPECT_GT(stores_of_change(7), 1024u) << "this prefix has too few slots to show anything";
  EXPECT_LE(stores_of_change(8), 2u);
  EXPECT_LE(stores_of_change(~0u), 2u);
  random_source random(2);
  for (int i = 0; i < 4000; ++i) all.probe(wide.key | (static_cast<key32>(random()) & 0x0007ffff));
  all.check_invariants();
  for (const auto& r : all.truth().routes()) all.remove(r.route);
  all.check_invariants();
  EXPECT_FALSE(all.failed()) << all.failure();
}

TEST(trie_results, a_change_to_the_same_result_stores_nothing) {
  compared_table all;
  fill(all, 300);
  const std::uint64_t before = all.table().writer().visible_stores;
  all.replace(wide, 1);
  EXPECT_EQ(all.table().writer().visible_stores, before);
}

}  // namespace
}  // namespace fibtrie::testing
