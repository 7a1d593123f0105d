// SPDX-License-Identifier: MIT
// Object pools in one thread: ids, templates, headers, exhaustion, nodes, figures.
//
// Thread safety: one thread.
// Source: docs/memory.md, "pools".
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "fibtrie/pool.h"
#include "tests/support/seed.hpp"

namespace fibtrie::testing {
namespace {

using ids = std::vector<std::uint32_t>;

pool_options packets(std::size_t objects, unsigned nodes = 1) {
  pool_options options;
  options.classes = {{2048, objects}};
  options.header_bytes = 128;
  options.initial.resize(100);
  for (std::size_t i = 0; i < options.initial.size(); ++i) options.initial[i] = static_cast<std::byte>(i + 1);
  options.nodes = topology::simulated(nodes);
  return options;
}

struct opened {
  explicit opened(const pool_options& options) : initial(options.initial) {
    EXPECT_EQ(object_pool::create(options, pool), status::ok);
  }
  std::unique_ptr<pool_cache> cache(unsigned node = 0) const {
    std::unique_ptr<pool_cache> made;
    EXPECT_EQ(pool_cache::create(*pool, node, made), status::ok);
    return made;
  }
  bool begins_as_told(unsigned cls, std::uint32_t id) const {
    return std::memcmp(pool->object(cls, id), initial.data(), initial.size()) == 0;
  }
  std::vector<std::byte> initial;
  std::unique_ptr<object_pool> pool;
};

// What holds in every sample.
void expect_sums(const object_pool& pool, std::size_t used) {
  const pool_stats stats = pool.stats();
  std::size_t in_use = 0;
  for (const pool_row& row : stats.rows) {
    EXPECT_EQ(row.available + row.cached + row.used, row.total);
    EXPECT_LE(row.used, row.total);
    std::size_t cached = 0;
    for (const std::size_t n : row.cached_per_thread) cached += n;
    EXPECT_EQ(cached, row.cached);
    in_use += row.used;
  }
  EXPECT_EQ(in_use, used);
  EXPECT_EQ(pool.audit(), "");
}

TEST(mem_pool, wrong_options_are_refused) {
  const auto code = [](auto change) {
    pool_options options = packets(10);
    change(options);
    std::unique_ptr<object_pool> pool;
    return object_pool::create(options, pool);
  };
  EXPECT_EQ(code([](pool_options&) {}), status::ok);
  EXPECT_EQ(code([](pool_options& o) { o.classes.clear(); }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.classes = {{64, 1}, {64, 1}}; }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.classes = {{128, 1}, {64, 1}}; }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.classes = {{128, 0}}; }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.classes = {{120, 1}}; }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.classes = {{(1 << 20) + 16, 1}}; }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.classes = {{128, (std::size_t{1} << 27) + 1}}; }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.classes.assign(17, {16, 1}); }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.header_bytes = 8; }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.header_bytes = 8192; }), status::invalid);
  EXPECT_EQ(code([](pool_options& o) { o.classes = {{96, 1}}; }), status::invalid);  // shorter than the template
  EXPECT_EQ(code([](pool_options& o) {
              o.classes = {{1 << 20, std::size_t{1} << 27}};  // 128 TB of addresses
            }),
            status::no_memory);
  std::unique_ptr<object_pool> pool;
  std::unique_ptr<pool_cache> cache;
  ASSERT_EQ(object_pool::create(packets(10, 2), pool), status::ok);
  EXPECT_EQ(pool_cache::create(*pool, 2, cache), status::invalid);
  EXPECT_EQ(pool_cache::create(*pool, cache), status::ok);
}

TEST(mem_pool, a_free_object_is_as_the_template_says) {
  const opened at(packets(2000));
  const auto cache = at.cache();
  ids mine(700);
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(cache->allocate(0, mine), mine.size());
    EXPECT_EQ(std::set<std::uint32_t>(mine.begin(), mine.end()).size(), mine.size());
    for (const std::uint32_t id : mine) {
      ASSERT_TRUE(at.begins_as_told(0, id));
      std::memset(at.pool->object(0, id), 0xee, 2048);
    }
    expect_sums(*at.pool, mine.size());
    cache->free(0, mine);
    expect_sums(*at.pool, 0);
  }
}

