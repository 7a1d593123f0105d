// SPDX-License-Identifier: MIT
// Random operation lists that a kernel and the library are both to play.
//
// Thread safety: values; functions of their arguments.
// Invariants: 1. The same seed and length give the same program.  2. Every line is one that io::parse_operation()
// takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fibtrie/flow.h"
#include "io/ops.hpp"

namespace fibtrie::conformance {

struct program {
  io::list_settings settings;
  bool promote_secondaries = false;
  std::vector<std::string> lines;
  std::vector<flow4> questions;  // asked after each batch
};

program random_program(std::uint64_t seed, std::size_t operations);

// As an operation list to replay.
std::string list_text(const program& p);

}  // namespace fibtrie::conformance
