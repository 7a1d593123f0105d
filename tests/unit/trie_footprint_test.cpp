// SPDX-License-Identifier: MIT
// An empty table is small: people have thousands of them.
//
// Thread safety: one thread.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "fibtrie/fib.h"
#include "io/process_memory.hpp"
#include "tests/support/manual_domain.hpp"
#include "tests/support/seed.hpp"

namespace fibtrie::testing {
namespace {

using io::resident_bytes;

// Growth of the process for each of 1000 tables with so many routes.
std::size_t bytes_per_table(key32 routes) {
  constexpr std::size_t tables = 1000;
  manual_domain domain;
  std::vector<std::unique_ptr<fib>> all(tables);
  const std::size_t before = resident_bytes();
  EXPECT_GT(before, 0u);
  for (auto& table : all) {
    EXPECT_EQ(fib::create(domain, table), status::ok);
    for (key32 i = 0; i < routes; ++i) EXPECT_EQ(table->add({ipv4(10, 0, 0, 0) | i << 8, 24}, i), status::ok);
  }
  return (resident_bytes() - before) / tables;
}

TEST(trie_footprint, an_empty_table_takes_at_most_64_kb) {
  if (under_address_sanitizer || under_thread_sanitizer) GTEST_SKIP() << "shadow memory counts as resident";
  const std::size_t bytes = bytes_per_table(0);
  std::printf("%zu bytes for an empty table\n", bytes);
  EXPECT_LE(bytes, std::size_t{64} << 10);
  EXPECT_GT(bytes, 1000u);
}

TEST(trie_footprint, a_table_of_ten_routes_takes_little_more) {
  if (under_address_sanitizer || under_thread_sanitizer) GTEST_SKIP() << "shadow memory counts as resident";
  const std::size_t bytes = bytes_per_table(10);
  std::printf("%zu bytes for a table of ten routes\n", bytes);
  EXPECT_LE(bytes, std::size_t{96} << 10);
}

// VRFs: with the defaults, which ask for much more address space than ten thousand times there is.
TEST(trie_footprint, ten_thousand_tables_fit_a_process) {
  if (under_address_sanitizer || under_thread_sanitizer) GTEST_SKIP() << "shadow memory counts as resident";
  manual_domain domain;
  std::vector<std::unique_ptr<fib>> all(10'000);
  const std::size_t before = resident_bytes();
  for (std::size_t n = 0; n < all.size(); ++n) {
    ASSERT_EQ(fib::create(domain, all[n]), status::ok) << n;
    for (key32 i = 0; i < 10; ++i) ASSERT_EQ(all[n]->add({ipv4(10, 0, 0, 0) | i << 8, 24}, i), status::ok) << n;
  }
  const std::size_t each = (resident_bytes() - before) / all.size();
  std::printf("%zu tables of ten routes: %zu bytes each\n", all.size(), each);
  EXPECT_LE(each, std::size_t{64} << 10);
  // One of them, not the first, can still grow.
  fib& late = *all[9'000];
  for (key32 i = 0; i < 60'000; ++i) ASSERT_EQ(late.add({ipv4(20, 0, 0, 0) | i << 8, 24}, i), status::ok) << i;
  EXPECT_EQ(late.lookup(ipv4(20, 0, 1, 7)).value, 1u);
  EXPECT_EQ(late.lookup(ipv4(10, 0, 9, 7)).value, 9u);
}

// In a process of its own: 0, or what went wrong.
int run_limited(std::size_t address_bytes) {
  const rlimit limit{address_bytes, address_bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  manual_domain domain;
  std::unique_ptr<fib> large;
  if (fib::create(domain, large) != status::ok) return 2;
  for (key32 i = 0; i < 500'000; ++i) {
    if (large->add({ipv4(20, 0, 0, 0) + (i << 8), 24}, i) != status::ok) return 3;
    domain.advance();
  }
  std::vector<std::unique_ptr<fib>> small(100);
  for (auto& table : small) {
    if (fib::create(domain, table) != status::ok) return 4;
    for (key32 i = 0; i < 10; ++i) {
      if (table->add({i << 24, 8}, i) != status::ok) return 5;
    }
  }
  return large->lookup(ipv4(20, 0, 0, 0) + (499'999u << 8)).value == 499'999 ? 0 : 6;
}

TEST(trie_footprint, a_limit_of_address_space_is_respected) {
  if (under_address_sanitizer || under_thread_sanitizer) GTEST_SKIP() << "a sanitizer reserves terabytes";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(run_limited(std::size_t{1} << 30));
  int end = 0;
  ASSERT_EQ(waitpid(child, &end, 0), child);
  ASSERT_TRUE(WIFEXITED(end));
  EXPECT_EQ(WEXITSTATUS(end), 0);
}

}  // namespace
}  // namespace fibtrie::testing
