// SPDX-License-Identifier: MIT
// The update benchmarks leave equal tables behind, and notice a table that counts or answers wrongly.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "kbench/replay.hpp"
#include "kbench/table_generator.hpp"
#include "kbench/thread_bench.hpp"
#include "kbench/update_bench.hpp"

namespace fibtrie::kbench {
namespace {

const step_function quiet = [](const std::string&) {};

class kbench_update : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(generate_table({.routes = 3000}, table_));
    subject_ = make_lc_trie(GetParam(), error_);
    ASSERT_NE(subject_, nullptr) << error_;
    baseline_ = make_kernel_walk();
    ASSERT_EQ(subject_->load(table_).failed, 0u);
    ASSERT_EQ(baseline_->load(table_).failed, 0u);
    rivals_ = {subject_.get(), baseline_.get()};
    for (const io::table_route& r : table_) start_.emplace(r.route, r.result);
  }
  void expect_start_table() {
    for (const engine* rival : rivals_) {
      EXPECT_TRUE(check_routes(rival->routes(), start_, error_)) << rival->name() << ": " << error_;
      EXPECT_EQ(rival->verify(), "");
    }
  }

  std::vector<io::table_route> table_;
  std::unique_ptr<engine> subject_, baseline_;
  std::array<engine*, 2> rivals_{};
  route_map start_;
  std::string error_;
};

TEST_P(kbench_update, leaves_the_table_as_it_was) {
  std::vector<update_row> rows;
  ASSERT_TRUE(bench_updates(rivals_, "kernel-walk", table_, 1500, 1, quiet, rows, error_)) << error_;
  ASSERT_EQ(rows.size(), 8u);
  for (const update_row& row : rows) {
    EXPECT_EQ(row.ns.count, 1500u) << row.operation;
    EXPECT_GT(row.cpu_ns, 0) << row.operation;
  }
  std::vector<worst_row> worst;
  ASSERT_TRUE(bench_worst(rivals_, "kernel-walk", table_, quiet, worst, error_)) << error_;
  ASSERT_EQ(worst.size(), 6u);
  EXPECT_EQ(worst[0].what, "0.0.0.0/0");
  EXPECT_EQ(worst[4].what.rfind("worst route: ", 0), 0u);
  expect_start_table();
}

TEST_P(kbench_update, a_failing_update_ends_the_benchmark) {
  const update gone{table_[10].route, 0, update_kind::remove};
  update_counts counts;
  baseline_->apply({&gone, 1}, counts);
  std::vector<update_row> rows;
  EXPECT_FALSE(bench_updates(rivals_, "kernel-walk", table_, table_.size(), 1, quiet, rows, error_));
  EXPECT_EQ(error_, "kernel-walk: remove: 0 updates failed, 1 prefixes were missing");
}

TEST_P(kbench_update, replay_checks_counts_and_end_table) {
  const auto stream = prepare_stream(table_, synthetic_stream(table_, 9000, 3));
  std::vector<replay_row> rows;
  ASSERT_TRUE(race_replay(rivals_, "kernel-walk", stream, quiet, rows, error_)) << error_;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[1].ratio, 1);
  // the tables hold the stream's end now: other counts
  EXPECT_FALSE(race_replay(rivals_, "kernel-walk", stream, quiet, rows, error_));
  EXPECT_NE(error_.find("lc_trie: replay: "), std::string::npos) << error_;
}

TEST_P(kbench_update, replay_notices_a_wrong_result) {
  auto stream = prepare_stream(table_, synthetic_stream(table_, 9000, 3));
  const auto last = std::find_if(stream.updates.rbegin(), stream.updates.rend(),
                                 [](const update& u) { return u.kind == update_kind::replace; });
  ASSERT_NE(last, stream.updates.rend());
  ++last->result;
  std::vector<replay_row> rows;
  EXPECT_FALSE(race_replay(rivals_, "kernel-walk", stream, quiet, rows, error_));
  EXPECT_NE(error_.find("has result"), std::string::npos) << error_;
}

TEST_P(kbench_update, memory_is_measured_with_a_table_of_its_own) {
  const auto stream = prepare_stream(table_, synthetic_stream(table_, 9000, 3));
  memory_figures figures;
  const auto make = [](std::string& error) { return make_lc_trie(GetParam(), error); };
  ASSERT_TRUE(measure_memory(make, table_, stream, figures, error_)) << error_;
  EXPECT_EQ(figures.loaded_prefixes, table_.size());
  EXPECT_EQ(figures.end_prefixes, stream.end_size());
  EXPECT_GT(figures.kinds.slot_bytes, 0u);
}

TEST_P(kbench_update, readers_run_beside_the_writer) {
  const auto stream = prepare_stream(table_, synthetic_stream(table_, 9000, 3));
  address_set set{"cov", {}, 0};
  for (const io::table_route& r : table_) set.addresses.push_back(r.route.key);
  const thread_plan plan{2, std::chrono::milliseconds(100), {0}, 2000, 2};
  const auto rows = bench_threads(*subject_, set, lookup_mode::batch32, plan, stream.updates);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].writer, writer_pace::idle);
  EXPECT_EQ(rows[1].writer, writer_pace::paced);
  EXPECT_EQ(rows[2].writer, writer_pace::busy);
  EXPECT_GT(rows[1].updates_per_s, 0);
  EXPECT_LT(rows[1].updates_per_s, 2500);
  EXPECT_GT(rows[2].updates_per_s, 0);
  for (const thread_row& row : rows) {
    ASSERT_EQ(row.lookups_per_s.size(), 2u);
    EXPECT_GT(std::min(row.lookups_per_s[0], row.lookups_per_s[1]), 0);
    EXPECT_GT(row.longest_gap_us, 0);
  }
  EXPECT_EQ(subject_->verify(), "");
}

INSTANTIATE_TEST_SUITE_P(flavours, kbench_update, ::testing::Values("memb", "qsbr", "bp", "mb"),
                         [](const auto& flavour) { return std::string(flavour.param); });

}  // namespace
}  // namespace fibtrie::kbench
