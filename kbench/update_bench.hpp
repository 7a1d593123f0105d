// SPDX-License-Identifier: MIT
// Update benchmarks: random prefixes and the worst ones, all rivals in turn, block by block.
//
// Thread safety: one thread.
// Invariants: 1. Every rival gets the same updates in the same order, so that equal tables stay equal in shape, too.
//   2. Afterwards each table holds the routes and results it held before.
// Source: docs/design.md, "Measuring".
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kbench/engine.hpp"
#include "kbench/lookup_bench.hpp"
#include "kbench/summary.hpp"

namespace fibtrie::kbench {

struct update_row {
  std::string engine, operation;
  double cpu_ns = 0;  // mean; the process's time, callback workers included
  summary ns;         // of single updates, by the wall clock
  double ratio = 0;   // own mean / baseline's; 0 without a baseline
};

// remove, add, flap, replace of `picks` random routes.  False: an update failed, and error tells which.
bool bench_updates(std::span<engine* const> engines, const std::string& baseline,
                   std::span<const io::table_route> routes, std::size_t picks, std::uint64_t seed,
                   const step_function& step, std::vector<update_row>& rows, std::string& error);

struct worst_row {
  std::string engine, what;
  summary ns;
  double ratio = 0;  // own median / baseline's; 0 without a baseline
};

// 0/0; 0/1 and 128/1 together; and of all routes up to /19 the one whose flap takes longest, again and again.
bool bench_worst(std::span<engine* const> engines, const std::string& baseline, std::span<const io::table_route> routes,
                 const step_function& step, std::vector<worst_row>& rows, std::string& error);

}  // namespace fibtrie::kbench
