// SPDX-License-Identifier: MIT
#include "kbench/summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trie/assert.hpp"

namespace fibtrie::kbench {

double percentile(std::span<const double> sorted, double percent) {
  FIBTRIE_ASSERT(!sorted.empty() && percent >= 0 && percent <= 100);
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
  return sorted[rank == 0 ? 0 : rank - 1];
}

summary summarise(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  summary s;
  s.count = values.size();
  s.min = values.front();
  s.max = values.back();
  s.average = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  s.p50 = percentile(values, 50);
  s.p90 = percentile(values, 90);
  s.p95 = percentile(values, 95);
  s.p99 = percentile(values, 99);
  for (double& value : values) value = std::abs(value - s.p50);
  std::sort(values.begin(), values.end());
  s.mad = percentile(values, 50);
  return s;
}

summary summarise(std::span<const std::uint64_t> ticks, double scale) {
  std::vector<double> values(ticks.size());
  std::transform(ticks.begin(), ticks.end(), values.begin(), [=](auto t) { return static_cast<double>(t) * scale; });
  return summarise(std::move(values));
}

}  // namespace fibtrie::kbench
