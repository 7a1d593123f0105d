// SPDX-License-Identifier: MIT
// Figures of a table: its shape as /proc/net/fib_triestat counts it, and the memory it takes.
//
// Thread safety: values only.
// Invariants: 1. null_pointers + leaves + tnodes - (root slot) = pointers, when the table is at rest.
// Source: section "Text of the /proc files" of the kernel's behaviour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fibtrie {

// Counted from the trie at the time of the call.
struct trie_stats {
  std::uint64_t leaves = 0;
  std::uint64_t prefixes = 0;
  std::uint64_t depth_sum = 0;  // sum over leaves of the number of tnodes above
  std::uint64_t max_depth = 0;
  std::uint64_t pointers = 0;       // sum of 2^bits
  std::uint64_t null_pointers = 0;  // sum of empty_children
  std::array<std::uint64_t, 129> tnodes_by_bits{};

  constexpr std::uint64_t tnodes() const noexcept {
    std::uint64_t sum = 0;
    for (auto n : tnodes_by_bits) sum += n;
    return sum;
  }
};

// Bytes in use and bytes taken, by kind.
struct memory_stats {
  std::size_t slot_bytes = 0;        // live child arrays: hot words and twins
  std::size_t header_bytes = 0;      // live tnode headers
  std::size_t descriptor_bytes = 0;  // live escape descriptors
  std::size_t entry_bytes = 0;       // live prefix entries, hot and cold part
  std::size_t arena_top_bytes = 0;   // hot words and twins up to the highest array ever used and not given back
  std::size_t backlog_bytes = 0;     // retired, waiting for readers
  std::size_t backlog_objects = 0;
  std::size_t reserved_bytes = 0;  // address space
};

// What one kind of a table's memory takes, in bytes.
struct memory_row {
  const char* kind = "";
  std::size_t live = 0;      // in use
  std::size_t retired = 0;   // waits for readers
  std::size_t free = 0;      // given back to the table's own allocators, for the next ones
  std::size_t resident = 0;  // memory of the system's: what is more than the three is begun pages, what is less are
                             // pages that nobody touched
  std::size_t huge = 0;      // of the resident ones on 2 MB pages
};

// Every byte a table costs, by kind.
struct memory_report {
  std::vector<memory_row> rows;

  memory_row sum() const noexcept {
    memory_row all{"all"};
    for (const memory_row& row : rows) {
      all.live += row.live;
      all.retired += row.retired;
      all.free += row.free;
      all.resident += row.resident;
      all.huge += row.huge;
    }
    return all;
  }
};

// Retired memory: what waits for readers, and what has been.  Figures of one moment need not fit each other.
struct backlog_stats {
  std::size_t objects = 0;
  std::size_t bytes = 0;
  std::uint64_t retired = 0;    // objects, since the table was made
  std::uint64_t reclaimed = 0;  // of these
  double oldest_ms = 0;         // how long the oldest chunk that was handed over has waited; 0: none waits
};

// What the writer did since the table was made.
struct writer_stats {
  std::uint64_t inflates = 0;
  std::uint64_t halves = 0;
  std::uint64_t collapses = 0;
  std::uint64_t skipped_resizes = 0;  // no memory for a better shape; the table is right, only less balanced
  std::uint64_t visible_stores = 0;   // stores that a reader could see
  std::uint64_t handed_over = 0;      // covers changed
};

}  // namespace fibtrie
