// SPDX-License-Identifier: MIT
// lc_trie: add and replace.
//
// Thread safety: one writer.
// Invariants:
//   1. Order of an insert: the entry is complete; its leaf is published (a needed tnode with the leaf inside and grown
//      already, in one store, and after covers were handed over below it); covers are handed over; only then the tnodes
//      above are rebalanced.
//   2. All memory but that of resizes is allocated before the first store that a reader may see.
// Source: section 5 of the kernel's behaviour; docs/design.md, "covers".
#pragma once

#include <algorithm>

#include "trie/assert.hpp"
#include "trie/covers.hpp"
#include "trie/lc_trie.hpp"
#include "trie/slots.hpp"
#include "trie/top.hpp"
#include "trie/update_scope.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
status lc_trie<Key, Traits>::add(prefix_type route, std::uint32_t result) noexcept {
  if (!is_valid(route)) return status::invalid;
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  return insert(route, result, find_for_update(route.key));
}

template <class Key, class Traits>
status lc_trie<Key, Traits>::replace(prefix_type route, std::uint32_t result, bool* existed) noexcept {
  if (!is_valid(route)) return status::invalid;
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  const position at = find_for_update(route.key);
  std::uint32_t before = 0;
  const std::uint32_t id = at.found ? entry_in_leaf(id_of(at.ref), route.plen, before) : 0;
  if (existed != nullptr) *existed = id != 0;
  if (id == 0) return insert(route, result, at);
  // relaxed: the writer's own store
  if (entries_[id].result.load(std::memory_order_relaxed) != result) change_result(at, id, result);
  return status::ok;
}

// The entry of that length in a leaf's list, or 0; before = the entry it follows or would follow (0: none).
template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::entry_in_leaf(std::uint32_t first, unsigned plen,
                                                  std::uint32_t& before) const noexcept {
  before = 0;
  std::uint32_t id = first;
  while (id != 0 && entries_[id].plen > plen) {
    before = id;
    id = next_of(id);
  }
  return id != 0 && entries_[id].plen == plen ? id : 0;
}

template <class Key, class Traits>
status lc_trie<Key, Traits>::insert(prefix_type route, std::uint32_t result, const position& at) noexcept {
  std::uint32_t before = 0;
  if (at.found && entry_in_leaf(id_of(at.ref), route.plen, before) != 0) return status::exists;

  // The cover: for a key of its own it must not reach below the place where the key parts from what stands there.
  unsigned max_plen = route.plen == 0 ? 0 : route.plen - 1u;
  if (!at.found && !is_empty(at.ref)) {
    max_plen = std::min(max_plen, width - 1 - highest_difference(route.key, key_of(at.ref)));
  }
  const std::uint32_t cover = route.plen <= top_bits ? 0 : cover_from(at.ref, max_plen);
  const std::uint32_t id = new_entry(route, result, cover);
  if (id == 0) return status::no_memory;

  if (at.found) {
    set_next(id, before != 0 ? next_of(before) : id_of(at.ref));
    if (before != 0) {
      set_next(before, id);
    } else {
      set_slot(at.node, at.index, twin_leaf | id);
    }
  } else if (is_empty(at.ref)) {
    set_slot(at.node, at.index, twin_leaf | id);
  } else if (!insert_pair(at, id)) {
    entries_.free(id);
    return status::no_memory;
  }
  size_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
  if (route.plen <= top_bits) {
    top_insert(id);
  } else {
    hand_over(at.node, route, cover, id);
  }
  if (!at.found) rebalance(at.node);
  return status::ok;
}

// The slot is taken by another key: a one-bit tnode takes its place, with the new leaf and what stood there.  It is
// brought into shape before readers see it, since most pairs grow at once.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::insert_pair(const position& at, std::uint32_t entry_id) noexcept {
  begin_hidden(at.node, at.index, at.ref);
  const Key key = entries_[entry_id].key;
  const unsigned pos = highest_difference(key, key_of(at.ref));
  const Key node_key = static_cast<Key>(key & ~low_mask<Key>(pos + 1));
  const std::uint32_t node = new_tnode(node_key, pos, 1, cover_from(at.ref, width - 1 - pos), at.node);
  bool done = node != 0 && ensure_reachable(at.node, node);
  if constexpr (Traits::fault_publish_incomplete) {
    hidden_.active = false;
    if (done) store_slot(at.node, at.index, twin_tnode | node);
    hidden_.active = true;
  }
  if (done) {
    const std::uint32_t side = index_in(node, key);
    done = put(node, side ^ 1, at.ref) && put(node, side, twin_leaf | entry_id);
  }
  if (!done) {
    abandon();
    end_hidden();
    return false;
  }
  set_slot(at.node, at.index, twin_tnode | node);
  if (is_tnode_ref(at.ref)) headers_[id_of(at.ref)].parent = node;
  resize(node);
  hand_over_hidden(entry_id);
  end_hidden();
  return true;
}

// What stood in the slot may be inside the new route.  It and the unseen tnodes above it get the route as their cover
// before readers find the new leaf: one that still stands at the old place, or goes on by way of twins, would else see
// the new answer, while a lookup that begins later comes to a slot that still shows the old one.
template <class Key, class Traits>
void lc_trie<Key, Traits>::hand_over_hidden(std::uint32_t entry_id) noexcept {
  const prefix_type route{entries_[entry_id].key, entries_[entry_id].plen};
  if (route.plen <= top_bits || route.plen == width || Traits::fault_no_hand_over) return;
  hidden_.active = false;  // stores go to tnodes below the hidden slot, never to itself
  hand_over_tnode(id_of(hidden_.ref), route, cover_of(entry_id), entry_id);
  hidden_.active = true;
}

}  // namespace fibtrie::trie
