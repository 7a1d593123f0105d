// SPDX-License-Identifier: MIT
// lc_trie: inflate, halve, collapse and the walk to the root that decides on them.
//
// Thread safety: one writer.
// Invariants: 1. The order of steps is the kernel's, so that the shape is.  2. A whole resize loop works on unseen
// tnodes and is
//   published by one store at its end.  3. A resize that finds no memory leaves the old tnode as it was.
//   4. A key's answer is the same before and after.
// Source: section 8 of the kernel's behaviour; docs/design.md, "resizing".
#pragma once

#include "trie/assert.hpp"
#include "trie/covers.hpp"
#include "trie/lc_trie.hpp"
#include "trie/nodes.hpp"
#include "trie/slots.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
void lc_trie<Key, Traits>::rebalance(std::uint32_t node) noexcept {
  while (node != 0) node = resize(node);
}

template <class Key, class Traits>
bool lc_trie<Key, Traits>::wants_inflate(std::uint32_t node) const noexcept {
  const header_type& h = headers_[node];
  return rules_.inflate(h.parent == 0, h.bits, h.pos, std::uint64_t{h.slots()} - h.empty_children + h.full_children);
}

template <class Key, class Traits>
bool lc_trie<Key, Traits>::wants_halve(std::uint32_t node) const noexcept {
  const header_type& h = headers_[node];
  return rules_.halve(h.parent == 0, h.bits, h.slots() - h.empty_children);
}

// Brings one tnode into shape; returns the tnode to look at next: the parent of what now stands in its place.
template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::resize(std::uint32_t node) noexcept {
  const std::uint32_t parent = headers_[node].parent;
  const bool outer = !hidden_.active && (wants_inflate(node) || wants_halve(node));
  if (outer) begin_hidden(parent, index_in(parent, headers_[node].key), twin_tnode | node);
  unsigned work = rules_.max_work();
  bool inflated = false;
  bool failed = false;
  while (work > 0 && !failed && wants_inflate(node)) {
    const std::uint32_t bigger = inflate(node);
    failed = bigger == 0;
    if (failed) break;
    node = bigger;
    inflated = true;
    --work;
  }
  while (work > 0 && !inflated && wants_halve(node)) {
    const std::uint32_t smaller = halve(node);
    if (smaller == 0) {
      failed = true;
      break;
    }
    node = smaller;
    --work;
  }
  if (failed) ++counters_.skipped_resizes;
  if (outer) end_hidden();
  FIBTRIE_ASSERT(headers_[node].parent == parent);
  if (!inflated && headers_[node].slots() - headers_[node].empty_children < 2) collapse(node);
  return parent;
}

// From here to end_hidden() the slot keeps showing readers what it shows now.
template <class Key, class Traits>
void lc_trie<Key, Traits>::begin_hidden(std::uint32_t parent, std::uint32_t index, twin_ref ref) noexcept {
  FIBTRIE_ASSERT(unseen_.size() == 0 && retire_later_.size() == 0);
  hidden_ = {true, parent, index, ref};
}

// Publishes the hidden work by one store and retires what it replaced.
template <class Key, class Traits>
void lc_trie<Key, Traits>::end_hidden() noexcept {
  for (const std::uint32_t id : unseen_) {
    if (headers_[id].seen == visibility::unseen) headers_[id].seen = visibility::seen;
  }
  unseen_.clear();
  hidden_.active = false;
  store_slot(hidden_.parent, hidden_.index, hidden_.ref);
  for (const std::uint32_t id : retire_later_) retire_tnode(id);
  retire_later_.clear();
}

// Frees the tnodes of an inflate or halve that found no memory.
template <class Key, class Traits>
void lc_trie<Key, Traits>::abandon() noexcept {
  for (const std::uint32_t id : made_) free_tnode(id);
  made_.clear();
}

