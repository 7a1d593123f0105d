// SPDX-License-Identifier: MIT
// The table generator: exact size, order, determinism, and figures near those of the table behind its model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "kbench/prefix_cascade.hpp"
#include "kbench/table_generator.hpp"

namespace fibtrie::kbench {
namespace {

using table = std::vector<io::table_route>;

table generate(std::size_t routes, std::uint64_t seed = 1, std::uint32_t next_hops = 250) {
  table out;
  EXPECT_TRUE(generate_table({routes, seed, next_hops}, out));
  return out;
}

std::uint64_t checksum(const table& routes) {
  std::uint64_t sum = 14695981039346656037u;  // FNV-1a over the three numbers of each route
  for (const io::table_route& route : routes) {
    for (const std::uint64_t value : {route.route.key, std::uint32_t{route.route.plen}, route.result}) {
      sum = (sum ^ value) * 1099511628211u;
    }
  }
  return sum;
}

void expect_well_formed(const table& routes, std::uint32_t next_hops) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    ASSERT_TRUE(is_valid(routes[i].route));
    ASSERT_TRUE(routes[i].route.plen >= 8 && routes[i].route.plen <= 24);
    ASSERT_TRUE(routes[i].result >= 1 && routes[i].result <= next_hops);
    ASSERT_TRUE(i == 0 || routes[i - 1].route < routes[i].route) << "not ascending and distinct at " << i;
  }
}

// What the documentation of the real table says of it.
struct figures {
  std::array<double, 33> by_plen{};
  std::array<double, 10> by_covers{};  // routes with that many covering routes
  std::array<double, 256> by_octet{};
  double keys = 0, siblings = 0, covered_share = 0, adjacent_24s = 0;
  double same_as_last = 0, same_as_cover = 0;
};

figures figures_of(const table& routes) {
  figures out;
  const auto has = [&](prefix4 wanted) {
    return std::binary_search(routes.begin(), routes.end(), io::table_route{wanted},
                              [](const auto& a, const auto& b) { return a.route < b.route; });
  };
  const auto neighbour_24 = [&](key32 key, key32 step) { return has({key + step, 24}); };
  table covers;
  double covered = 0, same_as_cover = 0;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const prefix4 route = routes[i].route;
    ++out.by_plen[route.plen];
    ++out.by_octet[route.key >> 24];
    out.keys += i == 0 || routes[i - 1].route.key != route.key;
    out.siblings += has({route.key ^ key32{1} << (32 - route.plen), route.plen});
    if (route.plen == 24) out.adjacent_24s += neighbour_24(route.key, 256) || neighbour_24(route.key, -256u);
    while (!covers.empty() && !contains(covers.back().route, route.key)) covers.pop_back();
    ++out.by_covers[std::min<std::size_t>(covers.size(), 9)];
    if (covers.empty()) {
      out.covered_share += std::ldexp(1.0, -route.plen);
    } else {
      ++covered;
      same_as_cover += covers.back().result == routes[i].result;
    }
    out.same_as_last += i > 0 && routes[i - 1].result == routes[i].result;
    covers.push_back(routes[i]);
  }
  const auto count = static_cast<double>(routes.size());
  out.adjacent_24s /= out.by_plen[24];
  out.siblings /= count;
  out.same_as_last /= count;
  out.same_as_cover = same_as_cover / covered;
  return out;
}

TEST(generator, makes_exactly_the_asked_number) {
  for (const std::size_t routes : {1, 2, 3, 10, 999, 1000, 12345, 100000}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const table made = generate(routes, seed, 7);
      EXPECT_EQ(made.size(), routes);
      expect_well_formed(made, 7);
    }
  }
  for (const std::size_t routes : {model_routes - 1, model_routes + 1, max_generated_routes}) {
    const table made = generate(routes);
    EXPECT_EQ(made.size(), routes);
    expect_well_formed(made, 250);
  }
}

TEST(generator, refuses_options_out_of_range) {
  table out{{}};
  for (const generator_options& options : {generator_options{0}, generator_options{max_generated_routes + 1},
                                           generator_options{10, 1, 0}, generator_options{10, 1, max_next_hops + 1}}) {
    EXPECT_FALSE(generate_table(options, out));
    EXPECT_TRUE(out.empty());
  }
  EXPECT_TRUE(generate_table({10, 1, max_next_hops}, out));
}

