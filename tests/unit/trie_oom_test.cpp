// SPDX-License-Identifier: MIT
// The ladder: the n-th allocation of an operation is refused, for n = 1, 2, ... until the operation needs no more.
//
// Thread safety: one thread.
// Invariants: 1. An operation refused for lack of memory has changed nothing.  2. A resize that finds none is skipped,
// counted,
//   and leaves a right table.
// Source: docs/design.md, "memory".
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/hooked_traits.hpp"
#include "tests/support/prefix_kinds.hpp"
#include "tests/support/shape_text.hpp"
#include "tests/support/trie8.hpp"

namespace fibtrie::testing {
namespace {

using hooks = hooked_traits<12>;
using trie_under_test = opened_trie<key32, hooks>;

class ladder {
 public:
  ladder(prefix_kind make, unsigned routes, std::uint64_t stream, bool all_later)
      : random_(stream), make_(make), all_later_(all_later) {
    hooks::refuse_allocation(0, false);
    while (truth_.size() < routes) {
      const prefix4 p = make(random_);
      if (truth_.add(p, routes) == status::ok) {
        EXPECT_EQ(trie_->add(p, routes), status::ok);
        present_.push_back(p);
      }
    }
    EXPECT_EQ(trie_->flush(), status::ok);
  }
  ~ladder() { hooks::refuse_allocation(0, false); }

  void run() {
    for (int i = 0; i < 6; ++i) ASSERT_NO_FATAL_FAILURE(climb_add());
    for (int i = 0; i < 6; ++i) ASSERT_NO_FATAL_FAILURE(climb_remove());
    for (int i = 0; i < 2; ++i) ASSERT_NO_FATAL_FAILURE(climb_change());
    ASSERT_NO_FATAL_FAILURE(climb_compact());
    for (const prefix4 p : present_) {
      ASSERT_EQ(trie_->remove(p), status::ok);
      ASSERT_EQ(truth_.remove(p), status::ok);
    }
    present_.clear();
    ASSERT_EQ(trie_->flush(), status::ok);
    ASSERT_NO_FATAL_FAILURE(check());
    const memory_stats m = trie_->memory();
    EXPECT_EQ(m.header_bytes + m.descriptor_bytes + m.entry_bytes, 0u);
  }
  std::uint64_t refused() const noexcept { return refused_; }
  std::uint64_t skipped() const noexcept { return trie_->writer().skipped_resizes; }

 private:
  template <class Operate>
  void climb(const char* what, Operate operate) {
    for (std::uint64_t n = 1; n < 2000; ++n) {
      ASSERT_EQ(trie_->flush(), status::ok);
      const std::string before = picture();
      const std::uint64_t skips = trie_->writer().skipped_resizes;
      hooks::refuse_allocation(n, all_later_);
      const status code = operate();
      const bool met = hooks::allocations >= n;
      hooks::refuse_allocation(0, false);
      if (code == status::no_memory) {
        ++refused_;
        ASSERT_EQ(picture(), before) << what << ", allocation " << n;
        ASSERT_EQ(trie_->writer().skipped_resizes, skips);
        ASSERT_NO_FATAL_FAILURE(check());
        continue;
      }
      ASSERT_EQ(code, status::ok) << what << ", allocation " << n;
      if (met && n > 1) {
        ASSERT_GT(trie_->writer().skipped_resizes, skips) << what << ", allocation " << n;
      }
      return;
    }
    FAIL() << what << " never succeeds";
  }

  // Between the rungs of adds and removals that succeed with skipped resizes the operation is undone, then the next
  // rung tried.
  void climb_add() {
    prefix4 p = make_(random_);
    while (truth_.find(p).found) p = make_(random_);
    ASSERT_NO_FATAL_FAILURE(climb("add", [&] { return trie_->add(p, 1); }));
    ASSERT_EQ(truth_.add(p, 1), status::ok);
    present_.push_back(p);
    ASSERT_NO_FATAL_FAILURE(check());
    ASSERT_NO_FATAL_FAILURE(skip_later_resizes(p));
  }
  void climb_remove() {
    std::swap(present_[random_.below(present_.size())], present_.back());
    const prefix4 p = present_.back();
    present_.pop_back();
    ASSERT_NO_FATAL_FAILURE(climb("remove", [&] { return trie_->remove(p); }));
    ASSERT_EQ(truth_.remove(p), status::ok);
    ASSERT_NO_FATAL_FAILURE(check());
  }
  void climb_change() {
    const prefix4 p = random_.pick(present_);
    for (const std::uint32_t result : {5u, ~0u}) {
      ASSERT_NO_FATAL_FAILURE(climb("replace", [&] { return trie_->replace(p, result, nullptr); }));
      ASSERT_EQ(truth_.replace(p, result), status::ok);
      ASSERT_NO_FATAL_FAILURE(check());
    }
  }
  void climb_compact() {
    for (std::uint64_t n = 1; n < 2000; ++n) {
      hooks::refuse_allocation(n, all_later_);
      const status code = trie_->compact(SIZE_MAX, nullptr);
      hooks::refuse_allocation(0, false);
      ASSERT_NO_FATAL_FAILURE(check());
      if (code == status::ok) return;
      ASSERT_EQ(code, status::no_memory);
    }
    FAIL() << "compact never succeeds";
  }

