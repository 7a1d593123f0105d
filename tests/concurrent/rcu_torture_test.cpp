// SPDX-License-Identifier: MIT
// Readers of every flavour beside a writer that swaps, retires and poisons; and the proof that missing grace periods
// show.
//
// Thread safety: a program of its own.
// Invariants: 1. A node is poisoned when reclaimed and never returned to the system, so a reader that is late sees the
//   poison.  2. The payload is plain memory, so a thread sanitizer judges the order; the poison is atomic.
// Source: rcu/README.md, the contract.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "fibtrie/rcu.h"
#include "rcu/annotate.hpp"
#include "rcu/retire.hpp"
#include "tests/support/flavour_types.hpp"

namespace fibtrie::rcu {
namespace {

#ifdef FIBTRIE_THREAD_SANITIZER
constexpr bool under_thread_sanitizer = true;
constexpr auto run_time = std::chrono::milliseconds(400);
#else
constexpr bool under_thread_sanitizer = false;
constexpr auto run_time = std::chrono::milliseconds(1000);
#endif
constexpr int reader_count = 3;
constexpr std::size_t pool_size = 2048;

struct node {
  std::uint64_t value = 0;
  std::uint64_t inverse = 0;
  std::atomic<bool> poisoned{true};
};

// What the writer owns, and the one pointer that readers see.
class swapper {
 public:
  explicit swapper(const domain& domain) : queue_(domain, {SIZE_MAX, pool_size / 2}) {
    for (auto& n : pool_) free_.push_back(&n);
    swap();
  }

  // One update: a fresh node in, the old one retired.
  void swap() {
    ASSERT_TRUE(queue_.reserve(1));
    reclaim();
    if (queue_.over_limit() || free_.empty()) {
      queue_.barrier();
      reclaim();
      ASSERT_TRUE(queue_.reserve(1));
    }
    node* const fresh = free_.back();
    free_.pop_back();
    fresh->value = ++updates_;
    fresh->inverse = ~updates_;
    fresh->poisoned.store(false, std::memory_order_relaxed);  // relaxed: published by the exchange
    // acq_rel: publishes the fresh node; the old one was the writer's own.
    node* const old = current_.exchange(fresh, std::memory_order_acq_rel);
    if (old == nullptr) return;
    queue_.retire(static_cast<std::uint64_t>(old - pool_.data()), sizeof(node));
    ++retired_;
    if (updates_ % 64 == 0) queue_.submit();
  }

  void reclaim() {
    reclaimed_ += queue_.reclaim([this](std::uint64_t record) {
      node& n = pool_[record];
      n.value = n.inverse = 0;
      n.poisoned.store(true, std::memory_order_relaxed);  // relaxed: a late reader sees it soon enough
      free_.push_back(&n);
    });
  }

  void finish() {
    queue_.barrier();
    reclaim();
  }

  const node* current() const noexcept { return current_.load(std::memory_order_acquire); }  // acquire: the publication
  void submit() noexcept { queue_.submit(); }
  std::uint64_t updates() const noexcept { return updates_; }
  std::uint64_t retired() const noexcept { return retired_; }
  std::uint64_t reclaimed() const noexcept { return reclaimed_; }
  backlog_size backlog() const noexcept { return queue_.backlog(); }

