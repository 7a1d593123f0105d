// SPDX-License-Identifier: MIT
// Lookup rates of several reader threads, with the writer idle and with the writer replaying updates at full speed.
//
// Thread safety: one thread calls; it is the writer.
// Invariants: 1. Every reader is registered and opens read sections of its own.  2. Readers run on the CPUs after the
//   writer's, round and round.
// Source: docs/design.md, "Measuring".
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "kbench/engine.hpp"
#include "kbench/lookup_bench.hpp"

namespace fibtrie::kbench {

struct thread_row {
  std::string engine, pattern;
  lookup_mode mode = lookup_mode::scalar;
  bool is_writing = false;
  std::vector<double> lookups_per_s;  // of each reader
  double updates_per_s = 0;
  double total() const noexcept {
    double sum = 0;
    for (const double rate : lookups_per_s) sum += rate;
    return sum;
  }
};

struct thread_plan {
  unsigned readers = 1;
  std::chrono::milliseconds duration{1000};
  std::vector<int> cpus;  // the writer's first
};

// Both rows (idle, writing) of one mode.  The updates are applied over and over; rival must read beside its writer.
std::vector<thread_row> bench_threads(engine& rival, const address_set& set, lookup_mode mode, const thread_plan& plan,
                                      std::span<const update> updates);

}  // namespace fibtrie::kbench
