// SPDX-License-Identifier: MIT
#include "trie/policy.hpp"

#include <algorithm>

#include "trie/node.hpp"

namespace fibtrie::trie {
namespace {

using wide = unsigned __int128;

std::uint64_t kmalloc_size(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t classes[] = {8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096};
  for (const std::uint64_t size : classes) {
    if (bytes <= size) return size;
  }
  return (bytes + 4095) / 4096 * 4096;
}

std::uint64_t divide_up(wide value, wide by) noexcept {
  return static_cast<std::uint64_t>(std::min<wide>((value + by - 1) / by, UINT64_MAX));
}

}  // namespace

std::uint64_t truesize(size_model model, unsigned bits) noexcept {
  const std::uint64_t slots = std::uint64_t{1} << bits;
  switch (model) {
    case size_model::exact: return 8 * slots;
    case size_model::kmalloc: return kmalloc_size(40 + 8 * slots);
    case size_model::arena: return 8 * slots + sizeof(header<key32>) + sizeof(descriptor<key32>);
  }
  return 8 * slots;
}

resize_rules::resize_rules(const shape_policy& policy) noexcept : max_work_(policy.max_work) {
  for (int root = 0; root < 2; ++root) {
    const wide inflate_t = root != 0 ? policy.root_inflate_threshold : policy.inflate_threshold;
    const wide halve_t = root != 0 ? policy.root_halve_threshold : policy.halve_threshold;
    for (unsigned bits = 0; bits <= max_bits; ++bits) {
      const wide slots = wide{1} << bits;
      const wide same = truesize(policy.model, bits);
      inflate_from_[root][bits] = divide_up(inflate_t * slots * truesize(policy.model, bits + 1), 100 * same);
      const wide half = bits > 0 ? truesize(policy.model, bits - 1) : same;
      halve_below_[root][bits] = divide_up(halve_t * slots * same, 200 * half);
    }
  }
}

bool resize_rules::is_stable() const noexcept {
  if (max_work_ == 0) return false;
  for (int root = 0; root < 2; ++root) {
    for (unsigned bits = 1; bits < max_bits; ++bits) {
      // An inflate of a tnode with u = used + full leaves at least u / 2 used slots: every full child was a used one.
      const std::uint64_t inflated = std::max<std::uint64_t>(inflate_from_[root][bits], 2);
      if ((inflated + 1) / 2 > 1 && halve(root != 0, bits + 1, (inflated + 1) / 2)) return false;
      // A halve keeps u: a pair becomes a full child, which counts twice.  So what was halved must not inflate again.
      if (bits > 1 && halve_below_[root][bits] > std::max<std::uint64_t>(inflate_from_[root][bits - 1], 2))
        return false;
    }
  }
  return true;
}

}  // namespace fibtrie::trie
