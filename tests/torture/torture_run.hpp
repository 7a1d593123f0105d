// SPDX-License-Identifier: MIT
// One run over one RCU flavour: readers of all kinds, one writer, writers that only retire, thread churn and stalls.
//
// Thread safety: run() starts and joins its threads.
// Invariants: 1. A run is good when no answer was wrong, no object was seen poisoned or older than one grace period,
//   every thread got on, and the tables were right at the end.
// Source: rcutorture; docs/guarantees.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/torture/aged_objects.hpp"

namespace fibtrie::torture {

struct torture_options {
  std::string flavour = "memb";
  std::chrono::milliseconds duration{3000};
  std::uint64_t lookups = 0;  // not 0: goes on until batch readers have done so many
  unsigned readers = 2;       // of the bulk kind, which look up in batches; others come on top
  unsigned fake_writers = 2;
  std::size_t table_size = 20'000;
  std::uint64_t update_rate = 0;  // of the large table, updates a second; 0: as many as go
  bool stalls = true;
  bool canary = false;  // objects are reclaimed without waiting: the run must fail
  std::uint64_t seed = 1;
};

struct member_report {
  std::string kind;
  std::uint64_t done = 0;
  std::uint64_t wrong = 0;
  double longest_gap_ms = 0;
};

struct torture_report {
  std::vector<member_report> members;
  age_histogram ages{};
  std::uint64_t poison = 0;
  std::uint64_t grace_periods = 0;
  std::uint64_t threads_started = 0;
  std::size_t distinct_answers = 0;
  double seconds = 0;
  std::string problem;  // empty: good
};

// False: there is no such flavour.
bool run_torture(const torture_options& options, torture_report& out);

}  // namespace fibtrie::torture