// Nothing of the pool's is there, whoever had the object before.
TEST(mem_pool, the_header_is_the_embedders) {
  const opened at(packets(64));
  const auto cache = at.cache();
  ids all(64);
  ASSERT_TRUE(cache->allocate_all(0, all));
  for (const std::uint32_t id : all) std::memset(at.pool->header(0, id), static_cast<int>(id), 128);
  cache->free(0, all);
  ASSERT_TRUE(cache->allocate_all(0, all));
  for (const std::uint32_t id : all) {
    for (unsigned i = 0; i < 128; ++i) ASSERT_EQ(at.pool->header(0, id)[i], static_cast<std::byte>(id));
    ASSERT_TRUE(at.begins_as_told(0, id));
    EXPECT_EQ(at.pool->id_of(0, at.pool->object(0, id)), id);
  }
  cache->free(0, all);
}

TEST(mem_pool, objects_do_not_overlap_and_are_aligned) {
  for (const std::size_t bytes : {16, 64, 80, 128, 496, 512, 2048, 9216}) {
    pool_options options;
    options.classes = {{bytes, 300}};
    options.header_bytes = 16;
    options.nodes = topology::simulated(2);
    const opened at(options);
    const auto cache = at.cache();
    std::vector<std::byte*> places;
    for (int i = 0; i < 600; ++i) {
      const std::uint32_t id = cache->allocate(0);
      ASSERT_NE(id, 0u);
      places.push_back(at.pool->object(0, id));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(places.back()) % 16, 0u);
      std::memset(at.pool->header(0, id), 1, 16 + bytes);
    }
    EXPECT_EQ(cache->allocate(0), 0u);
    std::sort(places.begin(), places.end());
    for (std::size_t i = 1; i < places.size(); ++i) {
      ASSERT_GE(static_cast<std::size_t>(places[i] - places[i - 1]), bytes + 16);
    }
    if (bytes >= 512) {
      EXPECT_EQ((places[1] - places[0]) / 64 % 2, 1) << "a stride of an even number of lines";
    }
    for (std::byte* const place : places) cache->free(0, at.pool->id_of(0, place));
  }
}

// With room for n, the n-th is given, the next one is not, and nothing is lost by asking.
TEST(mem_pool, exhaustion_is_a_clean_answer) {
  for (const std::size_t capacity : {1, 31, 255, 256, 257, 511, 512, 513, 1500}) {
    const opened at(packets(capacity));
    const auto cache = at.cache();
    ids mine(capacity + 7);
    EXPECT_FALSE(cache->allocate_all(0, mine));
    expect_sums(*at.pool, 0);
    EXPECT_EQ(cache->allocate(0, mine), capacity);
    EXPECT_EQ(cache->allocate(0), 0u);
    expect_sums(*at.pool, capacity);
    EXPECT_EQ(at.pool->stats().refused, 7u + 7u + 1u);
    mine.resize(capacity);
    EXPECT_EQ(std::set<std::uint32_t>(mine.begin(), mine.end()).size(), capacity);
    const std::uint32_t last = mine.back();
    cache->free(0, last);
    EXPECT_EQ(cache->allocate(0), last);
    cache->free(0, mine);
    expect_sums(*at.pool, 0);
  }
}

TEST(mem_pool, what_a_cache_keeps_can_be_had_by_others) {
  const opened at(packets(300));
  const auto rich = at.cache();
  const auto poor = at.cache();
  ids all(300);
  ASSERT_TRUE(rich->allocate_all(0, all));
  rich->free(0, all);  // they stay in its cache
  ASSERT_EQ(at.pool->stats().rows[0].cached_per_thread, (std::vector<std::size_t>{300, 0}));
  ASSERT_TRUE(poor->allocate_all(0, all));
  EXPECT_EQ(at.pool->stats().stolen, 300u);
  expect_sums(*at.pool, 300);
  poor->free(0, all);
}

TEST(mem_pool, another_node_helps_out_if_it_may) {
  for (const bool may : {true, false}) {
    pool_options options = packets(600, 2);
    options.borrow = may;
    const opened at(options);
    const auto here = at.cache(0);
    const auto there = at.cache(1);
    ids mine(1200);
    ASSERT_EQ(here->allocate(0, mine), may ? 1200u : 600u);
    EXPECT_EQ(at.pool->stats().borrowed, may ? 600u : 0u);
    for (std::size_t i = 0; i < (may ? 1200u : 600u); ++i) ASSERT_EQ(at.pool->node_of(0, mine[i]), i < 600 ? 0u : 1u);
    EXPECT_EQ(there->allocate(0) == 0, may);
    there->flush();
    // What is freed goes home.
    mine.resize(may ? 1200 : 600);
    std::shuffle(mine.begin(), mine.end(), std::mt19937(5));
    std::size_t at_home = 0;
    here->free(0, mine);
    here->flush();
    for (const pool_row& row : at.pool->stats().rows) at_home += row.node == 0 ? row.available : 0;
    EXPECT_EQ(at_home, 600u);
  }
}

