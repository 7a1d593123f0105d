// SPDX-License-Identifier: MIT
// Runs a golden case: applies its operations to a table and compares every text byte for byte.
//
// A case is a folder: ops.txt, results.txt, fib_trie.txt or fib_trie.sha256, fib_triestat.txt, and maybe steps.txt,
// lookups.txt, routes.txt; each may be gzipped (NAME.gz).
//
// Thread safety: one thread.
// Invariants: 1. Results, the trie's text, its figures and the lookups are always compared; only steps and routes may
// be
//   missing from a case.
// Source: the cases beside the repository were recorded from a running kernel; those in tests/data/golden are our own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "io/line_reader.hpp"
#include "io/net_case.hpp"
#include "io/ops.hpp"
#include "io/proc_text.hpp"
#include "io/route_words.hpp"
#include "io/sha256.hpp"
#include "tests/support/route_interner.hpp"
#include "trie/lookup.hpp"

namespace fibtrie::testing {

inline constexpr std::string_view table_label = "Id 100:";

// Recorded from a kernel; the full table is apart, it takes long.
inline constexpr std::array<const char*, 19> kernel_cases = {
    "01-add-del-empty",    "02-single-default", "03-one-leaf-nested", "04-nested-chain",       "05-boundaries",
    "06-hosts-sequential", "13-deep-powers",    "14-slen-churn",      "15-inflate-halve",      "21-random-1k",
    "22-random-10k",       "23-real-10k",       "25-random-100k",     "26-real-100k",          "27-dense-hosts-100k",
    "28-order-sorted",     "29-order-reversed", "30-order-shuffled",  "31-fill-then-drain-20k"};
inline constexpr std::array<const char*, 1> full_table_case = {"32-full-table"};
inline constexpr std::array<const char*, 3> own_cases = {"own-nested", "own-grow-and-shrink", "own-only-child"};

inline std::filesystem::path kernel_case_root() {
  const char* shared = std::getenv("FIBTRIE_SHARED");
  const auto root =
      shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(FIBTRIE_SOURCE_DIR) / "../shared";
  return root / "golden";
}

inline std::filesystem::path own_case_root() { return std::filesystem::path(FIBTRIE_SOURCE_DIR) / "tests/data/golden"; }

inline std::string read_text(const std::string& path) {
  io::line_reader lines(path);
  std::string text;
  std::string_view line;
  while (lines.next(line) == io::line_kind::line) text.append(line).append("\n");
  EXPECT_EQ(lines.next(line), io::line_kind::end) << path << ": " << lines.source().error();
  return text;
}

// Reports the first line in which two texts differ, instead of megabytes.
inline ::testing::AssertionResult same_text(std::string_view expected, std::string_view actual) {
  if (expected == actual) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << io::first_difference(expected, actual);
}

inline void expect_file(const std::filesystem::path& folder, const std::string& name, const std::string& actual) {
  const auto path = io::find_case_file(folder, name);
  if (path) {
    EXPECT_TRUE(same_text(read_text(*path), actual)) << *path;
  }
}

// The answer of a lookup in the words of lookups.txt.
inline std::string answer_text(const match_result<key32>& match, const route_interner& interner) {
  if (!match.found) return "error EAGAIN";
  const auto& attributes = interner.attributes_of(match.value);
  switch (attributes.type) {
    case route_type::blackhole: return "error EINVAL";
    case route_type::unreachable: return "error EHOSTUNREACH";
    case route_type::prohibit: return "error EACCES";
    case route_type::throw_route: return "error EAGAIN";
    default: break;
  }
  std::string text;
  {
    io::text_sink sink(text);
    sink.put(io::type_name(attributes.type)).put(' ').dotted(match.route.key).put('/').number(match.route.plen);
    sink.put(" metric 0 scope ").put(io::scope_name(attributes.scope));
    if (attributes.via != 0) sink.put(" via ").dotted(attributes.via);
    if (attributes.dev != 0) sink.put(" dev ").put(io::device_name(attributes.dev));
    sink.put(" nhsel 0");
  }
  return text;
}

// Plays one case on a Table: add, replace, remove, lookup, match, visit_shape, stats.
template <class Table>
class golden_case {
 public:
  golden_case(Table& table, std::filesystem::path folder) : table_(table), folder_(std::move(folder)) {}

