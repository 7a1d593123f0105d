// SPDX-License-Identifier: MIT
// See random.hpp.
#include "kbench/random.hpp"

#include <algorithm>

namespace fibtrie::kbench {

weighted_choice::weighted_choice(const std::vector<std::uint64_t>& weights) {
  std::uint64_t sum = 0;
  sums_.reserve(weights.size());
  for (const std::uint64_t weight : weights) sums_.push_back(sum += weight);
  FIBTRIE_CHECK(sum > 0);
  step_ = sum / guide_size + 1;
  guide_.reserve(guide_size + 1);
  std::uint32_t place = 0;
  for (std::size_t i = 0; i <= guide_size; ++i) {
    while (place + 1 < sums_.size() && sums_[place] <= i * step_) ++place;
    guide_.push_back(place);
  }
}

std::size_t weighted_choice::draw(random_source& random) const noexcept {
  const std::uint64_t point = random.below(sums_.back());
  const std::uint32_t* range = &guide_[point / step_];
  const auto found = std::upper_bound(sums_.begin() + range[0], sums_.begin() + range[1] + 1, point);
  return static_cast<std::size_t>(found - sums_.begin());
}

}  // namespace fibtrie::kbench
