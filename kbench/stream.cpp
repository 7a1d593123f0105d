// SPDX-License-Identifier: MIT
#include "kbench/stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kbench/random.hpp"
#include "kbench/text.hpp"

namespace fibtrie::kbench {

std::uint32_t announced_result(prefix4 route, std::uint64_t k) noexcept {
  constexpr std::uint64_t results = 251;
  return static_cast<std::uint32_t>(1 + (prefix_hash{}(route) % results + k) % results);
}

prepared_stream prepare_stream(std::span<const io::table_route> start, std::span<const io::route_update> stream) {
  prepared_stream prepared;
  prepared.start_size = start.size();
  route_map& table = prepared.end_table;
  table.reserve(start.size() + start.size() / 8);
  for (const io::table_route& r : start) table.emplace(r.route, r.result);
  std::unordered_map<prefix4, std::uint64_t, prefix_hash> announcements;  // 0: only ever withdrawn
  update_counts& expected = prepared.expected;
  prepared.updates.reserve(stream.size());
  for (const io::route_update& u : stream) {
    std::uint64_t& k = announcements[u.route];
    if (u.announce) {
      const std::uint32_t result = announced_result(u.route, ++k);
      prepared.updates.push_back({u.route, result, update_kind::replace});
      ++(table.insert_or_assign(u.route, result).second ? expected.added : expected.replaced);
    } else {
      prepared.updates.push_back({u.route, 0, update_kind::remove});
      ++(table.erase(u.route) != 0 ? expected.removed : expected.missing);
    }
    expected.note_size();
  }
  prepared.touched = announcements.size();
  return prepared;
}

std::vector<io::route_update> synthetic_stream(std::span<const io::table_route> start, std::size_t count,
                                               std::uint64_t seed) {
  constexpr std::uint64_t returned = 275, withdrawn = 275, all = 10'000;
  std::vector<io::route_update> stream;
  if (start.empty()) return stream;
  random_source random(seed);
  std::vector<prefix4> by_rank;
  std::vector<std::uint64_t> weights;
  for (const io::table_route& r : start) by_rank.push_back(r.route);
  for (std::size_t rank = 0; rank < start.size(); ++rank) weights.push_back((std::uint64_t{1} << 48) / (rank + 1));
  shuffle(by_rank, random);
  const weighted_choice ranks(weights);

  std::vector<bool> is_gone(by_rank.size());
  std::vector<std::size_t> gone;
  while (stream.size() < count) {
    const std::uint64_t kind = random.below(all);
    if (kind < returned && !gone.empty()) {
      std::swap(gone[random.below(gone.size())], gone.back());
      stream.push_back({by_rank[gone.back()], true});
      is_gone[gone.back()] = false;
      gone.pop_back();
      continue;
    }
    const std::size_t rank = ranks.draw(random);
    const bool announce = kind >= returned + withdrawn;
    if (announce && is_gone[rank]) continue;  // it comes back by the branch above alone
    stream.push_back({by_rank[rank], announce});
    if (!announce && !is_gone[rank]) {
      is_gone[rank] = true;
      gone.push_back(rank);
    }
  }
  return stream;
}

bool check_routes(std::span<const io::table_route> routes, const route_map& expected, std::string& error) {
  route_map seen;
  seen.reserve(routes.size());
  for (const io::table_route& r : routes) {
    if (!seen.emplace(r.route, r.result).second) {
      error = fmt::format("route {} is there twice", to_text(r.route));
      return false;
    }
    const auto wanted = expected.find(r.route);
    if (wanted == expected.end() || wanted->second != r.result) {
      error = fmt::format("route {} has result {}, expected {}", to_text(r.route), r.result,
                          wanted == expected.end() ? "no such route" : std::to_string(wanted->second));
      return false;
    }
  }
  if (seen.size() == expected.size()) return true;
  const auto lost =
      std::find_if(expected.begin(), expected.end(), [&](const auto& e) { return !seen.contains(e.first); });
  error = fmt::format("route {} is missing", to_text(lost->first));
  return false;
}

}  // namespace fibtrie::kbench
