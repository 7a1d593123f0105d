// SPDX-License-Identifier: MIT
// The reader's side: longest match by slot words, entry checks and covers; no backtracking.
//
// Thread safety: any number of readers beside one writer, each inside a read section (or with no writer running).
// Invariants: 1. Slots are followed from one load of the root word.  2. Whatever a word names stays valid until the read
//   section ends.  3. A lookup never combines a hot word with a twin word: match() descends through the twins alone.
// Progress: wait-free; at most width + 1 slots down and width covers up; no store to shared memory.
// Source: docs/design.md, "why this is the longest match".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fibtrie/key.h"
#include "trie/node.hpp"
#include "trie/slot.hpp"

namespace fibtrie {

// value is 0 when nothing matched.
struct lookup_result {
  std::uint32_t value = 0;
  bool found = false;

  explicit operator bool() const noexcept { return found; }
  friend bool operator==(const lookup_result&, const lookup_result&) = default;
};

template <std::unsigned_integral Key>
struct match_result {
  prefix<Key> route{};
  std::uint32_t value = 0;
  bool found = false;

  explicit operator bool() const noexcept { return found; }
};

namespace trie {

// Where the top node's slots are: array | pos << 32 | bits << 40.  Without a plain top node: the holder's one slot.
using root_word = std::uint64_t;
constexpr root_word make_root(std::uint32_t array, unsigned pos, unsigned bits) noexcept {
  return root_word{array} | root_word{pos} << 32 | root_word{bits} << 40;
}

// The arrays that readers look at.  Written once, before the first lookup, but for the root word.
template <std::unsigned_integral Key>
class reader {
 public:
  static constexpr unsigned width = key_width<Key>;

  root_word root() const noexcept {
    // acquire: the top node's words were stored before it was published
    return root_.load(std::memory_order_acquire);
  }

  lookup_result lookup(Key address) const noexcept { return lookup_from(root(), address); }

  lookup_result lookup_from(root_word root, Key address) const noexcept {
    slot_word word = load(root_step(root, address));
    while (is_tnode(word)) word = load(step(word, address));
    if (is_check(word)) [[unlikely]] return resolve(address, word);
    return terminal(word);
  }

  // The slot of the top node that an address selects.
  static std::uint32_t root_step(root_word root, Key address) noexcept {
    const unsigned pos = static_cast<unsigned>(root >> 32) & 31;
    const unsigned bits = static_cast<unsigned>(root >> 40) & 63;
    const auto field = static_cast<std::uint32_t>((std::uint64_t{address} >> pos) & ((std::uint64_t{1} << bits) - 1));
    return static_cast<std::uint32_t>(root) + field;
  }

  slot_word load(std::uint32_t slot) const noexcept {
    // acquire: what the word names was complete before the word was stored
    return slots_[slot].load(std::memory_order_acquire);
  }

  static lookup_result terminal(slot_word word) noexcept {
    if (word == no_route_word) return {};
    return {word & inline_result_mask, true};
  }

  // The answer for an address that met an entry or an escape word (or any other word on the way).
  lookup_result resolve(Key address, slot_word word) const noexcept {
    for (;;) {
      while (is_tnode(word)) word = load(step(word, address));
      if (!is_check(word)) return terminal(word);
      const std::uint32_t id = word & id_mask;
      if ((word & escape_bit) == 0) return follow_covers(address, id);
      const descriptor<Key>& node = descriptors_[id];
      if (shift_right(static_cast<Key>(node.key ^ address), node.pos + node.bits) != 0) {
        // acquire: the cover was complete before it was stored
        return follow_covers(address, node.cover.load(std::memory_order_acquire));
      }
      const Key index = static_cast<Key>(shift_right(address, node.pos) & low_mask<Key>(node.bits));
      // acquire: a moved array was complete before its place was stored
      word = load(node.array.load(std::memory_order_acquire) + static_cast<std::uint32_t>(index));
    }
  }

