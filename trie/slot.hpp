// SPDX-License-Identifier: MIT
// The hot word of a child slot: all that a reader needs of the child, in 32 bits, and the writer's twin of it.
//
// Thread safety: functions of their arguments; the words themselves are stored and loaded atomically by their users.
// Invariants: 1. Bit 31 clear: a tnode without skipped bits: {0, bits:4, array / 2:22, pos:5} from the top.
//   2. 100: terminal: a 29-bit result, valid for the whole slot.  101, then zeros: no route, for the whole slot.
//   3. 110: guarded: {top:1, result:17, value:6, shift:5}: the result holds for addresses with (address >> shift) % 64
//   = value,
//      which is a prefix at most six bits longer than the slot; for others the top array answers (top = 1) or the
//      slot's twin.
//   4. 1110: entry id to be checked.  5. 1111: id of an escape descriptor.
//   6. The lowest five bits of a tnode or guarded word are a shift count, so that a 32-bit shift by the word itself
//   shifts right.
// Source: docs/design.md, "slots".
#pragma once

#include <cstdint>
#include <type_traits>

#include "trie/bits.hpp"

namespace fibtrie::trie {

using slot_word = std::uint32_t;

inline constexpr slot_word terminal_tag = 0x80000000u;
inline constexpr slot_word guard_tag = 0xc0000000u;  // words from here on are not a plain result
inline constexpr slot_word entry_tag = 0xe0000000u;
inline constexpr slot_word escape_tag = 0xf0000000u;
inline constexpr std::uint32_t id_mask = 0x0fffffffu;
inline constexpr std::uint32_t max_id = id_mask;

inline constexpr std::uint32_t inline_result_mask = 0x1fffffffu;
inline constexpr std::uint32_t max_inline_result = inline_result_mask;
inline constexpr unsigned no_route_bit = 29;
inline constexpr slot_word no_route_word = terminal_tag | 1u << no_route_bit;

inline constexpr unsigned guard_bits =
    6;  // so many bits are compared, and a prefix may be so much longer than its slot
inline constexpr std::uint32_t guard_mask = (1u << guard_bits) - 1;
inline constexpr slot_word guard_top_bit = 0x10000000u;
inline constexpr unsigned guard_result_shift = 5 + guard_bits;
inline constexpr std::uint32_t max_guard_result = (1u << 17) - 1;

inline constexpr unsigned max_plain_bits = 15;
inline constexpr std::uint32_t plain_limit = 1u << 23;  // arrays from here on are far
inline constexpr std::uint32_t plain_array_mask = (plain_limit / 2 - 1) << 5;

// True when a tnode's array can be named by a plain word.
constexpr bool fits_plain(std::uint32_t array, unsigned bits) noexcept {
  return bits <= max_plain_bits && array < plain_limit;
}

constexpr slot_word make_plain(std::uint32_t array, unsigned pos, unsigned bits) noexcept {
  return bits << 27 | array << 4 | pos;
}
constexpr slot_word make_terminal(std::uint32_t result) noexcept { return terminal_tag | result; }
constexpr slot_word make_entry(std::uint32_t id) noexcept { return entry_tag | id; }
constexpr slot_word make_escape(std::uint32_t id) noexcept { return escape_tag | id; }
// For a prefix of the key's width - shift bits.
template <std::unsigned_integral Key>
constexpr slot_word make_guard(Key key, unsigned shift, std::uint32_t result, bool top) noexcept {
  const auto value = static_cast<std::uint32_t>(shift_right(key, shift)) & guard_mask;
  return guard_tag | (top ? guard_top_bit : 0) | result << guard_result_shift | value << 5 | shift;
}

constexpr bool is_tnode(slot_word word) noexcept { return static_cast<std::int32_t>(word) >= 0; }
// Neither a tnode nor a result for the whole slot.
constexpr bool is_check(slot_word word) noexcept { return word >= guard_tag; }
constexpr bool is_guard(slot_word word) noexcept { return word >= guard_tag && word < entry_tag; }

template <std::unsigned_integral Key>
requires(sizeof(Key) <= 4) constexpr bool guard_matches(slot_word word, Key address) noexcept {
  return (((std::uint32_t{address} >> (word & 31)) ^ (word >> 5)) & guard_mask) == 0;
}
constexpr std::uint32_t guard_result(slot_word word) noexcept { return word >> guard_result_shift & max_guard_result; }

// Bits from..from + 7 of a control word say where a field starts, the next eight how wide it is: one instruction where
// the processor has it.  extract_field(0x0a0b0c0d, 8 | 8 << 8) == 0x0c.
constexpr std::uint64_t extract_field(std::uint64_t value, std::uint64_t control) noexcept {
#if defined(__BMI__) && defined(__x86_64__)
  if (!std::is_constant_evaluated()) return __builtin_ia32_bextr_u64(value, control);
#endif
  return (value >> (control & 63)) & ((std::uint64_t{1} << (control >> 8 & 63)) - 1);
}

// The array that a plain tnode word names.
constexpr std::uint32_t array_of(slot_word word) noexcept { return (word & plain_array_mask) >> 4; }

// The slot that a plain tnode word leads an address to.
template <std::unsigned_integral Key>
requires(sizeof(Key) <= 4) constexpr std::uint32_t step(slot_word word, Key address) noexcept {
  const std::uint32_t field = (std::uint32_t{address} >> (word & 31)) & ((1u << (word >> 27)) - 1);
  return 2 * static_cast<std::uint32_t>(extract_field(word, 5 | 22 << 8)) + field;
}

// ---- the writer's twin of a slot: what stands there, by kind and id
using twin_ref = std::uint32_t;
inline constexpr twin_ref twin_kind_mask = 3u << 30;
inline constexpr twin_ref twin_empty = 0;         // with the id of the slot's cover
inline constexpr twin_ref twin_leaf = 1u << 30;   // with the id of the leaf's longest entry
inline constexpr twin_ref twin_tnode = 2u << 30;  // with the id of the tnode's header

constexpr std::uint32_t id_of(twin_ref ref) noexcept { return ref & ~twin_kind_mask; }
constexpr bool is_empty(twin_ref ref) noexcept { return (ref & twin_kind_mask) == twin_empty; }
constexpr bool is_leaf(twin_ref ref) noexcept { return (ref & twin_kind_mask) == twin_leaf; }
constexpr bool is_tnode_ref(twin_ref ref) noexcept { return (ref & twin_kind_mask) == twin_tnode; }

}  // namespace fibtrie::trie
