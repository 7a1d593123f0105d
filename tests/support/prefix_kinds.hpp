// SPDX-License-Identifier: MIT
// Kinds of random prefixes, each meant to hurt a trie in its own way.
//
// Thread safety: none needed.
// Invariants: 1. Every prefix made is valid.
// Source: none.
#pragma once

#include <array>
#include <cstdint>

#include "fibtrie/key.h"
#include "tests/support/naive_table.hpp"
#include "tests/support/seed.hpp"

namespace fibtrie::testing {

using prefix_kind = prefix4 (*)(random_source&);

// Short ones are rare, or they would answer for every address.
inline prefix4 anything(random_source& random) {
  return cut(static_cast<key32>(random()), random.one_in(400) ? random.below(33) : 8 + random.below(25));
}
// Like a routing table: blocks with many /24s and some of everything below them.
inline prefix4 clustered(random_source& random) {
  static constexpr std::array<unsigned, 8> lengths = {16, 20, 22, 23, 24, 24, 24, 28};
  return cut(ipv4(static_cast<std::uint8_t>(10 + random.below(3)), static_cast<std::uint8_t>(random.below(4)),
                  static_cast<std::uint8_t>(random.below(64)), static_cast<std::uint8_t>(random())),
             lengths[random.below(lengths.size())]);
}
// Chains of prefixes around two addresses, and what parts from them at one bit.
inline prefix4 nested(random_source& random) {
  const key32 base = random.one_in(2) ? 0xc0a85a5au : 0x0aff0001u;
  return cut(random.one_in(2) ? base : base ^ key32{1} << random.below(32), random.below(33));
}
// Host routes side by side, and a few blocks of them.
inline prefix4 neighbours(random_source& random) {
  return cut(ipv4(10, 0, 0, 0) | random.below(1024), random.one_in(8) ? 24 + random.below(8) : 32);
}
// Keys of few set bits: many prefixes share a key.
inline prefix4 few_bits(random_source& random) {
  return cut(static_cast<key32>(random() & random() & random() & random()), random.below(33));
}
inline prefix4 few_zeros(random_source& random) {
  return cut(~static_cast<key32>(random() & random() & random() & random()), random.below(33));
}
// Only prefixes around the length where they leave the cover chains.
inline prefix4 short_ones(random_source& random) { return cut(static_cast<key32>(random()), random.below(16)); }
// 0/0, both halves, both ends of the address space, neighbours of powers of two.
inline prefix4 extreme(random_source& random) {
  static constexpr std::array<unsigned, 10> lengths = {0, 1, 1, 2, 11, 12, 13, 30, 31, 32};
  const key32 power = key32{1} << random.below(32);
  const std::array<key32, 6> keys = {0, ~key32{0}, power, power - 1, ~power, random.below(4)};
  return cut(keys[random.below(keys.size())], lengths[random.below(lengths.size())]);
}
// A few prefixes on which very many slots depend.
inline prefix4 fan(random_source& random) {
  if (random.one_in(24)) return cut(ipv4(10, 0, 0, 0), 12 + random.below(4));
  return cut(ipv4(10, 0, 0, 0) | (static_cast<key32>(random()) & 0x0007ff00u), 24);
}

// Any 32-bit number is a result; the edges of what a slot word carries come often.
inline std::uint32_t any_result(random_source& random) {
  static constexpr std::array<std::uint32_t, 6> edges = {0, 1u << 25, (1u << 30) - 2, (1u << 30) - 1, 1u << 30, ~0u};
  return random.one_in(6) ? random.pick(edges) : static_cast<std::uint32_t>(random() & 0xffff);
}

}  // namespace fibtrie::testing
