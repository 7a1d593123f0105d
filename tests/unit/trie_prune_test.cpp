// SPDX-License-Identifier: MIT
// Many prefixes dropped in one pass, and updates undone: everywhere in the 8-bit world, and without memory.
//
// Thread safety: one thread.
// Source: trie/prune.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/support/hooked_traits.hpp"
#include "tests/support/prefix_kinds.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/shape_text.hpp"
#include "tests/support/trie8.hpp"

namespace fibtrie::testing {
namespace {

std::vector<naive_route<key8>> routes_of(const world8& world) {
  std::vector<naive_route<key8>> all;
  for (unsigned n = 0; n < all_prefixes8().size(); ++n) {
    if (world.has(n)) all.push_back({all_prefixes8()[n], world.result(n)});
  }
  return all;
}

// The order in which a pass asks: keys descending, within a key the longer one first.
bool asked_before(const naive_route<key8>& a, const naive_route<key8>& b) {
  return a.route.key != b.route.key ? a.route.key > b.route.key : a.route.plen > b.route.plen;
}

class pruned8 {
 public:
  explicit pruned8(std::uint64_t stream) : random_(stream) {}

  void fill(unsigned most) {
    for (unsigned i = 0; i < most; ++i) {
      const prefix8 p = random_.pick(all_prefixes8());
      const std::uint32_t result = random_.one_in(4) ? ~random_.below(9) : random_.below(1000);
      ASSERT_EQ(trie_->replace(p, result, nullptr), status::ok);
      truth_.set(p, result);
    }
  }
  // One pass that drops about one of `in`, and gives every third of the others another result.
  void prune(unsigned in) {
    auto expected = routes_of(truth_);
    std::sort(expected.begin(), expected.end(), asked_before);
    std::vector<naive_route<key8>> asked;
    const std::size_t bound = expected.size();
    const status code = trie_->prune(bound, [&](prefix8 p, std::uint32_t result) -> std::optional<std::uint32_t> {
      asked.push_back({p, result});
      if (random_.one_in(in)) {
        truth_.unset(p);
        ++dropped_;
        return std::nullopt;
      }
      if (!random_.one_in(3)) return result;
      const std::uint32_t now = random_.one_in(2) ? result + 1 : ~result;
      truth_.set(p, now);
      ++changed_;
      return now;
    });
    ASSERT_EQ(code, status::ok);
    ASSERT_EQ(asked, expected);
    ASSERT_NO_FATAL_FAILURE(check());
  }
  void add_and_take_back() {
    const prefix8 p = random_.pick(all_prefixes8());
    if (truth_.has(number8(p))) return;
    ASSERT_EQ(trie_->add(p, 5), status::ok);
    trie_->take_back(p);
    ASSERT_NO_FATAL_FAILURE(check());
  }
  void replace_and_put_back() {
    const prefix8 p = random_.pick(all_prefixes8());
    if (!truth_.has(number8(p))) return;
    ASSERT_EQ(trie_->replace(p, random_.one_in(2) ? ~5u : 5u, nullptr), status::ok);
    trie_->put_back(p, truth_.result(number8(p)));
    ASSERT_NO_FATAL_FAILURE(check());
  }
  unsigned dropped() const noexcept { return dropped_; }
  unsigned changed() const noexcept { return changed_; }

 private:
  void check() {
    ASSERT_EQ(difference8(*trie_, truth_), "") << shape_text<key8>(*trie_);
    trie_.domain().advance();
  }

