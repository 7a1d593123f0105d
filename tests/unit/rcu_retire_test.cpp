// SPDX-License-Identifier: MIT
// The retire queue alone, over grace periods that the test ends: order, figures, reservations, failures, destruction.
//
// Thread safety: a program of its own.
// Invariants: 1. Every chunk is freed: the sanitizer build checks it.
// Source: rcu/retire.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "rcu/retire.hpp"
#include "tests/support/manual_domain.hpp"

namespace fibtrie::rcu {
namespace {

using fibtrie::testing::manual_domain;

constexpr std::size_t per_chunk = retire_queue::records_per_chunk;
constexpr retire_queue::limits generous{SIZE_MAX, SIZE_MAX};

int allocations_left = -1;  // -1: any number
int allocations_made = 0;

void* counted_allocate(std::size_t bytes) {
  if (allocations_left == 0) return nullptr;
  if (allocations_left > 0) --allocations_left;
  ++allocations_made;
  return std::malloc(bytes);
}

class rcu_retire : public ::testing::Test {
 protected:
  void SetUp() override {
    allocations_left = -1;
    allocations_made = 0;
  }
  void retire(std::uint64_t first, std::size_t count, std::size_t bytes = 8) {
    ASSERT_TRUE(queue.reserve(count));
    for (std::size_t i = 0; i < count; ++i) queue.retire(first + i, bytes);
  }
  std::vector<std::uint64_t> reclaimed() {
    std::vector<std::uint64_t> records;
    const std::size_t count = queue.reclaim([&records](std::uint64_t record) { records.push_back(record); });
    EXPECT_EQ(count, records.size());
    return records;
  }
  static std::vector<std::uint64_t> sequence(std::size_t count) {
    std::vector<std::uint64_t> records(count);
    for (std::size_t i = 0; i < count; ++i) records[i] = i;
    return records;
  }

