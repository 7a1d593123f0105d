// SPDX-License-Identifier: MIT
// What the benchmark runs on: processor, caches, pages, compiler, pinning; and the memory the process takes.
//
// Thread safety: all functions may be called from any thread; pin_to_cpu acts on the calling one.
// Invariants: 1. What the system does not tell is empty or zero, never guessed.
// Source: proc(5), sysfs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/process_memory.hpp"

namespace fibtrie::kbench {

struct cache_info {
  std::string type;  // Data, Instruction, Unified
  int level = 0;
  std::size_t size_bytes = 0;
  int sharing_cpus = 0;
};

struct machine_info {
  std::string host, kernel, cpu, date, compiler, flags;
  std::string vectors;  // AVX-512, AVX2, or none of them
  unsigned cpus = 0;
  double tsc_ghz = 0;
  std::vector<cache_info> caches;
  std::vector<double> load_average;
  std::string huge_pages_mode;  // transparent huge pages: always, madvise, never
  int pinned_cpu = -1;
};

machine_info describe_machine();

// The CPUs this process may run on, ascending.
std::vector<int> allowed_cpus();
// False when the system refuses.
bool pin_to_cpu(int cpu);

using io::resident_bytes;       // memory the process takes at the moment
std::size_t huge_page_bytes();  // the part of it on 2 MB pages (AnonHugePages)
// Hands freed memory back to the system, so that it hides no growth.
void trim_heap();

}  // namespace fibtrie::kbench
