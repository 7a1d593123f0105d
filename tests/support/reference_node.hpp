// SPDX-License-Identifier: MIT
// The records of the reference trie: nodes (cold header, then key vector and slots), aliases, route infos.
//
// Thread safety: readers may share a trie that nobody changes; alias::accessed is the one field a lookup writes.
// Invariants: 1. tnode: bits > 0; leaf: bits == 0 and pos == 0; holder: pos == 32.  2. A child c of tnode n stands at
//   index_of(*n, c.key), and c.pos + c.bits <= n.pos.  3. A leaf's aliases ascend by slen, and its slen is the last
//   one's.
//   4. A tnode's slen is at least its pos and at least every slen below it.
// Source: the kernel's data model: 40 bytes and 2^bits pointers a tnode, 48 bytes a leaf, 56 bytes an alias.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fibtrie/key.h"

namespace fibtrie::testing {

inline constexpr unsigned key_bits = 32;

struct reference_nexthop {
  std::uint32_t flags = 0;  // a set bit makes it unusable
  std::uint32_t value = 0;  // the 32-bit result
};

// What many routes share.
struct reference_info {
  reference_info* next_in_bucket = nullptr;
  std::uint32_t references = 0;
  std::uint32_t flags = 0;
  std::uint32_t is_removed = 0;
  std::uint32_t nexthop_count = 1;
  reference_nexthop nexthop;  // the first of nexthop_count
};

// A route of a leaf.  Table, tos and type have one value here; a lookup checks them all the same, as the kernel's does.
struct reference_alias {
  reference_alias* next;
  reference_alias** link;  // the pointer that points here
  reference_info* info;
  std::uint32_t table;
  std::uint8_t dscp;
  std::uint8_t type;
  mutable std::atomic<std::uint8_t> accessed;
  std::uint8_t slen;
  std::int16_t default_choice;
  void* reclaim[2];  // room of the kernel's RCU callback record
};
static_assert(sizeof(reference_alias) == 56);

// The hot part of a node.  2^bits child pointers follow, or the leaf's list head.
struct key_vector {
  key32 key;
  std::uint8_t pos;
  std::uint8_t bits;
  std::uint8_t slen;

  bool is_leaf() const noexcept { return bits == 0; }
  bool is_tnode() const noexcept { return bits != 0; }
  std::uint64_t slot_count() const noexcept { return std::uint64_t{1} << bits; }
  key_vector** slots() noexcept { return reinterpret_cast<key_vector**>(this + 1); }
  key_vector* const* slots() const noexcept { return reinterpret_cast<key_vector* const*>(this + 1); }
  reference_alias*& aliases() noexcept { return *reinterpret_cast<reference_alias**>(this + 1); }
  const reference_alias* aliases() const noexcept { return *reinterpret_cast<reference_alias* const*>(this + 1); }
};
static_assert(sizeof(key_vector) == 8);

// A node as it lies in memory; key_vector pointers point to its member.
struct reference_node {
  reference_node* next_to_free;
  void* reclaim;  // with next_to_free: room of the kernel's RCU callback record
  std::uint32_t empty_children;
  std::uint32_t full_children;
  key_vector* parent;
  key_vector vector;
};
inline constexpr std::size_t tnode_header_bytes = sizeof(reference_node);
inline constexpr std::size_t leaf_bytes = tnode_header_bytes + sizeof(void*);
static_assert(tnode_header_bytes == 40 && leaf_bytes == 48);

constexpr std::size_t tnode_bytes(unsigned bits) noexcept { return tnode_header_bytes + (sizeof(void*) << bits); }

inline reference_node& node_of(key_vector* n) noexcept {
  return *reinterpret_cast<reference_node*>(reinterpret_cast<char*>(n) - offsetof(reference_node, vector));
}
inline const reference_node& node_of(const key_vector* n) noexcept {
  return *reinterpret_cast<const reference_node*>(reinterpret_cast<const char*>(n) - offsetof(reference_node, vector));
}

// The child number of an address; at least 2^bits when the address parts from the node above its index field.
inline std::uint64_t index_of(const key_vector& n, key32 address) noexcept {
  return std::uint64_t{address ^ n.key} >> n.pos;
}

// True for a child tnode that starts right under n's index field.
inline bool is_full(const key_vector& n, const key_vector* child) noexcept {
  return child != nullptr && child->is_tnode() && child->pos + child->bits == n.pos;
}

}  // namespace fibtrie::testing
