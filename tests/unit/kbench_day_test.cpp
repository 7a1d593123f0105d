// SPDX-License-Identifier: MIT
// A real day of updates on the real table of its morning comes out as documented beside the files, in both engines.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "io/route_file.hpp"
#include "io/update_file.hpp"
#include "kbench/replay.hpp"

namespace fibtrie::kbench {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

std::filesystem::path routes_folder() {
  const char* shared = std::getenv("FIBTRIE_SHARED");
  return std::filesystem::path(shared != nullptr ? shared : FIBTRIE_SOURCE_DIR "/../shared") / "routes";
}

TEST(kbench_day, comes_out_as_documented) {
  if (is_sanitized) GTEST_SKIP() << "the full table takes too long with sanitizers";
  const auto table_file = routes_folder() / "ipv4-full.txt.gz";
  const auto day_file = routes_folder() / "updates" / "ris-as3333-20260511-v4.txt.gz";
  if (!exists(table_file) || !exists(day_file)) GTEST_SKIP() << "no real table and day of updates here";
  io::loaded_routes table;
  ASSERT_TRUE(io::load_routes(table_file, {}, table)) << table.report.error;
  io::loaded_updates day;
  ASSERT_TRUE(io::load_updates(day_file, {}, day)) << day.report.error;

  const prepared_stream stream = prepare_stream(table.routes, day.updates);
  EXPECT_EQ(stream.updates.size(), 1'393'421u);
  EXPECT_EQ(stream.expected.replaced, 1'316'742);
  EXPECT_EQ(stream.expected.added, 38'826);
  EXPECT_EQ(stream.expected.removed, 37'759);
  EXPECT_EQ(stream.expected.missing, 94);
  EXPECT_EQ(stream.start_size, 1'042'325u);
  EXPECT_EQ(stream.smallest(), 1'040'734u);
  EXPECT_EQ(stream.largest(), 1'043'927u);
  EXPECT_EQ(stream.end_size(), 1'043'392u);
  EXPECT_EQ(stream.touched, 134'867u);

  std::string error;
  const auto subject = make_lc_trie("memb", error), baseline = make_kernel_walk();
  ASSERT_NE(subject, nullptr) << error;
  ASSERT_EQ(subject->load(table.routes).failed, 0u);
  ASSERT_EQ(baseline->load(table.routes).failed, 0u);
  const std::array<engine*, 2> rivals{subject.get(), baseline.get()};
  std::vector<replay_row> rows;
  EXPECT_TRUE(race_replay(
      rivals, "kernel-walk", stream, [](const std::string&) {}, rows, error))
      << error;
  EXPECT_EQ(subject->verify(), "");
}

}  // namespace
}  // namespace fibtrie::kbench
