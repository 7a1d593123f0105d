// SPDX-License-Identifier: MIT
// See patterns.hpp.
#include "kbench/patterns.hpp"

#include <array>
#include <numeric>

#include "kbench/random.hpp"
#include "trie/assert.hpp"

namespace fibtrie::kbench {

namespace {

using addresses = std::vector<key32>;

constexpr std::array all_patterns{pattern::cov, pattern::uni, pattern::zipf, pattern::seq, pattern::rep};
constexpr std::array whole_space{io::table_route{}};

key32 random_host(prefix4 route, random_source& random) noexcept {
  return route.key | (static_cast<key32>(random.next() >> 32) & ~prefix_mask<key32>(route.plen));
}

addresses make_cov(std::span<const io::table_route> routes, random_source& random, std::size_t count) {
  addresses out(count);
  for (key32& address : out) address = random_host(routes[random.below(routes.size())].route, random);
  return out;
}

addresses make_zipf(std::span<const io::table_route> routes, random_source& random, std::size_t count) {
  std::vector<std::uint32_t> order(routes.size());
  std::iota(order.begin(), order.end(), 0u);
  shuffle(order, random);
  std::vector<std::uint64_t> weights(routes.size());
  for (std::size_t rank = 0; rank < weights.size(); ++rank) weights[rank] = (std::uint64_t{1} << 48) / (rank + 1);
  const weighted_choice ranks(weights);
  addresses out(count);
  for (key32& address : out) address = random_host(routes[order[ranks.draw(random)]].route, random);
  return out;
}

addresses make_uni(random_source& random, std::size_t count) {
  addresses out(count);
  for (key32& address : out) address = first_address + static_cast<key32>(random.below(address_range));
  return out;
}

addresses make_seq(std::size_t count) {
  addresses out(count);
  for (std::size_t i = 0; i < count; ++i) {
    // 128 bits, because range * i passes 64 bits for large counts.
    out[i] = first_address + static_cast<key32>(static_cast<unsigned __int128>(address_range) * i / count);
  }
  return out;
}

addresses make_rep(std::span<const io::table_route> routes, random_source& random, std::size_t count) {
  const addresses once = make_cov(routes, random, (count + repeat_count - 1) / repeat_count);
  addresses out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = once[i / repeat_count];
  return out;
}

}  // namespace

const char* to_text(pattern which) noexcept {
  switch (which) {
    case pattern::cov: return "cov";
    case pattern::uni: return "uni";
    case pattern::zipf: return "zipf";
    case pattern::seq: return "seq";
    case pattern::rep: return "rep";
  }
  return "unknown";
}

std::optional<pattern> parse_pattern(std::string_view name) noexcept {
  for (const pattern which : all_patterns) {
    if (name == to_text(which)) return which;
  }
  return std::nullopt;
}

std::vector<key32> make_addresses(pattern which, std::span<const io::table_route> routes, std::uint64_t seed,
                                  std::size_t count) {
  random_source random(seed);
  if (routes.empty()) routes = whole_space;
  switch (which) {
    case pattern::cov: return make_cov(routes, random, count);
    case pattern::uni: return make_uni(random, count);
    case pattern::zipf: return make_zipf(routes, random, count);
    case pattern::seq: return make_seq(count);
    case pattern::rep: return make_rep(routes, random, count);
  }
  return {};
}

}  // namespace fibtrie::kbench
