// SPDX-License-Identifier: MIT
// lc_trie: making, freeing and retiring records.
//
// Thread safety: the writer's.
// Invariants: 1. A tnode born in hidden work is unseen until the work is published; unseen tnodes are freed at once.
//   2. A tnode that no plain word can name has a descriptor before its slot is stored.
// Source: docs/design.md, "memory".
#pragma once

#include "trie/assert.hpp"
#include "trie/lc_trie.hpp"

namespace fibtrie::trie {

// What a retire record says: a kind in the top bits, an id below; for a lone array also its bits.
enum class retired_kind : std::uint8_t { tnode = 1, entry = 2, array = 3 };
constexpr std::uint64_t make_retired(retired_kind kind, std::uint32_t id, unsigned bits = 0) noexcept {
  return std::uint64_t{static_cast<std::uint8_t>(kind)} << 56 | std::uint64_t{bits} << 32 | id;
}

constexpr std::size_t slot_bytes = 2 * sizeof(std::uint32_t);  // hot word and twin

// A tnode with all slots empty but unwritten; 0: no memory.
template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::new_tnode(Key key, unsigned pos, unsigned bits, std::uint32_t cover,
                                              std::uint32_t parent) noexcept {
  FIBTRIE_ASSERT(bits >= 1 && pos + bits <= width && (key & low_mask<Key>(pos + bits)) == 0);
  if (!Traits::may_allocate() || bits > mem::slot_arena::max_class || !unseen_.reserve(1) || !made_.reserve(1))
    return 0;
  if (!within_limit((slot_bytes << bits) + sizeof(header_type))) return 0;
  const std::uint32_t array = arena_.allocate(bits);
  if (array == 0) return 0;
  const std::uint32_t id = headers_.allocate();
  if (id == 0) {
    arena_.free(array, bits);
    return 0;
  }
  header_type& h = headers_[id];
  h.key = key;
  h.pos = static_cast<std::uint8_t>(pos);
  h.bits = static_cast<std::uint8_t>(bits);
  h.seen = hidden_.active ? visibility::unseen : visibility::seen;
  h.parent = parent;
  h.empty_children = h.slots();
  // relaxed (both): published later, with release
  h.cover.store(cover, std::memory_order_relaxed);
  h.array.store(array, std::memory_order_relaxed);
  if (hidden_.active) unseen_.push(id);
  made_.push(id);
  return id;
}

template <class Key, class Traits>
bool lc_trie<Key, Traits>::ensure_descriptor(std::uint32_t node) noexcept {
  header_type& h = headers_[node];
  if (h.descriptor != 0) return true;
  if (!Traits::may_allocate() || !within_limit(sizeof(descriptor<Key>))) return false;
  const std::uint32_t id = descriptors_.allocate();
  if (id == 0) return false;
  FIBTRIE_ASSERT(id <= max_id);
  descriptor<Key>& d = descriptors_[id];
  d.key = h.key;
  d.pos = h.pos;
  d.bits = h.bits;
  // relaxed (all): the descriptor is published later, with release; the header's fields are the writer's own
  d.array.store(h.array.load(std::memory_order_relaxed), std::memory_order_relaxed);
  d.cover.store(h.cover.load(std::memory_order_relaxed), std::memory_order_relaxed);
  h.descriptor = id;
  return true;
}

// Makes sure that a word of `parent` can name `node`.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::ensure_reachable(std::uint32_t parent, std::uint32_t node) noexcept {
  const header_type& p = headers_[parent];
  const header_type& h = headers_[node];
  if (is_plain_child(p, h)) return true;
  if (parent == 0 && h.pos + h.bits == width) return true;  // the root word names it
  return ensure_descriptor(node);
}

template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::new_entry(prefix_type route, std::uint32_t result, std::uint32_t cover) noexcept {
  if (!Traits::may_allocate() || !within_limit(entry_bytes)) return 0;
  const std::uint32_t id = entries_.allocate();
  if (id == 0) return 0;
  nexts_.used((std::size_t{id} + 1) * sizeof(std::uint32_t));  // only touched for keys of several prefixes
  entry_type& e = entries_[id];
  e.key = route.key;
  e.plen = route.plen;
  // relaxed (both): published later, with release
  e.cover.store(cover, std::memory_order_relaxed);
  e.result.store(result, std::memory_order_relaxed);
  set_next(id, 0);
  return id;
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::free_tnode(std::uint32_t node) noexcept {
  header_type& h = headers_[node];
  FIBTRIE_ASSERT(h.seen != visibility::dead);
  h.seen = visibility::dead;
  arena_.free(h.array.load(std::memory_order_relaxed), h.bits);  // relaxed: the writer's own store
  if (h.descriptor != 0) descriptors_.free(h.descriptor);
  headers_.free(node);
}

// Room for that many more retired records; false: no memory.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::reserve_retire(std::size_t records) noexcept {
  if (!Traits::may_allocate()) return false;
  if (hidden_.active && !retire_later_.reserve(records)) return false;
  return retired_.reserve(retire_later_.size() + records + width +
                          4);  // collapses and the entry of the operation at work
}

// Gives up a tnode: at once if no reader can have seen it, else after a grace period that begins when its successor is
// published.
template <class Key, class Traits>
void lc_trie<Key, Traits>::retire_tnode(std::uint32_t node) noexcept {
  const header_type& h = headers_[node];
  if (h.seen == visibility::unseen || Traits::fault_free_at_once) return free_tnode(node);
  if (hidden_.active) return retire_later_.push(node);
  waiting_.slots += h.slots();
  ++waiting_.headers;
  waiting_.descriptors += h.descriptor != 0 ? 1 : 0;
  retired_.retire(make_retired(retired_kind::tnode, node),
                  h.slots() * slot_bytes + sizeof(header_type) + (h.descriptor != 0 ? sizeof(descriptor<Key>) : 0));
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::retire_entry(std::uint32_t entry_id) noexcept {
  if constexpr (Traits::fault_free_at_once) return entries_.free(entry_id);
  ++waiting_.entries;
  retired_.retire(make_retired(retired_kind::entry, entry_id), entry_bytes);
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::retire_array(std::uint32_t array, unsigned bits) noexcept {
  waiting_.slots += std::size_t{1} << bits;
  retired_.retire(make_retired(retired_kind::array, array, bits), (std::size_t{1} << bits) * slot_bytes);
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::reclaim_record(std::uint64_t record) noexcept {
  const auto id = static_cast<std::uint32_t>(record);
  const unsigned bits = static_cast<unsigned>(record >> 32) & 63;
  switch (static_cast<retired_kind>(record >> 56)) {
    case retired_kind::tnode:
      waiting_.slots -= headers_[id].slots();
      --waiting_.headers;
      waiting_.descriptors -= headers_[id].descriptor != 0 ? 1 : 0;
      return free_tnode(id);
    case retired_kind::entry: --waiting_.entries; return entries_.free(id);
    case retired_kind::array: waiting_.slots -= std::size_t{1} << bits; return arena_.free(id, bits);
  }
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::reclaim() noexcept {
  retired_.reclaim([this](std::uint64_t record) { reclaim_record(record); });
}

}  // namespace fibtrie::trie
