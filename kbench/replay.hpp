// SPDX-License-Identifier: MIT
// Replays of a stream of updates: rates of all rivals, the end table checked, and the memory a table takes after it.
//
// Thread safety: one thread.
// Invariants: 1. Counts, sizes and the end table's results are checked for each rival, outside the timed part.
//   2. Memory is the growth of the process, from before the table exists.
// Source: docs/design.md, "Measuring".
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kbench/lookup_bench.hpp"
#include "kbench/stream.hpp"

namespace fibtrie::kbench {

struct replay_row {
  std::string engine;
  std::size_t updates = 0;
  double cpu_ns = 0;   // per update; the process's time, callback workers included
  double wall_ns = 0;  // per update
  double ratio = 0;    // own rate / baseline's; 0 without a baseline
};

// All rivals in turn, block by block; their tables must hold the stream's start table.
bool race_replay(std::span<engine* const> engines, const std::string& baseline, const prepared_stream& stream,
                 const step_function& step, std::vector<replay_row>& rows, std::string& error);

struct memory_figures {
  std::size_t loaded_prefixes = 0, end_prefixes = 0;
  std::size_t loaded_bytes = 0;     // growth of the process once the table is loaded
  std::size_t compacted_bytes = 0;  // ... and compacted
  std::size_t replayed_bytes = 0;   // ... and the stream replayed, retired memory taken back
  std::size_t huge_bytes = 0;       // of the process, then: on 2 MB pages
  load_figures load;
  double compact_ns = 0;
  memory_stats kinds;  // after the replay
  double bytes_per_prefix() const noexcept {
    return end_prefixes == 0 ? 0 : static_cast<double>(replayed_bytes) / static_cast<double>(end_prefixes);
  }
};

using engine_maker = std::function<std::unique_ptr<engine>(std::string& error)>;

// With a table of its own, gone at the end.  Must run before anything else has filled and freed memory.
bool measure_memory(const engine_maker& make, std::span<const io::table_route> routes, const prepared_stream& stream,
                    memory_figures& figures, std::string& error);

}  // namespace fibtrie::kbench
