// SPDX-License-Identifier: MIT
// More than a million random operations on IPv4 tables against a naive table and the reference trie.
//
// Thread safety: one thread.
// Source: docs/design.md, "tests".
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/compared_table.hpp"
#include "tests/support/prefix_kinds.hpp"
#include "tests/support/seed.hpp"

namespace fibtrie::testing {
namespace {

class random_run {
 public:
  random_run(prefix_kind make, std::size_t most, std::uint64_t stream) : make_(make), most_(most), random_(stream) {}

  void run(unsigned operations) {
    for (unsigned i = 0; i < operations; ++i) {
      operate(i / 2048 % 4 == 3 ? 6 : 2);
      look();
      if (i % 128 == 0) look_closely(i);
      ASSERT_FALSE(all_.failed()) << all_.failure() << " at operation " << i << " of seed " << test_seed();
    }
    drain();
    all_.check_invariants();
    ASSERT_FALSE(all_.failed()) << all_.failure() << " in the end, seed " << test_seed();
    EXPECT_GE(all_.distinct_answers(), 100u);
    EXPECT_GE(all_.hits() * 100, all_.probes() * 20);
    EXPECT_LE(all_.hits() * 100, all_.probes() * 95);
  }

 private:
  // removals: how many of eight operations take a route away.
  void operate(unsigned removals) {
    const unsigned choice = random_.below(8);
    const bool full = known_.size() >= most_;
    if (!known_.empty() && (choice < removals || full)) {
      const std::size_t at = random_.below(known_.size());
      last_ = known_[at];
      known_[at] = known_.back();
      known_.pop_back();
      all_.remove(last_);
    } else if (choice == 7 && !known_.empty()) {
      last_ = random_.pick(known_);
      all_.replace(last_, any_result(random_));
    } else if (choice == 6 && random_.one_in(4)) {
      refused();
    } else {
      last_ = make_(random_);
      if (!all_.truth().find(last_).found) known_.push_back(last_);
      random_.one_in(8) ? all_.replace(last_, any_result(random_)) : all_.add(last_, any_result(random_));
    }
    if (random_.one_in(64)) all_.flush();
    if (random_.one_in(64)) all_.compact(1 + random_.below(64));
  }

  // Operations that must fail and change nothing.
  void refused() {
    const prefix4 p = make_(random_);
    if (!all_.truth().find(p).found) all_.remove(p);
    if (p.plen < 32) all_.add({p.key | 1, p.plen}, 7);
    all_.replace({p.key, 33}, 7);
    all_.remove({p.key, 200});
  }

  key32 address() {
    const prefix4 p = known_.empty() || random_.one_in(5) ? make_(random_) : random_.pick(known_);
    const key32 inside = p.key | (static_cast<key32>(random_()) & ~prefix_mask<key32>(p.plen));
    if (random_.one_in(4)) return inside ^ key32 { 1 } << random_.below(32);
    return random_.one_in(8) ? static_cast<key32>(random_()) : inside;
  }

  void look() {
    all_.probe_edges(last_);
    for (int i = 0; i < 4; ++i) all_.probe(address());
    if (random_.one_in(3)) all_.probe(static_cast<key32>(random_()));
    all_.compare_find(last_);
  }

  void look_closely(unsigned i) {
    std::vector<key32> batch(1 + random_.below(70));
    for (auto& a : batch) a = address();
    all_.probe_batch(batch);
    if (i % 512 == 0) all_.check_invariants();
    if (i % 2048 == 0) all_.compare_shape();
    if (i % 4096 == 0) all_.compare_walk(1 + random_.below(500));
  }

  // Takes everything away again.
  void drain() {
    while (!known_.empty() && !all_.failed()) {
      all_.remove(known_.back());
      all_.probe_edges(known_.back());
      known_.pop_back();
      if (known_.size() % 512 == 0) all_.compare_shape();
    }
  }

  prefix_kind make_;
  std::size_t most_;
  random_source random_;
  compared_table all_;
  std::vector<prefix4> known_;
  prefix4 last_{};
};

TEST(random_ops, anything) { random_run(anything, 3000, 1).run(scaled(200000)); }
TEST(random_ops, anything_in_a_small_table) { random_run(anything, 60, 2).run(scaled(200000)); }
TEST(random_ops, clustered) { random_run(clustered, 3000, 3).run(scaled(200000)); }
TEST(random_ops, nested) { random_run(nested, 600, 4).run(scaled(200000)); }
TEST(random_ops, neighbours) { random_run(neighbours, 900, 5).run(scaled(200000)); }
TEST(random_ops, few_bits) { random_run(few_bits, 2000, 6).run(scaled(200000)); }
TEST(random_ops, few_zeros) { random_run(few_zeros, 2000, 7).run(scaled(200000)); }
TEST(random_ops, short_prefixes) { random_run(short_ones, 1500, 8).run(scaled(200000)); }
TEST(random_ops, extreme) { random_run(extreme, 200, 9).run(scaled(200000)); }
TEST(random_ops, fan) { random_run(fan, 1600, 10).run(scaled(200000)); }

}  // namespace
}  // namespace fibtrie::testing
