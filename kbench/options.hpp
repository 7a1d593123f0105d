// SPDX-License-Identifier: MIT
// The command line of kbench.
//
// Thread safety: one thread.
// Invariants: 1. Options that were accepted are consistent: names known, numbers in range, quick defaults filled in.
// Source: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbench/engine.hpp"
#include "kbench/patterns.hpp"

namespace fibtrie::kbench {

struct options {
  std::string routes_file, updates_file, trace_file, json_file;
  std::size_t table_size = 0;  // of the generated table
  std::uint64_t seed = 1;
  std::vector<pattern> patterns;
  std::vector<lookup_mode> modes;
  std::vector<std::string> engines;
  std::string flavour = "memb";
  unsigned readers = 1;
  std::uint64_t rate = 100'000;  // updates a second beside readers
  unsigned rounds = 0;
  std::size_t addresses = 0;
  std::size_t picks = 0;
  unsigned thread_ms = 0;
  int cpu = -1;  // -1: the last one allowed
  bool quick = false, no_updates = false, skip_bad = false, no_compact = false;
};

// False: the program shall end with exit_code (help was asked for, or an error was told on stderr).
bool parse_options(int argc, char** argv, options& out, int& exit_code);

}  // namespace fibtrie::kbench
