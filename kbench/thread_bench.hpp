// SPDX-License-Identifier: MIT
// Lookup rates of several reader threads, with the writer idle, updating at a given rate, and at full speed.
//
// Thread safety: one thread calls; it is the writer.
// Invariants: 1. Every reader is registered and opens read sections of its own.  2. Readers run on the CPUs after the
//   writer's, round and round.  3. The three are run in turn, several times, so that a disturbance meets all of them.
// Source: docs/design.md, "Measuring".
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "kbench/engine.hpp"
#include "kbench/lookup_bench.hpp"

namespace fibtrie::kbench {

enum class writer_pace : std::uint8_t { idle, paced, busy };
const char* to_text(writer_pace pace) noexcept;

struct thread_row {
  std::string engine, pattern;
  lookup_mode mode = lookup_mode::scalar;
  writer_pace writer = writer_pace::idle;
  std::vector<double> lookups_per_s;  // of each reader; medians of the rounds
  double updates_per_s = 0;           // median
  double longest_gap_us = 0;          // the longest that 4096 lookups of a reader took, in any round
  double total() const noexcept {
    double sum = 0;
    for (const double rate : lookups_per_s) sum += rate;
    return sum;
  }
};

struct thread_plan {
  unsigned readers = 1;
  std::chrono::milliseconds duration{1000};  // of a row, all rounds together
  std::vector<int> cpus;                     // the writer's first
  std::uint64_t rate = 100'000;              // updates a second of a paced writer
  unsigned rounds = 5;
};

// The rows (idle, paced, busy) of one mode; without updates the first alone.  The updates are applied over and over;
// rival must read beside its writer.
std::vector<thread_row> bench_threads(engine& rival, const address_set& set, lookup_mode mode, const thread_plan& plan,
                                      std::span<const update> updates);

}  // namespace fibtrie::kbench
