// SPDX-License-Identifier: MIT
// An empty table is small: people have thousands of them.
//
// Thread safety: one thread.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "fibtrie/fib.h"
#include "tests/support/manual_domain.hpp"
#include "tests/support/seed.hpp"

namespace fibtrie::testing {
namespace {

std::size_t resident_bytes() {
  std::size_t whole = 0;
  std::size_t resident = 0;
  FILE* statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr) return 0;
  const int read = std::fscanf(statm, "%zu %zu", &whole, &resident);
  std::fclose(statm);
  return read == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

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

}  // namespace
}  // namespace fibtrie::testing
