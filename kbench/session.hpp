// SPDX-License-Identifier: MIT
// One run of kbench: inputs, tables, every part of the benchmark in order, and the findings.
//
// Thread safety: one thread, which is the writer of all tables.
// Invariants: 1. Memory is measured first, before anything has freed memory that would hide growth.
//   2. Nothing is reported of a run whose answers, shapes or end tables were wrong.
// Source: docs/design.md, "Measuring".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kbench/findings.hpp"
#include "kbench/options.hpp"
#include "kbench/step_line.hpp"

namespace fibtrie::kbench {

enum class outcome : int { good = 0, wrong = 1, bad_input = 2 };

class session {
 public:
  explicit session(const options& chosen) : options_(chosen) {}

  outcome run();
  const findings& found() const noexcept { return found_; }
  const std::string& error() const noexcept { return error_; }  // why run() was not good

 private:
  outcome read_inputs();
  bool prepare_stream_input();
  bool make_address_sets();
  bool measure_memory_alone();
  bool make_engines();
  bool load_engine(engine& rival);
  bool compare_shapes();
  bool bench_lookups();
  void bench_singles();
  bool bench_all_updates();
  bool bench_readers();
  bool has_rival(const std::string& name) const;
  engine* find_engine(const std::string& name) const;
  bool make_flow_engines();
  std::vector<const engine*> readers_of_rivals() const { return {rivals_.begin(), rivals_.end()}; }
  step_function stepper() {
    return [this](const std::string& text) { steps_.say(text); };
  }

  const options options_;
  findings found_;
  std::string error_;
  step_line steps_;
  std::vector<io::table_route> routes_;
  std::vector<int> cpus_;
  std::vector<std::unique_ptr<engine>> engines_;       // those that race, and the judge
  std::vector<engine*> rivals_;                        // those that race
  std::vector<std::unique_ptr<engine>> flow_engines_;  // those that race in lookups alone
  const engine* judge_ = nullptr;                      // kernel-walk
};

}  // namespace fibtrie::kbench
