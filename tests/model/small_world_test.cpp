// SPDX-License-Identifier: MIT
// The 8-bit world: every set of up to two prefixes in every order, samples of larger ones; every address, every prefix
// and every cover after every operation.
//
// Thread safety: one thread.
// Source: docs/design.md, "tests".
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fibtrie/fib.h"
#include "tests/support/reference_trie.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/shape_text.hpp"
#include "tests/support/trie8.hpp"

namespace fibtrie::testing {
namespace {

// Checking everything everywhere is what a thread sanitizer is slowest at.
constexpr unsigned sample(unsigned rounds) { return scaled(under_thread_sanitizer ? rounds / 4 : rounds); }

// Every fourth prefix gets a result that no slot word can carry.
std::uint32_t result_of(prefix8 p) {
  static constexpr std::array<std::uint32_t, 4> extremes = {0, (1u << 30) - 2, (1u << 30) - 1, ~0u};
  const unsigned number = number8(p);
  return number % 4 == 3 ? extremes[number / 4 % 4] : number;
}

// A trie beside the truth; each step is checked everywhere.
class checked8 {
 public:
  void add(prefix8 p) {
    check(p, "add", trie_->add(p, result_of(p)), [&] { truth_.set(p, result_of(p)); });
  }
  void remove(prefix8 p) {
    check(p, "remove", trie_->remove(p), [&] { truth_.unset(p); });
  }
  void replace(prefix8 p, std::uint32_t result) {
    bool existed = false;
    const bool there = truth_.has(number8(p));
    check(p, "replace", trie_->replace(p, result, &existed), [&] { truth_.set(p, result); });
    ASSERT_EQ(existed, there);
  }
  // The same steps without looking.
  void add_unseen(prefix8 p) {
    ASSERT_EQ(trie_->add(p, result_of(p)), status::ok);
    truth_.set(p, result_of(p));
  }
  void remove_unseen(prefix8 p) {
    ASSERT_EQ(trie_->remove(p), status::ok);
    truth_.unset(p);
  }
  bool has(prefix8 p) const { return truth_.has(number8(p)); }
  trie8& trie() { return trie_; }

 private:
  template <class Apply>
  void check(prefix8 p, const char* what, status code, Apply apply) {
    ASSERT_EQ(code, status::ok) << what << ' ' << +p.key << '/' << +p.plen;
    apply();
    const auto text = difference8(*trie_, truth_);
    ASSERT_TRUE(text.empty()) << text << " after " << what << ' ' << +p.key << '/' << +p.plen << '\n'
                              << shape_text<key8>(*trie_);
  }

