// SPDX-License-Identifier: MIT
// lc_trie: reading and storing slots, and finding the place of a key.
//
// Thread safety: the writer's.
// Invariants: 1. A twin is stored before its hot word; both name complete records.  2. While resizes are hidden, no
// slot of a
//   published array is stored.
// Source: docs/design.md, "slots".
#pragma once

#include "trie/assert.hpp"
#include "trie/lc_trie.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
bool lc_trie<Key, Traits>::is_full_child(const header_type& parent, twin_ref ref) const noexcept {
  if (!is_tnode_ref(ref)) return false;
  const header_type& child = headers_[id_of(ref)];
  return child.pos + child.bits == parent.pos;
}

// A child that a plain word can name: no skipped bits, and neither too wide nor too far.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::is_plain_child(const header_type& parent, const header_type& child) const noexcept {
  // relaxed: the writer's own store
  return child.pos + child.bits == parent.pos && fits_plain(child.array.load(std::memory_order_relaxed), child.bits);
}

template <class Key, class Traits>
Key lc_trie<Key, Traits>::key_of(twin_ref ref) const noexcept {
  return is_tnode_ref(ref) ? headers_[id_of(ref)].key : entries_[id_of(ref)].key;
}

template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::index_in(std::uint32_t node, Key key) const noexcept {
  return static_cast<std::uint32_t>(child_index(headers_[node].key, headers_[node].pos, key));
}

template <class Key, class Traits>
twin_ref lc_trie<Key, Traits>::twin_at(std::uint32_t array, std::uint32_t index) const noexcept {
  return twin(array + index).load(std::memory_order_relaxed);  // relaxed: the writer's own store
}

// What stands in a slot, as the writer is to see it.
template <class Key, class Traits>
twin_ref lc_trie<Key, Traits>::slot_ref(std::uint32_t node, std::uint32_t index) const noexcept {
  if (hidden_.active && node == hidden_.parent && index == hidden_.index) return hidden_.ref;
  return twin_at(headers_[node].array.load(std::memory_order_relaxed), index);  // relaxed: the writer's own store
}

// The word that answers with an entry's result wherever the entry is the answer for the whole slot.
template <class Key, class Traits>
slot_word lc_trie<Key, Traits>::answer_word(std::uint32_t entry_id) const noexcept {
  if (entry_id == 0) return no_route_word;
  const entry_type& e = entries_[entry_id];
  const std::uint32_t result = e.result.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  return result <= max_inline_result && !e.by_reference ? make_terminal(result) : make_entry(entry_id);
}

template <class Key, class Traits>
slot_word lc_trie<Key, Traits>::word_for(const header_type& parent, twin_ref ref) const noexcept {
  const std::uint32_t id = id_of(ref);
  if (is_tnode_ref(ref)) {
    const header_type& child = headers_[id];
    if (is_plain_child(parent, child)) {
      return make_plain(child.array.load(std::memory_order_relaxed), child.pos,
                        child.bits);  // relaxed: the writer's own
    }
    FIBTRIE_ASSERT(child.descriptor != 0);
    return make_escape(child.descriptor);
  }
  if (is_short(id)) return top_word;
  if (entries_[id].plen + parent.pos <= width) return answer_word(id);
  return guard_word(parent, id);
}

// The word for a leaf whose prefix is longer than its slot.
template <class Key, class Traits>
slot_word lc_trie<Key, Traits>::guard_word(const header_type& parent, std::uint32_t entry_id) const noexcept {
  const entry_type& e = entries_[entry_id];
  const std::uint32_t result = e.result.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  const unsigned longer = e.plen + parent.pos - width;
  if (longer > guard_bits || result > max_guard_result || e.by_reference) return make_entry(entry_id);
  return make_guard(e.key, width - e.plen, result, cover_of(entry_id) == 0);
}

