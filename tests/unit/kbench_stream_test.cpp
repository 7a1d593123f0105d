// SPDX-License-Identifier: MIT
// Streams for replay: what is expected of them, the synthetic mix, and the check of an end table.
#include <gtest/gtest.h>

#include <vector>

#include "kbench/stream.hpp"
#include "kbench/table_generator.hpp"

namespace fibtrie::kbench {
namespace {

constexpr prefix4 ten{ipv4(10, 0, 0, 0), 8};
constexpr prefix4 twenty{ipv4(20, 0, 0, 0), 8};

TEST(kbench_stream, expects_what_each_update_does) {
  const std::vector<io::table_route> start{{ten, 7}};
  const std::vector<io::route_update> stream{{ten, true},     {twenty, false}, {twenty, true}, {ten, false},
                                             {twenty, false}, {twenty, true},  {twenty, true}};
  const prepared_stream prepared = prepare_stream(start, stream);
  EXPECT_EQ(prepared.expected.replaced, 2);
  EXPECT_EQ(prepared.expected.added, 2);
  EXPECT_EQ(prepared.expected.removed, 2);
  EXPECT_EQ(prepared.expected.missing, 1);
  EXPECT_EQ(prepared.start_size, 1u);
  EXPECT_EQ(prepared.smallest(), 0u);
  EXPECT_EQ(prepared.largest(), 2u);
  EXPECT_EQ(prepared.end_size(), 1u);
  EXPECT_EQ(prepared.touched, 2u);
  EXPECT_EQ(prepared.end_table.at(twenty), announced_result(twenty, 3));
  EXPECT_EQ(prepared.updates[0].result, announced_result(ten, 1));
  EXPECT_EQ(prepared.updates[5].result, announced_result(twenty, 2));
}

TEST(kbench_stream, neighbouring_announcements_bring_different_results) {
  for (std::uint64_t k = 1; k < 600; ++k) {
    for (std::uint64_t later = 1; later < 251; ++later) {
      ASSERT_NE(announced_result(ten, k), announced_result(ten, k + later));
    }
  }
  EXPECT_NE(announced_result(ten, 1), announced_result(twenty, 1));
}

TEST(kbench_stream, synthetic_has_the_mix_of_a_day) {
  std::vector<io::table_route> table;
  ASSERT_TRUE(generate_table({.routes = 20'000}, table));
  const auto stream = synthetic_stream(table, 50'000, 1);
  ASSERT_EQ(stream.size(), 50'000u);
  EXPECT_EQ(stream, synthetic_stream(table, 50'000, 1));
  EXPECT_NE(stream, synthetic_stream(table, 50'000, 2));
  const prepared_stream prepared = prepare_stream(table, stream);
  EXPECT_NEAR(static_cast<double>(prepared.expected.replaced), 50'000 * 0.945, 500);
  EXPECT_GT(prepared.expected.added, 1000);
  EXPECT_GT(prepared.expected.removed, 1000);
  EXPECT_LT(prepared.touched, 15'000u);  // busy prefixes come again and again
}

TEST(kbench_stream, check_names_what_is_wrong_with_an_end_table) {
  const route_map expected{{ten, 1}, {twenty, 2}};
  std::string error;
  EXPECT_TRUE(check_routes(std::vector<io::table_route>{{ten, 1}, {twenty, 2}}, expected, error)) << error;
  EXPECT_FALSE(check_routes(std::vector<io::table_route>{{ten, 1}}, expected, error));
  EXPECT_EQ(error, "route 20.0.0.0/8 is missing");
  EXPECT_FALSE(check_routes(std::vector<io::table_route>{{ten, 1}, {twenty, 3}}, expected, error));
  EXPECT_EQ(error, "route 20.0.0.0/8 has result 3, expected 2");
  EXPECT_FALSE(check_routes(std::vector<io::table_route>{{ten, 1}, {ten, 1}, {twenty, 2}}, expected, error));
  EXPECT_EQ(error, "route 10.0.0.0/8 is there twice");
  EXPECT_FALSE(check_routes(std::vector<io::table_route>{{ten, 1}, {twenty, 2}, {{0, 0}, 1}}, expected, error));
  EXPECT_EQ(error, "route 0.0.0.0/0 has result 1, expected no such route");
}

}  // namespace
}  // namespace fibtrie::kbench
