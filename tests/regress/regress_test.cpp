// SPDX-License-Identifier: MIT
// Faults that other tables had, and our own, each as the shortest sequence that shows it.  Do not tidy these up.
//
// Thread safety: as each test says.
// Source: the public histories of DPDK, FreeBSD, VPP, Linux and treebitmap; the number is that of the collection.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "fibtrie/fib.h"
#include "fibtrie/rcu.h"
#include "tests/support/hooked_traits.hpp"
#include "tests/support/manual_domain.hpp"
#include "tests/support/op_notation.hpp"
#include "tests/support/paused_reader.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/small_net.hpp"
#include "tests/support/trie8.hpp"

namespace fibtrie::testing {
namespace {

class regress : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(fib::create(domain_, trie8::small_options(), table_), status::ok); }
  std::string run(const std::string& operations) { return run_notation(*table_, operations); }
  std::vector<prefix4> walk() const {
    std::vector<prefix4> seen;
    walk_cursor cursor;
    table_->walk(cursor, [&](const route4& r) {
      seen.push_back(r.route);
      return seen.size() < 1000;
    });
    return seen;
  }

  manual_domain domain_;
  std::unique_ptr<fib> table_;
};

TEST_F(regress, r01_default_route_first) {
  EXPECT_EQ(run("+0.0.0.0/0=A ?0.0.0.0=A ?192.0.2.1=A ?255.255.255.255=A -0.0.0.0/0 ?192.0.2.1=none"), "");
}
TEST_F(regress, r02_default_route_over_a_covered_last_address) {
  EXPECT_EQ(run("+255.255.255.0/24=A +192.0.2.0/24=B +0.0.0.0/0=C ?255.255.255.7=A ?192.0.2.9=B ?198.51.100.1=C"), "");
  EXPECT_EQ(run("-0.0.0.0/0 ?255.255.255.7=A ?198.51.100.1=none ?0.0.0.0=none"), "");
}
TEST_F(regress, r04_more_specific_with_its_parents_next_hop) {
  EXPECT_EQ(run("+192.0.2.0/23=A"), "");
  const memory_stats before = table_->memory();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run("+192.0.2.128/25=A ?192.0.2.130=A -192.0.2.128/25 ?192.0.2.130=A"), "");
  ASSERT_EQ(table_->flush(), status::ok);
  EXPECT_EQ(table_->memory().entry_bytes, before.entry_bytes);
  EXPECT_EQ(table_->memory().slot_bytes, before.slot_bytes);
  EXPECT_EQ(run("+198.51.100.128/25=B ?198.51.100.200=B ?192.0.2.130=A"), "");
}
// The reserved range holds what it holds: one more is refused, one less makes room for one.
TEST_F(regress, r07_capacity_off_by_one) {
  fib_options least;
  least.reserve_prefixes = 1;
  ASSERT_EQ(fib::create(domain_, least, table_), status::ok);
  const auto route = [](key32 n) { return prefix4{n << 12, 32}; };
  key32 count = 0;
  while (count < 1u << 20 && table_->add(route(count), count) == status::ok) ++count;
  EXPECT_EQ(table_->size(), count);
  const std::size_t entries = table_->memory().entry_bytes;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(table_->add(route(count), 1), status::no_memory);
  EXPECT_EQ(table_->memory().entry_bytes, entries);
  EXPECT_EQ(table_->size(), count);
  for (key32 n = 0; n < count; ++n) ASSERT_EQ(table_->lookup(n << 12), (lookup_result{n, true}));
  EXPECT_FALSE(table_->lookup(count << 12).found);
  EXPECT_EQ(table_->verify_invariants(), "");
}
TEST_F(regress, r09_vector_lookup_past_the_table) {
  EXPECT_EQ(run("+255.255.255.255/32=A +0.0.0.0/0=B ?255.255.255.255=A ?255.255.255.254=B ?0.0.0.0=B"), "");
  EXPECT_EQ(run("+255.255.255.254/31=C +255.255.255.0/24=D ?255.255.255.254=C ?255.255.255.253=D"), "");
}
TEST_F(regress, r10_second_level_index_cut_short) {
  for (const unsigned count : {300u, 65537u}) {
    if (count > 1000 && scaled(2) == 1) continue;
    ASSERT_EQ(fib::create(domain_, table_), status::ok);
    for (unsigned n = 0; n < count; ++n) ASSERT_EQ(table_->add({n << 8 | 0x50, 28}, n + 1), status::ok);
    std::vector<key32> addresses;
    for (unsigned n = 0; n < count; ++n) {
      ASSERT_EQ(table_->lookup(n << 8 | 0x5f), (lookup_result{n + 1, true}));
      ASSERT_FALSE(table_->lookup(n << 8 | 0x60).found);
      addresses.push_back(n << 8 | 0x51);
    }
    std::vector<std::uint32_t> results(count);
    table_->lookup_batch(addresses.data(), count, results.data(), nullptr);
    for (unsigned n = 0; n < count; ++n) ASSERT_EQ(results[n], n + 1);
  }
}
TEST_F(regress, r11_block_visible_before_its_entries) {
  EXPECT_EQ(run("+192.0.2.0/24=A +192.0.2.32/28=B ?192.0.2.9=A ?192.0.2.40=B"), "");
}
// One reader beside the writer: its address has the same answer all the time.
TEST_F(regress, r11_block_visible_before_its_entries_concurrently) {
  using flavour = rcu::plain;
  ASSERT_EQ(fib::create(flavour::instance(), table_), status::ok);
  ASSERT_EQ(table_->add({ipv4(192, 0, 2, 0), 24}, 'A'), status::ok);
  std::atomic<bool> stop{false};
  std::uint64_t wrong = 0;
  std::uint64_t reads = 0;
  std::thread reader([&] {
    const rcu::thread_registration<flavour> registered;
    while (!stop.load(std::memory_order_relaxed)) {  // relaxed: a flag
      const rcu::read_section<flavour> section;
      for (int i = 0; i < 16; ++i, ++reads) {
        wrong += table_->lookup(ipv4(192, 0, 2, 9)) == lookup_result{'A', true} ? 0 : 1;
        wrong += table_->match(ipv4(192, 0, 2, 9)).value == 'A' ? 0 : 1;
      }
    }
  });
  status code = status::ok;
  for (unsigned i = 0; i < scaled(1000000) && code == status::ok; ++i) {
    code = i % 2 == 0 ? table_->add({ipv4(192, 0, 2, 32), 28}, 'B') : table_->remove({ipv4(192, 0, 2, 32), 28});
    if (code == status::backlog_full) code = table_->flush();
  }
  stop.store(true, std::memory_order_relaxed);
  reader.join();
  EXPECT_EQ(code, status::ok);
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(reads, 100u);
}
TEST_F(regress, r13_middle_prefix_deleted) {
  EXPECT_EQ(run("+10.0.0.0/8=A +10.1.0.0/16=B +10.1.1.128/25=C -10.1.0.0/16 +10.2.2.128/25=D "
                "?10.1.1.200=C ?10.1.1.5=A ?10.2.2.200=D ?10.2.2.5=A ?10.1.2.1=A"),
            "");
}
TEST_F(regress, r18_walk_at_a_host_route) {
  EXPECT_EQ(run("+192.0.2.1/32=A +192.0.2.0/24=B ?192.0.2.1=A"), "");
  EXPECT_EQ(walk(), (std::vector<prefix4>{{ipv4(192, 0, 2, 0), 24}, {ipv4(192, 0, 2, 1), 32}}));
  EXPECT_EQ(run("-192.0.2.0/24"), "");
  EXPECT_EQ(walk(), (std::vector<prefix4>{{ipv4(192, 0, 2, 1), 32}}));
  EXPECT_EQ(run("-192.0.2.1/32 +0.0.0.0/0=C"), "");
  EXPECT_EQ(walk(), (std::vector<prefix4>{{0, 0}}));
  EXPECT_EQ(run("+255.255.255.255/32=D +0.0.0.0/32=E"), "");
  EXPECT_EQ(walk(), (std::vector<prefix4>{{0, 32}, {0, 0}, {~0u, 32}}));
}
TEST_F(regress, r27_fall_back_is_the_parent_prefix) {
  EXPECT_EQ(run("+10.0.0.0/22=A +10.0.0.0/23=B +10.0.0.0/24=C -10.0.0.0/23 ?10.0.0.1=C ?10.0.1.1=A ?10.0.2.1=A"), "");
}
TEST_F(regress, r32_shorter_prefix_after_a_longer_one) {
  EXPECT_EQ(run("+10.1.2.0/24=A +10.1.2.60/32=L +10.0.0.0/8=B ?10.1.1.1=B ?10.1.2.9=A ?10.1.2.60=L ?10.2.0.1=B"), "");
}
// Number 41, walks from every key, is trie_walk.from_every_start.
TEST_F(regress, r56_middle_prefix_with_children_removed) {
  EXPECT_EQ(run("+10.0.0.0/8=1 +10.0.10.0/24=2 +10.0.10.9/32=3 ?10.0.10.10=2 -10.0.10.0/24 ?10.0.10.10=1 ?10.0.10.9=3 "
                "?10.10.10.10=1"),
            "");
}

