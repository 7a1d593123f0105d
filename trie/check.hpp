// SPDX-License-Identifier: MIT
// lc_trie: verify_invariants(), a recount of everything that can be counted and a new search for every cover.
//
// Thread safety: no writer may run.
// Invariants: 1. Nothing is changed.  2. The first breach is told with its place.
// Progress: O(prefixes + slots) times the number of prefix lengths in use.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <unordered_map>

#include "trie/lc_trie.hpp"
#include "trie/nodes.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
class lc_trie<Key, Traits>::checker {
 public:
  explicit checker(const lc_trie& trie) : t_(trie) {}

  std::string run() {
    gather(t_.slot_ref(0, 0));
    check_slot(0, 0);
    expect(entries_seen_ == t_.size(), "count of routes", 0);
    check_top();
    check_memory();
    return fault_;
  }

 private:
  void expect(bool good, const char* what, Key where) {
    if (good || !fault_.empty()) return;
    char text[128];
    std::snprintf(text, sizeof text, "%s (at key %llx)", what, static_cast<unsigned long long>(where));
    fault_ = text;
  }

  // All prefixes, by length.
  void gather(twin_ref ref) {
    if (is_leaf(ref)) {
      for (std::uint32_t e = id_of(ref); e != 0; e = t_.next_of(e))
        by_plen_[t_.entries_[e].plen][t_.entries_[e].key] = e;
    } else if (is_tnode_ref(ref)) {
      const header_type& h = t_.headers_[id_of(ref)];
      for (std::uint32_t i = 0; i < h.slots(); ++i) gather(t_.slot_ref(id_of(ref), i));
    }
  }

  // The longest prefix of least..max_plen bits around an address, 0: none.
  std::uint32_t longest(Key address, int max_plen, int least) const {
    for (int plen = max_plen; plen >= least; --plen) {
      const auto& map = by_plen_[static_cast<unsigned>(plen)];
      if (map.empty()) continue;
      const auto it = map.find(static_cast<Key>(address & prefix_mask<Key>(static_cast<unsigned>(plen))));
      if (it != map.end()) return it->second;
    }
    return 0;
  }
  std::uint32_t cover(Key address, unsigned max_plen) const {
    return longest(address, static_cast<int>(max_plen), top_bits + 1);
  }

  void check_slot(std::uint32_t node, std::uint32_t index) {
    const header_type& parent = t_.headers_[node];
    const std::uint32_t array = parent.array.load(std::memory_order_relaxed);  // relaxed (all in here): no writer runs
    const twin_ref ref = t_.twin_at(array, index);
    const Key base =
        static_cast<Key>(parent.key | (parent.pos >= width ? Key{0} : static_cast<Key>(Key(index) << parent.pos)));
    if (node == 0 && t_.is_full_child(parent, ref)) {
      const header_type& top = t_.headers_[id_of(ref)];
      expect(t_.reader_.root() == make_root(top.array.load(std::memory_order_relaxed), top.pos, top.bits), "root word",
             base);
    } else {
      expect(t_.arena_.hot()[array + index].load(std::memory_order_relaxed) == t_.word_for(parent, ref),
             "hot word is not the twin's", base);
      if (node == 0) expect(t_.reader_.root() == make_root(holder_slot, 0, 0), "root word", base);
    }
    if (is_empty(ref)) {
      expect(id_of(ref) == cover(base, width - parent.pos), "cover of an empty slot", base);
    } else {
      expect(shift_right(static_cast<Key>(t_.key_of(ref) ^ base), parent.pos) == 0, "child in the wrong slot", base);
      is_leaf(ref) ? check_leaf(id_of(ref)) : check_tnode(id_of(ref), node);
    }
  }

  void check_leaf(std::uint32_t first) {
    const Key key = t_.entries_[first].key;
    unsigned before = width + 1;
    for (std::uint32_t id = first; id != 0; id = t_.next_of(id)) {
      const entry_type& e = t_.entries_[id];
      ++entries_seen_;
      expect(e.key == key && e.plen < before, "order of a leaf's list", key);
      expect((e.key & ~prefix_mask<Key>(e.plen)) == 0, "host bits in a prefix", key);
      before = e.plen;
      const std::uint32_t want = e.plen <= top_bits ? 0 : cover(e.key, e.plen - 1u);
      expect(t_.cover_of(id) == want, "cover of an entry", key);
    }
  }