  random_source random_;
  trie8 trie_;
  world8 truth_;
  unsigned dropped_ = 0;
  unsigned changed_ = 0;
};

TEST(trie_prune, a_pass_drops_and_changes_what_it_is_told) {
  unsigned dropped = 0;
  unsigned changed = 0;
  for (unsigned round = 0; round < scaled(1600) + 20; ++round) {
    pruned8 world(round);
    ASSERT_NO_FATAL_FAILURE(world.fill(1 + round % 7 * round % 7 * 10));
    for (const unsigned in : {9u, 3u, 2u, 1u}) {
      ASSERT_NO_FATAL_FAILURE(world.prune(in)) << "round " << round << ", one in " << in;
      if (round % 2 == 0) {
        ASSERT_NO_FATAL_FAILURE(world.fill(20));
      }
    }
    dropped += world.dropped();
    changed += world.changed();
  }
  EXPECT_GT(dropped, 1000u);
  EXPECT_GT(changed, 300u);
}

TEST(trie_prune, an_empty_table_is_not_asked_about) {
  trie8 trie;
  const auto never = [](prefix8, std::uint32_t) -> std::optional<std::uint32_t> {
    ADD_FAILURE();
    return std::nullopt;
  };
  EXPECT_EQ(trie->prune(0, never), status::ok);
  EXPECT_EQ(trie->prune(1000, never), status::ok);
}

TEST(trie_prune, what_was_done_last_can_be_undone) {
  pruned8 world(77);
  for (unsigned round = 0; round < scaled(6000); ++round) {
    if (round % 100 == 0) {
      ASSERT_NO_FATAL_FAILURE(world.fill(20));
    }
    ASSERT_NO_FATAL_FAILURE(world.add_and_take_back());
    ASSERT_NO_FATAL_FAILURE(world.replace_and_put_back());
    if (round % 100 == 50) {
      ASSERT_NO_FATAL_FAILURE(world.prune(3));
    }
  }
}

// ---- without memory

using hooks = hooked_traits<12, fault::none>;
using hooked_trie = opened_trie<key32, hooks>;

struct no_refusals {
  ~no_refusals() { hooks::refuse_allocation(0, false); }
};

void fill(hooked_trie& trie, naive_table<key32>& truth, random_source& random, unsigned routes) {
  for (unsigned i = 0; i < routes; ++i) {
    const prefix4 p = random.one_in(3) ? nested(random) : clustered(random);
    if (trie->add(p, i) == status::ok) {
      ASSERT_EQ(truth.add(p, i), status::ok);
    }
  }
}

void expect_same(const hooked_trie& trie, const naive_table<key32>& truth) {
  ASSERT_EQ(trie->verify_invariants(), "");
  ASSERT_EQ(trie->size(), truth.size());
  trie::cursor<key32> from;
  std::vector<naive_route<key32>> seen;
  trie->walk(from, [&](prefix4 p, std::uint32_t result) {
    seen.push_back({p, result});
    return true;
  });
  ASSERT_EQ(seen, truth.routes());
  for (const auto& r : seen) {
    for (const key32 address : {r.route.key, last_address(r.route), last_address(r.route) + 1}) {
      const auto want = truth.match(address);
      ASSERT_EQ(trie->reader().lookup(address), (lookup_result{want.value, want.found}));
    }
  }
}

// The n-th allocation and all later ones are refused: nobody was asked and nothing is changed, or all of it is done.
void prune_without_memory(std::uint64_t n, unsigned& refused, unsigned& skipped) {
  const no_refusals at_the_end;
  random_source random(n);
  hooked_trie trie;
  naive_table<key32> truth;
  ASSERT_NO_FATAL_FAILURE(fill(trie, truth, random, 900));
  ASSERT_EQ(trie->flush(), status::ok);
  const std::string before = shape_text<key32>(*trie);
  const std::uint64_t skips = trie->writer().skipped_resizes;
  naive_table<key32> after = truth;
  std::size_t asked = 0;
  hooks::refuse_allocation(n, true);
  const status code = trie->prune(truth.size(), [&](prefix4 p, std::uint32_t r) -> std::optional<std::uint32_t> {
    ++asked;
    if (r % 5 == 0) return r;
    EXPECT_EQ(after.remove(p), status::ok);
    return std::nullopt;
  });
  hooks::refuse_allocation(0, false);
  if (code != status::ok) {
    ASSERT_EQ(code, status::no_memory);
    ASSERT_EQ(asked, 0u);
    ASSERT_EQ(shape_text<key32>(*trie), before);
    ++refused;
  } else {
    ASSERT_EQ(asked, truth.size());
    skipped += trie->writer().skipped_resizes > skips ? 1 : 0;
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(trie, after));
}

TEST(trie_prune, a_pass_without_memory_changes_nothing_or_all) {
  unsigned refused = 0;
  unsigned skipped = 0;
  for (std::uint64_t n = 1; n < 24; ++n) {
    ASSERT_NO_FATAL_FAILURE(prune_without_memory(n, refused, skipped)) << "allocation " << n;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(skipped, 5u);
}

TEST(trie_prune, undoing_needs_no_memory) {
  const no_refusals at_the_end;
  random_source random(3);
  hooked_trie trie;
  naive_table<key32> truth;
  ASSERT_NO_FATAL_FAILURE(fill(trie, truth, random, 700));
  const auto present = truth.routes();
  unsigned taken = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    const prefix4 p = random.one_in(2) ? nested(random) : clustered(random);
    if (trie->add(p, 1) != status::ok) continue;
    hooks::refuse_allocation(1, true);
    trie->take_back(p);
    hooks::refuse_allocation(0, false);
    ++taken;
    const auto& old = random.pick(present);
    ASSERT_EQ(trie->replace(old.route, ~1u, nullptr), status::ok);
    hooks::refuse_allocation(1, true);
    trie->put_back(old.route, old.result);
    hooks::refuse_allocation(0, false);
    if (round % 200 == 0) {
      ASSERT_NO_FATAL_FAILURE(expect_same(trie, truth));
    }
  }
  EXPECT_GT(taken, 1000u);
  ASSERT_NO_FATAL_FAILURE(expect_same(trie, truth));
}

}  // namespace
}  // namespace fibtrie::testing
