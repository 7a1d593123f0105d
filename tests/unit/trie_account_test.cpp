// SPDX-License-Identifier: MIT
// What a table says it takes: against a recount, against the growth of the process, and against its limit.
//
// Thread safety: one thread.
// Source: docs/memory.md.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "fibtrie/fib.h"
#include "io/process_memory.hpp"
#include "kbench/table_generator.hpp"
#include "tests/support/manual_domain.hpp"
#include "tests/support/prefix_kinds.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/shape_text.hpp"

namespace fibtrie::testing {
namespace {

const memory_row& row_of(const memory_report& report, const std::string& kind) {
  for (const memory_row& row : report.rows) {
    if (row.kind == kind) return row;
  }
  ADD_FAILURE() << kind;
  return report.rows.front();
}

// The walk of the table, counted here: what must be live of each kind.
struct recount final : shape_visitor4 {
  std::size_t slots = 0;
  std::size_t tnodes = 0;
  std::size_t routes = 0;
  void tnode(unsigned, prefix4, unsigned bits, std::uint32_t, std::uint32_t) override {
    slots += std::size_t{1} << bits;
    ++tnodes;
  }
  void leaf(unsigned, key32) override {}
  void route(unsigned, prefix4, std::uint32_t) override { ++routes; }
};

// The bytes by which the report and the walk differ.
std::size_t difference(const fib& table) {
  constexpr std::size_t slot_bytes = 8, header_bytes = 32, entry_bytes = 16, top_array = 4096 + 2;
  recount seen;
  table.visit_shape(seen);
  const memory_report report = table.report_memory();
  const auto off = [&](const char* kind, std::size_t want) {
    const std::size_t live = row_of(report, kind).live;
    return live > want ? live - want : want - live;
  };
  std::size_t sum = off("slots", (seen.slots + top_array) * slot_bytes) +
                    off("headers", (seen.tnodes + 1) * header_bytes) + off("entries", (seen.routes + 1) * entry_bytes);
  const memory_row all = report.sum();
  const memory_stats quick = table.memory();
  const std::size_t retired = quick.backlog_bytes - std::size_t{row_of(report, "entries").retired} / 16 * 4;
  sum += all.retired > retired ? all.retired - retired : retired - all.retired;
  return sum;
}

TEST(trie_account, ten_million_random_operations_leave_no_byte_over) {
  manual_domain domain;
  std::unique_ptr<fib> table;
  ASSERT_EQ(fib::create(domain, table), status::ok);
  random_source random(1);
  const unsigned operations = with_asserts || under_thread_sanitizer ? 60'000 : 10'000'000;
  const unsigned check_every = operations / 5;
  std::size_t done = 0;
  std::size_t most = 0;
  for (unsigned i = 0; i < operations; ++i) {
    const prefix4 p = random.one_in(3) ? anything(random) : random.one_in(2) ? clustered(random) : neighbours(random);
    const std::uint32_t dice = random.below(10);
    const status code = dice < 5   ? table->add(p, i)
                        : dice < 9 ? table->remove(p)
                                   : table->replace(p, random.one_in(2) ? i : ~i, nullptr);
    done += code == status::ok ? 1 : 0;
    if (random.one_in(64)) domain.advance();
    if (i % check_every != check_every - 1) continue;
    if (random.one_in(3)) {
      ASSERT_EQ(table->compact(5000), status::ok);
    }
    ASSERT_EQ(difference(*table), 0u) << "after " << i << " operations";
    ASSERT_EQ(table->verify_invariants(), "");
    most = std::max(most, table->size());
  }
  std::printf("%u operations, %zu of them done, up to %zu routes: audit difference %zu bytes\n", operations, done, most,
              difference(*table));
  EXPECT_GT(done, operations / 10);
  EXPECT_GT(most, 1000u);
}

// Sanitizers have memory of their own.
TEST(trie_account, the_process_grows_by_what_is_told) {
  if (under_address_sanitizer || under_thread_sanitizer) GTEST_SKIP() << "a sanitizer's memory would count";
  std::vector<io::table_route> routes;
  ASSERT_TRUE(kbench::generate_table({}, routes));
  manual_domain domain;
  malloc_trim(0);
  const std::size_t before = io::resident_bytes();
  std::unique_ptr<fib> table;
  ASSERT_EQ(fib::create(domain, table), status::ok);
  for (const io::table_route& r : routes) {
    ASSERT_EQ(table->add(r.route, r.result), status::ok);
    domain.advance();
  }
  for (const bool settled : {false, true}) {
    if (settled) {
      ASSERT_EQ(table->settle(), status::ok);
    }
    malloc_trim(0);
    const std::size_t grown = io::resident_bytes() - before;
    const memory_row all = table->report_memory().sum();
    const double off = 100.0 * (static_cast<double>(all.resident) / static_cast<double>(grown) - 1);
    std::printf(
        "%s: the process grew by %zu bytes, told are %zu (%+.2f %%); live %zu, retired %zu, free %zu, huge %zu\n",
        settled ? "settled" : "loaded", grown, all.resident, off, all.live, all.retired, all.free, all.huge);
    EXPECT_LT(std::abs(off), 3);
    EXPECT_LE(all.live, all.resident + (std::size_t{5} << 20));  // links that were never touched
  }
}

TEST(trie_account, a_limit_is_kept_and_failing_at_it_changes_nothing) {
  manual_domain domain;
  fib_options options;
  options.memory_limit = 200'000;
  std::unique_ptr<fib> table;
  ASSERT_EQ(fib::create(domain, options, table), status::ok);
  random_source random(2);
  std::vector<prefix4> present;
  std::size_t refused = 0;
  const auto taken = [&] {
    const memory_stats m = table->memory();
    return m.slot_bytes + m.header_bytes + m.descriptor_bytes + m.entry_bytes;
  };
  for (unsigned i = 0; i < 20'000; ++i) {
    const prefix4 p = random.one_in(2) ? anything(random) : clustered(random);
    const bool look = random.one_in(100);
    const std::string before = look ? shape_text<key32>(*table) : std::string();
    const status code = table->add(p, i);
    ASSERT_LE(taken(), options.memory_limit);
    if (code == status::ok) present.push_back(p);
    if (code != status::no_memory) continue;
    ++refused;
    if (look) {
      ASSERT_EQ(shape_text<key32>(*table), before);
    }
    if (!random.one_in(8)) continue;
    // Removals make room again, once their grace periods are over.
    for (unsigned n = 0; n < 20; ++n) {
      std::swap(present[random.below(present.size())], present.back());
      ASSERT_EQ(table->remove(present.back()), status::ok);
      present.pop_back();
    }
    ASSERT_EQ(table->flush(), status::ok);
    ASSERT_EQ(table->verify_invariants(), "");
  }
  EXPECT_GT(refused, 100u);
  EXPECT_EQ(table->size(), present.size());
  EXPECT_GT(present.size(), 1000u);
  for (const prefix4 p : present) ASSERT_TRUE(table->find(p).found);
}

// A small table in small steps: its limit is kept, and it does not grow by being tidied.
TEST(trie_account, compaction_keeps_the_limit_and_the_size) {
  manual_domain domain;
  fib_options options;
  options.memory_limit = 400'000;
  std::unique_ptr<fib> table;
  ASSERT_EQ(fib::create(domain, options, table), status::ok);
  random_source random(3);
  while (table->size() < 3000) static_cast<void>(table->add(clustered(random), 1));
  ASSERT_EQ(table->flush(), status::ok);
  const std::size_t top = table->memory().arena_top_bytes;
  for (int round = 0; round < 300; ++round) {
    ASSERT_EQ(table->compact(100), status::ok) << round;
    ASSERT_EQ(table->flush(), status::ok);
  }
  EXPECT_LE(table->memory().arena_top_bytes, 4 * top);
  EXPECT_EQ(table->settle(), status::ok);
  EXPECT_EQ(table->verify_invariants(), "");
}

TEST(trie_account, an_empty_table_fits_its_limit_or_can_hold_nothing) {
  manual_domain domain;
  fib_options options;
  options.memory_limit = 1;
  std::unique_ptr<fib> table;
  ASSERT_EQ(fib::create(domain, options, table), status::ok);
  EXPECT_EQ(table->add({0, 0}, 1), status::no_memory);
  EXPECT_EQ(table->size(), 0u);
  EXPECT_FALSE(table->lookup(1).found);
  EXPECT_EQ(table->verify_invariants(), "");
}

}  // namespace
}  // namespace fibtrie::testing
