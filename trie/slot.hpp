// SPDX-License-Identifier: MIT
// The hot word of a child slot: all that a reader needs of the child, in 32 bits, and the writer's twin of it.
//
// Thread safety: functions of their arguments; the words themselves are stored and loaded atomically by their users.
// Invariants: 1. Bit 31 clear: a tnode without skipped bits, {bits:4, array >> bits:22, pos:5} from the top.
//   2. Bits 31..30 = 10: terminal: the result, valid for the whole slot (all ones: no route).
//   3. Bits 31..29 = 110: entry id to be checked.  4. Bits 31..29 = 111: id of an escape descriptor.
//   5. The lowest five bits of a tnode word are pos, so that a 32-bit shift by the word itself shifts by pos.
// Source: docs/design.md, "slots".
#pragma once

#include <cstdint>

#include "trie/bits.hpp"

namespace fibtrie::trie {

using slot_word = std::uint32_t;

inline constexpr slot_word terminal_tag = 0x80000000u;
inline constexpr slot_word check_bit = 0x40000000u;   // in words with bit 31: not a result, something to look at
inline constexpr slot_word escape_bit = 0x20000000u;  // in words with both: descriptor, else entry
inline constexpr std::uint32_t id_mask = 0x1fffffffu;
inline constexpr std::uint32_t inline_result_mask = 0x3fffffffu;
inline constexpr slot_word no_route_word = terminal_tag | inline_result_mask;
inline constexpr std::uint32_t max_inline_result = inline_result_mask - 1;

inline constexpr unsigned max_plain_bits = 15;
inline constexpr unsigned plain_ref_bits = 22;

// True when a tnode's array can be named by a plain word.
constexpr bool fits_plain(std::uint32_t array, unsigned bits) noexcept {
  return bits <= max_plain_bits && (array >> bits) < (1u << plain_ref_bits);
}

constexpr slot_word make_plain(std::uint32_t array, unsigned pos, unsigned bits) noexcept {
  return bits << 27 | (array >> bits) << 5 | pos;
}
constexpr slot_word make_terminal(std::uint32_t result) noexcept { return terminal_tag | result; }
constexpr slot_word make_entry(std::uint32_t id) noexcept { return terminal_tag | check_bit | id; }
constexpr slot_word make_escape(std::uint32_t id) noexcept { return terminal_tag | check_bit | escape_bit | id; }

constexpr bool is_tnode(slot_word word) noexcept { return static_cast<std::int32_t>(word) >= 0; }
constexpr bool is_check(slot_word word) noexcept { return word >= (terminal_tag | check_bit); }

// The slot that a plain tnode word leads an address to.
template <std::unsigned_integral Key>
  requires(sizeof(Key) <= 4)
constexpr std::uint32_t step(slot_word word, Key address) noexcept {
  const unsigned bits = word >> 27;
  const std::uint32_t field = (std::uint32_t{address} >> (word & 31)) & ((1u << bits) - 1);
  return (((word >> 5) & ((1u << plain_ref_bits) - 1)) << bits) + field;
}

// ---- the writer's twin of a slot: what stands there, by kind and id
using twin_ref = std::uint32_t;
inline constexpr twin_ref twin_kind_mask = 3u << 30;
inline constexpr twin_ref twin_empty = 0;          // with the id of the slot's cover
inline constexpr twin_ref twin_leaf = 1u << 30;    // with the id of the leaf's longest entry
inline constexpr twin_ref twin_tnode = 2u << 30;   // with the id of the tnode's header

constexpr std::uint32_t id_of(twin_ref ref) noexcept { return ref & ~twin_kind_mask; }
constexpr bool is_empty(twin_ref ref) noexcept { return (ref & twin_kind_mask) == twin_empty; }
constexpr bool is_leaf(twin_ref ref) noexcept { return (ref & twin_kind_mask) == twin_leaf; }
constexpr bool is_tnode_ref(twin_ref ref) noexcept { return (ref & twin_kind_mask) == twin_tnode; }

}  // namespace fibtrie::trie