  void check_tnode(std::uint32_t node, std::uint32_t parent) {
    const header_type& h = t_.headers_[node];
    ++tnodes_seen_;
    slots_seen_ += h.slots();
    expect(h.seen == visibility::seen, "an unseen tnode in the trie", h.key);
    expect(h.parent == parent, "parent of a tnode", h.key);
    expect(h.bits >= 1 && h.pos + h.bits <= t_.headers_[parent].pos, "pos and bits of a tnode", h.key);
    expect((h.key & low_mask<Key>(h.pos + h.bits)) == 0, "key of a tnode", h.key);
    expect(h.cover.load(std::memory_order_relaxed) == cover(h.key, h.plen()), "cover of a tnode", h.key);
    if (h.descriptor != 0) {
      const descriptor<Key>& d = t_.descriptors_[h.descriptor];
      ++descriptors_seen_;
      expect(d.key == h.key && d.pos == h.pos && d.bits == h.bits, "descriptor of a tnode", h.key);
      expect(d.cover.load(std::memory_order_relaxed) == h.cover.load(std::memory_order_relaxed), "descriptor's cover",
             h.key);
      expect(d.array.load(std::memory_order_relaxed) == h.array.load(std::memory_order_relaxed), "descriptor's array",
             h.key);
    }
    std::uint32_t empty = 0;
    std::uint32_t full = 0;
    for (std::uint32_t i = 0; i < h.slots(); ++i) {
      const twin_ref ref = t_.slot_ref(node, i);
      empty += is_empty(ref) ? 1 : 0;
      full += t_.is_full_child(h, ref) ? 1 : 0;
      check_slot(node, i);
    }
    expect(empty == h.empty_children, "count of empty children", h.key);
    expect(full == h.full_children, "count of full children", h.key);
  }

  void check_top() {
    const auto* ids = reinterpret_cast<const std::uint32_t*>(t_.short_ids_.base());
    for (std::uint32_t cell = 0; cell < top_base; ++cell) {
      const Key base = static_cast<Key>(Key(cell) << (width - top_bits));
      const std::uint32_t want = longest(base, top_bits, 0);
      expect(t_.twin(top_base + cell).load(std::memory_order_relaxed) == want, "twin of a top cell", base);
      expect(t_.arena_.hot()[top_base + cell].load(std::memory_order_relaxed) == t_.answer_word(want),
             "word of a top cell", base);
    }
    for (unsigned plen = 0; plen <= top_bits; ++plen) {
      for (std::uint32_t n = 0; n < (1u << plen); ++n) {
        const Key key = plen == 0 ? Key{0} : static_cast<Key>(Key(n) << (width - plen));
        const auto it = by_plen_[plen].find(key);
        const std::uint32_t want = it == by_plen_[plen].end() ? 0 : it->second;
        expect(ids[short_index(prefix_type{key, static_cast<std::uint8_t>(plen)})] == want, "index of short prefixes",
               key);
      }
    }
  }

  // Every slot and record is in use, free, or retired.
  void check_memory() {
    std::uint64_t free_slots = 0;
    expect(t_.arena_.recount(free_slots), "free lists of the arena", 0);
    expect(t_.arena_.live_slots() + free_slots == t_.arena_.top(), "slots of the arena", 0);
    const auto& w = t_.waiting_;
    expect(t_.entries_.live() == entries_seen_ + w.entries, "count of entries", 0);
    expect(t_.headers_.live() == tnodes_seen_ + w.headers, "count of headers", 0);
    expect(t_.descriptors_.live() == descriptors_seen_ + w.descriptors, "count of descriptors", 0);
    expect(t_.arena_.live_slots() == slots_seen_ + top_base + 2 + w.slots, "count of slots in use", 0);
    const std::size_t retired = w.slots * slot_bytes + w.headers * sizeof(header_type) +
                                w.descriptors * sizeof(descriptor<Key>) + w.entries * entry_bytes;
    expect(t_.retired_.backlog().bytes == retired, "bytes that wait for readers", 0);
  }

  const lc_trie& t_;
  std::array<std::unordered_map<Key, std::uint32_t>, width + 1> by_plen_;
  std::uint64_t entries_seen_ = 0;
  std::uint64_t tnodes_seen_ = 0;
  std::uint64_t descriptors_seen_ = 0;
  std::uint64_t slots_seen_ = 0;
  std::string fault_;
};

template <class Key, class Traits>
std::string lc_trie<Key, Traits>::verify_invariants() const {
  return checker(*this).run();
}

}  // namespace fibtrie::trie