  void run() {
    apply_all();
    if (::testing::Test::HasFatalFailure()) return;
    ASSERT_TRUE(io::find_case_file(folder_, "results.txt"));
    expect_file(folder_, "results.txt", results_);
    expect_file(folder_, "steps.txt", steps_);
    check_shape();
    check_routes();
    check_lookups();
  }

 private:
  void apply_all() {
    const bool has_steps = io::find_case_file(folder_, "steps.txt").has_value();
    const auto path = io::find_case_file(folder_, "ops.txt");
    ASSERT_TRUE(path) << folder_;
    io::ops_reader reader(*path);
    io::operation op;
    for (std::size_t k = 1; reader.next(op); ++k) {
      const auto result = io::result_text(apply_plainly(table_, interner_, op));
      results_.append(result).append("\n");
      if (!has_steps) continue;
      steps_.append("== ").append(std::to_string(k)).append(": ").append(op.text).append(" => ").append(result);
      steps_.append("\n").append(trie_text());
    }
    ASSERT_EQ(reader.error(), "");
  }

  auto shape() const {
    return [this](shape_visitor4& visitor) { table_.visit_shape(visitor); };
  }

  std::string trie_text() const {
    std::string text;
    io::text_sink sink(text);
    const auto words = [this](prefix4, std::uint32_t result) { return interner_.words_of(result); };
    io::write_fib_trie(sink, table_label, shape(), words);
    sink.flush();
    return text;
  }

  void check_shape() const {
    const auto text = trie_text();
    const auto sum = io::find_case_file(folder_, "fib_trie.sha256");
    EXPECT_TRUE(sum || io::find_case_file(folder_, "fib_trie.txt"));
    expect_file(folder_, "fib_trie.txt", text);
    if (sum) {
      EXPECT_EQ(read_text(*sum), io::sha256_hex(text) + "  fib_trie.txt\n");
    }
    std::string figures;
    {
      io::text_sink sink(figures);
      io::write_fib_triestat_head(sink);
      io::write_fib_triestat(sink, table_label, table_.stats());
    }
    ASSERT_TRUE(io::find_case_file(folder_, "fib_triestat.txt"));
    expect_file(folder_, "fib_triestat.txt", figures);
  }

  void check_routes() const {
    std::string text;
    {
      io::text_sink sink(text);
      write_routes(sink, shape(), interner_);
    }
    expect_file(folder_, "routes.txt", text);
  }

  void check_lookups() const {
    const auto path = io::find_case_file(folder_, "lookups.txt");
    ASSERT_TRUE(path);
    io::line_reader lines(*path);
    std::string_view line;
    std::size_t checked = 0;
    while (lines.next(line) == io::line_kind::line) {
      if (line.find(" oif ") != std::string_view::npos) continue;  // there are no interfaces here
      const auto arrow = line.find(" -> ");
      prefix4 query;
      ASSERT_TRUE(arrow != std::string_view::npos && io::parse_route(line.substr(0, arrow), query)) << line;
      const auto match = table_.match(query.key);
      EXPECT_EQ(answer_text(match, interner_), line.substr(arrow + 4)) << line;
      const auto short_answer = table_.lookup(query.key);
      EXPECT_EQ(short_answer.found, match.found) << line;
      if (match.found) {
        EXPECT_EQ(short_answer.value, match.value) << line;
      }
      if (::testing::Test::HasFailure()) return;  // one wrong answer says enough
      ++checked;
    }
    EXPECT_EQ(lines.next(line), io::line_kind::end) << lines.source().error();
    EXPECT_GT(checked, 0u);
  }

  Table& table_;
  const std::filesystem::path folder_;
  route_interner interner_;
  std::string results_;
  std::string steps_;
};

// Plays a kernel case, or skips it, visibly, when the folder with all of them is not there.
template <class Table>
void run_kernel_case(Table& table, const std::string& name) {
  const auto root = kernel_case_root();
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "no golden cases at " << root << " (set FIBTRIE_SHARED)";
  golden_case<Table>(table, root / name).run();
}

template <class Table>
void run_own_case(Table& table, const std::string& name) {
  golden_case<Table>(table, own_case_root() / name).run();
}

// 01-add-del-empty -> 01_add_del_empty, as test names want it.
inline constexpr auto case_test_name = [](const auto& given) {
  std::string name = given.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};

}  // namespace fibtrie::testing
