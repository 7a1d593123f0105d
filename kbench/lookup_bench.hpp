// SPDX-License-Identifier: MIT
// Lookup benchmarks: rivals raced round by round, their answers compared, and single lookups timed.
//
// Thread safety: one thread; the tables must be at rest.
// Invariants: 1. Answers are compared outside the timed passes, every address in every mode.
//   2. In a round each rival runs once in each mode, one after the other.
// Source: docs/design.md, "Measuring"; the kernel's kbench module for single lookups.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kbench/engine.hpp"
#include "kbench/summary.hpp"

namespace fibtrie::kbench {

// The named addresses of a race.
struct address_set {
  std::string name;
  std::vector<key32> addresses;
  double hit_rate = 0;  // share of addresses that match a route; set by compare_answers
};

// Per lookup.
struct pass_time {
  double cpu_ns = 0;   // the thread's own time
  double wall_ns = 0;  // with what others took of the CPU
};

struct lookup_row {
  std::string engine, pattern;
  lookup_mode mode = lookup_mode::scalar;
  bool is_scalar_loop = false;  // the engine has no loop of its own for the mode; these are its scalar passes
  std::size_t lookups = 0;      // of one pass
  std::vector<pass_time> passes;
  double ratio = 0;  // baseline's median time / own median time; 0 without a baseline

  double median_ns() const;
  double best_ns() const;
  double median_wall_ns() const;
  std::string name() const { return engine + "/" + pattern + "/" + to_text(mode); }
};

using step_function = std::function<void(const std::string&)>;

// Compares every engine in every mode with the judge's scalar answers.  False: error names the first difference.
bool compare_answers(const engine& judge, std::span<const engine* const> engines, std::span<const lookup_mode> modes,
                     address_set& set, std::string& error);

// One row per engine and mode, ratios to the engine named baseline.
std::vector<lookup_row> race(std::span<const engine* const> engines, const std::string& baseline,
                             std::span<const lookup_mode> modes, const address_set& set, unsigned rounds,
                             const step_function& step);

// The habit of the kernel's kbench module: warm-up, then each lookup timed alone.
struct single_row {
  std::string engine, pattern;
  std::size_t warm_up = 0;
  summary cycles;
};
single_row time_singly(const engine& rival, const std::string& pattern, std::span<const key32> warm_up,
                       std::span<const key32> addresses);

// count addresses evenly over 0.0.0.0 to 223.255.255.255 without 127/8: that module's linear scan.
std::vector<key32> linear_scan(std::size_t count);

}  // namespace fibtrie::kbench