// Tables are compared across machines and versions: a change of these sums changes every published figure.
TEST(generator, is_the_same_on_every_machine) {
  EXPECT_EQ(checksum(generate(10'000, 1)), 15028032936563453162u);
  EXPECT_EQ(checksum(generate(10'000, 2)), 8747171324434437678u);
  EXPECT_EQ(checksum(generate(model_routes, 1)), 9170305293162865114u);
}

class full_size : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(full_size, has_the_real_tables_figures) {
  const figures made = figures_of(generate(model_routes, GetParam()));
  const auto expect_near = [](double value, double real, double tolerance, const std::string& what) {
    EXPECT_NEAR(value, real, real * tolerance) << what;
  };
  constexpr std::array<double, 9> real_by_plen{13635, 8347, 13387, 25516, 45627, 52463, 113741, 107869, 657365};
  for (std::size_t i = 0; i < real_by_plen.size(); ++i) {
    expect_near(made.by_plen[16 + i], real_by_plen[i], 0.10, std::string("/").append(std::to_string(16 + i)));
  }
  double shorter = 0;
  for (unsigned plen = 8; plen < 16; ++plen) shorter += made.by_plen[plen];
  expect_near(shorter, 4375, 0.25, "shorter than /16");
  constexpr std::array<double, 5> real_by_covers{516547, 365031, 118784, 31813, 6752};
  for (std::size_t i = 0; i < real_by_covers.size(); ++i) {
    expect_near(made.by_covers[i], real_by_covers[i], i < 2 ? 0.12 : 0.35, std::to_string(i) + " covers");
  }
  EXPECT_LT(made.by_covers[8] + made.by_covers[9], 20) << "unreal chains of nested routes";
  expect_near(made.keys, 974459, 0.01, "distinct keys");
  expect_near(made.siblings, 0.712, 0.03, "siblings");
  expect_near(made.adjacent_24s, 0.866, 0.03, "adjacent /24s");
  expect_near(made.covered_share, 0.722, 0.06, "covered share");
  EXPECT_EQ(made.by_octet[45], 29138);
  EXPECT_EQ(made.by_octet[10] + made.by_octet[127], 0);
  expect_near(made.same_as_last, 0.642, 0.03, "next hop of the route before");
  expect_near(made.same_as_cover, 0.658, 0.04, "next hop of the covering route");
}

INSTANTIATE_TEST_SUITE_P(seeds, full_size, ::testing::Values(1, 2, 3));

TEST(generator, next_hops_have_a_real_tables_shares) {
  std::map<std::uint32_t, double> counts;
  const table made = generate(model_routes);
  for (const io::table_route& route : made) ++counts[route.result];
  std::vector<double> shares;
  for (const auto& [value, count] : counts) shares.push_back(count / static_cast<double>(made.size()));
  std::sort(shares.rbegin(), shares.rend());
  ASSERT_EQ(shares.size(), 250u);
  const auto top = [&](std::size_t n) {
    return std::accumulate(shares.begin(), shares.begin() + static_cast<long>(n), 0.0);
  };
  EXPECT_NEAR(top(1), 0.196, 0.03);
  EXPECT_NEAR(top(5), 0.493, 0.04);
  EXPECT_NEAR(top(10), 0.605, 0.04);
}

TEST(generator, small_and_large_tables_keep_the_mix_of_lengths) {
  for (const std::size_t routes : {std::size_t{20'000}, std::size_t{200'000}, std::size_t{2'000'000}}) {
    const figures made = figures_of(generate(routes));
    const auto count = static_cast<double>(routes);
    EXPECT_NEAR(made.by_plen[24] / count, 0.66, 0.08) << routes;
    EXPECT_NEAR(1 - made.by_covers[0] / count, 0.52, 0.08) << routes;
    EXPECT_NEAR(made.siblings, 0.73, 0.06) << routes;
  }
}

TEST(prefix_cascade, a_full_subtree_holds_every_prefix) {
  prefix_cascade cascade(3);
  for (unsigned depth = 16; depth <= 24; ++depth) {
    std::vector<prefix4> made;
    cascade.grow({ipv4(10, 0, 0, 0), depth, route_capacity(depth)}, made);
    EXPECT_EQ(made.size(), route_capacity(depth));
    EXPECT_TRUE(std::is_sorted(made.begin(), made.end()));
    EXPECT_EQ(std::adjacent_find(made.begin(), made.end()), made.end());
    EXPECT_TRUE(std::all_of(made.begin(), made.end(), [&](prefix4 p) {
      return contains({ipv4(10, 0, 0, 0), static_cast<std::uint8_t>(depth)}, p.key) && p.plen >= depth && p.plen <= 24;
    }));
  }
}

TEST(prefix_cascade, every_count_that_fits_is_met) {
  prefix_cascade cascade(4);
  for (unsigned depth : {8u, 14u, 20u, 23u, 24u}) {
    const std::uint32_t step = std::max(1u, route_capacity(depth) / 100);
    for (std::uint32_t routes = 0; routes <= route_capacity(depth); routes += step) {
      std::vector<prefix4> made;
      cascade.grow({ipv4(10, 0, 0, 0), depth, routes}, made);
      EXPECT_EQ(made.size(), routes) << depth;
    }
  }
}

}  // namespace
}  // namespace fibtrie::kbench
