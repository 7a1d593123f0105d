// SPDX-License-Identifier: MIT
// See table_generator.hpp.
#include "kbench/table_generator.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "kbench/generator_model.hpp"
#include "kbench/next_hop_model.hpp"
#include "kbench/prefix_cascade.hpp"
#include "trie/assert.hpp"

namespace fibtrie::kbench {

namespace {

using octet_counts = std::array<std::uint32_t, 256>;

constexpr unsigned block_depth = 12;             // small tables are made of whole /12 blocks
constexpr std::uint32_t max_per_octet = 60'000;  // just below the 65,536 /24s of a /8

static_assert([] {
  std::size_t sum = 0;
  for (const auto count : model::routes_by_octet) sum += count;
  return sum;
}() == model_routes);

// Scales the model's counts up to the wanted sum.
octet_counts scale_octets(std::size_t routes) {
  octet_counts counts{};
  std::size_t left = routes;
  const auto give = [&](std::size_t octet, std::size_t count) {
    const std::size_t given = std::min({count, left, std::size_t{max_per_octet} - counts[octet]});
    counts[octet] += static_cast<std::uint32_t>(given);
    left -= given;
  };
  // Several rounds, because a full octet leaves its part to the others.
  while (left > 0) {
    const std::size_t round = left;
    for (std::size_t octet = 0; octet < counts.size(); ++octet) {
      const std::size_t share = model::routes_by_octet[octet];
      if (share > 0) give(octet, std::max<std::size_t>(1, round * share / model_routes));
    }
  }
  return counts;
}

// Takes blocks in random order until they hold the wanted number of routes; the last one may be cut.
void choose_blocks(std::vector<subtree>& blocks, std::size_t routes, random_source& random) {
  shuffle(blocks, random);
  std::size_t taken = 0;
  for (; routes > 0; ++taken) {
    FIBTRIE_ASSERT(taken < blocks.size());
    blocks[taken].routes = std::min<std::uint32_t>(blocks[taken].routes, static_cast<std::uint32_t>(routes));
    routes -= blocks[taken].routes;
  }
  blocks.resize(taken);
}

std::vector<prefix4> generate_prefixes(std::size_t routes, std::uint64_t seed) {
  random_source random(seed);
  prefix_cascade cascade(random.next());
  const std::size_t whole = std::max(routes, model_routes);
  const octet_counts counts = scale_octets(whole);
  std::vector<prefix4> prefixes;
  prefixes.reserve(routes);
  std::vector<subtree> blocks;
  for (std::uint32_t octet = 0; octet < counts.size(); ++octet) {
    cascade.grow({octet << 24, first_depth, counts[octet]}, prefixes, block_depth, blocks);
  }
  if (routes < whole) {
    // Of the prefixes shorter than a block, too, only a part.
    std::erase_if(prefixes, [&](const prefix4&) { return random.below(whole) >= routes; });
    if (prefixes.size() > routes) prefixes.resize(routes);
    choose_blocks(blocks, routes - prefixes.size(), random);
  }
  for (const subtree& block : blocks) cascade.grow(block, prefixes);
  std::sort(prefixes.begin(), prefixes.end());
  FIBTRIE_ASSERT(prefixes.size() == routes);
  return prefixes;
}

}  // namespace

bool generate_table(const generator_options& options, std::vector<io::table_route>& out) {
  out.clear();
  if (options.routes < 1 || options.routes > max_generated_routes) return false;
  if (options.next_hops < 1 || options.next_hops > max_next_hops) return false;
  const std::vector<prefix4> prefixes = generate_prefixes(options.routes, options.seed);
  out.reserve(prefixes.size());
  next_hop_model next_hops(options.next_hops, options.seed);
  for (const prefix4 route : prefixes) out.push_back({route, next_hops.next(route)});
  return true;
}

}  // namespace fibtrie::kbench