// A delete that names the prefix alone did not find a route whose next hop is an object.
TEST(regress_routes, r43_delete_of_a_route_with_a_next_hop_object) {
  small_net net;
  const std::size_t shared = net->shared_infos();
  ASSERT_NO_FATAL_FAILURE(
      net.must({"@nexthop add id 1 via 198.18.0.2 dev d0", "@nexthop add id 2 dev d1", "@nexthop add id 3 group 1/2",
                "add 198.51.100.0/24 nhid 1", "add 203.0.113.0/24 nhid 3", "add 203.0.113.0/24 metric 7 dev d0"}));
  EXPECT_EQ(net.play("del 198.51.100.0/24 nhid 2"), status::not_found);
  ASSERT_NO_FATAL_FAILURE(net.must({"del 198.51.100.0/24", "del 203.0.113.0/24"}));
  EXPECT_EQ(net.routes(), (std::vector<std::string>{"unicast 203.0.113.0/24 metric 7 proto 3 scope link dev d0"}));
  ASSERT_NO_FATAL_FAILURE(net.must({"del 203.0.113.0/24"}));
  EXPECT_EQ(net->shared_infos(), shared);
}
// The next hop of the route that was taken away has no user left.
TEST(regress_routes, r27_fall_back_is_the_parent_prefix) {
  small_net net;
  ASSERT_NO_FATAL_FAILURE(net.must({"add 10.0.0.0/22 dev d0", "add 10.0.0.0/23 dev d1", "add 10.0.0.0/24 dev d2"}));
  const std::size_t shared = net->shared_infos();
  ASSERT_NO_FATAL_FAILURE(net.must({"del 10.0.0.0/23"}));
  EXPECT_EQ(net->shared_infos(), shared - 1);
  const auto oif = [&](const std::string& daddr) {
    flow_result found;
    return net->lookup_table(small_net::table, small_net::flow(daddr), 0, found) == status::ok ? found.oif() : 0;
  };
  EXPECT_EQ(oif("10.0.0.1"), 4u);
  EXPECT_EQ(oif("10.0.1.1"), 2u);
  EXPECT_EQ(oif("10.0.2.1"), 2u);
}

