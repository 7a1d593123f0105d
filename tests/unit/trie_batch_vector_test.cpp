// SPDX-License-Identifier: MIT
// The vector form of batch lookup, with lanes made of plain integers where the processor has no AVX-512, and the real
// ones where it has.
//
// Thread safety: one thread.
// Source: none.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "tests/support/manual_domain.hpp"
#include "tests/support/seed.hpp"
#include "trie/batch.hpp"
#include "trie/batch_avx2.hpp"
#include "trie/batch_avx512.hpp"
#include "trie/batch_vector.hpp"
#include "trie/lc_trie_impl.hpp"

namespace fibtrie::trie {
namespace {

// What the AVX-512 instructions of the same names do, lane by lane.
struct lanes_plain {
  using vector = std::array<std::uint32_t, 16>;
  using mask = std::uint32_t;

  template <class Function>
  static vector each(Function function) {
    vector out;
    for (unsigned i = 0; i < out.size(); ++i) out[i] = function(i);
    return out;
  }
  static vector load(const std::uint32_t* from) {
    return each([&](unsigned i) { return from[i]; });
  }
  static void store(std::uint32_t* to, const vector& a) { std::copy(a.begin(), a.end(), to); }
  static vector fill(std::uint32_t a) {
    return each([&](unsigned) { return a; });
  }
  static vector add(const vector& a, const vector& b) {
    return each([&](unsigned i) { return a[i] + b[i]; });
  }
  static vector subtract(const vector& a, const vector& b) {
    return each([&](unsigned i) { return a[i] - b[i]; });
  }
  static vector bit_and(const vector& a, const vector& b) {
    return each([&](unsigned i) { return a[i] & b[i]; });
  }
  static vector bit_xor(const vector& a, const vector& b) {
    return each([&](unsigned i) { return a[i] ^ b[i]; });
  }
  static vector shift_right(const vector& a, unsigned count) {
    return each([&](unsigned i) { return count > 31 ? 0 : a[i] >> count; });
  }
  static vector shift_right_each(const vector& a, const vector& count) {
    return each([&](unsigned i) { return count[i] > 31 ? 0 : a[i] >> count[i]; });
  }
  static vector shift_left_each(const vector& a, const vector& count) {
    return each([&](unsigned i) { return count[i] > 31 ? 0 : a[i] << count[i]; });
  }
  static mask where(auto predicate) {
    mask out = 0;
    for (unsigned i = 0; i < 16; ++i) out |= predicate(i) ? 1u << i : 0;
    return out;
  }
  static mask everyone() { return 0xffff; }
  static mask top_clear(const vector& a) {
    return where([&](unsigned i) { return a[i] >> 31 == 0; });
  }
  static mask equal(const vector& a, const vector& b) {
    return where([&](unsigned i) { return a[i] == b[i]; });
  }
  static mask both(mask a, mask b) { return a & b; }
  static std::uint32_t bits(mask a) { return a; }
  static void prefetch(const std::uint32_t*, const vector&) {}
  static vector select(std::uint32_t chosen, const vector& yes, const vector& no) {
    return each([&](unsigned i) { return (chosen >> i & 1) != 0 ? yes[i] : no[i]; });
  }
  static vector gather(const vector& old, std::uint32_t chosen, const vector& index, const std::uint32_t* from) {
    return each([&](unsigned i) { return (chosen >> i & 1) != 0 ? from[index[i]] : old[i]; });
  }
};

class trie_batch_vector : public ::testing::Test {
 protected:
  using trie_type = lc_trie<key32, default_traits>;

  void SetUp() override {
    ASSERT_EQ(trie_.open(), status::ok);
    random_.seed(testing::test_seed());
    while (trie_.size() < 4000) {
      const auto plen = static_cast<std::uint8_t>(random_() % 4 == 0 ? 5 + random_() % 28 : 16 + random_() % 9);
      const auto key = static_cast<key32>((random_() & 0xf0ffffffu) & prefix_mask<key32>(plen));
      constexpr std::uint32_t large[] = {1u << 17, 1u << 25, 1u << 29, 1u << 30, ~0u};
      const auto result = static_cast<std::uint32_t>(random_() % 16 == 0 ? large[random_() % 5] : random_() % 1000);
      if (trie_.add({key, plen}, result) == status::ok) routes_.push_back({key, plen});
    }
  }

  // Addresses in and beside routes.
  std::vector<key32> addresses(std::size_t count) {
    std::vector<key32> out(count);
    for (auto& address : out) {
      const auto& route = routes_[random_() % routes_.size()];
      address = route.key | (static_cast<key32>(random_()) & ~prefix_mask<key32>(route.plen));
      if (random_() % 4 == 0) address ^= 1u << random_() % 32;
    }
    return out;
  }