// What a thread freed of other nodes' objects lies in its own cache, and can be had from there.
TEST(mem_pool, a_cache_finds_what_it_keeps_of_other_nodes) {
  const opened at(packets(100, 2));
  const auto cache = at.cache();
  ids mine(201);
  EXPECT_FALSE(cache->allocate_all(0, mine));
  mine.resize(200);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(cache->allocate_all(0, mine));
    cache->free(0, mine);
  }
  std::set<std::uint32_t> one_by_one;
  while (const std::uint32_t id = cache->allocate(0)) one_by_one.insert(id);
  EXPECT_EQ(one_by_one.size(), 200u);
  EXPECT_EQ(cache->allocate(object_pool::no_class), 0u);
  cache->free(0, ids(one_by_one.begin(), one_by_one.end()));
  expect_sums(*at.pool, 0);
}

TEST(mem_pool, every_class_is_a_pool_of_its_own) {
  pool_options options;
  options.classes = {{64, 100}, {128, 200}, {1024, 50}};
  options.nodes = topology::simulated(3);
  const opened at(options);
  EXPECT_EQ(at.pool->class_for(0), 0u);
  EXPECT_EQ(at.pool->class_for(64), 0u);
  EXPECT_EQ(at.pool->class_for(65), 1u);
  EXPECT_EQ(at.pool->class_for(1024), 2u);
  EXPECT_EQ(at.pool->class_for(1025), object_pool::no_class);
  const auto cache = at.cache(2);
  for (const unsigned cls : {0u, 1u, 2u}) EXPECT_NE(cache->allocate(cls), 0u);
  const pool_stats stats = at.pool->stats();
  ASSERT_EQ(stats.rows.size(), 9u);
  for (const pool_row& row : stats.rows) EXPECT_EQ(row.used, row.node == 2 ? 1u : 0u);
}

// Random sizes of batches through several caches of two nodes, against a list of what is out.
TEST(mem_pool, random_batches_lose_nothing) {
  random_source random(4);
  pool_options options = packets(3000, 2);
  options.classes.push_back({4096, 700});
  const opened at(options);
  std::vector<std::unique_ptr<pool_cache>> caches;
  for (unsigned i = 0; i < 5; ++i) caches.push_back(at.cache(i % 2));
  std::vector<ids> out(2);
  for (unsigned round = 0; round < scaled(40000); ++round) {
    const unsigned cls = random.below(2);
    auto& cache = caches[random.below(caches.size())];
    ids& held = out[cls];
    if (random.one_in(2)) {
      ids got(random.one_in(20) ? random.below(2000) : random.below(70));
      got.resize(cache->allocate(cls, got));
      for (const std::uint32_t id : got) ASSERT_TRUE(at.begins_as_told(cls, id));
      held.insert(held.end(), got.begin(), got.end());
    } else if (!held.empty()) {
      std::shuffle(held.begin(), held.end(), random);
      const std::size_t n = std::min<std::size_t>(held.size(), random.one_in(20) ? 2000 : random.below(70));
      for (std::size_t i = 0; i < n; ++i) std::memset(at.pool->object(cls, held[i]), 0x5a, 2048);
      cache->free(cls, std::span(held).first(n));
      held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(n));
    }
    if (random.one_in(500)) cache->flush();
    if (random.one_in(800)) cache = at.cache(random.below(2));
    if (round % 512 == 0) {
      ASSERT_NO_FATAL_FAILURE(expect_sums(*at.pool, out[0].size() + out[1].size()));
    }
  }
  const pool_stats stats = at.pool->stats();
  EXPECT_GT(stats.borrowed, 0u);
  EXPECT_GT(stats.stolen, 0u);
  EXPECT_GT(stats.refused, 0u);
}

TEST(mem_pool, a_machine_has_at_least_one_node) {
  const topology system = topology::system();
  EXPECT_GE(system.nodes(), 1u);
  EXPECT_LT(system.current_node(), system.nodes());
  const topology two = topology::simulated(2);
  EXPECT_LT(two.current_node(), 2u);
  EXPECT_EQ(topology::simulated(0).nodes(), 1u);
  EXPECT_EQ(topology::simulated(1000).nodes(), mem::max_nodes);
}

#if defined(__SANITIZE_ADDRESS__)
TEST(mem_pool_death, a_freed_object_is_out_of_bounds) {
  const opened at(packets(10));
  const auto cache = at.cache();
  const std::uint32_t id = cache->allocate(0);
  std::byte* const place = at.pool->object(0, id);
  cache->free(0, id);
  EXPECT_DEATH(static_cast<volatile std::byte*>(place)[5] = std::byte{1}, "use-after-poison");
}
#endif

}  // namespace
}  // namespace fibtrie::testing
