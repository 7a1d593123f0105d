// SPDX-License-Identifier: MIT
// What every RCU flavour promises: sections nest, callbacks and waits outlast the sections open before, nothing
// deadlocks.
//
// Thread safety: a program of its own.
// Invariants: 1. "Not yet" is checked after a pause: a slow machine can hide an error, never invent one.
// Source: rcu/flavour.hpp.
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "fibtrie/rcu.h"
#include "tests/support/flavour_types.hpp"

namespace fibtrie::rcu {
namespace {

constexpr auto pause_time = std::chrono::milliseconds(30);

class gate {
 public:
  void open() noexcept {
    open_.store(true, std::memory_order_release);  // release: what came before is seen past the gate
    open_.notify_all();
  }
  void pass() const noexcept { open_.wait(false, std::memory_order_acquire); }
  bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> open_{false};
};

// A thread inside a read section until told to leave.
template <class F>
class paused_reader {
 public:
  explicit paused_reader(bool inner_section_first = false)
      : thread_([this, inner_section_first] { run(inner_section_first); }) {
    inside_.pass();
  }
  ~paused_reader() { leave(); }
  void leave() {
    if (!thread_.joinable()) return;
    leave_.open();
    thread_.join();
  }

 private:
  void run(bool inner_section_first) {
    const thread_registration<F> registered;
    const read_section<F> section;
    if (inner_section_first) const read_section<F> inner;
    inside_.open();
    leave_.pass();
  }

