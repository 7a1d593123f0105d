// SPDX-License-Identifier: MIT
// lc_trie: ordered walks, the look at the shape, statistics; all through the twins.
//
// Thread safety: readers in a read section, beside one writer.
// Invariants: 1. A walk reports every route that is present throughout, none twice, in order, and ends.
//   2. Order: key ascending, within a key the longer prefix first.
// Progress: a walk is bounded by the tnodes it passes; recursion by the depth, at most width.
// Source: section 13 of the kernel's behaviour.
#pragma once

#include <algorithm>

#include "trie/lc_trie.hpp"

namespace fibtrie::trie {

// Exact match.
template <class Key, class Traits>
lookup_result lc_trie<Key, Traits>::find(prefix_type route) const noexcept {
  if (!is_valid(route)) return {};
  const position at = find_position(route.key);
  std::uint32_t before = 0;
  const std::uint32_t id = at.found ? entry_in_leaf(id_of(at.ref), route.plen, before) : 0;
  if (id == 0) return {};
  return {entries_[id].result.load(std::memory_order_acquire),
          true};  // acquire: pairs with the store of a changed result
}

template <class Key, class Traits>
template <class Visit>
void lc_trie<Key, Traits>::walk(cursor<Key>& at, Visit&& visit) const {
  if (!at.done && walk_below(reader_.load_twin(holder_slot), at, visit)) at.done = true;
}

// False: the visitor wants no more.
template <class Key, class Traits>
template <class Visit>
bool lc_trie<Key, Traits>::walk_below(twin_ref ref, cursor<Key>& at, Visit& visit) const {
  const std::uint32_t id = id_of(ref);
  if (is_empty(ref)) return true;
  if (is_tnode_ref(ref)) {
    const header_type& h = headers_[id];
    std::uint32_t index = 0;
    if (at.key > h.key) {
      const Key first = child_index(h.key, h.pos, at.key);
      if (shift_right(first, h.bits) != 0) return true;  // all of it lies before the cursor
      index = static_cast<std::uint32_t>(first);
    }
    const std::uint32_t array = h.array.load(std::memory_order_acquire);  // acquire: a moved array is complete
    for (; index < h.slots(); ++index) {
      if (!walk_below(reader_.load_twin(array + index), at, visit)) return false;
    }
    return true;
  }
  const Key key = entries_[id].key;
  if (key < at.key) return true;
  for (std::uint32_t e = id; e != 0; e = next_of(e)) {
    const unsigned plen = entries_[e].plen;
    if (key == at.key && plen > at.plen) continue;
    // The cursor moves on first: the visitor may stop the walk.
    at.key = plen > 0 ? key : static_cast<Key>(key + 1);
    at.plen = static_cast<std::uint8_t>(plen > 0 ? plen - 1 : width);
    if (plen == 0 && at.key == 0) at.done = true;
    // acquire: pairs with the store of a changed result
    if (!visit(prefix_type{key, static_cast<std::uint8_t>(plen)}, entries_[e].result.load(std::memory_order_acquire))) {
      return false;
    }
  }
  return true;
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::visit_shape(shape_visitor<Key>& visitor) const {
  visit_below(reader_.load_twin(holder_slot), 0, visitor);
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::visit_below(twin_ref ref, unsigned depth, shape_visitor<Key>& visitor) const {
  const std::uint32_t id = id_of(ref);
  if (is_empty(ref)) return;
  if (is_leaf(ref)) {
    visitor.leaf(depth, entries_[id].key);
    for (std::uint32_t e = id; e != 0; e = next_of(e)) {
      // acquire: pairs with the store of a changed result
      visitor.route(depth, {entries_[e].key, entries_[e].plen}, entries_[e].result.load(std::memory_order_acquire));
    }
    return;
  }
  const header_type& h = headers_[id];
  const std::uint32_t array = h.array.load(std::memory_order_acquire);  // acquire: a moved array is complete
  std::uint32_t empty = 0;
  std::uint32_t full = 0;
  for (std::uint32_t index = 0; index < h.slots(); ++index) {  // counted anew: the header's counts are the writer's
    const twin_ref child = reader_.load_twin(array + index);
    empty += is_empty(child) ? 1 : 0;
    full += is_full_child(h, child) ? 1 : 0;
  }
  visitor.tnode(depth, {h.key, static_cast<std::uint8_t>(h.plen())}, h.bits, full, empty);
  for (std::uint32_t index = 0; index < h.slots(); ++index)
    visit_below(reader_.load_twin(array + index), depth + 1, visitor);
}

template <class Key, class Traits>
trie_stats lc_trie<Key, Traits>::stats() const {
  struct counter final : shape_visitor<Key> {
    trie_stats sum;
    void tnode(unsigned, prefix<Key>, unsigned bits, std::uint32_t, std::uint32_t empty) override {
      ++sum.tnodes_by_bits[bits];
      sum.pointers += std::uint64_t{1} << bits;
      sum.null_pointers += empty;
    }
    void leaf(unsigned depth, Key) override {
      ++sum.leaves;
      sum.depth_sum += depth;
      sum.max_depth = std::max<std::uint64_t>(sum.max_depth, depth);
    }
    void route(unsigned, prefix<Key>, std::uint32_t) override { ++sum.prefixes; }
  };
  counter count;
  visit_shape(count);
  return count.sum;
}

}  // namespace fibtrie::trie
