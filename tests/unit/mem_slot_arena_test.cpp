// SPDX-License-Identifier: MIT
// The arena of child arrays against a map of what is in use.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/support/seed.hpp"
#include "trie/mem/slot_arena.hpp"

namespace fibtrie::mem {
namespace {

using testing::random_source;
using testing::scaled;

constexpr std::uint32_t first_free = 64;

class checked_arena {
 public:
  explicit checked_arena(std::size_t slots) { EXPECT_TRUE(arena_.reserve(slots, false, first_free)); }

  std::uint32_t allocate(unsigned bits, bool in_run) {
    const std::uint32_t start = in_run ? arena_.allocate_in_run(bits) : arena_.allocate(bits);
    if (start == 0) return 0;
    EXPECT_EQ(start & ((1u << bits) - 1), 0u) << "alignment";
    EXPECT_GE(start, first_free);
    const auto next = used_.lower_bound(start);
    EXPECT_TRUE(next == used_.end() || next->first >= start + (1u << bits)) << "overlap";
    if (next != used_.begin()) {
      const auto before = std::prev(next);
      EXPECT_LE(before->first + (1u << before->second), start) << "overlap";
    }
    used_[start] = bits;
    // The first and last words are ours: the arena's own data must not change them.
    for (const std::uint32_t at : {start, start + (1u << bits) - 1}) {
      arena_.hot()[at].store(at, std::memory_order_relaxed);
      arena_.twins()[at].store(~at, std::memory_order_relaxed);
    }
    return start;
  }
  void free_one(random_source& random) {
    auto at = used_.begin();
    std::advance(at, random.below(used_.size()));
    for (const std::uint32_t word : {at->first, at->first + (1u << at->second) - 1}) {
      EXPECT_EQ(arena_.hot()[word].load(std::memory_order_relaxed), word);
      EXPECT_EQ(arena_.twins()[word].load(std::memory_order_relaxed), ~word);
    }
    arena_.free(at->first, at->second);
    used_.erase(at);
  }
  void recount() {
    std::uint64_t used = first_free;
    for (const auto& [start, bits] : used_) used += std::uint64_t{1} << bits;
    std::uint64_t free_slots = 0;
    ASSERT_TRUE(arena_.recount(free_slots));
    ASSERT_EQ(arena_.live_slots(), used);
    ASSERT_EQ(used + free_slots, arena_.top());
  }
  slot_arena& arena() { return arena_; }
  std::size_t blocks() const { return used_.size(); }

 private:
  slot_arena arena_;
  std::map<std::uint32_t, unsigned> used_;
};

TEST(mem_slot_arena, random_blocks) {
  random_source random(1);
  checked_arena checked(1 << 20);
  for (unsigned i = 0; i < scaled(60000); ++i) {
    const bool grow = i / 2000 % 2 == 0;
    if (checked.blocks() == 0 || random.below(4) < (grow ? 3u : 1u)) {
      checked.allocate(1 + random.below(random.one_in(16) ? 14 : 5), false);
    } else {
      checked.free_one(random);
    }
    if (i % 200 == 0) {
      ASSERT_NO_FATAL_FAILURE(checked.recount());
    }
  }
  while (checked.blocks() > 0) checked.free_one(random);
  checked.recount();
  EXPECT_EQ(checked.arena().top(), first_free) << "all free blocks merge and leave the top";
}

TEST(mem_slot_arena, runs_lie_side_by_side_and_give_back_the_rest) {
  random_source random(2);
  checked_arena checked(1 << 24);
  for (int i = 0; i < 500; ++i) checked.allocate(1 + random.below(4), false);
  for (int round = 0; round < 50; ++round) {
    std::uint32_t last = 0;
    int behind = 0;
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t start = checked.allocate(1 + random.below(6), true);
      ASSERT_NE(start, 0u);
      behind += start > last ? 1 : 0;
      last = start;
    }
    EXPECT_GE(behind, 199);
    checked.arena().close_run();
    ASSERT_NO_FATAL_FAILURE(checked.recount());
    for (int i = 0; i < 200; ++i) checked.free_one(random);
  }
  while (checked.blocks() > 0) checked.free_one(random);
  checked.recount();
  EXPECT_EQ(checked.arena().top(), first_free);
}

TEST(mem_slot_arena, refuses_when_full_and_serves_again) {
  checked_arena checked(2048);
  random_source random(3);
  std::size_t count = 0;
  while (checked.allocate(4, false) != 0) ++count;
  EXPECT_GE(count, (2048 - first_free) / 16);
  EXPECT_EQ(checked.arena().allocate(4), 0u);
  ASSERT_NO_FATAL_FAILURE(checked.recount());
  checked.free_one(random);
  EXPECT_NE(checked.allocate(4, false), 0u);
  EXPECT_EQ(checked.arena().allocate(4), 0u);
  EXPECT_EQ(checked.arena().allocate(slot_arena::max_class), 0u);
}

// Large blocks go back to the system while free; they come back usable.
TEST(mem_slot_arena, large_blocks) {
  checked_arena checked(std::size_t{1} << 23);
  random_source random(4);
  for (int round = 0; round < 3; ++round) {
    ASSERT_NE(checked.allocate(20, false), 0u);
    ASSERT_NE(checked.allocate(1, false), 0u);
    ASSERT_NE(checked.allocate(20, false), 0u);
    ASSERT_NE(checked.allocate(19, false), 0u);
    while (checked.blocks() > 1) checked.free_one(random);
    checked.arena().give_back();
    ASSERT_NO_FATAL_FAILURE(checked.recount());
  }
}

}  // namespace
}  // namespace fibtrie::mem
