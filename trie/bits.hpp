// SPDX-License-Identifier: MIT
// Pure arithmetic on keys: index fields, masks, differing bits.
//
// Thread safety: functions of their arguments.
// Invariants: 1. Every shift is defined: a shift by the full width gives 0.
// Source: section 1.2 of the kernel's behaviour (child index).
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "fibtrie/key.h"

namespace fibtrie::trie {

// value >> count with count in 0..width.  shift_right<std::uint8_t>(0xff, 8) == 0.
template <std::unsigned_integral Key>
constexpr Key shift_right(Key value, unsigned count) noexcept {
  if constexpr (sizeof(Key) <= 4) {
    return static_cast<Key>(std::uint64_t{value} >> count);
  } else {
    return count >= key_width<Key> ? Key{0} : static_cast<Key>(value >> count);
  }
}

// The low `count` bits set, count in 0..width.  low_mask<key32>(8) == 0xff.
template <std::unsigned_integral Key>
constexpr Key low_mask(unsigned count) noexcept {
  return static_cast<Key>(~prefix_mask<Key>(key_width<Key> - count));
}

// Number of the highest bit in which two different keys differ, 0 = least significant.  highest_difference(8u, 9u) ==
// 0.
template <std::unsigned_integral Key>
constexpr unsigned highest_difference(Key a, Key b) noexcept {
  return key_width<Key> - 1 - static_cast<unsigned>(std::countl_zero(static_cast<Key>(a ^ b)));
}

// The child number of an address in a node; at least 2^bits when the address is outside the node.
// child_index<key32>(0x0a000000, 16, 0x0a050000) == 5.
template <std::unsigned_integral Key>
constexpr Key child_index(Key node_key, unsigned pos, Key address) noexcept {
  return shift_right(static_cast<Key>(address ^ node_key), pos);
}

}  // namespace fibtrie::trie