// Stores a slot, without the parent's counters.
template <class Key, class Traits>
void lc_trie<Key, Traits>::store_slot(std::uint32_t node, std::uint32_t index, twin_ref ref) noexcept {
  const header_type& parent = headers_[node];
  if (hidden_.active) {
    if (node == hidden_.parent && index == hidden_.index) {
      hidden_.ref = ref;
      return;
    }
    FIBTRIE_ASSERT(parent.seen == visibility::unseen);
  }
  const std::uint32_t slot = parent.array.load(std::memory_order_relaxed) + index;  // relaxed: the writer's own store
  // release (both): what the word names is complete.  relaxed loads: the writer's own stores
  if (twin(slot).load(std::memory_order_relaxed) != ref) {
    twin(slot).store(ref, std::memory_order_release);
    Traits::stored();
  }
  if (node == 0 && is_tnode_ref(ref) && is_full_child(parent, ref)) return publish_root(ref);
  const slot_word word = word_for(parent, ref);
  if (hot(slot).load(std::memory_order_relaxed) != word) {
    hot(slot).store(word, std::memory_order_release);
    ++counters_.visible_stores;
    Traits::stored();
  }
  if (node == 0) publish_root(ref);
}

// The root word: straight to the top node when it skips no bits, else to the holder's slot, which is stored already.
template <class Key, class Traits>
void lc_trie<Key, Traits>::publish_root(twin_ref ref) noexcept {
  root_word word = make_root(holder_slot, 0, 0);
  if (is_full_child(headers_[0], ref)) {
    const header_type& top = headers_[id_of(ref)];
    word = make_root(top.array.load(std::memory_order_relaxed), top.pos, top.bits);  // relaxed: the writer's own store
  }
  if (reader_.root() == word) return;
  reader_.set_root(word);
  ++counters_.visible_stores;
  Traits::stored();
}

// Stores a slot of a tnode in use and keeps its counters.
template <class Key, class Traits>
void lc_trie<Key, Traits>::set_slot(std::uint32_t node, std::uint32_t index, twin_ref ref) noexcept {
  header_type& parent = headers_[node];
  const twin_ref old = slot_ref(node, index);
  parent.empty_children += static_cast<std::uint32_t>(is_empty(ref)) - static_cast<std::uint32_t>(is_empty(old));
  parent.full_children +=
      static_cast<std::uint32_t>(is_full_child(parent, ref)) - static_cast<std::uint32_t>(is_full_child(parent, old));
  store_slot(node, index, ref);
}

// Fills a slot of a new tnode for the first time.  False: no memory for a descriptor.
template <class Key, class Traits>
bool lc_trie<Key, Traits>::put(std::uint32_t node, std::uint32_t index, twin_ref ref) noexcept {
  if (is_tnode_ref(ref) && !ensure_reachable(node, id_of(ref))) return false;
  put_word(node, index, ref, word_for(headers_[node], ref));
  return true;
}

