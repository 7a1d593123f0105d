// SPDX-License-Identifier: MIT
// The kernel's IPv4 FIB trie, plainly: pointers, suffix lengths, backtracking.  Oracle of the tests for shape and
// answers, and the benchmark's baseline `kernel-walk`.
//
// Thread safety: one thread changes it, and nobody reads meanwhile; any number of threads read a trie that nobody
// changes. Invariants: see reference_node.hpp. Progress: a lookup is bounded by the depth and the slots it backtracks
// over; memory is freed at once. Source: the described behaviour of the kernel's trie: exact walk, lookup, insert,
// remove, suffix lengths, resize.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fibtrie/key.h"
#include "fibtrie/shape.h"
#include "fibtrie/stats.h"
#include "fibtrie/status.h"
#include "tests/support/reference_arena.hpp"
#include "tests/support/reference_infos.hpp"
#include "tests/support/reference_node.hpp"
#include "trie/lookup.hpp"

namespace fibtrie::testing {

class reference_trie {
 public:
  reference_trie();
  reference_trie(const reference_trie&) = delete;
  reference_trie& operator=(const reference_trie&) = delete;

  // Errors: exists, invalid.
  status add(prefix4 route, std::uint32_t result);
  // Adds the route or changes its result.  Errors: invalid.
  status replace(prefix4 route, std::uint32_t result);
  // Errors: not_found, invalid.
  status remove(prefix4 route);

  lookup_result lookup(key32 address) const noexcept {
    const auto found = select(address);
    return found.nexthop == nullptr ? lookup_result{0, false} : lookup_result{found.nexthop->value, true};
  }
  // Longest match with the prefix that matched.
  match_result<key32> match(key32 address) const noexcept;

  std::size_t size() const noexcept { return size_; }
  void visit_shape(shape_visitor4& visitor) const;
  trie_stats stats() const;
  // Panics when a counter, a suffix length, a parent or an order is wrong.  Visits everything.
  void check_invariants() const;

 private:
  struct selection {
    const reference_alias* alias = nullptr;
    const reference_nexthop* nexthop = nullptr;
  };
  // Where a lookup that met a dead end goes on.
  struct resume_point {
    const key_vector* parent;
    std::uint64_t index;
  };
  struct place {
    key_vector* leaf;    // null: no such key
    key_vector* parent;  // the last node entered
  };

  // ---- lookup
  selection select(key32 address) const noexcept;
  static const key_vector* descend(const key_vector* n, key32 address, resume_point& resume) noexcept;
  const key_vector* backtrack(resume_point& resume) const noexcept;
  static selection select_alias(const key_vector& leaf, key32 address) noexcept;

  // ---- updates
  place find_node(key32 key) noexcept;
  static reference_alias* find_alias(key_vector* leaf, unsigned slen) noexcept;
  void insert_alias(place at, prefix4 route, std::uint32_t result);
  void insert_leaf(key_vector* parent, key_vector* leaf);
  void remove_leaf(place at);
  void push_suffix(key_vector* n, unsigned slen) noexcept;
  void pull_suffix(key_vector* n, unsigned slen) noexcept;
  void rebalance(key_vector* n);

  // ---- nodes
  bool is_holder(const key_vector* n) const noexcept { return n == holder_; }
  key_vector* make_leaf(key32 key);
  key_vector* make_tnode(key32 key, unsigned pos, unsigned bits);
  void put_child(key_vector* n, std::uint64_t index, key_vector* child) noexcept;
  void free_node(key_vector* n) noexcept;

  // ---- level compression; each returns the node to look at next
  key_vector* resize(key_vector* n);
  bool should_inflate(const key_vector* n) const noexcept;
  bool should_halve(const key_vector* n) const noexcept;
  bool is_at_top(const key_vector* n) const noexcept { return is_holder(node_of(n).parent); }
  void inflate(key_vector* old);
  void split_full_child(key_vector* grown, std::uint64_t index, key_vector* child);
  void halve(key_vector* old);
  key_vector* collapse(key_vector* n) noexcept;
  void put_in_place(key_vector* old, key_vector* fresh);
  void adopt_children(key_vector* n) noexcept;

