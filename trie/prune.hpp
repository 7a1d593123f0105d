// SPDX-License-Identifier: MIT
// lc_trie: dropping many prefixes in one pass, and undoing an update without needing memory.
//
// Thread safety: one writer.
// Invariants: 1. Prefixes are asked for in descending order of keys, within a key the longer one first; a dropped one
// goes
//   as remove() takes it, but without rebalancing.  2. Then each tnode is resized once, children before their parent,
//   from the right to the left; that this comes after all drops, not between them, is the same: a resize looks at
//   nothing but its own tnode and what is below.
//   3. Once begun, a pass cannot fail; a resize that finds no memory is skipped and counted.
// Source: section 11 of the kernel's behaviour.
#pragma once

#include <optional>

#include "trie/assert.hpp"
#include "trie/lc_trie.hpp"
#include "trie/remove.hpp"
#include "trie/resize.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
template <class Decide>
status lc_trie<Key, Traits>::prune(std::size_t drops, Decide&& decide) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  if (!reserve_retire(drops)) return status::no_memory;
  [[maybe_unused]] const std::size_t before = size();
  prune_slot(0, 0, decide);
  FIBTRIE_ASSERT(size() + drops >= before);
  if (is_tnode_ref(slot_ref(0, 0))) resize_all(id_of(slot_ref(0, 0)));
  return status::ok;
}

template <class Key, class Traits>
template <class Decide>
void lc_trie<Key, Traits>::prune_slot(std::uint32_t node, std::uint32_t index, Decide& decide) {
  const twin_ref ref = slot_ref(node, index);
  if (is_empty(ref)) return;
  if (is_tnode_ref(ref)) {
    const std::uint32_t child = id_of(ref);
    for (std::uint32_t slot = headers_[child].slots(); slot-- > 0;) prune_slot(child, slot, decide);
    return;
  }
  const Key key = entries_[id_of(ref)].key;
  for (std::uint32_t id = id_of(ref); id != 0;) {
    const std::uint32_t next = next_of(id);
    const prefix_type route{key, entries_[id].plen};
    const std::uint32_t old = entries_[id].result.load(std::memory_order_relaxed);  // relaxed: the writer's own store
    const std::optional<std::uint32_t> now = decide(route, old);
    const position at{node, index, slot_ref(node, index), true};
    if (!now) {
      std::uint32_t before = 0;
      entry_in_leaf(id_of(at.ref), route.plen, before);
      drop_entry(at, before, id);
    } else if (*now != old) {
      change_result(at, id, *now);
    }
    id = next;
  }
}

// Children before their parent, from the right to the left; what a resize makes is not looked at again.
template <class Key, class Traits>
void lc_trie<Key, Traits>::resize_all(std::uint32_t node) noexcept {
  for (std::uint32_t index = headers_[node].slots(); index-- > 0;) {
    const twin_ref ref = slot_ref(node, index);
    if (is_tnode_ref(ref)) resize_all(id_of(ref));
  }
  if (reserve_retire(0)) {
    resize(node);
  } else {
    ++counters_.skipped_resizes;
  }
}

// For an update that has to be undone: what waits for readers gives its room back, if there is no other.
template <class Key, class Traits>
void lc_trie<Key, Traits>::begin_undo() noexcept {
  // acquire: as in begin_update().  The caller is the only writer.
  [[maybe_unused]] const bool busy = updating_.exchange(true, std::memory_order_acquire);
  FIBTRIE_ASSERT(!busy);
  made_.clear();
  constexpr std::size_t records = width + 4;
  if (retired_.reserve(records)) return;
  retired_.barrier();
  reclaim();
  [[maybe_unused]] const bool enough = retired_.reserve(records);
  FIBTRIE_ASSERT(enough);
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::take_back(prefix_type route) noexcept {
  begin_undo();
  const position at = find_for_update(route.key);
  std::uint32_t before = 0;
  const std::uint32_t id = at.found ? entry_in_leaf(id_of(at.ref), route.plen, before) : 0;
  FIBTRIE_ASSERT(id != 0);
  if (drop_entry(at, before, id)) rebalance(at.node);
  end_update();
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::put_back(prefix_type route, std::uint32_t result) noexcept {
  begin_undo();
  const position at = find_for_update(route.key);
  std::uint32_t before = 0;
  const std::uint32_t id = at.found ? entry_in_leaf(id_of(at.ref), route.plen, before) : 0;
  FIBTRIE_ASSERT(id != 0);
  change_result(at, id, result);
  end_update();
}

}  // namespace fibtrie::trie
