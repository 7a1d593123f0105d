// SPDX-License-Identifier: MIT
// Cycles that an allocation and its freeing take, by batch and number of threads, all allocators in turn.
//
// Thread safety: one thread calls; it starts the others.
// Invariants: 1. Every round times every allocator once, so that a disturbance meets all of them.  2. What allocators
//   give is checked outside the timed part: objects of a batch do not overlap, and none is lost at the end.
// Source: docs/memory.md, "pools".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kbench/alloc/allocator.hpp"

namespace fibtrie::kbench {

struct alloc_plan {
  std::vector<unsigned> batches{1, 8, 32, 256};
  std::vector<unsigned> threads{1, 2};
  unsigned rounds = 9;
  unsigned pass_ms = 4;
  std::vector<int> cpus;  // thread i runs on the i-th, round and round
};

struct alloc_row {
  std::string allocator;
  unsigned batch = 0;
  unsigned threads = 0;
  std::vector<double> cycles;  // of one allocation and its freeing, of each round; the mean of the threads
  double median() const;
  double best() const;
};

// Empty error: all is well.
std::vector<alloc_row> bench_alloc(std::span<const std::unique_ptr<allocator>> rivals, const alloc_plan& plan,
                                   std::size_t object_bytes, std::string& error);

}  // namespace fibtrie::kbench
