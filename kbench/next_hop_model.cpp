// SPDX-License-Identifier: MIT
// See next_hop_model.hpp.
#include "kbench/next_hop_model.hpp"

namespace fibtrie::kbench {

namespace {

// Tuned so that the shares of the source come out; some equalities are chance.
constexpr std::uint64_t same_as_cover_permille = 395, same_as_last_permille = 600;

std::uint64_t integer_root(std::uint64_t value) noexcept {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit > 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= value) root |= bit;
  }
  return root;
}

// Weights falling as (rank + 1/2)^-1.25 with ranks from 1, by integers only: floating point powers differ between
// machines.
std::vector<std::uint64_t> rank_weights(std::uint32_t count) {
  std::vector<std::uint64_t> weights;
  weights.reserve(count);
  for (std::uint64_t twice = 3; weights.size() < count; twice += 2) {
    const std::uint64_t fourth_root = integer_root(integer_root(twice << 40));  // times 2^10
    weights.push_back((std::uint64_t{1} << 54) / (twice * fourth_root));
  }
  return weights;
}

}  // namespace

next_hop_model::next_hop_model(std::uint32_t count, std::uint64_t seed)
    : random_(seed ^ 0x6e65787420686f70u), fresh_(rank_weights(count)) {}

std::uint32_t next_hop_model::next(prefix4 route) {
  while (!covers_.empty() && !contains(covers_.back().route, route.key)) covers_.pop_back();
  std::uint32_t value = 0;
  if (!covers_.empty() && random_.below(1000) < same_as_cover_permille) {
    value = covers_.back().value;
  } else if (last_ != 0 && random_.below(1000) < same_as_last_permille) {
    value = last_;
  } else {
    value = static_cast<std::uint32_t>(fresh_.draw(random_)) + 1;
  }
  covers_.push_back({route, value});
  last_ = value;
  return value;
}

}  // namespace fibtrie::kbench
