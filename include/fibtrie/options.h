// SPDX-License-Identifier: MIT
// What a table can be told at its creation: the shape policy (thresholds and size model) and limits.
//
// Thread safety: values only.
// Invariants: 1. A table accepts only policies that cannot swing between inflate and halve (is_stable,
// trie/policy.hpp). Source: thresholds and work limit of the kernel's fib_trie; truesize models as docs/design.md
// tells.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fibtrie {

// What a tnode of n slots is taken to cost when inflating or halving is weighed.
enum class size_model : std::uint8_t {
  exact,    // 8 bytes a slot: the kernel's rules
  kmalloc,  // what the kernel's slab hands out for 40 + 8 n bytes
  arena,    // what this library takes: slot, twin, header and descriptor
};

// When tnodes grow and shrink.  Percentages of used slots, as in the kernel; the top node has its own.
struct shape_policy {
  unsigned inflate_threshold = 50;
  unsigned halve_threshold = 25;
  unsigned root_inflate_threshold = 30;
  unsigned root_halve_threshold = 15;
  unsigned max_work = 10;  // inflates or halves in one visit of a tnode
  size_model model = size_model::exact;
};

// What to do when more than the limit of retired memory waits for readers.
enum class on_backlog : std::uint8_t { fail, wait };

struct fib_options {
  shape_policy policy{};
  std::size_t backlog_bytes = std::size_t{256} << 20;  // hard limit of retired, not yet reclaimed bytes
  std::size_t backlog_objects = std::size_t{1} << 22;  // the same, counted in objects
  on_backlog backlog = on_backlog::fail;
  // Address space to reserve, in prefixes; memory is taken as it is used.  Less is taken where the system's limits, or
  // the number of tables, would leave too little for others.
  std::size_t reserve_prefixes = std::size_t{1} << 28;
  bool huge_pages = true;  // ask for 2 MB pages where a region is large enough
  // Bytes of slots, headers, descriptors and entries in use, also by what waits for readers; what would need more fails
  // with no_memory, and a resize is skipped.  0: no limit.
  std::size_t memory_limit = 0;
};

}  // namespace fibtrie