  trie8 trie_;
  world8 truth_;
};

TEST(small_world, every_single_prefix) {
  checked8 world;
  for (const prefix8 p : all_prefixes8()) {
    ASSERT_NO_FATAL_FAILURE(world.add(p));
    ASSERT_NO_FATAL_FAILURE(world.remove(p));
  }
  EXPECT_EQ(world.trie()->size(), 0u);
}

// Every ordered pair: both orders of adding come with the ordered pairs, both orders of removing with each.
void all_pairs(std::size_t part, std::size_t parts) {
  checked8 world;
  const auto& all = all_prefixes8();
  for (std::size_t i = part; i < all.size(); i += parts) {
    for (std::size_t j = sample(1000) == 1000 ? 0 : i / parts % 16; j < all.size(); j += 1000 / sample(1000)) {
      if (i == j) continue;
      ASSERT_NO_FATAL_FAILURE(world.add_unseen(all[i]));
      ASSERT_NO_FATAL_FAILURE(world.add(all[j]));
      ASSERT_NO_FATAL_FAILURE(world.remove(all[j]));
      ASSERT_NO_FATAL_FAILURE(world.add_unseen(all[j]));
      ASSERT_NO_FATAL_FAILURE(world.remove(all[i]));
      ASSERT_NO_FATAL_FAILURE(world.remove_unseen(all[j]));
    }
    ASSERT_EQ(world.trie()->flush(), status::ok);
    ASSERT_EQ(world.trie()->verify_invariants(), "");
  }
}
TEST(small_world, every_pair_first_half) { all_pairs(0, 2); }
TEST(small_world, every_pair_second_half) { all_pairs(1, 2); }

TEST(small_world, triples_in_all_orders) {
  random_source random(1);
  checked8 world;
  for (unsigned round = 0; round < sample(12000); ++round) {
    std::array<prefix8, 3> set;
    do {
      for (auto& p : set) p = random.pick(all_prefixes8());
      std::sort(set.begin(), set.end());
    } while (set[0] == set[1] || set[1] == set[2]);
    do {
      for (const prefix8 p : set) ASSERT_NO_FATAL_FAILURE(world.add(p));
      auto out = set;
      std::shuffle(out.begin(), out.end(), random);
      for (const prefix8 p : out) ASSERT_NO_FATAL_FAILURE(world.remove(p));
    } while (std::next_permutation(set.begin(), set.end()));
    if (round % 8 == 0) {
      ASSERT_EQ(world.trie()->flush(), status::ok);
    }
  }
}

// Sets of 4 to 40, half of them crowded into a few keys; some results change in between.
void larger_sets(std::uint64_t stream, unsigned rounds) {
  random_source random(stream);
  checked8 world;
  for (unsigned round = 0; round < rounds; ++round) {
    const std::size_t wanted = 4 + random.below(37);
    const key8 crowd = random.one_in(2) ? 0xff : static_cast<key8>(random());
    std::vector<prefix8> set;
    while (set.size() < wanted) {
      const prefix8 p = cut(static_cast<key8>(random() & (crowd | 0xc1u)), random.below(9));
      if (world.has(p)) {
        if (random.one_in(4)) {
          ASSERT_NO_FATAL_FAILURE(world.replace(p, static_cast<std::uint32_t>(random())));
        }
        if (random.one_in(4)) break;
        continue;
      }
      ASSERT_NO_FATAL_FAILURE(world.add(p));
      set.push_back(p);
    }
    std::shuffle(set.begin(), set.end(), random);
    for (const prefix8 p : set) ASSERT_NO_FATAL_FAILURE(world.remove(p));
    if (random.one_in(4)) {
      ASSERT_EQ(world.trie()->flush(), status::ok);
    }
  }
}
TEST(small_world, larger_sets_first_half) { larger_sets(2, sample(10000)); }
TEST(small_world, larger_sets_second_half) { larger_sets(3, sample(10000)); }

// The same world in the upper bits of IPv4 keys: there a reference knows the shape.
TEST(small_world, shape_is_the_reference_tries) {
  random_source random(4);
  manual_domain domain;
  std::unique_ptr<fib> table;
  ASSERT_EQ(fib::create(domain, trie8::small_options(), table), status::ok);
  reference_trie reference;
  std::vector<prefix4> there;
  for (unsigned step = 0; step < sample(60000); ++step) {
    const bool grow = step / 64 % 2 == 0;
    if (there.empty() || random.below(4) < (grow ? 3u : 1u)) {
      const prefix8 p = cut(static_cast<key8>(random() & (step % 1024 < 512 ? 0xffu : 0x93u)), random.below(9));
      const prefix4 wide{key32{p.key} << 24, p.plen};
      const status code = table->add(wide, step);
      ASSERT_EQ(code, reference.add(wide, step));
      if (code == status::ok) there.push_back(wide);
    } else {
      std::swap(there[random.below(there.size())], there.back());
      ASSERT_EQ(table->remove(there.back()), status::ok);
      ASSERT_EQ(reference.remove(there.back()), status::ok);
      there.pop_back();
    }
    ASSERT_EQ(shape_text<key32>(*table), shape_text<key32>(reference)) << "step " << step;
  }
}

}  // namespace
}  // namespace fibtrie::testing