// ---- our own

// A pruned hand-over of covers left the cover of the entry that had caused the pruning.
TEST(regress_own, pruned_hand_over) {
  trie8 trie;
  world8 truth;
  const auto add = [&](prefix8 p, std::uint32_t v) {
    ASSERT_EQ(trie->add(p, v), status::ok);
    truth.set(p, v);
    ASSERT_EQ(difference8(*trie, truth), "");
  };
  ASSERT_NO_FATAL_FAILURE(add({0, 0}, 'A'));
  ASSERT_NO_FATAL_FAILURE(add({240, 4}, 'B'));
  ASSERT_NO_FATAL_FAILURE(add({248, 6}, 'C'));
  ASSERT_NO_FATAL_FAILURE(add({128, 1}, 'D'));
  EXPECT_EQ(trie->reader().lookup(192).value, 'D' + 0u);
  ASSERT_EQ(trie->remove({128, 1}), status::ok);
  truth.unset({128, 1});
  EXPECT_EQ(difference8(*trie, truth), "");
  EXPECT_EQ(trie->reader().lookup(192).value, 'A' + 0u);
}
TEST_F(regress, own_pruned_hand_over_below_the_top_array) {
  EXPECT_EQ(
      run("+0.0.0.0/0=A +10.15.0.0/16=B +10.15.128.0/18=C +10.8.0.0/13=D ?10.12.0.0=D ?10.15.1.1=B ?10.15.130.1=C"),
      "");
  EXPECT_EQ(run("-10.15.0.0/16 ?10.15.1.1=D ?10.15.130.1=C -10.8.0.0/13 ?10.12.0.0=A ?10.15.1.1=A ?10.15.130.1=C"), "");
}

