// SPDX-License-Identifier: MIT
// lc_trie: moving child arrays side by side in walk order, which makes lookups faster; shape and answers stay.
//
// Thread safety: one writer; readers see the old or the new array, which are equal.
// Invariants: 1. The new array is complete before a word names it.  2. The old one is retired after the last word that
// named it. Progress: a call moves about max_slots slots; one array is moved whole. Source: docs/design.md,
// "compaction".
#pragma once

#include "trie/lc_trie.hpp"
#include "trie/update_scope.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
status lc_trie<Key, Traits>::compact(std::size_t max_slots, bool* more) noexcept {
  if (more != nullptr) *more = true;
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  std::size_t budget = max_slots;
  arena_.plan_run(max_slots);
  const twin_ref top = slot_ref(0, 0);
  const status code = is_tnode_ref(top) ? compact_below(id_of(top), budget) : status::ok;
  arena_.close_run();
  const bool finished = code == status::ok && budget > 0;
  if (finished) {  // the next call begins a new round
    compact_key_ = 0;
    compact_pos_ = width;
    retired_.submit();
  }
  if (more != nullptr) *more = !finished;
  return code;
}

// Stops, remembering where, once the budget is used up.
template <class Key, class Traits>
status lc_trie<Key, Traits>::compact_below(std::uint32_t node, std::size_t& budget) noexcept {
  const header_type& h = headers_[node];
  const Key last = static_cast<Key>(h.key | low_mask<Key>(h.pos + h.bits));
  if (last < compact_key_) return status::ok;
  if (h.key > compact_key_ || (h.key == compact_key_ && h.pos <= compact_pos_)) {
    compact_key_ = h.key;
    compact_pos_ = h.pos;
    if (budget == 0) return status::ok;
    const status code = move_array(node);
    if (code != status::ok) return code;
    budget -= std::min<std::size_t>(budget, h.slots());
    // Behind this one; at pos 0 that is the next key, which exists: the node's own key ends in a zero bit.
    if (h.pos > 0) {
      compact_pos_ = h.pos - 1u;
    } else {
      ++compact_key_;
      compact_pos_ = width;
    }
  }
  for (std::uint32_t index = 0; index < h.slots(); ++index) {
    const twin_ref ref = slot_ref(node, index);
    if (!is_tnode_ref(ref)) continue;
    const status code = compact_below(id_of(ref), budget);
    if (code != status::ok || budget == 0) return code;
  }
  return status::ok;
}

template <class Key, class Traits>
status lc_trie<Key, Traits>::move_array(std::uint32_t node) noexcept {
  header_type& h = headers_[node];
  if (retired_.over_limit()) {
    if (options_.backlog == on_backlog::fail) return status::backlog_full;
    retired_.barrier();
    reclaim();
  }
  if (!reserve_retire(1)) return status::no_memory;
  if (!within_limit(h.slots() * slot_bytes)) return status::no_memory;
  const std::uint32_t fresh = arena_.allocate_in_run(h.bits);
  if (fresh == 0) return status::no_memory;
  if (!fits_plain(fresh, h.bits) && !ensure_descriptor(node)) {
    arena_.free(fresh, h.bits);
    return status::no_memory;
  }
  const std::uint32_t old = h.array.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  for (std::uint32_t index = 0; index < h.slots(); ++index) {
    // relaxed (all): own stores; the new array is published below
    hot(fresh + index).store(hot(old + index).load(std::memory_order_relaxed), std::memory_order_relaxed);
    twin(fresh + index).store(twin(old + index).load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  // release (both): the new array is complete
  h.array.store(fresh, std::memory_order_release);
  if (h.descriptor != 0) descriptors_[h.descriptor].array.store(fresh, std::memory_order_release);
  Traits::stored();
  store_slot(h.parent, index_in(h.parent, h.key), twin_tnode | node);
  retire_array(old, h.bits);
  return status::ok;
}

}  // namespace fibtrie::trie