// Doubles a tnode; returns the new one, or 0: no memory.
template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::inflate(std::uint32_t old) noexcept {
  made_.clear();
  const header_type& o = headers_[old];
  FIBTRIE_ASSERT(o.pos > 0);
  if (!reserve_retire(1 + o.full_children)) return 0;
  // Built in part and given up again, a large one would cost every insert near the limit its time: full children are
  // split into two of half their size, of four slots at least.
  const std::size_t halves = std::size_t{o.full_children} * 2 * (sizeof(header_type) + 4 * slot_bytes);
  if (!within_limit(2 * o.slots() * slot_bytes + sizeof(header_type) + halves)) return 0;
  // relaxed: the writer's own store
  const std::uint32_t fresh =
      new_tnode(o.key, o.pos - 1u, o.bits + 1u, o.cover.load(std::memory_order_relaxed), o.parent);
  if (fresh == 0) return 0;
  bool done = ensure_reachable(o.parent, fresh);
  for (std::uint32_t index = o.slots(); done && index-- > 0;) done = inflate_slot(old, fresh, index);
  if (!done) {
    abandon();
    return 0;
  }
  ++counters_.inflates;
  take_place(old, fresh, true);
  return fresh;
}

template <class Key, class Traits>
slot_word lc_trie<Key, Traits>::word_at(std::uint32_t node, std::uint32_t index) const noexcept {
  // relaxed (both): the writer's own stores
  return arena_.hot()[headers_[node].array.load(std::memory_order_relaxed) + index].load(std::memory_order_relaxed);
}

// Carries one slot of the old tnode over into two of the new one.  Words are copied wherever they stay the same, which
// spares a look at the entry: most of the time of a large inflate would go into those.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::inflate_slot(std::uint32_t old, std::uint32_t fresh, std::uint32_t index) noexcept {
  const header_type& o = headers_[old];
  const twin_ref ref = slot_ref(old, index);
  const slot_word word = word_at(old, index);
  if (is_empty(ref)) {
    put_word(fresh, 2 * index + 1, ref, word);
    put_word(fresh, 2 * index, ref, word);
    return true;
  }
  if (!is_full_child(o, ref)) {  // it moves as it is; its sister slot is empty
    const std::uint32_t place = index_in(fresh, key_of(ref));
    FIBTRIE_ASSERT(place / 2 == index);
    if (is_leaf(ref) && (word >> 30) == (terminal_tag >> 30)) {  // what held for the whole slot holds for its halves
      put_word(fresh, place, ref, word);
      put_word(fresh, place ^ 1, twin_empty | id_of(ref), word);
      return true;
    }
    return put(fresh, place, ref) && put(fresh, place ^ 1, twin_empty | cover_from(ref, width - o.pos));
  }
  const std::uint32_t child = id_of(ref);
  if (headers_[child].bits > 1) return split_child(child, fresh, index);
  put_word(fresh, 2 * index + 1, slot_ref(child, 1), word_at(child, 1));  // it dissolves
  put_word(fresh, 2 * index, slot_ref(child, 0), word_at(child, 0));
  return true;
}

// A full child of two bits and more becomes two tnodes of one bit less.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::split_child(std::uint32_t child, std::uint32_t fresh, std::uint32_t index) noexcept {
  const header_type& c = headers_[child];
  const unsigned plen = width - headers_[fresh].pos;
  const std::uint32_t half_slots = c.slots() / 2;
  for (std::uint32_t side = 2; side-- > 0;) {
    const Key key = static_cast<Key>(c.key | static_cast<Key>(Key{static_cast<Key>(side)} << headers_[fresh].pos));
    const std::uint32_t cover = cover_from(slot_ref(child, side * half_slots), plen);
    const std::uint32_t half = new_tnode(key, c.pos, c.bits - 1u, cover, fresh);
    if (half == 0) return false;
    for (std::uint32_t slot = half_slots; slot-- > 0;) {
      put_word(half, slot, slot_ref(child, side * half_slots + slot), word_at(child, side * half_slots + slot));
    }
    if (!put(fresh, 2 * index + side, twin_tnode | half)) return false;
  }
  return true;
}

