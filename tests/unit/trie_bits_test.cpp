// SPDX-License-Identifier: MIT
// Key arithmetic against bit-by-bit definitions, for all widths that the library and its tests use.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include "tests/support/seed.hpp"
#include "trie/bits.hpp"

namespace fibtrie::trie {
namespace {

using testing::random_source;

template <class Key>
class trie_bits : public ::testing::Test {
 protected:
  // Bit n, 0 = least significant; no shift by the full width.
  static bool bit(Key value, unsigned n) { return (value / (Key{1} << n)) % 2 != 0; }
};
using key_types = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(trie_bits, key_types);

TYPED_TEST(trie_bits, masks_and_shifts) {
  using Key = TypeParam;
  constexpr unsigned width = key_width<Key>;
  random_source random(1);
  for (unsigned count = 0; count <= width; ++count) {
    const Key value = static_cast<Key>(random() | 1);
    for (unsigned n = 0; n < width; ++n) {
      EXPECT_EQ(this->bit(low_mask<Key>(count), n), n < count);
      EXPECT_EQ(this->bit(prefix_mask<Key>(count), n), n >= width - count);
      EXPECT_EQ(this->bit(shift_right(value, count), n), n + count < width && this->bit(value, n + count));
    }
  }
}

TYPED_TEST(trie_bits, highest_difference) {
  using Key = TypeParam;
  random_source random(2);
  for (unsigned n = 0; n < key_width<Key>; ++n) {
    for (int round = 0; round < 50; ++round) {
      const Key a = static_cast<Key>(random());
      const Key below = static_cast<Key>(random() & low_mask<Key>(n));
      EXPECT_EQ(highest_difference(a, static_cast<Key>(a ^ (Key{1} << n) ^ below)), n);
    }
  }
}

// Inside the node the index field, outside at least 2^bits.
TYPED_TEST(trie_bits, child_index) {
  using Key = TypeParam;
  constexpr unsigned width = key_width<Key>;
  random_source random(3);
  for (int round = 0; round < 20000; ++round) {
    const unsigned bits = 1 + random.below(width - 1);
    const unsigned pos = random.below(width - bits + 1);
    const Key node_key = static_cast<Key>(random() & ~low_mask<Key>(pos + bits));
    const Key inside = static_cast<Key>(node_key | (random() & low_mask<Key>(pos + bits)));
    Key field = 0;
    for (unsigned n = bits; n-- > 0;) field = static_cast<Key>(field * 2 + (this->bit(inside, pos + n) ? 1 : 0));
    ASSERT_EQ(child_index(node_key, pos, inside), field);
    if (pos + bits == width) continue;
    const Key outside = static_cast<Key>(inside ^ Key{1} << (pos + bits + random.below(width - pos - bits)));
    ASSERT_NE(shift_right(child_index(node_key, pos, outside), bits), 0);
  }
}

TEST(key, prefixes) {
  EXPECT_TRUE(is_valid(prefix4{0, 0}));
  EXPECT_TRUE(is_valid(prefix4{~0u, 32}));
  EXPECT_FALSE(is_valid(prefix4{1, 31}));
  EXPECT_FALSE(is_valid(prefix4{0, 33}));
  EXPECT_FALSE(is_valid(prefix4{1u << 31, 0}));
  EXPECT_TRUE(contains(prefix4{0, 0}, ~0u));
  EXPECT_TRUE(contains(prefix4{ipv4(10, 0, 0, 0), 8}, ipv4(10, 255, 255, 255)));
  EXPECT_FALSE(contains(prefix4{ipv4(10, 0, 0, 0), 8}, ipv4(11, 0, 0, 0)));
  EXPECT_FALSE(contains(prefix4{7, 32}, key32{6}));
}

}  // namespace
}  // namespace fibtrie::trie
