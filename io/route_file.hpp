// SPDX-License-Identifier: MIT
// Route files: "prefix/len [next hop or number]" a line, plain or gzip.
//
// Thread safety: one thread for each call.
// Invariants: 1. Routes come in file order, each prefix once: of duplicates the last result wins, at the place of the
//   first.  2. After an error nothing is loaded.  3. No exception leaves; running out of memory is an error, too.
// Progress: time proportional to the file, plus a sort when it is not in ascending order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/record_file.hpp"
#include "io/table_route.hpp"

namespace fibtrie::io {

struct route_file_options : load_options {
  // The result of a line without a second column; unset: implied_result().
  std::optional<std::uint32_t> default_result;
};

struct loaded_routes {
  std::vector<table_route> routes;
  std::uint64_t duplicates = 0;  // lines that repeat a prefix
  std::vector<std::string> next_hop_names;
  std::uint32_t first_name = 1;  // the result first_name + n stands for next_hop_names[n]
  load_report report;
};

// Reads a route file.  The second column: decimal digits are the 32-bit result itself; any other word is a next hop and
// gets a number, in order of appearance: from 1, or from above the largest result where other lines have numbers or no
// second column, so that no number means two things.  False: out.report.error says why.
bool load_routes(const std::string& path, const route_file_options& options, loaded_routes& out) noexcept;

// A result in 1..250 that depends on the prefix alone.
std::uint32_t implied_result(prefix4 route) noexcept;

}  // namespace fibtrie::io