// Counts how often one address changes its answer.
class flip_counter final : public store_observer {
 public:
  using trie_type = trie::lc_trie<key8, hooked_traits<2>>;
  flip_counter(trie_type& trie, key8 address) : trie_(trie), address_(address), last_(trie.reader().lookup(address)) {}
  void stored() noexcept override {
    const lookup_result now = trie_.reader().lookup(address_);
    flips += now == last_ ? 0 : 1;
    last_ = now;
  }
  unsigned flips = 0;

 private:
  trie_type& trie_;
  key8 address_;
  lookup_result last_;
};

// A short prefix was seen by way of the twins as soon as its leaf was there, then not until its top cells were, then
// again.
TEST(regress_own, short_prefix_behind_a_guard_came_twice) {
  opened_trie<key8, hooked_traits<2>> trie;
  ASSERT_EQ(trie->add({192, 3}, 1), status::ok);
  ASSERT_EQ(trie->add({192, 6}, 2), status::ok);
  flip_counter counter(*trie, 5);
  hooked_traits<2>::observer = &counter;
  ASSERT_EQ(trie->add({0, 1}, 3), status::ok);
  hooked_traits<2>::observer = nullptr;
  EXPECT_EQ(trie->reader().lookup(5).value, 3u);
  EXPECT_EQ(counter.flips, 1u);
}

// A reader that stood at the old leaf followed its cover to the new answer, while a later one came to the new tnode,
// where an empty slot still had the old cover.
class standing_reader final : public store_observer {
 public:
  using trie_type = trie::lc_trie<key8, hooked_traits<2>>;
  standing_reader(trie_type& trie, key8 address, unsigned steps) : trie_(trie), address_(address) {
    held_.begin(trie.reader(), address);
    while (steps-- > 0 && held_.step() == pace::reading) continue;
  }
  void stored() noexcept override {
    auto held = held_;
    while (held.step() == pace::reading) continue;
    if (held.answer().found && !trie_.reader().lookup(address_).found) ++came_and_went;
  }
  unsigned came_and_went = 0;

 private:
  trie_type& trie_;
  key8 address_;
  paused_lookup<key8> held_;
};

TEST(regress_own, new_tnode_shown_before_covers_below_it) {
  for (unsigned steps = 1; steps < 4; ++steps) {
    opened_trie<key8, hooked_traits<2>> trie;
    ASSERT_EQ(trie->add({170, 8}, 1), status::ok);
    standing_reader reader(*trie, 168, steps);
    hooked_traits<2>::observer = &reader;
    ASSERT_EQ(trie->add({160, 3}, 2), status::ok);
    hooked_traits<2>::observer = nullptr;
    EXPECT_EQ(trie->reader().lookup(168).value, 2u);
    EXPECT_EQ(reader.came_and_went, 0u) << steps << " steps";
  }
}

// A round of compaction never got past a tnode at position 0.
TEST_F(regress, own_compaction_stands_still_at_host_routes) {
  EXPECT_EQ(run("+10.0.0.0/32=A +10.0.0.1/32=B +10.0.0.2/32=C +10.0.0.3/32=D +10.0.1.0/32=E +10.0.1.1/32=F"), "");
  bool more = true;
  int calls = 0;
  while (more && calls < 100) {
    ASSERT_EQ(table_->compact(1, &more), status::ok);
    ++calls;
  }
  EXPECT_LT(calls, 20);
}

}  // namespace
}  // namespace fibtrie::testing
