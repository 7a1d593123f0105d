// SPDX-License-Identifier: MIT
// lc_trie: making an empty table and ending one.
//
// Thread safety: no reader and no other writer may be there.
// Invariants: 1. Slot 0 answers "no route", slot 1 is the holder's, slots top_base.. are the top array; the rest is
// free.
//   2. An empty table touches less than 64 kB.
// Source: docs/design.md, "memory".
#pragma once

#include <algorithm>

#include "trie/lc_trie.hpp"
#include "trie/nodes.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
lc_trie<Key, Traits>::lc_trie(const rcu::domain& domain, const fib_options& options) noexcept
    : options_(options),
      rules_(options.policy),
      retired_(domain, {options.backlog_bytes, options.backlog_objects}),
      domain_(domain) {}

// Of the process.  relaxed (all uses): a hint.
inline std::atomic<std::size_t> open_tables{0};

// What is retired needs no reclaiming one by one: the regions go as a whole.
template <class Key, class Traits>
lc_trie<Key, Traits>::~lc_trie() {
  if (is_open_) open_tables.fetch_sub(1, std::memory_order_relaxed);
}

template <class Key, class Traits>
status lc_trie<Key, Traits>::open() noexcept {
  if (!rules_.is_stable() || options_.reserve_prefixes == 0) return status::invalid;
  constexpr std::size_t least = 4096;  // prefixes
  const bool huge = options_.huge_pages;
  const auto reserve = [&](std::size_t prefixes) {
    // On the densest trees an inflate may take four slots a prefix for a while; descriptors and headers are fewer than
    // prefixes.
    return arena_.reserve(4 * prefixes + 2 * top_base, huge, 2 * top_base) && headers_.reserve(prefixes, huge) &&
           descriptors_.reserve(prefixes, huge) && entries_.reserve(prefixes, huge) &&
           nexts_.reserve(prefixes * sizeof(std::uint32_t), false) &&
           short_ids_.reserve(2 * top_base * sizeof(std::uint32_t), false);
  };
  // The ranges share what the system grants: all shrink together until all are there.  Before that, a table takes no
  // more than leaves room for as many tables again.
  constexpr std::size_t bytes_per_prefix =
      4 * slot_bytes + 2 + sizeof(header_type) + sizeof(descriptor<Key>) + entry_bytes;
  const std::size_t share = mem::address_share(open_tables.load(std::memory_order_relaxed)) / bytes_per_prefix;
  std::size_t prefixes = std::clamp(std::min(options_.reserve_prefixes, share), least, std::size_t{1} << 28);
  while (!reserve(prefixes)) {
    if (prefixes == least) return status::no_memory;
    prefixes = std::max(prefixes / 2, least);
  }
  open_tables.fetch_add(1, std::memory_order_relaxed);
  is_open_ = true;
  for (unsigned bits = 1; bits < top_bits; ++bits) arena_.free(1u << bits, bits);
  // relaxed (all): no reader is there yet
  hot(0).store(no_route_word, std::memory_order_relaxed);
  hot(holder_slot).store(top_word, std::memory_order_relaxed);
  for (std::uint32_t cell = 0; cell < top_base; ++cell)
    hot(top_base + cell).store(no_route_word, std::memory_order_relaxed);
  header_type& holder = headers_[0];
  new (&holder) header_type();
  new (&entries_[0]) entry_type();
  holder.pos = width;
  holder.seen = visibility::seen;
  holder.empty_children = 1;
  holder.array.store(holder_slot, std::memory_order_relaxed);
  reader_.attach({arena_.hot(), arena_.twins(), entries_.data(), descriptors_.data(), headers_.data(), top_base,
                  top_bits, holder_slot, &short_id(0)});
  return status::ok;
}

}  // namespace fibtrie::trie