  gate inside_;
  gate leave_;
  std::thread thread_;
};

struct counted_callback {
  callback_head head;
  std::atomic<int>* runs;
  static void run(callback_head* head) {
    // release: pairs with the acquire of whoever waits for the count.
    reinterpret_cast<counted_callback*>(head)->runs->fetch_add(1, std::memory_order_release);
  }
};

template <class F>
class rcu_flavour : public ::testing::Test {};

TYPED_TEST_SUITE(rcu_flavour, testing::flavours, testing::flavour_names);

TYPED_TEST(rcu_flavour, sections_nest) {
  const thread_registration<TypeParam> registered;
  EXPECT_FALSE(TypeParam::in_read_section());
  {
    const read_section<TypeParam> outer;
    EXPECT_TRUE(TypeParam::in_read_section());
    { const read_section<TypeParam> inner; }
    EXPECT_TRUE(TypeParam::in_read_section());
    EXPECT_TRUE(TypeParam::instance().in_read_section());
  }
  EXPECT_FALSE(TypeParam::in_read_section());
  EXPECT_FALSE(TypeParam::instance().in_read_section());
}

TYPED_TEST(rcu_flavour, registrations_nest) {
  const thread_registration<TypeParam> outer;
  { const thread_registration<TypeParam> inner; }
  EXPECT_FALSE(TypeParam::register_thread()) << "the inner scope took back what was not its own";
  const read_section<TypeParam> section;
  EXPECT_TRUE(TypeParam::in_read_section());
}

TYPED_TEST(rcu_flavour, callback_waits_for_an_open_section) {
  std::atomic<int> runs{0};
  counted_callback callback{{}, &runs};
  paused_reader<TypeParam> reader;
  TypeParam::instance().call(&callback.head, counted_callback::run);
  std::this_thread::sleep_for(pause_time);
  EXPECT_EQ(runs.load(std::memory_order_acquire), 0);
  reader.leave();
  TypeParam::instance().barrier();
  EXPECT_EQ(runs.load(std::memory_order_acquire), 1);
}

TYPED_TEST(rcu_flavour, end_of_an_inner_section_ends_nothing) {
  std::atomic<int> runs{0};
  counted_callback callback{{}, &runs};
  paused_reader<TypeParam> reader(true);
  TypeParam::call(&callback.head, counted_callback::run);
  std::this_thread::sleep_for(pause_time);
  EXPECT_EQ(runs.load(std::memory_order_acquire), 0);
  reader.leave();
  TypeParam::barrier();
  EXPECT_EQ(runs.load(std::memory_order_acquire), 1);
}

TYPED_TEST(rcu_flavour, synchronize_waits_while_threads_come_and_go) {
  paused_reader<TypeParam> reader;
  gate done;
  std::thread writer([&done] {
    const thread_registration<TypeParam> registered;
    TypeParam::instance().synchronize();
    done.open();
  });
  std::this_thread::sleep_for(pause_time);
  std::thread passer_by([] {
    const thread_registration<TypeParam> registered;
    const read_section<TypeParam> section;
  });
  passer_by.join();  // never, if the waiting writer held the registry
  EXPECT_FALSE(done.is_open());
  reader.leave();
  writer.join();
  EXPECT_TRUE(done.is_open());
}

TYPED_TEST(rcu_flavour, a_later_section_does_not_hold_up_the_writer) {
  paused_reader<TypeParam> first;
  gate done;
  std::thread writer([&done] {
    TypeParam::synchronize();
    done.open();
  });
  std::this_thread::sleep_for(pause_time);  // as a rule the grace period has begun by now
  paused_reader<TypeParam> second;
  first.leave();
  // liburcu may watch two phases, so only plain promises not to wait for the second reader here.
  if constexpr (std::is_same_v<TypeParam, plain>) {
    done.pass();
  } else {
    second.leave();
  }
  writer.join();
  EXPECT_TRUE(done.is_open());
}

TYPED_TEST(rcu_flavour, barrier_waits_for_all_callbacks) {
  std::atomic<int> runs{0};
  std::vector<counted_callback> callbacks(1000, counted_callback{{}, &runs});
  for (auto& callback : callbacks) TypeParam::call(&callback.head, counted_callback::run);
  TypeParam::barrier();
  EXPECT_EQ(runs.load(std::memory_order_acquire), 1000);
}

// A registered qsbr thread counts as reading while it is online; its own waits must not wait for itself.
TYPED_TEST(rcu_flavour, registered_writer_does_not_wait_for_itself) {
  std::thread writer([] {
    const thread_registration<TypeParam> registered;
    for (int round = 0; round < 5; ++round) {
      std::atomic<int> runs{0};
      counted_callback callback{{}, &runs};
      { const read_section<TypeParam> section; }
      TypeParam::call(&callback.head, counted_callback::run);
      TypeParam::synchronize();
      TypeParam::barrier();
      EXPECT_EQ(runs.load(std::memory_order_acquire), 1);
      const read_section<TypeParam> still_usable;
      EXPECT_TRUE(TypeParam::in_read_section());
    }
  });
  writer.join();
}

TYPED_TEST(rcu_flavour, quiescent_or_offline_threads_hold_up_nobody) {
  gate offline_now;
  gate leave;
  std::thread idle([&] {
    const thread_registration<TypeParam> registered;
    { const read_section<TypeParam> section; }
    const offline_scope<TypeParam> offline;
    offline_now.open();
    leave.pass();
  });
  std::atomic<bool> stop{false};
  std::thread polling([&stop] {
    const thread_registration<TypeParam> registered;
    while (!stop.load(std::memory_order_relaxed)) TypeParam::quiescent_state();  // relaxed: a flag, nothing hangs on it
  });
  offline_now.pass();
  TypeParam::synchronize();  // returns, or the test's time limit strikes
  stop.store(true, std::memory_order_relaxed);
  leave.open();
  idle.join();
  polling.join();
}

struct placed_callback {
  callback_head head;
  std::atomic<int> cpu;
  static void run(callback_head* head) {
    reinterpret_cast<placed_callback*>(head)->cpu.store(sched_getcpu(), std::memory_order_release);
  }
};

TYPED_TEST(rcu_flavour, callbacks_run_on_the_chosen_cpu) {
  EXPECT_FALSE(TypeParam::pin_callbacks(-1));
  EXPECT_FALSE(TypeParam::pin_callbacks(1 << 20));
  EXPECT_FALSE(TypeParam::pin_callbacks(CPU_SETSIZE - 1)) << "no machine of ours has as many";
  std::thread writer([] {
    const thread_registration<TypeParam> registered;
    const int here = sched_getcpu();
    const pinned_callbacks<TypeParam> pinned(here);
    EXPECT_EQ(pinned.pinned(), (!std::is_same_v<TypeParam, plain>));
    for (int round = 0; round < 20; ++round) {
      placed_callback callback{{}, -1};
      TypeParam::call(&callback.head, placed_callback::run);
      TypeParam::barrier();
      const int cpu = callback.cpu.load(std::memory_order_acquire);
      EXPECT_GE(cpu, 0);
      if (pinned.pinned()) {
        EXPECT_EQ(cpu, here);
      }
    }
  });
  writer.join();
}

// Callbacks given to a pinned worker are not lost when the worker ends.
TYPED_TEST(rcu_flavour, callbacks_outlive_their_worker) {
  std::atomic<int> runs{0};
  std::vector<counted_callback> callbacks(100, counted_callback{{}, &runs});
  paused_reader<TypeParam> reader;
  std::thread writer([&] {
    const thread_registration<TypeParam> registered;
    const pinned_callbacks<TypeParam> pinned(sched_getcpu());
    for (auto& callback : callbacks) TypeParam::call(&callback.head, counted_callback::run);
    std::this_thread::sleep_for(pause_time);
    EXPECT_EQ(runs.load(std::memory_order_acquire), 0);
    reader.leave();
  });
  writer.join();
  TypeParam::barrier();
  EXPECT_EQ(runs.load(std::memory_order_acquire), 100);
}

TYPED_TEST(rcu_flavour, waiting_inside_a_section_is_caught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const thread_registration<TypeParam> registered;
        const read_section<TypeParam> section;
        TypeParam::synchronize();
      },
      "in_read_section");
}

// A section of one flavour must not hold up another flavour's grace period.
template <class A, class B>
void expect_independent() {
  if constexpr (!std::is_same_v<A, B>) {
    paused_reader<A> reader;
    B::synchronize();
    B::barrier();
    const thread_registration<B> registered;
    const read_section<B> section;
    EXPECT_FALSE(A::in_read_section());
  }
}

TEST(rcu_flavours, are_independent_in_one_process) {
  std::apply(
      [](auto... a) {
        const auto against_all = [](auto one) {
          using A = decltype(one);
          expect_independent<A, memb>();
          expect_independent<A, qsbr>();
          expect_independent<A, bp>();
          expect_independent<A, mb>();
          expect_independent<A, plain>();
        };
        (against_all(a), ...);
      },
      std::tuple<memb, qsbr, bp, mb, plain>{});
}

}  // namespace
}  // namespace fibtrie::rcu