// Halves a tnode; returns the new one, or 0: no memory.
template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::halve(std::uint32_t old) noexcept {
  made_.clear();
  const header_type& o = headers_[old];
  FIBTRIE_ASSERT(o.bits > 1);
  if (!reserve_retire(1)) return 0;
  // relaxed: the writer's own store
  const std::uint32_t fresh =
      new_tnode(o.key, o.pos + 1u, o.bits - 1u, o.cover.load(std::memory_order_relaxed), o.parent);
  if (fresh == 0) return 0;
  bool done = ensure_reachable(o.parent, fresh);
  for (std::uint32_t index = o.slots() / 2; done && index-- > 0;) done = halve_pair(old, fresh, index);
  if (!done) {
    abandon();
    return 0;
  }
  ++counters_.halves;
  take_place(old, fresh, false);
  return fresh;
}

// Carries two slots of the old tnode over into one of the new one.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::halve_pair(std::uint32_t old, std::uint32_t fresh, std::uint32_t index) noexcept {
  const header_type& o = headers_[old];
  const twin_ref high = slot_ref(old, 2 * index + 1);
  const twin_ref low = slot_ref(old, 2 * index);
  if (is_empty(high) && is_empty(low)) return put(fresh, index, twin_empty | cover_from(low, width - o.pos - 1));
  if (is_empty(high) || is_empty(low)) return put(fresh, index, is_empty(high) ? low : high);
  const Key key = static_cast<Key>(key_of(low) & ~low_mask<Key>(o.pos + 1u));
  const std::uint32_t pair = new_tnode(key, o.pos, 1, cover_from(low, width - 1 - o.pos), fresh);
  if (pair == 0) return false;
  return put(pair, 1, high) && put(pair, 0, low) && put(fresh, index, twin_tnode | pair);
}

// Puts the successor into the old tnode's place, then looks at its full children.
template <class Key, class Traits>
void lc_trie<Key, Traits>::take_place(std::uint32_t old, std::uint32_t fresh, bool inflated) noexcept {
  const std::uint32_t parent = headers_[fresh].parent;
  set_slot(parent, index_in(parent, headers_[fresh].key), twin_tnode | fresh);
  const std::uint32_t slots = headers_[fresh].slots();
  for (std::uint32_t index = slots; index-- > 0;) {
    const twin_ref ref = slot_ref(fresh, index);
    if (!is_tnode_ref(ref)) continue;
    const std::uint32_t child = id_of(ref);
    if (headers_[child].parent != fresh) {
      headers_[child].parent = fresh;
      continue;
    }
    for (std::uint32_t below = headers_[child].slots(); below-- > 0;) {  // made just now: its children change parents
      const twin_ref moved = slot_ref(child, below);
      if (is_tnode_ref(moved)) headers_[id_of(moved)].parent = child;
    }
  }
  if (inflated) {
    for (std::uint32_t index = headers_[old].slots(); index-- > 0;) {
      const twin_ref ref =
          twin_at(headers_[old].array.load(std::memory_order_relaxed), index);  // relaxed: the writer's own
      if (is_full_child(headers_[old], ref)) retire_tnode(id_of(ref));
    }
  }
  retire_tnode(old);
  made_.clear();
  for (std::uint32_t index = slots; index-- > 0;) {
    const twin_ref ref = slot_ref(fresh, index);
    if (is_full_child(headers_[fresh], ref)) resize(id_of(ref));
  }
}

// Replaces a tnode with at most one child by that child.
template <class Key, class Traits>
void lc_trie<Key, Traits>::collapse(std::uint32_t node) noexcept {
  const header_type& h = headers_[node];
  const std::uint32_t parent = h.parent;
  twin_ref only = twin_empty;
  for (std::uint32_t index = 0; index < h.slots() && is_empty(only); ++index) only = slot_ref(node, index);
  if (is_empty(only)) only = twin_empty | cover_from(twin_tnode | node, width - headers_[parent].pos);
  if ((hidden_.active && !reserve_retire(1)) || (is_tnode_ref(only) && !ensure_reachable(parent, id_of(only)))) {
    ++counters_.skipped_resizes;
    return;
  }
  ++counters_.collapses;
  set_slot(parent, index_in(parent, h.key), only);
  if (is_tnode_ref(only)) headers_[id_of(only)].parent = parent;
  retire_tnode(node);
}

}  // namespace fibtrie::trie
