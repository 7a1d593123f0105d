// SPDX-License-Identifier: MIT
// Walks: from every start, in pieces, and across updates.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "fibtrie/fib.h"
#include "tests/support/prefix_kinds.hpp"
#include "tests/support/trie8.hpp"

namespace fibtrie::testing {
namespace {

using routes4 = std::vector<naive_route<key32>>;

class trie_walk : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(fib::create(domain_, trie8::small_options(), table_), status::ok); }

  void fill(prefix_kind make, std::size_t count, random_source& random) {
    while (truth_.size() < count) add(make(random), static_cast<std::uint32_t>(random()));
  }
  void add(prefix4 p, std::uint32_t result) { ASSERT_EQ(table_->add(p, result), truth_.add(p, result)); }
  void remove(prefix4 p) { ASSERT_EQ(table_->remove(p), truth_.remove(p)); }

  // At most `most` routes from the cursor on.
  routes4 walk(walk_cursor& cursor, std::size_t most) const {
    routes4 seen;
    table_->walk(cursor, [&](const route4& r) {
      seen.push_back({r.route, r.result});
      return seen.size() < most;
    });
    return seen;
  }
  routes4 walk_from(key32 key, std::uint8_t plen, std::size_t most) const {
    walk_cursor cursor{key, plen, false};
    return walk(cursor, most);
  }

  manual_domain domain_;
  std::unique_ptr<fib> table_;
  naive_table<key32> truth_;
};

void expect_walks_from_everywhere(const routes4& all,
                                  const std::function<routes4(key32, std::uint8_t, std::size_t)>& from) {
  std::set<key32> starts = {0, ~key32{0}};
  for (const auto& r : all) {
    starts.insert(r.route.key);
    starts.insert(r.route.key + 1);
    starts.insert(r.route.key - 1);
  }
  for (const key32 start : starts) {
    const auto first = std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.route.key >= start; });
    // Some of them to the end, most for a few routes: what follows does not depend on the start.
    const std::size_t most = start % 16 == 0 ? all.size() + 1 : 8;
    const auto last = first + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(most), all.end() - first);
    ASSERT_EQ(from(start, 32, most), routes4(first, last)) << std::hex << start;
  }
}

TEST_F(trie_walk, from_every_start) {
  random_source random(1);
  for (const prefix_kind make : {anything, clustered, few_bits, neighbours}) {
    fill(make, truth_.size() + 250, random);
    expect_walks_from_everywhere(truth_.routes(),
                                 [&](key32 k, std::uint8_t p, std::size_t m) { return walk_from(k, p, m); });
  }
  EXPECT_EQ(truth_.size(), 1000u);
}

// A start between two routes of one key.
TEST_F(trie_walk, from_the_middle_of_a_key) {
  for (unsigned plen = 0; plen <= 32; plen += 2) add({0, static_cast<std::uint8_t>(plen)}, plen);
  for (unsigned plen = 0; plen <= 32; ++plen) {
    const auto seen = walk_from(0, static_cast<std::uint8_t>(plen), 100);
    ASSERT_EQ(seen.size(), plen / 2 + 1);
    EXPECT_EQ(seen.front().route.plen, plen / 2 * 2);
  }
}

TEST_F(trie_walk, ends_at_both_ends_of_the_address_space) {
  EXPECT_TRUE(walk_from(0, 32, 10).empty());
  add({0, 0}, 1);
  EXPECT_EQ(walk_from(0, 32, 10).size(), 1u);
  EXPECT_TRUE(walk_from(1, 32, 10).empty());
  add({~0u, 32}, 2);
  walk_cursor cursor;
  EXPECT_EQ(walk(cursor, 1).size(), 1u);
  EXPECT_EQ(walk(cursor, 1).size(), 1u);
  EXPECT_TRUE(walk(cursor, 1).empty());
  EXPECT_TRUE(cursor.done);
  EXPECT_TRUE(walk(cursor, 10).empty());
  EXPECT_EQ(walk_from(~0u, 32, 10).size(), 1u);
  EXPECT_TRUE(walk_from(~0u, 31, 10).empty());
}

// Updates between the pieces: what was there throughout is seen once, in order; what came or went may be seen or not.
TEST_F(trie_walk, across_updates) {
  random_source random(2);
  fill(clustered, 600, random);
  const routes4 lasting = truth_.routes();
  std::set<prefix4> fixed;
  for (const auto& r : lasting) fixed.insert(r.route);
  for (unsigned round = 0; round < scaled(300); ++round) {
    routes4 seen;
    walk_cursor cursor;
    std::vector<prefix4> guests;
    while (!cursor.done) {
      for (const auto& r : walk(cursor, 1 + random.below(60))) seen.push_back(r);
      for (int i = 0; i < 40; ++i) {
        const prefix4 p = clustered(random);
        if (fixed.contains(p)) continue;
        if (truth_.find(p).found) {
          ASSERT_NO_FATAL_FAILURE(remove(p));
        } else {
          ASSERT_NO_FATAL_FAILURE(add(p, 1));
          guests.push_back(p);
        }
      }
      if (random.one_in(3)) {
        ASSERT_EQ(table_->compact(64), status::ok);
      }
      if (random.one_in(3)) {
        ASSERT_EQ(table_->flush(), status::ok);
      }
    }
    std::size_t found = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i > 0) {
        ASSERT_TRUE(walks_before(seen[i - 1].route, seen[i].route));
      }
      found += fixed.contains(seen[i].route) ? 1 : 0;
    }
    ASSERT_EQ(found, lasting.size());
    for (const prefix4 p : guests) {
      if (truth_.find(p).found) {
        ASSERT_NO_FATAL_FAILURE(remove(p));
      }
    }
  }
}

}  // namespace
}  // namespace fibtrie::testing
