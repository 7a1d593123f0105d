// SPDX-License-Identifier: MIT
// A table of every flavour under churn: readers of constant and of flapping addresses, a walker, one writer.
//
// Thread safety: a program of its own.
// Invariants: 1. Those of tests/support/tortured_table.hpp.
// Source: docs/design.md, "what a reader may see".
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fibtrie/fib.h"
#include "fibtrie/rcu.h"
#include "tests/support/flavour_types.hpp"
#include "tests/support/naive_table.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/tortured_table.hpp"
#include "trie/assert.hpp"

namespace fibtrie::testing {
namespace {

constexpr auto run_time = std::chrono::milliseconds(1000);
struct report {
  std::uint64_t reads = 0;
  std::uint64_t wrong = 0;
};

template <class F>
report read_until(const std::atomic<bool>& stop, const tortured_table& shared, std::uint64_t stream) {
  const rcu::thread_registration<F> registered;
  random_source random(stream);
  tortured_table::generations seen{};
  report sum;
  while (!stop.load(std::memory_order_relaxed)) {  // relaxed: a flag, nothing hangs on it
    {
      const rcu::read_section<F> section;
      for (int i = 0; i < 8; ++i, ++sum.reads) {
        if (!shared.constant_is_right(random)) ++sum.wrong;
        if (!shared.flapping_is_right(random, seen)) ++sum.wrong;
      }
      if (random.one_in(256)) std::this_thread::sleep_for(std::chrono::microseconds(20));
      if (!shared.constant_is_right(random)) ++sum.wrong;
    }
    F::quiescent_state();
  }
  return sum;
}

template <class F>
report walk_until(const std::atomic<bool>& stop, const tortured_table& shared) {
  const rcu::thread_registration<F> registered;
  report sum;
  while (!stop.load(std::memory_order_relaxed)) {  // relaxed: a flag
    const bool right = shared.walk_is_right([](auto&& piece) {
      {
        const rcu::read_section<F> section;
        piece();
      }
      F::quiescent_state();
    });
    if (!right) ++sum.wrong;
    ++sum.reads;
  }
  return sum;
}

template <class F>
class trie_torture : public ::testing::Test {};
TYPED_TEST_SUITE(trie_torture, flavours, flavour_names);

TYPED_TEST(trie_torture, readers_see_old_or_new) {
  using F = TypeParam;
  tortured_table shared(F::instance());
  std::atomic<bool> stop{false};
  std::array<report, 2> reads;
  report walks;
  std::string problem;
  std::vector<std::thread> readers;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    readers.emplace_back([&, i] { reads[i] = read_until<F>(stop, shared, 10 + i); });
  }
  readers.emplace_back([&] { walks = walk_until<F>(stop, shared); });
  std::thread writer([&] {
    const rcu::thread_registration<F> registered;
    random_source random(1);
    const auto end = std::chrono::steady_clock::now() + run_time;
    while (std::chrono::steady_clock::now() < end) {
      for (int i = 0; i < 16; ++i) shared.churn(random);
      F::quiescent_state();
    }
    stop.store(true, std::memory_order_relaxed);
    problem = shared.finish();
  });
  for (auto& reader : readers) reader.join();
  writer.join();
  EXPECT_EQ(problem, "");
  for (const report& r : reads) {
    EXPECT_EQ(r.wrong, 0u);
    EXPECT_GT(r.reads, scaled(16000));
  }
  EXPECT_EQ(walks.wrong, 0u);
  EXPECT_GT(walks.reads, 2u);
  EXPECT_GT(shared.updates(), scaled(16000));
  std::printf("%llu updates, %llu + %llu reads, %llu walks\n", static_cast<unsigned long long>(shared.updates()),
              static_cast<unsigned long long>(reads[0].reads), static_cast<unsigned long long>(reads[1].reads),
              static_cast<unsigned long long>(walks.reads));
}

}  // namespace
}  // namespace fibtrie::testing
