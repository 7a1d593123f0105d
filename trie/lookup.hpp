// SPDX-License-Identifier: MIT
// The reader's side: longest match by slot words, entry checks and covers; no backtracking.
//
// Thread safety: any number of readers beside one writer, each inside a read section (or with no writer running).
// Invariants: 1. Slots are followed from one load of the root word.  2. Whatever a word names stays valid until the
// read
//   section ends.  3. What a hot word says is never combined with what a twin says: from a twin on, only twins are
//   followed.
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

// Where the top node's slots are: pos | bits << 8 | array << 32.  Without a plain top node: the holder's one slot.
using root_word = std::uint64_t;
constexpr root_word make_root(std::uint32_t array, unsigned pos, unsigned bits) noexcept {
  return root_word{array} << 32 | root_word{bits} << 8 | root_word{pos};
}

// Places of the prefixes of few bits in an array: 0/0, 0/1, 128/1, 0/2, ...
template <std::unsigned_integral Key>
constexpr std::uint32_t short_index(prefix<Key> route) noexcept {
  return (1u << route.plen) - 1 + static_cast<std::uint32_t>(shift_right(route.key, key_width<Key> - route.plen));
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
    const auto* const slots = slots_;  // a copy: after an acquire load the compiler would read the member anew
    std::uint32_t slot = root_step(root, address);
    // acquire (all): what a word names was complete before the word was stored
    slot_word word = slots[slot].load(std::memory_order_acquire);
    // One step without a branch, since half of the lookups take it: a terminal word is loaded again.
    slot = step_unless_final(word, slot, address);
    word = slots[slot].load(std::memory_order_acquire);
    while (is_tnode(word)) {
      slot = step(word, address);
      word = slots[slot].load(std::memory_order_acquire);
    }
    if (!is_check(word)) return terminal(word);
    if (is_guard(word) && guard_matches(word, address)) return {guard_result(word), true};
    return resolve(address, slot, word);  // three of a hundred addresses on a full table
  }

  // step() where the word names a tnode, else the slot itself.  Compilers make a branch of it, which half of all
  // lookups would mispredict while they wait for memory; so the choice is spelled out where that is possible.
  static std::uint32_t step_unless_final(slot_word word, std::uint32_t slot, Key address) noexcept {
    const std::uint32_t next = step(word, address);
#if defined(__x86_64__)
    asm("testl %2, %2\n\tcmovnsl %1, %0" : "+r"(slot) : "r"(next), "r"(word) : "cc");
    return slot;
#else
    const auto final_mask = static_cast<std::uint32_t>(static_cast<std::int32_t>(word) >> 31);
    return (slot & final_mask) | (next & ~final_mask);
#endif
  }

  // The slot of the top node that an address selects.
  static std::uint32_t root_step(root_word root, Key address) noexcept {
    return static_cast<std::uint32_t>((root >> 32) + extract_field(address, root));
  }

  slot_word load(std::uint32_t slot) const noexcept {
    // acquire: what the word names was complete before the word was stored
    return slots_[slot].load(std::memory_order_acquire);
  }

  static lookup_result terminal(slot_word word) noexcept {
    return {word & inline_result_mask, (word >> no_route_bit & 1) == 0};
  }

  // The answer for an address that met a word other than a terminal one in a slot.  Out of line, to keep the callers
  // small.
  [[gnu::noinline]] lookup_result resolve(Key address, std::uint32_t slot, slot_word word) const noexcept {
    for (;;) {
      while (is_tnode(word)) {
        slot = step(word, address);
        word = load(slot);
      }
      if (!is_check(word)) return terminal(word);
      if (is_guard(word)) return resolve_guard(address, slot, word);
      const std::uint32_t id = word & id_mask;
      if (word < escape_tag) return follow_covers(address, id);
      const descriptor<Key>& node = descriptors_[id];
      if (shift_right(static_cast<Key>(node.key ^ address), node.pos + node.bits) != 0) {
        // acquire: the cover was complete before it was stored
        return follow_covers(address, node.cover.load(std::memory_order_acquire));
      }
      const Key index = static_cast<Key>(shift_right(address, node.pos) & low_mask<Key>(node.bits));
      // acquire: a moved array was complete before its place was stored
      slot = node.array.load(std::memory_order_acquire) + static_cast<std::uint32_t>(index);
      word = load(slot);
    }
  }

  // A guard that an address does not pass tells nothing of what covers it; the twin, read now, speaks for itself:
  // whatever it names is looked at anew.
  lookup_result resolve_guard(Key address, std::uint32_t slot, slot_word word) const noexcept {
    if (guard_matches(word, address)) return {guard_result(word), true};
    if ((word & guard_top_bit) != 0) return follow_covers(address, 0);
    const std::uint32_t id = first_cover(address, load_twin(slot));
    // A short prefix answers from the top array alone, as its slot's hot word does: or its answer could come, go and
    // come again.
    return follow_covers(address, entries_[id].plen <= top_bits_ ? 0 : id);
  }

  // The first match on the cover chain that starts at an entry (0: at the top array).
  lookup_result follow_covers(Key address, std::uint32_t id) const noexcept {
    while (id != 0) {
      const entry<Key>& e = entries_[id];
      // acquire (both): pairs with the writer's stores of results and covers
      if (e.covers(address)) return {e.result.load(std::memory_order_acquire), true};
      id = e.cover.load(std::memory_order_acquire);
    }
    const slot_word word = load(top_slot(address));  // terminal or an entry
    if (!is_check(word)) return terminal(word);
    return {entries_[word & id_mask].result.load(std::memory_order_acquire), true};
  }

  // Longest match with its prefix; slower: it reads entries always.
  match_result<Key> match(Key address) const noexcept {
    const std::uint32_t id = matching_entry(address, load_twin(holder_));
    if (id == 0) return {};
    const entry<Key>& e = entries_[id];
    return {{e.key, e.plen}, e.result.load(std::memory_order_acquire), true};  // acquire: as in follow_covers
  }

  // Calls visit(entry) for every prefix that contains the address, longest first, until it returns true; whether one
  // did.
  template <class Visit>
  bool for_each_match(Key address, Visit&& visit) const {
    for (std::uint32_t id = first_cover(address, load_twin(holder_)); id != 0;) {
      const entry<Key>& e = entries_[id];
      if (e.plen <= top_bits_) break;  // it will be met among the short ones
      if (e.covers(address) && visit(e)) return true;
      id = e.cover.load(std::memory_order_acquire);  // acquire: as in follow_covers()
    }
    for (unsigned plen = top_bits_ + 1; plen-- > 0;) {
      const prefix<Key> route{static_cast<Key>(address & prefix_mask<Key>(plen)), static_cast<std::uint8_t>(plen)};
      // acquire: the entry was complete before it was stored
      const std::uint32_t id = short_ids_[short_index(route)].load(std::memory_order_acquire);
      if (id != 0 && visit(entries_[id])) return true;
    }
    return false;
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
    const std::atomic<std::uint32_t>* short_ids;
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
    short_ids_ = a.short_ids;
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
  // The entry of the longest match, or 0; ref: the twin of a slot on the address's way down.
  std::uint32_t matching_entry(Key address, twin_ref ref) const noexcept {
    std::uint32_t id = first_cover(address, ref);
    for (; id != 0; id = entries_[id].cover.load(std::memory_order_acquire)) {  // acquire: as in follow_covers()
      if (entries_[id].covers(address)) return id;
    }
    return id_of(load_twin(top_slot(address)));
  }

  // Where the cover chain of an address begins: the leaf, empty slot or skipping tnode at the end of its way down.
  std::uint32_t first_cover(Key address, twin_ref ref) const noexcept {
    while (is_tnode_ref(ref)) {
      const header<Key>& node = headers_[id_of(ref)];
      const Key index = child_index(node.key, node.pos, address);
      // acquire (both): as in resolve()
      if (shift_right(index, node.bits) != 0) return node.cover.load(std::memory_order_acquire);
      ref = load_twin(node.array.load(std::memory_order_acquire) + static_cast<std::uint32_t>(index));
    }
    return id_of(ref);
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
  const std::atomic<std::uint32_t>* short_ids_ = nullptr;  // entries of the prefixes up to top_bits, by short_index()
};

}  // namespace trie
}  // namespace fibtrie
