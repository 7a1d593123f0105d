// SPDX-License-Identifier: MIT
// Pools of records, the id list, and regions where the system has little to give.
//
// Thread safety: one thread; a child process where limits are set.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <set>

#include "fibtrie/fib.h"
#include "tests/support/manual_domain.hpp"
#include "tests/support/seed.hpp"
#include "trie/mem/id_list.hpp"
#include "trie/mem/id_pool.hpp"

namespace fibtrie::mem {
namespace {

using testing::random_source;

struct record {
  std::uint32_t value = 7;
  std::uint32_t more[5] = {};
};

TEST(mem_id_pool, gives_each_id_to_one_owner) {
  random_source random(1);
  id_pool<record> pool;
  ASSERT_TRUE(pool.reserve(1 << 16, false));
  std::set<std::uint32_t> used;
  for (int i = 0; i < 20000; ++i) {
    if (used.empty() || random.below(5) < 3) {
      const std::uint32_t id = pool.allocate();
      ASSERT_NE(id, 0u);
      ASSERT_TRUE(used.insert(id).second);
      ASSERT_EQ(pool[id].value, 7u) << "a fresh record";
      pool[id].value = id * 3;
      pool[id].more[4] = id;
    } else {
      const std::uint32_t id = *std::next(used.begin(), random.below(std::min<std::size_t>(used.size(), 50)));
      ASSERT_EQ(pool[id].value, id * 3);
      ASSERT_EQ(pool[id].more[4], id);
      pool.free(id);
      used.erase(id);
    }
    ASSERT_EQ(pool.live(), used.size());
  }
  EXPECT_LE(*used.rbegin(), pool.top() - 1);
}

TEST(mem_id_pool, capacity_is_exact_and_comes_back) {
  id_pool<record> pool;
  ASSERT_TRUE(pool.reserve(1000, false));
  std::uint32_t count = 0;
  while (pool.allocate() != 0) ++count;
  EXPECT_EQ((std::size_t{count} + 1) * sizeof(record), pool.reserved_bytes() / sizeof(record) * sizeof(record));
  for (int lap = 0; lap < 1000; ++lap) {
    const std::uint32_t id = 1 + static_cast<std::uint32_t>(lap) % count;
    pool.free(id);
    ASSERT_EQ(pool.allocate(), id) << "last freed, first reused";
    ASSERT_EQ(pool.allocate(), 0u);
  }
  EXPECT_EQ(pool.live(), count);
}

TEST(mem_id_list, keeps_what_was_pushed) {
  id_list list;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      ASSERT_TRUE(list.reserve(1));
      list.push(i * 7);
    }
    ASSERT_EQ(list.size(), 1000u);
    std::uint32_t i = 0;
    for (const std::uint32_t id : list) ASSERT_EQ(id, 7 * i++);
    list.clear();
    ASSERT_EQ(list.size(), 0u);
  }
}

// Gives back what lies around two pages and looks which bytes are zero then.
void expect_whole_pages_given_back(bool huge_pages, std::size_t page_bytes) {
  region place;
  constexpr std::size_t bytes = 4 * huge_page_bytes;
  ASSERT_TRUE(place.reserve(bytes, huge_pages));
  if (huge_pages) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place.base()) % huge_page_bytes, 0u);
  }
  EXPECT_EQ(place.size(), bytes);
  for (std::size_t used = 4096; used <= bytes; used += 4096) place.used(used);
  std::memset(place.base(), 0xaa, bytes);
  place.give_back(1, 3 * page_bytes + 100);  // the whole pages inside: the second and the third
  EXPECT_EQ(place.base()[page_bytes - 1], std::byte{0xaa});
  EXPECT_EQ(place.base()[page_bytes], std::byte{0});
  EXPECT_EQ(place.base()[3 * page_bytes - 1], std::byte{0});
  EXPECT_EQ(place.base()[3 * page_bytes], std::byte{0xaa});
}
TEST(mem_region, small_pages_given_back_read_as_zero) { expect_whole_pages_given_back(false, 4096); }
TEST(mem_region, large_pages_given_back_read_as_zero) { expect_whole_pages_given_back(true, huge_page_bytes); }

// In a child with so much more address space: makes a table and fills it a little.  0: all well.
int table_in_little_space(std::size_t more_bytes) {
  std::size_t pages = 0;
  if (FILE* statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%zu", &pages) != 1) return 2;
    std::fclose(statm);
  }
  const rlimit limit{pages * 4096 + more_bytes, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 3;
  testing::manual_domain domain;
  std::unique_ptr<fib> table;
  const status code = fib::create(domain, table);
  if (code == status::no_memory) return 10;
  if (code != status::ok) return 4;
  for (key32 i = 0; i < 1000; ++i) {
    if (table->add({i << 12, 24}, i) != status::ok) return 5;
  }
  if (table->lookup(999u << 12).value != 999 || !table->verify_invariants().empty()) return 6;
  return 0;
}

int in_child(std::size_t more_bytes) {
  const pid_t child = fork();
  if (child == 0) _exit(table_in_little_space(more_bytes));
  int result = 0;
  EXPECT_EQ(waitpid(child, &result, 0), child);
  return WIFEXITED(result) ? WEXITSTATUS(result) : 100 + WTERMSIG(result);
}

TEST(mem_region, tables_take_less_where_the_system_refuses) {
  if (testing::under_address_sanitizer || testing::under_thread_sanitizer) {
    GTEST_SKIP() << "sanitizers need the address space themselves";
  }
  for (const std::size_t mib : {64, 100, 200, 400, 600, 1000, 1500, 2100, 3000, 5000, 9000, 20000}) {
    EXPECT_EQ(in_child(mib << 20), 0) << mib << " MiB";
  }
  EXPECT_EQ(in_child(1 << 18), 10) << "no room at all is told as such";
}

}  // namespace
}  // namespace fibtrie::mem
