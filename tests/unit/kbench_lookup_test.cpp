// SPDX-License-Identifier: MIT
// The lookup benchmark: answers compared in every mode, rows and ratios, order statistics, the linear scan.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "kbench/lookup_bench.hpp"
#include "kbench/patterns.hpp"
#include "kbench/table_generator.hpp"

namespace fibtrie::kbench {
namespace {

constexpr std::array all_modes{lookup_mode::scalar, lookup_mode::dependent, lookup_mode::batch32,
                               lookup_mode::batch256};

class kbench_lookup : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(generate_table({.routes = 2000}, table_));
    std::string error;
    subject_ = make_lc_trie(GetParam(), error);
    ASSERT_NE(subject_, nullptr) << error;
    judge_ = make_kernel_walk();
    ASSERT_EQ(subject_->load(table_).failed, 0u);
    ASSERT_EQ(judge_->load(table_).failed, 0u);
    rivals_ = {subject_.get(), judge_.get()};
    // no multiple of a batch or of a section, and half of it misses
    set_ = {"uni", make_addresses(pattern::cov, table_, 1, 5000), 0};
    const auto misses = make_addresses(pattern::uni, table_, 1, 5013);
    set_.addresses.insert(set_.addresses.end(), misses.begin(), misses.end());
  }

  std::vector<io::table_route> table_;
  std::unique_ptr<engine> subject_, judge_;
  std::array<const engine*, 2> rivals_{};
  address_set set_;
};

TEST_P(kbench_lookup, every_mode_answers_alike) {
  std::string error;
  EXPECT_TRUE(compare_answers(*judge_, rivals_, all_modes, set_, error)) << error;
  EXPECT_GT(set_.hit_rate, 0.49);
  EXPECT_LT(set_.hit_rate, 0.6);
  const std::uint64_t checksum = judge_->run(lookup_mode::scalar, set_.addresses);
  for (const lookup_mode mode : all_modes) EXPECT_EQ(subject_->run(mode, set_.addresses), checksum) << to_text(mode);
  std::vector<std::uint64_t> ticks;
  EXPECT_EQ(subject_->time_each(set_.addresses, ticks), checksum);
  EXPECT_EQ(ticks.size(), set_.addresses.size());
}

TEST_P(kbench_lookup, a_wrong_answer_is_named) {
  const auto is_24 = [](const io::table_route& r) { return r.route.plen == 24; };  // the table has nothing longer
  const auto& route = *std::find_if(table_.begin() + 1000, table_.end(), is_24);
  const update wrong{route.route, route.result + 1, update_kind::replace};
  update_counts counts;
  subject_->apply({&wrong, 1}, counts);
  ASSERT_EQ(counts.replaced, 1);
  set_.addresses[4321] = route.route.key;
  const lookup_mode batch[] = {lookup_mode::batch256};
  std::string error;
  EXPECT_FALSE(compare_answers(*judge_, rivals_, batch, set_, error));
  EXPECT_NE(error.find("lc_trie/uni/batch256: address "), std::string::npos) << error;
}

TEST_P(kbench_lookup, rows_come_with_ratios_and_shared_loops) {
  const auto rows = race(rivals_, "kernel-walk", all_modes, set_, 5, [](const std::string&) {});
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0].name(), "lc_trie/uni/scalar");
  EXPECT_EQ(rows[7].name(), "kernel-walk/uni/batch256");
  for (const lookup_row& row : rows) {
    EXPECT_EQ(row.passes.size(), 5u);
    EXPECT_LE(row.best_ns(), row.median_ns());
    EXPECT_EQ(row.is_scalar_loop, row.engine == "kernel-walk" && row.mode >= lookup_mode::batch32) << row.name();
  }
  EXPECT_EQ(rows[5].median_ns(), rows[1].median_ns());  // the baseline's batches are its scalar passes
  EXPECT_DOUBLE_EQ(rows[1].ratio, 1);
  EXPECT_DOUBLE_EQ(rows[4].ratio, rows[1].median_ns() / rows[4].median_ns());
}

INSTANTIATE_TEST_SUITE_P(flavours, kbench_lookup, ::testing::Values("memb", "qsbr", "bp", "mb"),
                         [](const auto& flavour) { return std::string(flavour.param); });

TEST(kbench_engine, unknown_flavour_is_refused) {
  std::string error;
  EXPECT_EQ(make_lc_trie("none", error), nullptr);
  EXPECT_EQ(error, "no RCU flavour none");
}

TEST(kbench_summary, percentiles_are_measured_values) {
  std::vector<double> values;
  for (int i = 100; i > 0; --i) values.push_back(i);
  const summary s = summarise(values);
  EXPECT_EQ(s.count, 100u);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 100);
  EXPECT_EQ(s.average, 50.5);
  EXPECT_EQ(s.p50, 50);
  EXPECT_EQ(s.p90, 90);
  EXPECT_EQ(s.p95, 95);
  EXPECT_EQ(s.p99, 99);
  EXPECT_EQ(s.mad, 25);
  EXPECT_EQ(summarise(std::vector<double>{}).count, 0u);
  EXPECT_EQ(summarise(std::vector<double>{3}).p99, 3);
}

TEST(kbench_scan, ascends_over_unicast_space_without_loopback) {
  const auto scan = linear_scan(5000);
  EXPECT_TRUE(std::is_sorted(scan.begin(), scan.end()));
  EXPECT_EQ(scan.front(), 0u);
  EXPECT_LT(scan.back(), ipv4(224, 0, 0, 0));
  EXPECT_GT(scan.back(), ipv4(223, 0, 0, 0));
  EXPECT_NEAR(static_cast<double>(scan.size()), 5000.0 * 223 / 224, 2);
  EXPECT_TRUE(std::none_of(scan.begin(), scan.end(), [](key32 a) { return a >> 24 == 127; }));
}

}  // namespace
}  // namespace fibtrie::kbench
