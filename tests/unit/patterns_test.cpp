// SPDX-License-Identifier: MIT
// The address patterns: ranges, weights, repetition, determinism.
#include "kbench/patterns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kbench/random.hpp"

namespace fibtrie::kbench {
namespace {

// 1000 routes 16.0.0.0/16, 16.1.0.0/16, ...: the prefix of an address is its upper half.
constexpr std::size_t route_count = 1000;
std::vector<io::table_route> sample_routes() {
  std::vector<io::table_route> routes;
  for (key32 i = 0; i < route_count; ++i) routes.push_back({{ipv4(16, 0, 0, 0) + (i << 16), 16}, i});
  return routes;
}

std::size_t route_of(key32 address) {
  EXPECT_EQ((address - ipv4(16, 0, 0, 0)) >> 16 < route_count, true) << "outside of every route";
  return (address - ipv4(16, 0, 0, 0)) >> 16;
}

std::vector<std::size_t> hits(const std::vector<key32>& addresses) {
  std::vector<std::size_t> out(route_count);
  for (const key32 address : addresses) ++out.at(route_of(address));
  return out;
}

std::uint64_t checksum(const std::vector<key32>& addresses) {
  std::uint64_t sum = 14695981039346656037u;  // FNV-1a
  for (const key32 address : addresses) sum = (sum ^ address) * 1099511628211u;
  return sum;
}

TEST(patterns, names_round_trip) {
  for (const char* name : {"cov", "uni", "zipf", "seq", "rep"}) {
    const auto which = parse_pattern(name);
    ASSERT_TRUE(which.has_value());
    EXPECT_STREQ(to_text(*which), name);
  }
  EXPECT_FALSE(parse_pattern("").has_value());
  EXPECT_FALSE(parse_pattern("cover").has_value());
}

TEST(patterns, cov_hits_every_prefix_alike_and_spreads_over_its_hosts) {
  const auto made = make_addresses(pattern::cov, sample_routes(), 1, 1'000'000);
  for (const std::size_t count : hits(made)) EXPECT_NEAR(static_cast<double>(count), 1000, 200);
  const auto low_half = std::count_if(made.begin(), made.end(), [](key32 a) { return (a & 0xffff) < 0x8000; });
  EXPECT_NEAR(static_cast<double>(low_half), 500'000, 5'000);
}

TEST(patterns, uni_is_uniform_over_its_range) {
  const auto made = make_addresses(pattern::uni, sample_routes(), 1, 2'230'000);
  std::array<std::size_t, 256> by_octet{};
  for (const key32 address : made) ++by_octet[address >> 24];
  EXPECT_EQ(by_octet[0], 0u);
  for (std::size_t octet = 1; octet <= 223; ++octet) EXPECT_NEAR(static_cast<double>(by_octet[octet]), 10'000, 600);
  for (std::size_t octet = 224; octet < 256; ++octet) EXPECT_EQ(by_octet[octet], 0u);
}

TEST(patterns, zipf_has_exponent_one_over_a_random_order) {
  auto counts = hits(make_addresses(pattern::zipf, sample_routes(), 1, 2'000'000));
  EXPECT_FALSE(std::is_sorted(counts.rbegin(), counts.rend())) << "the order of the table is not random";
  std::sort(counts.rbegin(), counts.rend());
  double harmonic = 0;
  for (std::size_t rank = 1; rank <= route_count; ++rank) harmonic += 1.0 / static_cast<double>(rank);
  for (const std::size_t rank : {1, 2, 3, 10, 30, 100}) {
    const double expected = 2'000'000 / harmonic / static_cast<double>(rank);
    EXPECT_NEAR(static_cast<double>(counts[rank - 1]), expected, expected * 0.05) << rank;
  }
  EXPECT_NE(make_addresses(pattern::zipf, sample_routes(), 2, 1000),
            make_addresses(pattern::zipf, sample_routes(), 3, 1000));
}

TEST(patterns, seq_ascends_evenly_over_the_range_of_uni) {
  const auto made = make_addresses(pattern::seq, {}, 1, 1 << 20);
  EXPECT_EQ(made.front(), first_address);
  EXPECT_GT(made.back(), ipv4(223, 255, 240, 0));
  EXPECT_LE(made.back(), ipv4(223, 255, 255, 255));
  for (std::size_t i = 1; i < made.size(); ++i) {
    ASSERT_NEAR(made[i] - made[i - 1], static_cast<double>(address_range) / (1 << 20), 1.0);
  }
}

TEST(patterns, rep_repeats_each_address_of_cov_sixteen_times) {
  const auto made = make_addresses(pattern::rep, sample_routes(), 1, 1603);
  const auto once = make_addresses(pattern::cov, sample_routes(), 1, 101);
  for (std::size_t i = 0; i < made.size(); ++i) ASSERT_EQ(made[i], once[i / 16]) << i;
}

TEST(patterns, an_empty_table_and_no_addresses_are_possible) {
  for (const pattern which : {pattern::cov, pattern::uni, pattern::zipf, pattern::seq, pattern::rep}) {
    EXPECT_TRUE(make_addresses(which, {}, 1, 0).empty());
    EXPECT_EQ(make_addresses(which, {}, 1, 17).size(), 17u);
  }
  EXPECT_EQ(make_addresses(pattern::uni, {}, 1).size(), std::size_t{1} << 22);
}

TEST(patterns, are_the_same_on_every_machine) {
  const auto routes = sample_routes();
  const std::pair<pattern, std::uint64_t> expected[] = {{pattern::cov, 13466195386281911314u},
                                                        {pattern::uni, 9255002927313685913u},
                                                        {pattern::zipf, 9858884233022069656u},
                                                        {pattern::seq, 33437018587789541u},
                                                        {pattern::rep, 17822049756498229925u}};
  for (const auto& [which, sum] : expected) {
    EXPECT_EQ(checksum(make_addresses(which, routes, 1, 10'000)), sum) << to_text(which);
    const bool same = make_addresses(which, routes, 1, 100) == make_addresses(which, routes, 2, 100);
    EXPECT_EQ(same, which == pattern::seq) << to_text(which);
  }
}

TEST(weighted_choice, draws_in_proportion_and_never_a_zero_weight) {
  random_source random(1);
  const weighted_choice choice({0, 1, 0, 3, 0});
  std::array<std::size_t, 5> counts{};
  for (int i = 0; i < 40'000; ++i) ++counts.at(choice.draw(random));
  EXPECT_EQ(counts[0] + counts[2] + counts[4], 0u);
  EXPECT_NEAR(static_cast<double>(counts[1]), 10'000, 400);
}

}  // namespace
}  // namespace fibtrie::kbench