  // The first match on the cover chain that starts at an entry (0: at the top array).
  lookup_result follow_covers(Key address, std::uint32_t id) const noexcept {
    while (id != 0) {
      const entry<Key>& e = entries_[id];
      // acquire (both): pairs with the writer's stores of results and covers
      if (e.covers(address)) return {e.result.load(std::memory_order_acquire), true};
      id = e.cover.load(std::memory_order_acquire);
    }
    const slot_word word = load(top_slot(address));
    if (!is_check(word)) return terminal(word);
    return {entries_[word & id_mask].result.load(std::memory_order_acquire), true};
  }

  // Longest match with its prefix; slower: it reads entries always.
  match_result<Key> match(Key address) const noexcept {
    std::uint32_t id = matching_entry(address);
    if (id == 0) return {};
    const entry<Key>& e = entries_[id];
    return {{e.key, e.plen}, e.result.load(std::memory_order_acquire), true};  // acquire: as in follow_covers
  }

  // The twin of a slot; acquire: what it names was complete before it was stored.
  twin_ref load_twin(std::uint32_t slot) const noexcept { return twins_[slot].load(std::memory_order_acquire); }

  std::uint32_t top_slot(Key address) const noexcept {
    return top_base_ + static_cast<std::uint32_t>(shift_right(address, width - top_bits_));
  }

  // Set-up by the writer, before the first reader.
  struct arrays {
    const std::atomic<std::uint32_t>* slots;
    const std::atomic<std::uint32_t>* twins;
    const entry<Key>* entries;
    const descriptor<Key>* descriptors;
    const header<Key>* headers;
    std::uint32_t top_base;
    unsigned top_bits;
    std::uint32_t holder;
  };
  void attach(const arrays& a) noexcept {
    slots_ = a.slots;
    twins_ = a.twins;
    entries_ = a.entries;
    descriptors_ = a.descriptors;
    headers_ = a.headers;
    top_base_ = a.top_base;
    top_bits_ = a.top_bits;
    holder_ = a.holder;
    root_.store(make_root(holder_, 0, 0), std::memory_order_release);  // release: the first words are complete
  }
  // release: the new top node is complete
  void set_root(root_word root) noexcept { root_.store(root, std::memory_order_release); }

  const std::atomic<std::uint32_t>* slots() const noexcept { return slots_; }
  const entry<Key>* entries() const noexcept { return entries_; }
  const descriptor<Key>* descriptors() const noexcept { return descriptors_; }
  const header<Key>* headers() const noexcept { return headers_; }
  std::uint32_t holder() const noexcept { return holder_; }

 private:
  // The entry of the longest match, or 0.
  std::uint32_t matching_entry(Key address) const noexcept {
    twin_ref ref = load_twin(holder_);
    std::uint32_t id = 0;
    for (;;) {
      id = id_of(ref);
      if (!is_tnode_ref(ref)) break;
      const header<Key>& node = headers_[id];
      const Key index = child_index(node.key, node.pos, address);
      if (shift_right(index, node.bits) != 0) {
        id = node.cover.load(std::memory_order_acquire);  // acquire: as in resolve()
        break;
      }
      // acquire: as in resolve()
      ref = load_twin(node.array.load(std::memory_order_acquire) + static_cast<std::uint32_t>(index));
    }
    for (; id != 0; id = entries_[id].cover.load(std::memory_order_acquire)) {  // acquire: as in follow_covers()
      if (entries_[id].covers(address)) return id;
    }
    return id_of(load_twin(top_slot(address)));
  }

  std::atomic<root_word> root_{0};
  const std::atomic<std::uint32_t>* slots_ = nullptr;
  const entry<Key>* entries_ = nullptr;
  const descriptor<Key>* descriptors_ = nullptr;
  std::uint32_t top_base_ = 0;
  unsigned top_bits_ = 0;
  const std::atomic<std::uint32_t>* twins_ = nullptr;
  const header<Key>* headers_ = nullptr;
  std::uint32_t holder_ = 0;
};

}  // namespace trie
}  // namespace fibtrie
