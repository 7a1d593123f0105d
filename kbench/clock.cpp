// SPDX-License-Identifier: MIT
#include "kbench/clock.hpp"

#include <time.h>

#include <algorithm>
#include <array>

namespace fibtrie::kbench {
namespace {

double measure_ticks_per_ns() {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const std::uint64_t first = ticks();
  auto now = start;
  while (now - start < std::chrono::milliseconds(50)) now = clock::now();
  const std::uint64_t last = ticks();
  return static_cast<double>(last - first) / std::chrono::duration<double, std::nano>(now - start).count();
}

double read_ns(clockid_t id) noexcept {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace

double ticks_per_ns() {
  static const double rate = measure_ticks_per_ns();
  return rate;
}

std::uint64_t timer_overhead_ticks() {
  std::array<std::uint64_t, 1001> samples{};
  for (auto& sample : samples) {
    const std::uint64_t start = ticks_fenced();
    sample = ticks_fenced() - start;
  }
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  return samples[samples.size() / 2];
}

double thread_cpu_ns() noexcept { return read_ns(CLOCK_THREAD_CPUTIME_ID); }
double process_cpu_ns() noexcept { return read_ns(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace fibtrie::kbench