  // The same add again and again, each time with a later allocation refused: the resizes further up are skipped in
  // turn.
  void skip_later_resizes(prefix4 p) {
    for (std::uint64_t n = 1; n < 40; ++n) {
      ASSERT_EQ(trie_->remove(p), status::ok);
      hooks::refuse_allocation(n, all_later_);
      status code = trie_->add(p, 1);
      const bool met = hooks::allocations >= n;
      hooks::refuse_allocation(0, false);
      if (code == status::no_memory) code = trie_->add(p, 1);
      ASSERT_EQ(code, status::ok);
      ASSERT_NO_FATAL_FAILURE(check());
      if (!met) return;
    }
  }

  std::string picture() const {
    const memory_stats m = trie_->memory();
    return shape_text<key32>(*trie_.operator->()) + std::to_string(trie_->size()) + ' ' + std::to_string(m.slot_bytes) +
           ' ' + std::to_string(m.header_bytes) + ' ' + std::to_string(m.entry_bytes) + ' ' +
           std::to_string(m.descriptor_bytes);
  }

  void check() {
    ASSERT_EQ(trie_->verify_invariants(), "");
    ASSERT_EQ(trie_->size(), truth_.size());
    for (int i = 0; i < 40; ++i) {
      const prefix4 p = present_.empty() || random_.one_in(3) ? make_(random_) : random_.pick(present_);
      for (const key32 address : {p.key, last_address(p), last_address(p) + 1}) {
        const auto want = truth_.match(address);
        ASSERT_EQ(trie_->reader().lookup(address), (lookup_result{want.value, want.found}));
        ASSERT_EQ(trie_->reader().match(address).route, want.route);
      }
    }
  }

  random_source random_;
  prefix_kind make_;
  bool all_later_;
  trie_under_test trie_;
  naive_table<key32> truth_;
  std::vector<prefix4> present_;
  std::uint64_t refused_ = 0;
};

void climb_shapes(prefix_kind make, std::uint64_t& refused, std::uint64_t& skipped) {
  for (unsigned shape = 0; shape < 10; ++shape) {
    ladder one(make, 1 + shape * shape * 4, shape, shape % 2 == 0);
    ASSERT_NO_FATAL_FAILURE(one.run()) << "shape " << shape;
    refused += one.refused();
    skipped += one.skipped();
  }
}

TEST(trie_oom, every_refusal_leaves_a_right_table) {
  std::uint64_t refused = 0;
  std::uint64_t skipped = 0;
  for (const prefix_kind make : {anything, clustered, nested, neighbours, few_bits}) {
    ASSERT_NO_FATAL_FAILURE(climb_shapes(make, refused, skipped));
  }
  EXPECT_GT(refused, 500u);
  EXPECT_GT(skipped, 100u);
}

// Only the reservation before the first store may refuse a removal.
TEST(trie_oom, a_removal_is_refused_before_it_begins_or_not_at_all) {
  trie_under_test trie;
  random_source random(9);
  std::vector<prefix4> present;
  while (present.size() < 300) {
    const prefix4 p = clustered(random);
    if (trie->add(p, 1) == status::ok) present.push_back(p);
  }
  for (std::size_t i = 0; i < present.size(); ++i) {
    hooks::refuse_allocation(2 + i % 7, true);
    ASSERT_EQ(trie->remove(present[i]), status::ok);
    hooks::refuse_allocation(0, false);
    if (i % 16 == 0) {
      ASSERT_EQ(trie->verify_invariants(), "");
    }
  }
  EXPECT_EQ(trie->size(), 0u);
  EXPECT_GT(trie->writer().skipped_resizes, 0u);
}

}  // namespace
}  // namespace fibtrie::testing
