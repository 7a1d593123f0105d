// SPDX-License-Identifier: MIT
// A small integer random number generator with the same numbers on every machine.
//
// Thread safety: one thread for each generator.
// Invariants: 1. Equal seeds give equal sequences: no floating point, no std distribution.
// Source: Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trie/assert.hpp"

namespace fibtrie::kbench {

class random_source {
 public:
  explicit constexpr random_source(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
  }

  // 0..bound - 1.  The bias of taking the high word of a product is below 2^-32 of a share for the bounds used here.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    FIBTRIE_ASSERT(bound > 0);
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * bound >> 64);
  }

 private:
  std::uint64_t state_;
};

// Puts the items into a random order.
template <class Item>
void shuffle(std::vector<Item>& items, random_source& random) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[random.below(left)]);
}

// Draws numbers 0..size - 1 with given weights: a binary search in the running sums, narrowed by a guide table.
class weighted_choice {
 public:
  // Not all weights may be zero; their sum must fit 64 bits.
  explicit weighted_choice(const std::vector<std::uint64_t>& weights);
  std::size_t draw(random_source& random) const noexcept;

 private:
  static constexpr std::size_t guide_size = std::size_t{1} << 14;

  std::vector<std::uint64_t> sums_;   // of the weights up to and with each
  std::vector<std::uint32_t> guide_;  // where to look for the sums from each 1/guide_size of the total on
  std::uint64_t step_ = 1;            // of the guide
};

}  // namespace fibtrie::kbench