  testing::manual_domain domain_;
  trie_type trie_{domain_, {}};
  std::mt19937_64 random_;
  std::vector<prefix4> routes_;
};

TEST_F(trie_batch_vector, plain_lanes_answer_as_lookup_does) {
  const auto& table = trie_.reader();
  const root_word root = table.root();
  const unsigned bits = root >> 8 & 63;
  const vector_root top{static_cast<std::uint32_t>(root >> 32), static_cast<std::uint32_t>(root & 31),
                        static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1)};
  const auto* slots = reinterpret_cast<const std::uint32_t*>(table.slots());
  std::set<std::uint32_t> seen;
  std::uint64_t open = 0;
  std::uint64_t missed = 0;
  for (int round = 0; round < 500; ++round) {
    const auto asked = addresses(64);
    std::array<std::uint32_t, 64> results;
    vector_block_result lanes;
    vector_block<lanes_plain>(slots, top, asked.data(), results.data(), lanes);
    for (unsigned i = 0; i < 64; ++i) {
      const lookup_result want = table.lookup(asked[i]);
      lookup_result got{results[i], (lanes.missed >> i & 1) == 0};
      if ((lanes.open >> i & 1) != 0) got = table.resolve(asked[i], lanes.slot[i], lanes.word[i]);
      ASSERT_EQ(got, want) << std::hex << asked[i] << " of seed " << testing::test_seed();
      seen.insert(got.value);
    }
    open += static_cast<unsigned>(std::popcount(lanes.open));
    missed += static_cast<unsigned>(std::popcount(lanes.missed));
  }
  EXPECT_GT(seen.size(), 500u);
  EXPECT_GT(open, 100u);
  EXPECT_LT(open, 500u * 64);
  EXPECT_GT(missed, 100u);
}

void agrees_with_interleaved(const reader<key32>& table, batch_function form, const std::vector<key32>& asked) {
  const std::size_t count = asked.size();
  std::vector<std::uint32_t> a(count + 1), b(count + 1);
  std::vector<std::uint64_t> found_a(count / 64 + 1), found_b(count / 64 + 1);
  lookup_batch_interleaved(table, asked.data(), count, a.data(), found_a.data());
  form(table, asked.data(), count, b.data(), found_b.data());
  ASSERT_EQ(a, b) << count;
  ASSERT_EQ(found_a, found_b) << count;
}

TEST_F(trie_batch_vector, avx512_agrees_at_every_size) {
  for (std::size_t count = 0; count <= 200; ++count)
    agrees_with_interleaved(trie_.reader(), lookup_batch_avx512, addresses(count));
  if (!has_avx512()) GTEST_SKIP() << "no AVX-512 here: its batch form answered by way of the interleaved one";
}

TEST_F(trie_batch_vector, avx2_agrees_at_every_size) {
  for (std::size_t count = 0; count <= 200; ++count)
    agrees_with_interleaved(trie_.reader(), lookup_batch_avx2, addresses(count));
  if (!has_avx2()) GTEST_SKIP() << "no AVX2 here: its batch form answered by way of the interleaved one";
}

// Scans go one after the other, in full blocks and in part of one; runs of a scan beside scattered addresses mix both.
TEST_F(trie_batch_vector, scans_answer_as_lookup_does) {
  const auto& table = trie_.reader();
  std::set<std::uint32_t> seen;
  std::size_t missed = 0;
  for (std::size_t count = 0; count <= 200; ++count) {
    std::vector<key32> asked = addresses(count);
    const key32 first = count % 2 == 0 ? routes_[random_() % routes_.size()].key : static_cast<key32>(random_());
    const auto stride = static_cast<key32>(1 + random_() % 1000);
    const std::size_t scanned = count % 3 == 0 ? count / 2 : count;
    for (std::size_t i = 0; i < scanned; ++i) asked[i] = first + static_cast<key32>(i) * stride;
    for (const batch_function form : {lookup_batch_interleaved, lookup_batch_avx2, lookup_batch_avx512}) {
      std::vector<std::uint32_t> results(count);
      std::vector<std::uint64_t> found((count + 63) / 64, 0x5555555555555555u);
      form(table, asked.data(), count, results.data(), found.data());
      for (std::size_t i = 0; i < count; ++i) {
        const lookup_result got{results[i], (found[i / 64] >> (i % 64) & 1) != 0};
        ASSERT_EQ(got, table.lookup(asked[i])) << i << " of " << count << ", seed " << testing::test_seed();
        seen.insert(got.value);
        missed += got.found ? 0 : 1;
      }
      if (count % 64 != 0) {
        ASSERT_EQ(found.back() >> (count % 64), 0u) << count;
      }
    }
  }
  EXPECT_GT(seen.size(), 100u);
  EXPECT_GT(missed, 100u);
}

}  // namespace
}  // namespace fibtrie::trie
