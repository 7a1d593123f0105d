// SPDX-License-Identifier: MIT
// Grows the routes of a realistic table downwards through the binary trie, from how many there are to where they are.
//
// A node of the trie with n routes below it is a route itself or not, and the others divide between its halves.  Both
// are drawn with the frequencies of the real table (generator_model.hpp) for nodes of the same depth and
//   size class  of n, against the 2^(24 - depth) /24s that fit: equal, a little more, much more, a little less; else
//   its
//               value up to 8 and half octaves above;
//   cover       0 no route above, 1 one further above, 2 the parent is a route;
//   relation    to the sibling's count: 0 it has none, 1 equal, 2 fewer, 3 more; + 4 in the right half, + 8 in the
//   right
//               half when the left sibling is a route.
// Outcomes of a division of up to 8 routes are the count of the left half; above see prefix_cascade.cpp.
//
// Thread safety: one thread for each object.
// Invariants: 1. A subtree of n routes gives exactly n distinct prefixes no longer than /24, in ascending order.
//   2. Equal seeds and calls give equal routes on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fibtrie/key.h"
#include "kbench/random.hpp"

namespace fibtrie::kbench {

inline constexpr unsigned first_depth = 8, longest_plen = 24;

// The number of distinct prefixes of up to 24 bits at and below a node.
constexpr std::uint32_t route_capacity(unsigned depth) noexcept { return (2u << (longest_plen - depth)) - 1; }

struct subtree {
  key32 key = 0;
  unsigned depth = first_depth;
  std::uint32_t routes = 0;  // at most route_capacity(depth)
  unsigned cover = 0, relation = 0;
};

class prefix_cascade {
 public:
  explicit prefix_cascade(std::uint64_t seed);

  // Appends the routes of the subtree to out.  Below stop_depth nothing is grown: those subtrees go to stopped.
  void grow(const subtree& top, std::vector<prefix4>& out, unsigned stop_depth, std::vector<subtree>& stopped);
  // The same without a stop.
  void grow(const subtree& top, std::vector<prefix4>& out);

 private:
  static constexpr unsigned depths = longest_plen - first_depth, size_classes = 32, covers = 3, relations = 12;
  using own_shares = std::array<std::uint16_t, relations>;
  using split_rows = std::array<std::uint16_t, 4>;  // offsets into the model's rows
  template <class Row>
  using table = std::array<std::array<std::array<Row, covers>, size_classes>, depths>;

  static unsigned size_class(unsigned depth, std::uint32_t routes) noexcept;
  bool grow_node(const subtree& top);  // true when the node itself is a route
  bool draw_own(const subtree& at) noexcept;
  std::uint32_t draw_left(const subtree& at, std::uint32_t routes, unsigned cover) noexcept;
  std::uint32_t draw_outcome(const subtree& at, std::uint32_t routes, unsigned cover) noexcept;
  std::uint32_t left_of_outcome(std::uint32_t outcome, std::uint32_t routes, std::uint32_t full) noexcept;
  std::uint32_t smaller_half(std::uint32_t kind, std::uint32_t routes, std::uint32_t full) noexcept;
  std::uint32_t small_excess(std::uint32_t full) noexcept;

  random_source random_;
  table<own_shares> own_{};
  table<split_rows> split_{};
  std::vector<prefix4>* out_ = nullptr;  // of the call that runs
  std::vector<subtree>* stopped_ = nullptr;
  unsigned stop_depth_ = 0;
};

}  // namespace fibtrie::kbench
