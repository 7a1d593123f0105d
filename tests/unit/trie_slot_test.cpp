// SPDX-License-Identifier: MIT
// Slot words: every kind over the whole range of its fields, and no word of two kinds.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include "tests/support/seed.hpp"
#include "trie/lookup.hpp"
#include "trie/slot.hpp"

namespace fibtrie::trie {
namespace {

using testing::random_source;

enum class kind { tnode, terminal, guard, entry, escape };

// The one kind of a word, by the readers' own tests.
kind kind_of(slot_word word) {
  if (is_tnode(word)) {
    EXPECT_FALSE(is_check(word));
    return kind::tnode;
  }
  if (!is_check(word)) return kind::terminal;
  if (is_guard(word)) return kind::guard;
  return word < escape_tag ? kind::entry : kind::escape;
}

TEST(trie_slot, plain_words_lead_to_the_child) {
  random_source random(1);
  for (unsigned bits = 1; bits <= max_plain_bits; ++bits) {
    for (unsigned pos = 0; pos + bits <= 32 && pos < 32; ++pos) {
      for (int round = 0; round < 20; ++round) {
        const std::uint32_t last = (plain_limit - 1) >> bits << bits;
        const std::uint32_t array = round == 0 ? last : round == 1 ? 0 : (random.below(plain_limit) >> bits) << bits;
        ASSERT_TRUE(fits_plain(array, bits));
        const slot_word word = make_plain(array, pos, bits);
        ASSERT_EQ(kind_of(word), kind::tnode);
        const auto address = static_cast<key32>(random());
        ASSERT_EQ(step(word, address), array + ((std::uint64_t{address} >> pos) & low_mask<key32>(bits)));
      }
    }
  }
  EXPECT_FALSE(fits_plain(plain_limit, 1));
  EXPECT_FALSE(fits_plain(0, max_plain_bits + 1));
}

TEST(trie_slot, terminal_words_carry_results) {
  random_source random(2);
  const auto check = [](std::uint32_t result) {
    const slot_word word = make_terminal(result);
    ASSERT_EQ(kind_of(word), kind::terminal);
    ASSERT_EQ(reader<key32>::terminal(word), (lookup_result{result, true}));
  };
  for (const std::uint32_t result : {0u, 1u, 1u << 25, max_inline_result - 1, max_inline_result}) check(result);
  for (int round = 0; round < 10000; ++round) check(random.below(std::uint64_t{max_inline_result} + 1));
  EXPECT_EQ(kind_of(no_route_word), kind::terminal);
  EXPECT_FALSE(reader<key32>::terminal(no_route_word).found);
}

TEST(trie_slot, guards_tell_their_prefix_from_its_neighbours) {
  random_source random(3);
  for (unsigned plen = 1; plen <= 32; ++plen) {
    for (int round = 0; round < 500; ++round) {
      const key32 key = static_cast<key32>(random()) & prefix_mask<key32>(plen);
      const std::uint32_t result = round == 0 ? max_guard_result : random.below(max_guard_result + 1);
      const bool top = random.one_in(2);
      const slot_word word = make_guard(key, 32 - plen, result, top);
      ASSERT_EQ(kind_of(word), kind::guard);
      ASSERT_EQ(guard_result(word), result);
      ASSERT_EQ((word & guard_top_bit) != 0, top);
      const key32 inside = key | (static_cast<key32>(random()) & ~prefix_mask<key32>(plen));
      ASSERT_TRUE(guard_matches(word, inside));
      const unsigned compared = std::min(plen, guard_bits);
      ASSERT_FALSE(guard_matches(word, inside ^ key32{1} << (32 - plen + random.below(compared))));
    }
  }
}

TEST(trie_slot, entries_and_escapes_carry_ids) {
  for (const std::uint32_t id : {1u, 2u, 1u << 20, max_id - 1, max_id}) {
    EXPECT_EQ(kind_of(make_entry(id)), kind::entry);
    EXPECT_EQ(make_entry(id) & id_mask, id);
    EXPECT_EQ(kind_of(make_escape(id)), kind::escape);
    EXPECT_EQ(make_escape(id) & id_mask, id);
  }
}

TEST(trie_slot, root_words_lead_to_the_top_nodes_child) {
  random_source random(4);
  for (unsigned bits = 0; bits <= 32; ++bits) {
    for (int round = 0; round < 50; ++round) {
      const unsigned pos = bits == 0 ? 0 : 32 - bits;
      const auto array = static_cast<std::uint32_t>(random() & 0x3fffffff) >> 1;
      const auto address = static_cast<key32>(random());
      const std::uint32_t index = bits == 0 ? 0 : static_cast<std::uint32_t>(std::uint64_t{address} >> pos);
      ASSERT_EQ(reader<key32>::root_step(make_root(array, pos, bits), address), array + index);
    }
  }
}

TEST(trie_slot, twins_tell_kind_and_id) {
  for (const std::uint32_t id : {0u, 1u, (1u << 30) - 1}) {
    EXPECT_TRUE(is_empty(twin_empty | id) && !is_leaf(twin_empty | id) && !is_tnode_ref(twin_empty | id));
    EXPECT_TRUE(is_leaf(twin_leaf | id) && !is_empty(twin_leaf | id) && !is_tnode_ref(twin_leaf | id));
    EXPECT_TRUE(is_tnode_ref(twin_tnode | id) && !is_empty(twin_tnode | id) && !is_leaf(twin_tnode | id));
    EXPECT_EQ(id_of(twin_tnode | id), id);
  }
}

}  // namespace
}  // namespace fibtrie::trie