// The same where the word is known already: mostly a copy from a slot that shows the same.
template <class Key, class Traits>
void lc_trie<Key, Traits>::put_word(std::uint32_t node, std::uint32_t index, twin_ref ref, slot_word word) noexcept {
  header_type& parent = headers_[node];
  FIBTRIE_ASSERT(word == word_for(parent, ref));
  const std::uint32_t slot = parent.array.load(std::memory_order_relaxed) + index;  // relaxed: the writer's own store
  // relaxed: the array is published later, with release
  twin(slot).store(ref, std::memory_order_relaxed);
  hot(slot).store(word, std::memory_order_relaxed);
  if (!is_empty(ref)) --parent.empty_children;
  if (is_tnode_ref(ref) && (is_tnode(word) || is_full_child(parent, ref))) ++parent.full_children;
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::set_cover(std::uint32_t node, std::uint32_t entry_id) noexcept {
  header_type& h = headers_[node];
  // release (both): the entry is complete
  h.cover.store(entry_id, std::memory_order_release);
  Traits::stored();
  if (h.descriptor != 0) {
    descriptors_[h.descriptor].cover.store(entry_id, std::memory_order_release);
    ++counters_.visible_stores;
    Traits::stored();
  }
  ++counters_.handed_over;
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::set_entry_cover(std::uint32_t entry_id, std::uint32_t cover) noexcept {
  entries_[entry_id].cover.store(cover, std::memory_order_release);  // release: the cover is complete
  ++counters_.visible_stores;
  ++counters_.handed_over;
  Traits::stored();
}

template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::cover_of(std::uint32_t entry_id) const noexcept {
  return entries_[entry_id].cover.load(std::memory_order_relaxed);  // relaxed: the writer's own store
}

template <class Key, class Traits>
std::uint32_t lc_trie<Key, Traits>::next_of(std::uint32_t entry_id) const noexcept {
  // acquire (both): the link was stored before the mark, and what it names was complete before
  if (!entries_[entry_id].has_next.load(std::memory_order_acquire)) return 0;
  return reinterpret_cast<const std::atomic<std::uint32_t>*>(nexts_.base())[entry_id].load(std::memory_order_acquire);
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::set_next(std::uint32_t entry_id, std::uint32_t next) noexcept {
  // release (both): the next entry is complete.  A link that ends stays 0 for readers that saw the mark before.
  if (next != 0 || entries_[entry_id].has_next.load(std::memory_order_relaxed)) {  // relaxed: the writer's own store
    reinterpret_cast<std::atomic<std::uint32_t>*>(nexts_.base())[entry_id].store(next, std::memory_order_release);
  }
  entries_[entry_id].has_next.store(next != 0, std::memory_order_release);
}

template <class Key, class Traits>
auto lc_trie<Key, Traits>::find_position(Key key) const noexcept -> position {
  std::uint32_t node = 0;
  std::uint32_t index = 0;
  for (;;) {
    // acquire: find() runs beside the writer; array likewise
    const std::uint32_t slot = headers_[node].array.load(std::memory_order_acquire) + index;
    const twin_ref ref = reader_.load_twin(slot);
    const std::uint32_t id = id_of(ref);
    if (!is_tnode_ref(ref)) return {node, index, ref, is_leaf(ref) && entries_[id].key == key};
    const Key below = child_index(headers_[id].key, headers_[id].pos, key);
    if (shift_right(below, headers_[id].bits) != 0) return {node, index, ref, false};
    node = id;
    index = static_cast<std::uint32_t>(below);
  }
}

// The same for the writer, which may trust hot words: a plain one tells the next slot without a look at the header, so
// that the header, the twin and the word are fetched side by side.
template <class Key, class Traits>
auto lc_trie<Key, Traits>::find_for_update(Key key) const noexcept -> position {
  FIBTRIE_ASSERT(!hidden_.active);
  std::uint32_t node = 0;
  std::uint32_t index = 0;
  std::uint32_t slot = holder_slot;
  for (;;) {
    // relaxed (all): the writer's own stores
    const twin_ref ref = twin(slot).load(std::memory_order_relaxed);
    const slot_word word = arena_.hot()[slot].load(std::memory_order_relaxed);
    const std::uint32_t id = id_of(ref);
    if (!is_tnode_ref(ref)) return {node, index, ref, is_leaf(ref) && entries_[id].key == key};
    const header_type& h = headers_[id];
    if (node != 0 && is_tnode(word)) {
      __builtin_prefetch(&h, 1);
      slot = step(word, key);
      index = slot - array_of(word);
    } else {
      const Key below = child_index(h.key, h.pos, key);
      if (shift_right(below, h.bits) != 0) return {node, index, ref, false};
      index = static_cast<std::uint32_t>(below);
      slot = h.array.load(std::memory_order_relaxed) + index;
    }
    node = id;
  }
}

}  // namespace fibtrie::trie
