// SPDX-License-Identifier: MIT
// When a tnode inflates or halves: thresholds in used slots, worked out once for every width from a shape_policy.
//
// Thread safety: immutable after construction.
// Invariants: 1. inflate iff used > 1 and pos > 0 and 100 used S(N) >= T N S(2N); halve iff used > 1 and bits > 1 and
//   200 used S(N/2) < T N S(N), S(n) = truesize of a tnode with n slots.  2. An accepted policy never swings: what an
//   inflate leaves is not halved, what a halve leaves is not inflated (is_stable()).
// Source: thresholds of the kernel's fib_trie; truesize models: docs/design.md.
#pragma once

#include <array>
#include <cstdint>

#include "fibtrie/options.h"

namespace fibtrie::trie {

// Truesize in bytes of a tnode with 2^bits slots.
std::uint64_t truesize(size_model model, unsigned bits) noexcept;

class resize_rules {
 public:
  static constexpr unsigned max_bits = 40;

  explicit resize_rules(const shape_policy& policy) noexcept;

  // used = slots - empty + full children.
  bool inflate(bool root, unsigned bits, unsigned pos, std::uint64_t used) const noexcept {
    return used > 1 && pos > 0 && used >= inflate_from_[root][bits];
  }
  // used = slots - empty.
  bool halve(bool root, unsigned bits, std::uint64_t used) const noexcept {
    return used > 1 && bits > 1 && used < halve_below_[root][bits];
  }
  unsigned max_work() const noexcept { return max_work_; }
  // Least used count that inflates, and least that is not halved, for tables and tests.
  std::uint64_t inflate_from(bool root, unsigned bits) const noexcept { return inflate_from_[root][bits]; }
  std::uint64_t halve_below(bool root, unsigned bits) const noexcept { return halve_below_[root][bits]; }

  // False: thresholds that could undo each other for ever, or zero work.
  bool is_stable() const noexcept;

 private:
  std::array<std::array<std::uint64_t, max_bits + 1>, 2> inflate_from_{};
  std::array<std::array<std::uint64_t, max_bits + 1>, 2> halve_below_{};
  unsigned max_work_;
};

}  // namespace fibtrie::trie
