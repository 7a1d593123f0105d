// SPDX-License-Identifier: MIT
// lc_trie: what a table takes, by kind, and its limit.
//
// Thread safety: the writer's, or while it is at rest.
// Invariants: 1. Of each kind, live + retired = what its allocator has in use; verify_invariants() counts the live ones
//   anew.  2. Live, retired and free bytes are what the records take; resident ones are asked of the system.
// Source: docs/memory.md.
#pragma once

#include "trie/lc_trie.hpp"
#include "trie/nodes.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
memory_stats lc_trie<Key, Traits>::memory() const noexcept {
  memory_stats m;
  m.slot_bytes = std::size_t{arena_.live_slots()} * slot_bytes;
  m.header_bytes = std::size_t{headers_.live()} * sizeof(header_type);
  m.descriptor_bytes = std::size_t{descriptors_.live()} * sizeof(descriptor<Key>);
  m.entry_bytes = std::size_t{entries_.live()} * entry_bytes;
  m.arena_top_bytes = std::size_t{arena_.top()} * slot_bytes;
  const auto backlog = retired_.backlog();
  m.backlog_bytes = backlog.bytes;
  m.backlog_objects = backlog.objects;
  m.reserved_bytes = arena_.reserved_bytes() + headers_.reserved_bytes() + descriptors_.reserved_bytes() +
                     entries_.reserved_bytes() + nexts_.size() + short_ids_.size();
  return m;
}

// What the limit counts: all that is in use, also by what waits for readers.
template <class Key, class Traits>
std::size_t lc_trie<Key, Traits>::taken_bytes() const noexcept {
  return (std::size_t{arena_.live_slots()} - arena_.run_left()) * slot_bytes +
         std::size_t{headers_.live()} * sizeof(header_type) +
         std::size_t{descriptors_.live()} * sizeof(descriptor<Key>) + std::size_t{entries_.live()} * entry_bytes;
}

template <class Key, class Traits>
bool lc_trie<Key, Traits>::within_limit(std::size_t more) const noexcept {
  return options_.memory_limit == 0 || taken_bytes() + more <= options_.memory_limit;
}

template <class Key, class Traits>
memory_report lc_trie<Key, Traits>::report_memory() const {
  const auto pool_row = [](const char* kind, const auto& pool, std::size_t bytes, std::size_t retired) {
    const std::size_t fixed = bytes;  // record 0 is never given out
    return memory_row{kind,
                      (pool.live() - retired) * bytes + fixed,
                      retired * bytes,
                      (std::size_t{pool.top()} - 1 - pool.live()) * bytes,
                      pool.resident_bytes(),
                      pool.huge_bytes()};
  };
  const auto arena = arena_.in_memory();
  const std::size_t links = std::size_t{entries_.top()} * sizeof(std::uint32_t);
  const std::size_t shorts = 2 * top_base * sizeof(std::uint32_t);
  const std::size_t own =
      sizeof(*this) + unseen_.capacity_bytes() + retire_later_.capacity_bytes() + made_.capacity_bytes();
  memory_report report;
  report.rows = {{"slots", (arena_.live_slots() - waiting_.slots) * slot_bytes, waiting_.slots * slot_bytes,
                  std::size_t{arena_.top() - arena_.live_slots()} * slot_bytes, arena.slots, arena.slots_huge},
                 {"block map", arena_.top() / 2, 0, 0, arena.map, 0},
                 pool_row("headers", headers_, sizeof(header_type), waiting_.headers),
                 pool_row("descriptors", descriptors_, sizeof(descriptor<Key>), waiting_.descriptors),
                 pool_row("entries", entries_, sizeof(entry_type), waiting_.entries),
                 {"links", links, 0, 0, nexts_.resident_bytes(links), 0},
                 {"short prefixes", shorts, 0, 0, short_ids_.resident_bytes(shorts), 0},
                 {"retire chunks", retired_.memory_bytes(), 0, 0, retired_.memory_bytes(), 0},
                 {"the table itself", own, 0, 0, own, 0}};
  return report;
}

}  // namespace fibtrie::trie
