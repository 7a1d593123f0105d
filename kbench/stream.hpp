// SPDX-License-Identifier: MIT
// A stream of announcements and withdrawals made ready for replay: results chosen, and what must come out of it.
//
// Thread safety: values only.
// Invariants: 1. What is expected comes from a hash map of prefixes, never from a table under test.
//   2. The k-th announcement of a prefix (k = 1, 2, ...) brings announced_result(prefix, k): neighbours in k differ.
// Source: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/update_file.hpp"
#include "kbench/engine.hpp"

namespace fibtrie::kbench {

struct prefix_hash {
  std::size_t operator()(prefix4 p) const noexcept {
    const std::uint64_t mixed = (std::uint64_t{p.key} << 6 | p.plen) * 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>(mixed ^ mixed >> 29);
  }
};
using route_map = std::unordered_map<prefix4, std::uint32_t, prefix_hash>;

// One of a few hundred results, as a router has next hops: announcements less than 251 apart differ.
std::uint32_t announced_result(prefix4 route, std::uint64_t k) noexcept;

struct prepared_stream {
  std::vector<update> updates;
  update_counts expected;
  std::size_t start_size = 0;
  std::size_t touched = 0;  // distinct prefixes
  route_map end_table;

  std::size_t smallest() const noexcept { return static_cast<std::size_t>(signed_start() + expected.lowest); }
  std::size_t largest() const noexcept { return static_cast<std::size_t>(signed_start() + expected.highest); }
  std::size_t end_size() const noexcept { return end_table.size(); }

 private:
  std::int64_t signed_start() const noexcept { return static_cast<std::int64_t>(start_size); }
};

prepared_stream prepare_stream(std::span<const io::table_route> start, std::span<const io::route_update> stream);

// A stream with the mix of a real day: 94.5 % announcements of routes that are there, the rest withdrawals and their
// return, busy prefixes chosen as 1/rank.
std::vector<io::route_update> synthetic_stream(std::span<const io::table_route> start, std::size_t count,
                                               std::uint64_t seed);

// Compares a table's routes with the map.  False: error names a route that differs.
bool check_routes(std::span<const io::table_route> routes, const route_map& expected, std::string& error);

}  // namespace fibtrie::kbench
