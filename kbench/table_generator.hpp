// SPDX-License-Identifier: MIT
// Makes realistic IPv4 tables of any size, so that a full-size benchmark needs no file.
//
// Thread safety: pure function.
// Invariants: 1. Exactly the asked number of distinct valid prefixes, in ascending order (key, then length).  2. Equal
//   options give equal tables on every machine: integers only.
// Progress: about a second for a million routes.
// Source: aggregate statistics of one full table (generator_model.hpp); next hops after the shares and the equality
//   with the route before and the covering route of a real table of 2015.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/table_route.hpp"

namespace fibtrie::kbench {

inline constexpr std::size_t model_routes = 1'042'325;  // of the table behind the model
inline constexpr std::size_t max_generated_routes = std::size_t{1} << 22;
inline constexpr std::uint32_t max_next_hops = 1u << 20;

struct generator_options {
  std::size_t routes = model_routes;  // 1..max_generated_routes
  std::uint64_t seed = 1;
  std::uint32_t next_hops = 250;  // 1..max_next_hops; results are 1..next_hops, small ones more often
};

// A table smaller than the model's is a random part of one of that size, block by block, as a regional table is:
// thinning it evenly would lose its clusters.  False, with out empty: an option is out of range.
bool generate_table(const generator_options& options, std::vector<io::table_route>& out);

}  // namespace fibtrie::kbench
