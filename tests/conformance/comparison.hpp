// SPDX-License-Identifier: MIT
// One program, played by the running kernel and by the library, and what they disagree about.
//
// Thread safety: a run has a thread of its own, in a network namespace of its own.
// Invariants: 1. Compared are the answer and the messages of each operation; after each batch the texts of /proc, the
//   dump of all routes, and lookups by table and by the rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tests/conformance/random_program.hpp"

namespace fibtrie::conformance {

struct difference {
  std::size_t operation = 0;  // from 1; the last one that was played
  std::string what;           // "route dump", ...; the same fault has the same word
  std::string kernel;
  std::string library;
};

struct run_counts {
  std::size_t operations = 0, succeeded = 0, messages = 0, routes = 0, lookups = 0, found = 0;
};

// Plays until the first difference.
std::optional<difference> compare(const program& p, std::size_t batch, run_counts& counts);

// The program without what the difference does not need.
program shrink(const program& p, std::size_t batch, const difference& seen);

}  // namespace fibtrie::conformance
