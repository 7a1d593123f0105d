// SPDX-License-Identifier: MIT
// Thresholds: the kernel's rules, the size models, and that no accepted setting swings.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include "tests/support/seed.hpp"
#include "tests/support/trie8.hpp"
#include "trie/policy.hpp"

namespace fibtrie::trie {
namespace {

using testing::random_source;

// Both thresholds at t, for the top node and all others.
shape_policy flat_policy(unsigned t, size_model model) { return {t, t, t, t, 10, model}; }

void expect_kernel_rules(const resize_rules& rules, std::uint64_t t, unsigned bits, std::uint64_t used) {
  const std::uint64_t slots = std::uint64_t{1} << bits;
  for (const bool root : {false, true}) {
    ASSERT_EQ(rules.inflate(root, bits, 1, used), used > 1 && 50 * used >= slots * t)
        << slots << ' ' << used << ' ' << t;
    ASSERT_FALSE(rules.inflate(root, bits, 0, used));
    ASSERT_EQ(rules.halve(root, bits, used), used > 1 && bits > 1 && 100 * used < slots * t) << slots << ' ' << used;
  }
}

TEST(trie_policy, exact_model_is_the_kernels_rule) {
  random_source random(1);
  for (unsigned t = 1; t <= 100; ++t) {
    const resize_rules rules(flat_policy(t, size_model::exact));
    for (unsigned bits = 1; bits <= 20; ++bits) {
      const std::uint64_t most = std::uint64_t{2} << bits;
      const std::uint64_t edge = (std::uint64_t{t} << bits) / 50;
      for (std::uint64_t used = 0; used <= std::min<std::uint64_t>(most, 64); ++used) {
        ASSERT_NO_FATAL_FAILURE(expect_kernel_rules(rules, t, bits, used));
      }
      for (std::uint64_t near = 0; near < 6; ++near) {
        ASSERT_NO_FATAL_FAILURE(expect_kernel_rules(rules, t, bits, edge + near - std::min<std::uint64_t>(edge, 3)));
        ASSERT_NO_FATAL_FAILURE(
            expect_kernel_rules(rules, t, bits, edge / 2 + near - std::min<std::uint64_t>(edge / 2, 3)));
        ASSERT_NO_FATAL_FAILURE(expect_kernel_rules(rules, t, bits, random.below(most + 1)));
      }
    }
  }
}

TEST(trie_policy, kernel_defaults) {
  const resize_rules rules(shape_policy{});
  EXPECT_TRUE(rules.is_stable());
  EXPECT_EQ(rules.max_work(), 10u);
  EXPECT_EQ(rules.inflate_from(false, 8), 256u);
  EXPECT_EQ(rules.inflate_from(true, 8), 154u);  // 153.6
  EXPECT_EQ(rules.halve_below(false, 8), 64u);
  EXPECT_EQ(rules.halve_below(true, 8), 39u);  // 38.4
}

// Growth as the slab's size classes fall: small nodes are encouraged, larger ones discouraged.  Header and slots of 2,
// 4, 8, ... children take 64, 96, 128, 192, 512, 1024, 2048 bytes.
TEST(trie_policy, kmalloc_model_follows_the_size_classes) {
  const resize_rules rules(flat_policy(50, size_model::kmalloc));
  const std::uint64_t wanted[] = {2, 3, 6, 22, 32, 64};
  for (unsigned bits = 1; bits <= 6; ++bits) EXPECT_EQ(rules.inflate_from(false, bits), wanted[bits - 1]) << bits;
  EXPECT_EQ(truesize(size_model::kmalloc, 1), 64u);
  EXPECT_EQ(truesize(size_model::kmalloc, 8), 4096u);
  EXPECT_EQ(truesize(size_model::kmalloc, 9), 8192u);
}

TEST(trie_policy, rejects_what_cannot_work) {
  shape_policy policy;
  policy.max_work = 0;
  EXPECT_FALSE(resize_rules(policy).is_stable());
  policy = {};
  policy.halve_threshold = 60;  // what an inflate at 50 leaves is halved again
  EXPECT_FALSE(resize_rules(policy).is_stable());
  policy = {};
  policy.root_halve_threshold = 40;
  EXPECT_FALSE(resize_rules(policy).is_stable());
  for (const auto model : {size_model::exact, size_model::kmalloc, size_model::arena}) {
    policy = {};
    policy.model = model;
    EXPECT_TRUE(resize_rules(policy).is_stable()) << static_cast<int>(model);
  }
}

shape_policy some_policy(random_source& random) {
  shape_policy p;
  p.inflate_threshold = 1 + random.below(100);
  p.halve_threshold = random.below(p.inflate_threshold + 10);
  p.root_inflate_threshold = 1 + random.below(100);
  p.root_halve_threshold = random.below(p.root_inflate_threshold + 10);
  p.max_work = 1 + random.below(12);
  p.model = static_cast<size_model>(random.below(3));
  return p;
}

// Could the rules undo an inflate or a halve of a node of 2^bits slots, whatever stands in it?
bool rules_can_swing(const resize_rules& rules, bool root, unsigned bits) {
  const std::uint64_t slots = std::uint64_t{1} << bits;
  for (std::uint64_t used = 2; used <= slots; ++used) {
    for (std::uint64_t full = 0; full <= used; ++full) {
      if (!rules.inflate(root, bits, 1, used + full)) continue;
      // Each full child of two or more leaves fills one or two slots; each other child fills one.
      for (std::uint64_t after = used; after <= used + full; ++after) {
        if (rules.halve(root, bits + 1, after)) return true;
      }
    }
    // A halve turns pairs into full children, which count twice: the sum stays.
    if (bits > 1 && rules.halve(root, bits, used) && rules.inflate(root, bits - 1, 1, used)) return true;
  }
  return false;
}

TEST(trie_policy, accepted_settings_undo_nothing) {
  random_source random(2);
  unsigned accepted = 0;
  unsigned rejected_swinging = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    const resize_rules rules(some_policy(random));
    bool swings = false;
    for (unsigned bits = 1; bits <= 5; ++bits) {
      swings = swings || rules_can_swing(rules, false, bits) || rules_can_swing(rules, true, bits);
    }
    if (rules.is_stable()) {
      ++accepted;
      EXPECT_FALSE(swings);
    } else {
      rejected_swinging += swings ? 1 : 0;
    }
  }
  EXPECT_GT(accepted, 300u);
  EXPECT_GT(rejected_swinging, 100u);
}

// The same address touched again and again: with any accepted setting the trie soon stops changing.
TEST(trie_policy, tries_come_to_rest) {
  random_source random(3);
  unsigned tried = 0;
  for (unsigned round = 0; round < testing::scaled(1500); ++round) {
    fib_options options = testing::trie8::small_options();
    options.policy = some_policy(random);
    if (!resize_rules(options.policy).is_stable()) continue;
    ++tried;
    testing::trie8 trie(options);
    const unsigned count = 2 + random.below(60);
    for (unsigned i = 0; i < count; ++i) (void)trie->add({static_cast<std::uint8_t>(random()), 8}, i);
    // A prefix that comes and goes with a leaf of its own makes every tnode above it look at itself.
    std::uint64_t before = 0;
    const auto key = static_cast<std::uint8_t>(random());
    for (int lap = 0; lap < 24; ++lap) {
      if (lap == 20) before = trie->writer().inflates + trie->writer().halves;
      const bool added = trie->add({key, 8}, 1) == status::ok;
      if (added) (void)trie->remove({key, 8});
    }
    const std::uint64_t laps = trie->writer().inflates + trie->writer().halves - before;
    // A threshold on the edge may be crossed by the one prefix itself, once each way in every node above; no more.
    EXPECT_LE(laps, 4u * 2 * 8) << "round " << round;
    EXPECT_EQ(trie->verify_invariants(), "");
  }
  EXPECT_GT(tried, testing::scaled(1500) / 10);
}

}  // namespace
}  // namespace fibtrie::trie
