// SPDX-License-Identifier: MIT
// lc_trie: covers, the longest prefix around a place, and handing them over when a prefix comes or goes.
//
// Thread safety: the writer's; every store is complete in itself for readers.
// Invariants: 1. After a hand-over from C to P, whatever lies inside P and had the cover C has the cover P, and nothing
// else changed.
//   2. Covers are entries of more than top_bits bits, or 0.
// Progress: a hand-over visits the tnodes inside the prefix that no longer prefix covers.
// Source: docs/design.md, "covers".
#pragma once

#include <algorithm>
#include <utility>

#include "trie/assert.hpp"
#include "trie/lc_trie.hpp"

namespace fibtrie::trie {

// The longest prefix of at most max_plen bits that contains what stands in `ref` (a leaf: its key; an empty slot: the
// slot).
template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::cover_from(twin_ref ref, unsigned max_plen) const noexcept {
  // relaxed: the writer's own store
  std::uint32_t id = is_tnode_ref(ref) ? headers_[id_of(ref)].cover.load(std::memory_order_relaxed) : id_of(ref);
  if (is_short(id)) return 0;
  while (id != 0 && entries_[id].plen > max_plen) id = cover_of(id);
  return id;
}

// The lowest tnode at or above `node` that properly contains a prefix of that length.
template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::lowest_around(std::uint32_t node, unsigned plen) const noexcept {
  while (node != 0 && headers_[node].plen() >= plen) node = headers_[node].parent;
  return node;
}

// First and last child of a tnode that overlap a prefix inside the tnode's own (or that lie inside the prefix: all).
template <class Key, class Traits>
std::pair<std::uint32_t, std::uint32_t> lc_trie<Key, Traits>::index_range(const header_type& node,
                                                                          prefix_type route) const noexcept {
  if (route.plen <= node.plen()) return {0, node.slots() - 1};
  const Key last = static_cast<Key>(route.key | low_mask<Key>(width - route.plen));
  return {static_cast<std::uint32_t>(child_index(node.key, node.pos, route.key)),
          static_cast<std::uint32_t>(child_index(node.key, node.pos, last))};
}

// Whatever lies inside the route and has the cover `from` gets the cover `to`.  node: where the route's leaf hangs.
template <class Key, class Traits>
void lc_trie<Key, Traits>::hand_over(std::uint32_t node, prefix_type route, std::uint32_t from,
                                     std::uint32_t to) noexcept {
  if (route.plen == width || Traits::fault_no_hand_over) return;
  hand_over_below(lowest_around(node, route.plen), route, from, to);
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::hand_over_below(std::uint32_t node, prefix_type route, std::uint32_t from,
                                           std::uint32_t to) noexcept {
  const header_type& h = headers_[node];
  const std::uint32_t array = h.array.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  const bool slots_inside = width - h.pos >= route.plen;
  const auto [first, last] = index_range(h, route);
  for (std::uint32_t index = first; index <= last; ++index) {
    const twin_ref ref = twin_at(array, index);
    if (is_tnode_ref(ref)) {
      hand_over_tnode(id_of(ref), route, from, to);
    } else if (is_leaf(ref)) {
      hand_over_leaf(node, index, route, from, to);
    } else if (slots_inside && id_of(ref) == from) {
      store_slot(node, index, twin_empty | to);
      ++counters_.handed_over;
    }
  }
}

// A leaf inside the route: of its entries only the shortest one longer than the route can have the cover.
template <class Key, class Traits>
void lc_trie<Key, Traits>::hand_over_leaf(std::uint32_t node, std::uint32_t index, prefix_type route,
                                          std::uint32_t from, std::uint32_t to) noexcept {
  const twin_ref ref = slot_ref(node, index);
  if (!contains(route, entries_[id_of(ref)].key)) return;
  for (std::uint32_t id = id_of(ref); id != 0 && entries_[id].plen > route.plen; id = next_of(id)) {
    if (cover_of(id) != from) continue;
    set_entry_cover(id, to);
    break;
  }
  if (from == 0 || to == 0) store_slot(node, index, ref);  // a guarded word tells whether the top array comes next
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::hand_over_tnode(std::uint32_t child, prefix_type route, std::uint32_t from,
                                           std::uint32_t to) noexcept {
  const header_type& h = headers_[child];
  const unsigned plen = h.plen();
  if (plen < route.plen) {  // the tnode may contain the route
    if (contains(prefix_type{h.key, static_cast<std::uint8_t>(plen)}, route.key))
      hand_over_below(child, route, from, to);
    return;
  }
  if (!contains(route, h.key)) return;
  const std::uint32_t cover = h.cover.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  if (cover == from) {
    set_cover(child, to);
    hand_over_below(child, route, from, to);
  } else {
    // Everything below is covered by something longer; but the entries that cover the tnode may have their leaf in
    // here.
    hand_over_chain(cover, route.plen, from, to);
  }
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::hand_over_chain(std::uint32_t entry_id, unsigned plen, std::uint32_t from,
                                           std::uint32_t to) noexcept {
  for (std::uint32_t id = entry_id; id != 0 && entries_[id].plen > plen; id = cover_of(id)) {
    if (cover_of(id) == from) return set_entry_cover(id, to);
  }
}

// Stores anew every word below `node` that stands for the entry; returns how many slots there were.
template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::rewrite_result(std::uint32_t node, std::uint32_t entry_id) noexcept {
  const header_type& h = headers_[node];
  const entry_type& e = entries_[entry_id];
  const prefix_type route{e.key, e.plen};
  const std::uint32_t array = h.array.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  const auto [first, last] = index_range(h, route);
  std::uint32_t count = 0;
  for (std::uint32_t index = first; index <= last; ++index) {
    const twin_ref ref = twin_at(array, index);
    const std::uint32_t id = id_of(ref);
    if (!is_tnode_ref(ref)) {
      if (id != entry_id) continue;
      store_slot(node, index, ref);
      ++count;
      continue;
    }
    const header_type& child = headers_[id];
    // Inside the route only a tnode that it covers can hold slots of it: where a longer one covers, that one answers.
    const bool below = child.plen() >= e.plen
                           ? child.cover.load(std::memory_order_relaxed) == entry_id  // relaxed: the writer's own store
                           : contains(prefix_type{child.key, static_cast<std::uint8_t>(child.plen())}, e.key);
    if (below) count += rewrite_result(id, entry_id);
  }
  return count;
}

// Gives an entry another result and carries it to every word that shows it.
template <class Key, class Traits>
void lc_trie<Key, Traits>::change_result(const position& at, std::uint32_t entry_id, std::uint32_t result) noexcept {
  constexpr std::uint32_t many = 1024;  // from here on slots refer to the entry, so that the next change is one store
  entry_type& e = entries_[entry_id];
  e.result.store(result, std::memory_order_release);  // release: for readers that come by way of the entry
  ++counters_.visible_stores;
  Traits::stored();
  if (is_short(entry_id)) return top_rewrite(entry_id);
  if (e.by_reference) return;
  const std::uint32_t node = e.plen == width ? at.node : lowest_around(at.node, e.plen);
  if (rewrite_result(node, entry_id) > many) {
    e.by_reference = true;
    rewrite_result(node, entry_id);
  }
}

}  // namespace fibtrie::trie