  manual_domain domain;
  retire_queue queue{domain, generous, counted_allocate};
};

TEST_F(rcu_retire, idle_queue_takes_no_memory) {
  EXPECT_LT(sizeof(retire_queue), 200u);
  queue.submit();
  EXPECT_TRUE(reclaimed().empty());
  queue.barrier();
  EXPECT_EQ(allocations_made, 0);
  EXPECT_EQ(domain.waiting(), 0u);
}

TEST_F(rcu_retire, nothing_comes_back_before_the_grace_period) {
  retire(0, 3);
  domain.advance();
  EXPECT_TRUE(reclaimed().empty()) << "the chunk is still open: it has had no grace period";
  queue.submit();
  EXPECT_EQ(domain.waiting(), 1u);
  EXPECT_TRUE(reclaimed().empty());
  domain.advance();
  EXPECT_EQ(reclaimed(), sequence(3));
  EXPECT_TRUE(reclaimed().empty());
}

TEST_F(rcu_retire, many_chunks_come_back_oldest_first) {
  retire(0, 5 * per_chunk + 7);
  EXPECT_EQ(domain.waiting(), 5u) << "full chunks go at once";
  domain.advance();
  EXPECT_EQ(reclaimed(), sequence(5 * per_chunk));
  queue.barrier();
  const auto rest = reclaimed();
  ASSERT_EQ(rest.size(), 7u);
  EXPECT_EQ(rest.front(), 5 * per_chunk);
}

// Two workers may finish in any order; the younger chunk waits for the older.
TEST_F(rcu_retire, order_holds_when_callbacks_run_out_of_order) {
  struct backwards final : domain {
    mutable std::vector<callback_head*> waiting;
    void call(callback_head* head, void (*function)(callback_head*)) const noexcept override {
      head->function = function;
      waiting.push_back(head);
    }
    void run_youngest() const noexcept {
      callback_head* const head = waiting.back();
      waiting.pop_back();
      head->function(head);
    }
    void synchronize() const noexcept override { barrier(); }
    void barrier() const noexcept override {
      while (!waiting.empty()) run_youngest();
    }
    bool in_read_section() const noexcept override { return false; }
    const char* name() const noexcept override { return "backwards"; }
  } out_of_order;
  retire_queue two(out_of_order, generous);
  ASSERT_TRUE(two.reserve(2));
  two.retire(0, 1);
  two.submit();
  ASSERT_TRUE(two.reserve(1));
  two.retire(1, 1);
  two.submit();
  std::vector<std::uint64_t> records;
  const auto note = [&records](std::uint64_t record) { records.push_back(record); };
  out_of_order.run_youngest();
  EXPECT_EQ(two.reclaim(note), 0u);
  out_of_order.run_youngest();
  EXPECT_EQ(two.reclaim(note), 2u);
  EXPECT_EQ(records, sequence(2));
}

TEST_F(rcu_retire, backlog_counts_open_and_waiting) {
  retire(0, per_chunk + 2, 10);
  EXPECT_EQ(queue.backlog().objects, per_chunk + 2);
  EXPECT_EQ(queue.backlog().bytes, 10 * (per_chunk + 2));
  domain.advance();
  EXPECT_EQ(queue.backlog().objects, per_chunk + 2) << "ready is not reclaimed";
  EXPECT_EQ(reclaimed().size(), per_chunk);
  EXPECT_EQ(queue.backlog().objects, 2u);
  EXPECT_EQ(queue.backlog().bytes, 20u);
  queue.barrier();
  EXPECT_EQ(reclaimed().size(), 2u);
  EXPECT_EQ(queue.backlog().objects, 0u);
  EXPECT_EQ(queue.backlog().bytes, 0u);
}

TEST_F(rcu_retire, limits_are_exceeded_beyond_not_at) {
  retire_queue small(domain, {100, 3});
  ASSERT_TRUE(small.reserve(6));
  small.retire(0, 100);
  EXPECT_FALSE(small.over_limit());
  small.retire(1, 1);
  EXPECT_TRUE(small.over_limit()) << "bytes";
  small.barrier();
  EXPECT_TRUE(small.over_limit());
  EXPECT_EQ(small.reclaim([](std::uint64_t) {}), 2u);
  EXPECT_FALSE(small.over_limit());
  ASSERT_TRUE(small.reserve(4));
  for (int i = 0; i < 3; ++i) small.retire(0, 0);
  EXPECT_FALSE(small.over_limit());
  small.retire(0, 0);
  EXPECT_TRUE(small.over_limit()) << "objects";
}

TEST_F(rcu_retire, heavy_chunk_goes_at_once) {
  ASSERT_TRUE(queue.reserve(2));
  queue.retire(0, retire_queue::heavy_bytes);
  EXPECT_EQ(domain.waiting(), 0u);
  queue.retire(1, 1);
  EXPECT_EQ(domain.waiting(), 1u);
  domain.advance();
  EXPECT_EQ(reclaimed(), sequence(2));
}

// Heavy records would each close a chunk; the reservation counts records, so the later ones must share one.
TEST_F(rcu_retire, heavy_records_do_not_eat_the_reservation) {
  ASSERT_TRUE(queue.reserve(10));
  allocations_left = 0;
  for (std::uint64_t i = 0; i < 10; ++i) queue.retire(i, 10 * retire_queue::heavy_bytes);
  queue.barrier();
  EXPECT_EQ(reclaimed(), sequence(10));
}

TEST_F(rcu_retire, deferred_heavy_chunk_goes_when_the_operation_ends) {
  ASSERT_TRUE(queue.reserve(10));
  for (std::uint64_t i = 0; i < 9; ++i) queue.retire(i, 2 * retire_queue::heavy_bytes);
  EXPECT_EQ(domain.waiting(), 1u) << "the first goes at once, the others share what is left";
  allocations_left = 0;
  ASSERT_TRUE(queue.reserve(0));
  EXPECT_EQ(domain.waiting(), 2u);
  domain.advance();
  EXPECT_EQ(reclaimed(), sequence(9));
}

// Fails the n-th allocation for each n; a reservation that was granted always holds.
TEST_F(rcu_retire, reserve_fails_cleanly_at_every_allocation) {
  constexpr std::size_t wanted = 3 * per_chunk + 1;
  for (int n = 0;; ++n) {
    retire_queue fresh(domain, generous, counted_allocate);
    allocations_left = n;
    const bool granted = fresh.reserve(wanted);
    EXPECT_EQ(granted, n >= 5) << n;
    EXPECT_EQ(fresh.backlog().objects, 0u);
    if (!granted) {
      allocations_left = -1;
      ASSERT_TRUE(fresh.reserve(wanted)) << "a failure must not stay";
    }
    allocations_left = 0;
    for (std::uint64_t i = 0; i < wanted; ++i) fresh.retire(i, 1);
    fresh.barrier();
    EXPECT_EQ(fresh.reclaim([](std::uint64_t) {}), wanted);
    if (granted) break;
  }
}

TEST_F(rcu_retire, chunks_are_used_again) {
  for (int round = 0; round < 50; ++round) {
    retire(0, 100);
    queue.barrier();
    EXPECT_EQ(reclaimed(), sequence(100));
  }
  EXPECT_LE(allocations_made, 2);
}

TEST_F(rcu_retire, a_burst_does_not_keep_its_chunks) {
  retire(0, 100 * per_chunk);
  EXPECT_LE(allocations_made, 101);
  queue.barrier();
  EXPECT_EQ(reclaimed().size(), 100 * per_chunk);
  allocations_left = 0;
  EXPECT_FALSE(queue.reserve(10 * per_chunk)) << "the burst's memory was kept";
}

TEST_F(rcu_retire, destruction_waits_for_callbacks_and_frees_every_state) {
  auto dying = std::make_unique<retire_queue>(domain, generous, counted_allocate);
  ASSERT_TRUE(dying->reserve(3 * per_chunk + 1));
  for (std::uint64_t i = 0; i < per_chunk; ++i) dying->retire(i, 1);
  domain.advance();  // one chunk ready
  for (std::uint64_t i = 0; i < per_chunk; ++i) dying->retire(i, 1);
  EXPECT_EQ(domain.waiting(), 1u);  // one waiting
  dying->retire(0, 1);              // one open, one spare
  dying.reset();
  EXPECT_EQ(domain.waiting(), 0u) << "a callback would write to freed memory";
}

TEST_F(rcu_retire, barrier_inside_a_section_is_caught) {
  retire(0, 1);
  EXPECT_DEATH(
      {
        domain.set_in_read_section(true);
        queue.barrier();
      },
      "in_read_section");
}

#ifdef FIBTRIE_ASSERTS
TEST_F(rcu_retire, retiring_beyond_the_reservation_is_caught) {
  retire(0, 1);
  EXPECT_DEATH(queue.retire(1, 1), "reserved_");
}
#endif

}  // namespace
}  // namespace fibtrie::rcu
