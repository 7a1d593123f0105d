// SPDX-License-Identifier: MIT
// Order statistics of measured values.
//
// Thread safety: values only.
// Invariants: 1. Percentiles are values that were measured (nearest rank), never interpolated.
// Source: the figures that the kernel's kbench module prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fibtrie::kbench {

struct summary {
  std::size_t count = 0;
  double min = 0, max = 0, average = 0;
  double p50 = 0, p90 = 0, p95 = 0, p99 = 0;
  double mad = 0;  // median absolute deviation from p50
};

// The smallest value that at least percent % of the values do not exceed; sorted must not be empty.
double percentile(std::span<const double> sorted, double percent);
// All zero without values.
summary summarise(std::vector<double> values);
// Ticks times scale.
summary summarise(std::span<const std::uint64_t> ticks, double scale);

}  // namespace fibtrie::kbench
