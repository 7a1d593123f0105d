// SPDX-License-Identifier: MIT
// lc_trie: remove.
//
// Thread safety: one writer.
// Invariants: 1. Order of a remove: covers are handed over; the slot loses the leaf (or the list the entry); the entry
// is retired
//   with its cover and its list link untouched, since readers may still follow them; the trie is rebalanced.
//   2. A remove of what is there fails only before it begins.
// Source: section 6 of the kernel's behaviour; docs/design.md, "covers".
#pragma once

#include "trie/assert.hpp"
#include "trie/insert.hpp"
#include "trie/lc_trie.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
status lc_trie<Key, Traits>::remove(prefix_type route) noexcept {
  if (!is_valid(route)) return status::invalid;
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  const position at = find_for_update(route.key);
  std::uint32_t before = 0;
  const std::uint32_t id = at.found ? entry_in_leaf(id_of(at.ref), route.plen, before) : 0;
  if (id == 0) return status::not_found;

  if (drop_entry(at, before, id)) rebalance(at.node);
  return status::ok;
}

// Takes an entry out and retires it; true: its leaf is gone, and the tnode above may want another size.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::drop_entry(const position& at, std::uint32_t before, std::uint32_t entry_id) noexcept {
  const prefix_type route{entries_[entry_id].key, entries_[entry_id].plen};
  if (route.plen <= top_bits) {
    top_remove(entry_id);
  } else {
    hand_over(at.node, route, entry_id, cover_of(entry_id));
  }
  const bool last = before == 0 && next_of(entry_id) == 0;
  unlink_entry(at, before, entry_id);
  size_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: a count
  retire_entry(entry_id);
  return last;
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::unlink_entry(const position& at, std::uint32_t before, std::uint32_t entry_id) noexcept {
  const std::uint32_t next = next_of(entry_id);
  if (before != 0) {
    set_next(before, next);
  } else if (next != 0) {
    set_slot(at.node, at.index, twin_leaf | next);
  } else {
    const std::uint32_t cover = is_short(entry_id) ? 0 : cover_of(entry_id);
    set_slot(at.node, at.index, twin_empty | cover_from(twin_empty | cover, width - headers_[at.node].pos));
  }
}

}  // namespace fibtrie::trie