 private:
  std::vector<node> pool_{pool_size};
  std::vector<node*> free_;
  std::atomic<node*> current_{nullptr};
  retire_queue queue_;
  std::uint64_t updates_ = 0;
  std::uint64_t retired_ = 0;
  std::uint64_t reclaimed_ = 0;
};

struct reader_report {
  std::uint64_t reads = 0;
  std::uint64_t bad = 0;
};

bool is_bad(const node& n) noexcept { return n.poisoned.load(std::memory_order_relaxed) || n.inverse != ~n.value; }

template <class F>
reader_report read_until(const std::atomic<bool>& stop, const swapper& shared) {
  const thread_registration<F> registered;
  reader_report report;
  while (!stop.load(std::memory_order_relaxed)) {  // relaxed: a flag, nothing hangs on it
    {
      const read_section<F> section;
      const node* const n = shared.current();
      // Without delays a missing grace period hardly ever shows.
      if (++report.reads % 256 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
      report.bad += is_bad(*n);
    }
    if (report.reads % 16 == 0) F::quiescent_state();
  }
  return report;
}

// Runs readers of flavour F beside a writer that reclaims through the given domain.
template <class F>
reader_report torture(const domain& domain, std::chrono::milliseconds duration) {
  swapper shared(domain);
  std::atomic<bool> stop{false};
  std::vector<reader_report> reports(reader_count);
  std::vector<std::thread> readers;
  for (auto& report : reports) {
    readers.emplace_back([&] { report = read_until<F>(stop, shared); });
  }
  std::thread writer([&] {
    const thread_registration<F> registered;
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
      shared.swap();
      F::quiescent_state();
    }
    stop.store(true, std::memory_order_relaxed);
    shared.finish();
  });
  writer.join();
  reader_report sum;
  for (auto& reader : readers) reader.join();
  for (const auto& report : reports) {
    sum.reads += report.reads;
    sum.bad += report.bad;
  }
  EXPECT_GT(shared.updates(), 100u);
  EXPECT_GT(sum.reads, 1000u);
  EXPECT_EQ(shared.retired(), shared.updates() - 1);
  EXPECT_EQ(shared.reclaimed(), shared.retired());
  EXPECT_EQ(shared.backlog().objects, 0u);
  return sum;
}

template <class F>
class rcu_torture : public ::testing::Test {};
TYPED_TEST_SUITE(rcu_torture, testing::flavours, testing::flavour_names);

TYPED_TEST(rcu_torture, readers_never_see_reclaimed_memory) {
  EXPECT_EQ(torture<TypeParam>(TypeParam::instance(), run_time).bad, 0u);
}

// A seeded fault: callbacks run at once, no grace period.
class hasty_domain final : public domain {
 public:
  void call(callback_head* head, void (*function)(callback_head*)) const noexcept override { function(head); }
  void synchronize() const noexcept override {}
  void barrier() const noexcept override {}
  bool in_read_section() const noexcept override { return false; }
  const char* name() const noexcept override { return "hasty"; }
};

// The torture above would notice: the same run over the faulty domain does.
TYPED_TEST(rcu_torture, catches_a_missing_grace_period) {
  if (under_thread_sanitizer) GTEST_SKIP() << "the sanitizer would, rightly, report the seeded race";
  EXPECT_GT(torture<TypeParam>(hasty_domain{}, run_time / 2).bad, 0u);
}

class gate {
 public:
  void open() noexcept {
    open_.store(true, std::memory_order_release);  // release: what came before is seen past the gate
    open_.notify_all();
  }
  void pass() const noexcept { open_.wait(false, std::memory_order_acquire); }

 private:
  std::atomic<bool> open_{false};
};

// One reader holds the first node while the writer swaps it and reclaims what it can: does the reader find poison?
template <class F>
bool paused_reader_finds_poison(const domain& domain) {
  swapper shared(domain);
  gate holding;
  gate reclaimed;
  bool poison = false;
  std::thread reader([&] {
    const thread_registration<F> registered;
    const read_section<F> section;
    const node* const mine = shared.current();
    holding.open();
    reclaimed.pass();
    poison = is_bad(*mine);
  });
  holding.pass();
  shared.swap();
  shared.submit();
  for (int tries = 0; tries < 30 && shared.reclaimed() == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    shared.reclaim();
  }
  reclaimed.open();
  reader.join();
  shared.finish();
  EXPECT_EQ(shared.reclaimed(), 1u);
  return poison;
}

TYPED_TEST(rcu_torture, paused_reader_is_waited_for) {
  EXPECT_FALSE(paused_reader_finds_poison<TypeParam>(TypeParam::instance()));
}

TYPED_TEST(rcu_torture, paused_reader_catches_a_missing_grace_period) {
  EXPECT_TRUE(paused_reader_finds_poison<TypeParam>(hasty_domain{}));
}

}  // namespace
}  // namespace fibtrie::rcu
