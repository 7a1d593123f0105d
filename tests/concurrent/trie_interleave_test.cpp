// SPDX-License-Identifier: MIT
// Readers between any two stores of every kind of update, in the 8-bit world and in IPv4 tables.
//
// Thread safety: one thread plays writer and readers.
// Source: docs/design.md, "what a reader may see".
#include <gtest/gtest.h>

#include "tests/support/interleave.hpp"
#include "tests/support/prefix_kinds.hpp"

namespace fibtrie::testing {
namespace {

prefix8 anything8(random_source& random) { return cut(static_cast<key8>(random()), random.below(9)); }
prefix8 crowded8(random_source& random) { return cut(static_cast<key8>(random() & 0x97), 1 + random.below(8)); }
prefix4 block(random_source& random) { return cut(ipv4(10, 0, 0, 0) | random.below(4096), 22 + random.below(11)); }

template <class Key, unsigned TopBits>
void expect_right(prefix<Key> (*make)(random_source&), interleave_plan plan) {
  interleave_counts sum;
  const unsigned rounds = scaled(60);
  EXPECT_EQ((interleave_runs<Key, hooked_traits<TopBits>>(make, plan, rounds, sum)), "");
  // Nothing of this is worth much if the readers saw little.
  EXPECT_GT(sum.stores, rounds * plan.operations);
  EXPECT_GT(sum.flips, rounds * plan.operations / 2);
  EXPECT_GT(sum.held, rounds * plan.operations * 4);
  EXPECT_GT(sum.overlaps, rounds * plan.operations);
  if (!plan.span_operations) {
    EXPECT_GT(sum.watched, rounds * plan.operations);
  }
}

constexpr interleave_plan spanning{.span_operations = true};

TEST(trie_interleave, keys8) { expect_right<key8, 2>(anything8, {}); }
TEST(trie_interleave, keys8_crowded) { expect_right<key8, 2>(crowded8, {.most_routes = 24}); }
TEST(trie_interleave, keys8_spanning_operations) { expect_right<key8, 2>(anything8, spanning); }
TEST(trie_interleave, keys32) { expect_right<key32, 12>(anything, {}); }
TEST(trie_interleave, keys32_block) { expect_right<key32, 12>(block, {.most_routes = 200}); }
TEST(trie_interleave, keys32_block_spanning_operations) { expect_right<key32, 12>(block, spanning); }
TEST(trie_interleave, keys32_nested) { expect_right<key32, 12>(nested, {.operations = 150}); }
TEST(trie_interleave, keys32_few_bits) { expect_right<key32, 12>(few_bits, {.operations = 150}); }
TEST(trie_interleave, keys32_short_prefixes) { expect_right<key32, 12>(short_ones, {.operations = 150}); }

}  // namespace
}  // namespace fibtrie::testing
