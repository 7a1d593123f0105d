// SPDX-License-Identifier: MIT
// lc_trie: the top array, which answers for prefixes of up to top_bits bits, so that they need no cover chains.
//
// Thread safety: the writer's; readers load cells.
// Invariants: 1. Cell b holds the answer of the longest prefix of at most top_bits bits that covers b's range; its twin
// that
//   entry's id (0: none).  2. short_ids_[short_index(p)] = the entry of p, 0 if there is none.
// Progress: at most 2^top_bits cells are stored.
// Source: docs/design.md, "short prefixes".
#pragma once

#include "trie/assert.hpp"
#include "trie/lc_trie.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
void lc_trie<Key, Traits>::store_top(std::uint32_t slot, std::uint32_t entry_id) noexcept {
  // release (both): the entry is complete.  relaxed loads: the writer's own stores
  if (twin(slot).load(std::memory_order_relaxed) != entry_id) {
    twin(slot).store(entry_id, std::memory_order_release);
    Traits::stored();
  }
  const slot_word word = answer_word(entry_id);
  if (hot(slot).load(std::memory_order_relaxed) == word) return;
  hot(slot).store(word, std::memory_order_release);
  ++counters_.visible_stores;
  Traits::stored();
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::top_insert(std::uint32_t entry_id) noexcept {
  const entry_type& e = entries_[entry_id];
  short_id(short_index(prefix_type{e.key, e.plen}))
      .store(entry_id, std::memory_order_release);  // release: e is complete
  const std::uint32_t first = reader_.top_slot(e.key);
  for (std::uint32_t slot = first; slot < first + (1u << (top_bits - e.plen)); ++slot) {
    const std::uint32_t now = twin(slot).load(std::memory_order_relaxed);  // relaxed: the writer's own store
    if (now == 0 || entries_[now].plen < e.plen) store_top(slot, entry_id);
  }
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::top_remove(std::uint32_t entry_id) noexcept {
  const entry_type& e = entries_[entry_id];
  short_id(short_index(prefix_type{e.key, e.plen})).store(0, std::memory_order_release);  // release: as in top_insert()
  std::uint32_t next = 0;
  for (unsigned plen = e.plen; next == 0 && plen-- > 0;) {
    const prefix_type shorter{static_cast<Key>(e.key & prefix_mask<Key>(plen)), static_cast<std::uint8_t>(plen)};
    next = short_id(short_index(shorter)).load(std::memory_order_relaxed);  // relaxed: the writer's own store
  }
  const std::uint32_t first = reader_.top_slot(e.key);
  for (std::uint32_t slot = first; slot < first + (1u << (top_bits - e.plen)); ++slot) {
    // relaxed: the writer's own store
    if (twin(slot).load(std::memory_order_relaxed) == entry_id) store_top(slot, next);
  }
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::top_rewrite(std::uint32_t entry_id) noexcept {
  const entry_type& e = entries_[entry_id];
  const std::uint32_t first = reader_.top_slot(e.key);
  for (std::uint32_t slot = first; slot < first + (1u << (top_bits - e.plen)); ++slot) {
    // relaxed: the writer's own store
    if (twin(slot).load(std::memory_order_relaxed) == entry_id) store_top(slot, entry_id);
  }
}

}  // namespace fibtrie::trie
