// SPDX-License-Identifier: MIT
// The project's goals on a full table, and whether a run's figures reach them.
//
// Thread safety: values only.
// Invariants: 1. A goal whose figure was not measured does not appear.  2. All figures are of one run.
// Source: README.md, "Goals".
#pragma once

#include <string>
#include <vector>

#include "kbench/findings.hpp"

namespace fibtrie::kbench {

struct goal {
  std::string what;
  double figure = 0;
  bool at_least = true;  // else at most
  double bound = 0;
  std::string unit;
  bool holds() const noexcept { return at_least ? figure >= bound : figure <= bound; }
};

std::vector<goal> judge_goals(const findings& found);

// The goals are meant for tables of the Internet's size: on small ones, which fit the caches, they say nothing.
bool is_full_table(const findings& found) noexcept;

}  // namespace fibtrie::kbench
