// SPDX-License-Identifier: MIT
// Keys and prefixes: address bits as unsigned integers in host order, first bit of the address = most significant.
//
// Thread safety: values only.
// Invariants: 1. A prefix that a table holds has plen <= width and no bit set below its length.
// Source: design of the kernel's fib_trie: keys are host-order integers.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace fibtrie {

using key32 = std::uint32_t;

// Width of a key in bits.
template <std::unsigned_integral Key>
inline constexpr unsigned key_width = sizeof(Key) * 8;

// Mask of the first plen bits, plen in 0..width.  prefix_mask<key32>(8) == 0xff000000.
template <std::unsigned_integral Key>
constexpr Key prefix_mask(unsigned plen) noexcept {
  return plen == 0 ? Key{0} : static_cast<Key>(static_cast<Key>(~Key{0}) << (key_width<Key> - plen));
}

// A prefix: key with its host bits zero, and its length in bits.
template <std::unsigned_integral Key>
struct prefix {
  Key key{};
  std::uint8_t plen{};

  friend constexpr auto operator<=>(const prefix&, const prefix&) noexcept = default;
};

using prefix4 = prefix<key32>;

// True when plen fits the key and no host bit is set.
template <std::unsigned_integral Key>
constexpr bool is_valid(prefix<Key> p) noexcept {
  return p.plen <= key_width<Key> && (p.key & static_cast<Key>(~prefix_mask<Key>(p.plen))) == 0;
}

// True when the prefix contains the address.  contains({0x0a000000, 8}, 0x0a010203) == true.
template <std::unsigned_integral Key>
constexpr bool contains(prefix<Key> p, Key address) noexcept {
  return static_cast<Key>((p.key ^ address) & prefix_mask<Key>(p.plen)) == 0;
}

// 10.1.2.3 -> ipv4(10, 1, 2, 3).
constexpr key32 ipv4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) noexcept {
  return key32{a} << 24 | key32{b} << 16 | key32{c} << 8 | key32{d};
}

}  // namespace fibtrie
