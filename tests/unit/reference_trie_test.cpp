// SPDX-License-Identifier: MIT
// The reference trie against an oracle that cannot be wrong: one hash table per prefix length.
//
// Thread safety: one thread.
#include "tests/support/reference_trie.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <unordered_map>
#include <vector>

namespace fibtrie::testing {
namespace {

// FIBTRIE_SEED, or 1.
unsigned seed() {
  const char* given = std::getenv("FIBTRIE_SEED");
  return given == nullptr ? 1u : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

class oracle {
 public:
  status add(prefix4 route, std::uint32_t result) {
    return tables_[route.plen].try_emplace(route.key, result).second ? status::ok : status::exists;
  }
  status replace(prefix4 route, std::uint32_t result) {
    tables_[route.plen][route.key] = result;
    return status::ok;
  }
  status remove(prefix4 route) { return tables_[route.plen].erase(route.key) != 0 ? status::ok : status::not_found; }
  match_result<key32> match(key32 address) const {
    for (unsigned plen = 33; plen-- > 0;) {
      const auto key = address & prefix_mask<key32>(plen);
      const auto found = tables_[plen].find(key);
      if (found != tables_[plen].end()) return {{key, static_cast<std::uint8_t>(plen)}, found->second, true};
    }
    return {};
  }
  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& table : tables_) sum += table.size();
    return sum;
  }

 private:
  std::array<std::unordered_map<key32, std::uint32_t>, 33> tables_;
};

// Makes prefixes of one kind of world.
using prefix_source = prefix4 (*)(std::mt19937&);

prefix4 cut(key32 key, unsigned plen) { return {key & prefix_mask<key32>(plen), static_cast<std::uint8_t>(plen)}; }

prefix4 anything(std::mt19937& random) { return cut(random(), random() % 33); }
// Few distinct keys, deep nesting.
prefix4 clustered(std::mt19937& random) { return cut(ipv4(10, 1, 0, 0) | (random() & 0x1f1f), 12 + random() % 21); }
// The extremes: 0/0, 0/1, 128/1, both ends of the address space, neighbours of powers of two.
prefix4 extreme(std::mt19937& random) {
  static constexpr std::array<unsigned, 8> lengths = {0, 1, 1, 2, 8, 30, 31, 32};
  const key32 power = key32{1} << random() % 32;
  const std::array<key32, 6> keys = {0, ~key32{0}, power, power - 1, ~power, static_cast<key32>(random() & 3)};
  return cut(keys[random() % keys.size()], lengths[random() % lengths.size()]);
}

void expect_same_answer(const reference_trie& trie, const oracle& truth, key32 address) {
  const auto expected = truth.match(address);
  const auto got = trie.match(address);
  const auto value = trie.lookup(address);
  ASSERT_EQ(got.found, expected.found) << std::hex << address;
  ASSERT_EQ(value.found, expected.found) << std::hex << address;
  if (!expected.found) return;
  ASSERT_EQ(got.route, expected.route) << std::hex << address;
  ASSERT_EQ(got.value, expected.value) << std::hex << address;
  ASSERT_EQ(value.value, expected.value) << std::hex << address;
}

void churn(prefix_source make, unsigned operations) {
  std::mt19937 random(seed());
  SCOPED_TRACE("seed " + std::to_string(seed()));
  ::testing::Test::RecordProperty("seed", static_cast<int>(seed()));
  reference_trie trie;
  oracle truth;
  std::vector<prefix4> known;
  for (unsigned i = 0; i < operations; ++i) {
    // Growth and shrinking take turns, so that halving and collapsing are met as often as inflating.
    const bool shrinks = i / 4096 % 2 != 0;
    const auto choice = random() % 8;
    const auto route = choice < 4 || known.empty() ? make(random) : known[random() % known.size()];
    const auto result = static_cast<std::uint32_t>(random() % 64);
    if (choice % 4 < (shrinks ? 3u : 1u)) {
      ASSERT_EQ(trie.remove(route), truth.remove(route));
    } else if (choice == 7) {
      ASSERT_EQ(trie.replace(route, result), truth.replace(route, result));
    } else {
      ASSERT_EQ(trie.add(route, result), truth.add(route, result));
    }
    if (known.size() < 4096) known.push_back(route);
    const auto last = route.key | ~prefix_mask<key32>(route.plen);
    for (const key32 address : {route.key, route.key - 1, last, last + 1, static_cast<key32>(random())}) {
      ASSERT_NO_FATAL_FAILURE(expect_same_answer(trie, truth, address));
    }
    if (i % 256 == 0) trie.check_invariants();
  }
  trie.check_invariants();
  EXPECT_EQ(trie.size(), truth.size());
  EXPECT_EQ(trie.stats().prefixes, truth.size());
}

TEST(reference_trie, answers_as_the_oracle_on_random_prefixes) { churn(anything, 60000); }
TEST(reference_trie, answers_as_the_oracle_on_clustered_prefixes) { churn(clustered, 60000); }
TEST(reference_trie, answers_as_the_oracle_on_extreme_prefixes) { churn(extreme, 60000); }

TEST(reference_trie, refuses_host_bits_and_bad_lengths) {
  reference_trie trie;
  EXPECT_EQ(trie.add({ipv4(10, 0, 0, 1), 24}, 1), status::invalid);
  EXPECT_EQ(trie.replace({ipv4(10, 0, 0, 1), 24}, 1), status::invalid);
  EXPECT_EQ(trie.remove({ipv4(10, 0, 0, 1), 24}), status::invalid);
  EXPECT_EQ(trie.add({0, 33}, 1), status::invalid);
  EXPECT_EQ(trie.size(), 0u);
}

TEST(reference_trie, results_are_any_32_bit_number) {
  reference_trie trie;
  for (const std::uint32_t result : {0u, 1u, 1u << 25, 1u << 30, ~0u}) {
    ASSERT_EQ(trie.replace({ipv4(192, 0, 2, 0), 24}, result), status::ok);
    EXPECT_TRUE(trie.lookup(ipv4(192, 0, 2, 9)).found);
    EXPECT_EQ(trie.lookup(ipv4(192, 0, 2, 9)).value, result);
  }
  EXPECT_FALSE(trie.lookup(ipv4(192, 0, 3, 0)).found);
}

}  // namespace
}  // namespace fibtrie::testing
