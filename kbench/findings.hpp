// SPDX-License-Identifier: MIT
// Everything a run of the benchmark has found, as the reports take it.
//
// Thread safety: values only.
// Invariants: 1. Parts that were not asked for are empty.
// Source: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbench/lookup_bench.hpp"
#include "kbench/machine.hpp"
#include "kbench/replay.hpp"
#include "kbench/thread_bench.hpp"
#include "kbench/update_bench.hpp"

namespace fibtrie::kbench {

inline constexpr const char* subject_name = "lc_trie";
inline constexpr const char* baseline_name = "kernel-walk";
inline constexpr const char* flow_engine_name = "fib_net";  // and fib_net-quick beside it

struct load_row {
  std::string engine;
  load_figures load;
  std::string longest_route;
  std::optional<double> compact_ns;    // where the engine can compact
  std::optional<double> scattered_ns;  // of a lookup (first pattern, scalar) before compact() ...
  std::optional<double> compacted_ns;  // ... and after
  std::size_t resident_growth_bytes = 0;
};

struct stream_info {
  std::string source;
  prepared_stream stream;
};

struct findings {
  machine_info machine;
  std::string table_source, flavour;
  std::size_t table_size = 0;
  trie_stats shape;
  bool shapes_compared = false;  // and equal
  std::vector<address_set> sets;
  std::size_t addresses_compared = 0;
  std::vector<load_row> loads;
  std::optional<memory_figures> memory;
  std::vector<lookup_row> lookups;
  std::uint64_t timer_overhead_cycles = 0;
  std::vector<single_row> singles;
  std::size_t picks = 0;
  std::vector<update_row> updates;
  std::vector<worst_row> worst;
  std::optional<stream_info> stream;
  std::vector<replay_row> replays;
  std::vector<thread_row> threads;
};

}  // namespace fibtrie::kbench
