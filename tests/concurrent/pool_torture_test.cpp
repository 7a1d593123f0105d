// SPDX-License-Identifier: MIT
// Threads that allocate, pass on and free objects of one pool, while another samples its figures.
//
// Thread safety: a program of its own.
// Invariants: 1. An object is with one thread at a time.  2. In every sample the figures add up.
// Source: docs/memory.md, "pools".
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "fibtrie/pool.h"
#include "tests/support/seed.hpp"

namespace fibtrie::testing {
namespace {

constexpr auto run_time = std::chrono::milliseconds(1500);
constexpr std::uint64_t free_mark = 0x46524545;

// Objects on their way from one thread to the next.
class mailbox {
 public:
  void post(std::vector<std::uint32_t>&& ids) {
    const std::lock_guard guard(lock_);
    letters_.push_back(std::move(ids));
  }
  std::vector<std::uint32_t> fetch() {
    const std::lock_guard guard(lock_);
    if (letters_.empty()) return {};
    auto ids = std::move(letters_.back());
    letters_.pop_back();
    return ids;
  }

 private:
  std::mutex lock_;
  std::vector<std::vector<std::uint32_t>> letters_;
};

class tortured_pool {
 public:
  tortured_pool() {
    pool_options options;
    options.classes = {{256, 700}};  // fewer than the threads and their caches can hold
    options.nodes = topology::simulated(2);
    options.initial.resize(sizeof free_mark);
    std::memcpy(options.initial.data(), &free_mark, sizeof free_mark);
    EXPECT_EQ(object_pool::create(options, pool_), status::ok);
  }

  void work(unsigned number) {
    random_source random(number);
    std::unique_ptr<pool_cache> cache;
    std::vector<std::uint32_t> ids(600);
    while (!stop_.load(std::memory_order_relaxed)) {  // relaxed: a flag that hangs on nothing
      if (cache == nullptr || random.one_in(2000)) {  // threads come and go
        cache.reset();
        ASSERT_EQ(pool_cache::create(*pool_, number % 2, cache), status::ok);
      }
      ids.resize(random.one_in(40) ? 600 : 1 + random.below(64));
      ids.resize(cache->allocate(0, ids));
      for (const std::uint32_t id : ids) take_over(id, number);
      allocated_.fetch_add(ids.size(), std::memory_order_relaxed);  // relaxed: a count
      if (random.one_in(3)) {
        for (const std::uint32_t id : ids) release(id, number);
        mail_.post(std::vector<std::uint32_t>(ids));
        ids = mail_.fetch();
        for (const std::uint32_t id : ids) claim(id, number);
      }
      for (const std::uint32_t id : ids) release(id, number);
      cache->free(0, ids);
    }
  }

  void sample() {
    while (!stop_.load(std::memory_order_relaxed)) {
      for (const pool_row& row : pool_->stats().rows) {
        std::size_t cached = 0;
        for (const std::size_t n : row.cached_per_thread) cached += n;
        if (row.available + cached + row.used != row.total || row.used > row.total) ++bad_samples_;
      }
      ++samples_;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  void run(unsigned threads) {
    std::vector<std::thread> all;
    for (unsigned i = 1; i <= threads; ++i) all.emplace_back([this, i] { work(i); });
    all.emplace_back([this] { sample(); });
    std::this_thread::sleep_for(run_time);
    stop_.store(true, std::memory_order_relaxed);
    for (std::thread& t : all) t.join();
    drain();
    EXPECT_EQ(wrong_.load(), 0u);
    EXPECT_EQ(bad_samples_, 0u);
    EXPECT_GT(samples_, 20u);
    EXPECT_GT(allocated_.load(), 20000u);
    const pool_stats stats = pool_->stats();
    for (const pool_row& row : stats.rows) EXPECT_EQ(row.available, row.total);
    EXPECT_EQ(pool_->audit(), "");
    if (threads > 2) {
      EXPECT_GT(stats.borrowed, 0u);
      EXPECT_GT(stats.stolen, 0u);
      EXPECT_GT(stats.refused, 0u);
    }
    std::printf("%zu objects, %zu samples, borrowed %zu, stolen %zu, refused %zu\n", std::size_t{allocated_.load()},
                samples_, std::size_t{stats.borrowed}, std::size_t{stats.stolen}, std::size_t{stats.refused});
  }

 private:
  struct content {
    std::uint64_t mark;
    std::uint64_t owner;
  };
  // The object's memory is plain: that nobody else touches it meanwhile is what is tested.
  content& of(std::uint32_t id) { return *reinterpret_cast<content*>(pool_->object(0, id)); }
  void take_over(std::uint32_t id, unsigned number) {
    if (of(id).mark != free_mark) wrong_.fetch_add(1, std::memory_order_relaxed);
    of(id) = {0, number};
  }
  void claim(std::uint32_t id, unsigned number) {
    if (of(id).mark != 1) wrong_.fetch_add(1, std::memory_order_relaxed);
    of(id) = {0, number};
  }
  void release(std::uint32_t id, unsigned number) {
    if (of(id).owner != number || of(id).mark != 0) wrong_.fetch_add(1, std::memory_order_relaxed);
    of(id).mark = 1;
  }
  void drain() {
    std::unique_ptr<pool_cache> cache;
    ASSERT_EQ(pool_cache::create(*pool_, 0, cache), status::ok);
    for (auto ids = mail_.fetch(); !ids.empty(); ids = mail_.fetch()) cache->free(0, ids);
  }

  std::unique_ptr<object_pool> pool_;
  mailbox mail_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> allocated_{0};
  std::atomic<std::uint64_t> wrong_{0};
  std::size_t samples_ = 0;
  std::size_t bad_samples_ = 0;
};

TEST(pool_torture, two_threads) { tortured_pool().run(2); }
TEST(pool_torture, six_threads) { tortured_pool().run(6); }

}  // namespace
}  // namespace fibtrie::testing
