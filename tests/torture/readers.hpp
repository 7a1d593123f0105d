// SPDX-License-Identifier: MIT
// The kinds of readers of a torture run.
//
// Thread safety: each function is the body of a thread, which it registers.
// Invariants: 1. Every answer is judged.  2. Inside a read section a reader now and then sleeps, since without delays a
//   missing grace period hardly ever shows.
// Source: rcutorture.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "fibtrie/rcu.h"
#include "tests/support/tortured_table.hpp"
#include "tests/torture/aged_objects.hpp"
#include "tests/torture/judged_table.hpp"
#include "tests/torture/progress.hpp"
#include "tests/torture/switched_table.hpp"

namespace fibtrie::torture {

struct shared_world {
  // of_objects: the grace periods of the aged objects alone.
  shared_world(const rcu::domain& domain, const rcu::domain& of_objects, std::size_t table_size, std::uint64_t seed)
      : large(domain, table_size, std::size_t{1} << 18, seed), small(domain), objects(of_objects), switched(domain) {}

  judged_table large;
  testing::tortured_table small;
  aged_objects objects;
  switched_table switched;
  bool stalls = true;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> threads_started{0};

  bool goes_on() const noexcept { return !stop.load(std::memory_order_relaxed); }  // relaxed: nothing hangs on it
};

// Sleeps a little, or rarely for long, as a preempted thread would.
inline void delay(testing::random_source& random, bool stalls, member& me) {
  if (!random.one_in(256)) return;
  const bool long_one = stalls && random.one_in(64);
  std::this_thread::sleep_for(long_one ? std::chrono::microseconds(3000) : std::chrono::microseconds(20));
  me.rested();
}

// Batches of 256 in the large table, now and then single lookups, views and matches.
class bulk_judge {
 public:
  explicit bulk_judge(const judged_table& table) : table_(table.table()), probes_(table.probes()) {}
  static constexpr std::size_t block = 256;

  // The mistakes in block number `at`.
  std::uint64_t batch(std::size_t at) {
    std::uint64_t found[block / 64];
    table_.lookup_batch(&probes_.addresses[at], block, results_.data(), found);
    const bool all = (found[0] & found[1] & found[2] & found[3]) == ~std::uint64_t{0};
    if (all && std::memcmp(results_.data(), &probes_.results[at], sizeof results_) == 0) return 0;
    return count(at, [&](std::size_t i) {
      return (found[i / 64] >> i % 64 & 1) != 0 && results_[i] == probes_.results[at + i];
    });
  }
  std::uint64_t one_by_one(std::size_t at, testing::random_source& random) {
    if (random.one_in(2)) {
      const fib_view view = table_.view();
      return count(at, [&](std::size_t i) { return is_right(at + i, view.lookup(probes_.addresses[at + i])); });
    }
    if (random.one_in(2)) {
      return count(at, [&](std::size_t i) { return is_right(at + i, table_.lookup(probes_.addresses[at + i])); });
    }
    return count(at, [&](std::size_t i) {
      const auto match = table_.match(probes_.addresses[at + i]);
      return is_right(at + i, {match.value, match.found});
    });
  }
  std::size_t blocks() const noexcept { return probes_.addresses.size() / block; }

 private:
  bool is_right(std::size_t i, lookup_result got) const { return got == lookup_result{probes_.results[i], true}; }
  template <class IsRight>
  static std::uint64_t count(std::size_t, IsRight&& is_right_at) {
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < block; ++i) wrong += is_right_at(i) ? 0 : 1;
    return wrong;
  }

  const fib& table_;
  const probe_set& probes_;
  std::array<std::uint32_t, block> results_{};
};

template <class F>
void read_in_bulk(shared_world& world, member& me, std::uint64_t seed) {
  const rcu::thread_registration<F> registered;
  testing::random_source random(seed);
  bulk_judge judge(world.large);
  std::size_t at = random.below(judge.blocks());
  while (world.goes_on()) {
    {
      const rcu::read_section<F> section;
      const bool single = random.one_in(16);
      for (unsigned i = 0; i < 16; ++i) {
        me.wrong(single ? judge.one_by_one(at * judge.block, random) : judge.batch(at * judge.block));
        if (++at == judge.blocks()) at = 0;
      }
      me.step(16 * judge.block);
      delay(random, world.stalls, me);
    }
    F::quiescent_state();
  }
}

// Flapping and constant addresses of the small table, where resizes are a storm.
template <class F>
void read_flapping(shared_world& world, member& me, std::uint64_t seed) {
  const rcu::thread_registration<F> registered;
  testing::random_source random(seed);
  testing::tortured_table::generations seen{};
  while (world.goes_on()) {
    {
      const rcu::read_section<F> section;
      for (int i = 0; i < 8; ++i) {
        me.wrong(world.small.constant_is_right(random) ? 0 : 1);
        me.wrong(world.small.flapping_is_right(random, seen) ? 0 : 1);
      }
      delay(random, world.stalls, me);
      me.wrong(world.small.constant_is_right(random) ? 0 : 1);
    }
    me.step(17);
    F::quiescent_state();
  }
}

template <class F>
void walk(shared_world& world, member& me) {
  const rcu::thread_registration<F> registered;
  while (world.goes_on()) {
    const bool right = world.small.walk_is_right([](auto&& piece) {
      {
        const rcu::read_section<F> section;
        piece();
      }
      F::quiescent_state();
    });
    me.wrong(right ? 0 : 1);
    me.step(1);
  }
}

// Aged objects, and a table that is another one every few milliseconds.
template <class F>
void read_objects(shared_world& world, member& me, std::uint64_t seed, age_histogram& ages, std::uint64_t& poison) {
  const rcu::thread_registration<F> registered;
  testing::random_source random(seed);
  std::uint32_t newest = 0;
  while (world.goes_on()) {
    {
      const rcu::read_section<F> section;
      const bool right = world.objects.look(ages, [&] {
        me.wrong(world.switched.is_right(random, newest) ? 0 : 1);
        delay(random, world.stalls, me);
      });
      poison += right ? 0 : 1;
    }
    me.step(1);
    F::quiescent_state();
  }
}

// Threads that come, read a little and go.
template <class F>
void come_and_go(shared_world& world, member& me, std::uint64_t seed) {
  testing::random_source random(seed);
  while (world.goes_on()) {
    std::thread brief([&] {
      const rcu::thread_registration<F> registered;
      const rcu::read_section<F> section;
      for (int i = 0; i < 100; ++i) me.wrong(world.small.constant_is_right(random) ? 0 : 1);
    });
    brief.join();
    world.threads_started.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
    me.step(100);
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    me.rested();
  }
}

}  // namespace fibtrie::torture
