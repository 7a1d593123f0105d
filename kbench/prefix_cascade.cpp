// SPDX-License-Identifier: MIT
// See prefix_cascade.hpp.
#include "kbench/prefix_cascade.hpp"

#include <algorithm>
#include <iterator>

#include "kbench/generator_model.hpp"
#include "trie/assert.hpp"

namespace fibtrie::kbench {

namespace {

constexpr unsigned never_stop = longest_plen + 1;
constexpr std::uint32_t exact_size = 8;   // up to here outcomes are counts
constexpr std::uint32_t exact_small = 4;  // the smaller half of a larger node: up to here exact, then in ranges

// Outcomes of a division of more than exact_size routes.  "Full" is the number of /24s that fit in a half.
enum outcome : std::uint32_t {
  none_left,
  all_left,
  halves,
  left_full,
  right_full,
  left_over_full,
  right_over_full,
  left_smaller,
  right_smaller = left_smaller + 10,  // ten kinds each: the smaller half is 1, 2, 3, 4 or in one of six ranges
};
constexpr std::uint32_t small_kinds = right_smaller - left_smaller;

// Ends of the ranges in sixteenths of the routes.
constexpr std::array<std::uint64_t, 7> range_ends{0, 1, 2, 4, 6, 7, 8};

constexpr bool fits(unsigned column, unsigned value) noexcept { return column == model::any || column == value; }

unsigned relation_to(std::uint32_t sibling, std::uint32_t routes) noexcept {
  if (sibling == 0) return 0;
  return sibling == routes ? 1 : sibling < routes ? 2 : 3;
}

}  // namespace

prefix_cascade::prefix_cascade(std::uint64_t seed) : random_(seed) {
  constexpr std::size_t own_columns = 6, split_columns = 6;
  const auto for_matching = [](const auto* row, auto& rows, auto&& set) {
    for (unsigned depth = row[0]; depth <= row[1]; ++depth) {
      for (unsigned cover = 0; cover < covers; ++cover) {
        auto& cells = rows[depth - first_depth][row[2]][cover];
        for (unsigned relation = 0; relation < cells.size(); ++relation) {
          if (fits(row[3], cover) && fits(row[4], relation)) set(cells[relation]);
        }
      }
    }
  };
  for (std::size_t at = 0; at < std::size(model::own_rows); at += own_columns) {
    const auto* row = &model::own_rows[at];
    for_matching(row, own_, [row](auto& cell) { cell = row[5]; });
  }
  static_assert(std::size(model::split_rows) < 1 << 16);
  for (std::size_t at = 0; at < std::size(model::split_rows);) {
    const auto* row = &model::split_rows[at];
    for_matching(row, split_, [at](auto& cell) { cell = static_cast<std::uint16_t>(at); });
    at += split_columns + 2u * row[5];
  }
}

void prefix_cascade::grow(const subtree& top, std::vector<prefix4>& out, unsigned stop_depth,
                          std::vector<subtree>& stopped) {
  out_ = &out;
  stopped_ = &stopped;
  stop_depth_ = stop_depth;
  grow_node(top);
}

void prefix_cascade::grow(const subtree& top, std::vector<prefix4>& out) {
  std::vector<subtree> none;
  grow(top, out, never_stop, none);
  FIBTRIE_ASSERT(none.empty());
}

bool prefix_cascade::grow_node(const subtree& at) {
  if (at.routes == 0) return false;
  FIBTRIE_ASSERT(at.depth <= longest_plen && at.routes <= route_capacity(at.depth));
  if (at.depth == stop_depth_) {
    stopped_->push_back(at);
    return false;
  }
  const bool own = draw_own(at);
  if (own) out_->push_back({at.key, static_cast<std::uint8_t>(at.depth)});
  const std::uint32_t below = at.routes - (own ? 1 : 0);
  if (below == 0) return own;
  const unsigned cover = own ? 2 : at.cover == 0 ? 0 : 1;
  const std::uint32_t left = draw_left(at, below, cover), right = below - left;
  const bool left_own = grow_node({at.key, at.depth + 1, left, cover, relation_to(right, left)});
  const key32 middle = at.key | key32{1} << (key_width<key32> - 1 - at.depth);
  grow_node({middle, at.depth + 1, right, cover, 4 + relation_to(left, right) + (left_own ? 4u : 0u)});
  return own;
}

unsigned prefix_cascade::size_class(unsigned depth, std::uint32_t routes) noexcept {
  const std::uint32_t full = 1u << (longest_plen - depth);
  if (routes <= 4) return routes;
  if (routes == full) return 31;
  if (routes > full) return routes <= full + full / 16 + 1 ? 30 : routes <= full + full / 4 + 1 ? 29 : 28;
  if (routes <= exact_size) return routes;
  if (full >= 32 && routes >= full - full / 16) return 27;
  unsigned octave = 0;
  for (; routes >= 16; routes >>= 1) ++octave;
  return 9 + std::min(octave * 2 + (routes >= 12 ? 1 : 0), 17u);
}

bool prefix_cascade::draw_own(const subtree& at) noexcept {
  if (at.depth == longest_plen || at.routes == route_capacity(at.depth)) return true;
  const auto share = own_[at.depth - first_depth][size_class(at.depth, at.routes)][at.cover][at.relation];
  return random_.below(65536) < share;
}

// How many of the routes go to the left half.
std::uint32_t prefix_cascade::draw_left(const subtree& at, std::uint32_t routes, unsigned cover) noexcept {
  const std::uint32_t full = 1u << (longest_plen - 1 - at.depth);
  const std::uint32_t drawn = draw_outcome(at, routes, cover);
  std::uint32_t left = std::min(routes <= exact_size ? drawn : left_of_outcome(drawn, routes, full), routes);
  // A half much fuller than the real table's would end in unreal chains of nested routes: share with the other half.
  const std::uint32_t crowded = at.depth < 18 ? full + full / 4 : full + full / 2 + 1;
  if (at.depth < 22 && routes > crowded) {
    const std::uint32_t most = std::max(crowded, (routes + 1) / 2);
    left = std::clamp(left, routes - std::min(routes, most), most);
  }
  const std::uint32_t capacity = route_capacity(at.depth + 1);
  return std::clamp(left, routes - std::min(routes, capacity), std::min(routes, capacity));
}

std::uint32_t prefix_cascade::draw_outcome(const subtree& at, std::uint32_t routes, unsigned cover) noexcept {
  const std::uint16_t offset = split_[at.depth - first_depth][size_class(at.depth, routes)][cover][at.relation % 4];
  const std::uint8_t* row = &model::split_rows[offset];
  const std::uint8_t* pairs = row + 6;
  std::uint32_t total = 0;
  for (unsigned i = 0; i < row[5]; ++i) total += pairs[2 * i + 1];
  auto left = static_cast<std::uint32_t>(random_.below(total));
  for (; left >= pairs[1]; pairs += 2) left -= pairs[1];
  return pairs[0];
}

std::uint32_t prefix_cascade::left_of_outcome(std::uint32_t drawn, std::uint32_t routes, std::uint32_t full) noexcept {
  const auto other = [routes](std::uint32_t half) { return routes - std::min(routes, half); };
  switch (drawn) {
    case none_left: return 0;
    case all_left: return routes;
    case halves: return routes / 2 + (routes % 2 == 0 ? 0 : static_cast<std::uint32_t>(random_.below(2)));
    case left_full: return full;
    case right_full: return other(full);
    case left_over_full: return full + small_excess(full);
    case right_over_full: return other(full + small_excess(full));
    default: break;
  }
  const std::uint32_t half = smaller_half((drawn - left_smaller) % small_kinds, routes, full);
  return drawn < right_smaller ? half : other(half);
}

std::uint32_t prefix_cascade::smaller_half(std::uint32_t kind, std::uint32_t routes, std::uint32_t full) noexcept {
  std::uint32_t half = kind + 1;
  if (kind >= exact_small) {
    const auto end = [&](std::uint32_t i) { return static_cast<std::uint32_t>(routes * range_ends[i] / 16); };
    const std::uint32_t range = kind - exact_small;
    std::uint32_t first = std::max(exact_small, end(range)) + 1, last = std::min(end(range + 1), (routes - 1) / 2);
    if (routes >= full && routes < 2 * full) {  // the larger half stays below full; over_full is an outcome of its own
      first = std::max(first, routes - full + 1);
      if (last < first) last = std::min(routes / 2, first + first / 2);
    }
    half = first + static_cast<std::uint32_t>(random_.below(std::max(first, last) - first + 1));
  }
  if (routes < 2 * full) half = std::max(half, routes - std::min(routes, full - 1));
  return std::clamp(half, 1u, routes - 1);
}

// How much more than full: mostly a few routes that cover the others.
std::uint32_t prefix_cascade::small_excess(std::uint32_t full) noexcept {
  std::uint32_t excess = 1;
  while (excess < full / 2 && random_.below(4) != 0) ++excess;
  return excess;
}

}  // namespace fibtrie::kbench