  reference_arena arena_;
  reference_infos infos_{arena_};
  reference_node* to_free_ = nullptr;  // full children that the inflate under way has taken apart
  key_vector* const holder_;           // a key vector with one slot for the top node, never freed, never resized
  std::size_t size_ = 0;
};

// Phase one: follow the index fields.  Returns the node at which the address parts from the path, the leaf with that
// very key, or null for an empty slot.
inline const key_vector* reference_trie::descend(const key_vector* n, key32 address, resume_point& resume) noexcept {
  for (;;) {
    const auto index = index_of(*n, address);
    if (index >= n->slot_count() || n->is_leaf()) return n;
    if (n->slen > n->pos) resume = {n, index};  // something shorter may live here
    n = n->slots()[index];
    if (n == nullptr) return nullptr;
  }
}

// The next node that may hold a shorter prefix: strips index bits, then climbs.  Null when the holder is reached.
inline const key_vector* reference_trie::backtrack(resume_point& resume) const noexcept {
  for (;;) {
    while (resume.index == 0) {
      if (is_holder(resume.parent)) return nullptr;
      const auto key = resume.parent->key;
      resume.parent = node_of(resume.parent).parent;
      resume.index = index_of(*resume.parent, key);
    }
    resume.index &= resume.index - 1;
    const auto* n = resume.parent->slots()[resume.index];
    if (n != nullptr) return n;
  }
}

inline reference_trie::selection reference_trie::select_alias(const key_vector& leaf, key32 address) noexcept {
  // By type: non-zero ends the lookup with an error.  Types are not told apart here, all routes are unicast (1).
  static constexpr std::array<std::uint8_t, 12> type_errors = {1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  const auto difference = std::uint64_t{address ^ leaf.key};
  for (const auto* alias = leaf.aliases(); alias != nullptr; alias = alias->next) {
    if (difference >> alias->slen != 0 || alias->dscp != 0) continue;
    const auto* info = alias->info;
    if (info->is_removed != 0) continue;
    // relaxed: a mark that nothing is ordered by; written once to keep the line shared between readers
    if (alias->accessed.load(std::memory_order_relaxed) == 0) {
      alias->accessed.store(1, std::memory_order_relaxed);
    }
    if (type_errors[alias->type] != 0) return {};
    if (info->flags != 0) continue;
    const auto* nexthop = &info->nexthop;
    for (std::uint32_t i = 0; i < info->nexthop_count; ++i) {
      if (nexthop[i].flags == 0) return {alias, &nexthop[i]};
    }
  }
  return {};
}

inline reference_trie::selection reference_trie::select(key32 address) const noexcept {
  const auto* n = holder_->slots()[0];
  if (n == nullptr) return {};
  resume_point resume{holder_, 0};
  n = descend(n, address, resume);
  if (n != nullptr && n->is_leaf() && n->key == address) {
    const auto found = select_alias(*n, address);
    if (found.nexthop != nullptr) return found;
    n = nullptr;
  }
  for (;;) {
    if (n == nullptr) {
      n = backtrack(resume);
      if (n == nullptr) return {};
    }
    // Phase two: what covers the address under n has n's key followed by zeros, so n's lowest set bit and all bits
    // above it must agree.
    const key32 decided = n->key | (0 - n->key);
    if (((address ^ n->key) & decided) != 0 || n->slen == n->pos) {
      n = nullptr;
    } else if (n->is_tnode()) {
      n = n->slots()[0];
    } else {
      const auto found = select_alias(*n, address);
      if (found.nexthop != nullptr) return found;
      n = nullptr;
    }
  }
}

}  // namespace fibtrie::testing
