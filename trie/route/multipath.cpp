// SPDX-License-Identifier: MIT
// Choice among several next hops.
//
// Thread safety: see the header.
#include "trie/route/multipath.hpp"

#include "trie/route/nexthops.hpp"

namespace fibtrie::route {

namespace {

constexpr std::uint32_t hash_mask = 0x7fffffffu;

bool is_out_of_use(const fib_leg& leg) noexcept { return leg.is_dead() || leg.is_ignored_for_linkdown(); }

bool has_good_neighbour(const fib_leg& leg, const multipath_rules& rules) {
  if (rules.neighbours == nullptr || leg.gateway == 0) return true;
  const neighbour_state state = (*rules.neighbours)(leg.gateway, leg.oif);
  return state == neighbour_state::none || is_valid(state);
}

void put(flow_result& result, const fib_leg& leg, std::size_t rank) noexcept {
  result.leg = &leg;
  result.nexthop_index = static_cast<std::uint16_t>(rank);
}

void select_member(const nexthop_state& state, std::int32_t hash, const multipath_rules& rules, flow_result& result) {
  const std::size_t none = state.members.size();
  std::size_t fallback = none;
  for (std::size_t i = 0; i < state.members.size(); ++i) {
    const fib_leg& leg = state.members[i].record->now().leg;
    if (!has_good_neighbour(leg, rules)) continue;
    if (fallback == none) fallback = i;
    if (hash > state.members[i].upper_bound) continue;
    return put(result, leg, i);
  }
  const std::size_t rank = fallback == none ? 0 : fallback;
  put(result, state.members[rank].record->now().leg, rank);
}

// +2 for a leg whose packets leave with the flow's source, +1 for one that the hash fits.
void select_by_score(const flow4& flow, std::int32_t hash, const multipath_rules& rules, flow_result& result) {
  const fib_info& info = *result.info;
  int best = -1;
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    const fib_leg& leg = info.legs[i];
    // relaxed (both): a choice beside a change may go by either
    const std::int32_t bound = leg.upper_bound.load(std::memory_order_relaxed);
    if (bound == -1 || !has_good_neighbour(leg, rules)) continue;
    const key32 source = info.prefsrc != 0 ? info.prefsrc : leg.source.load(std::memory_order_relaxed);
    const int score = (flow.saddr != 0 && source == flow.saddr ? 2 : 0) + (hash <= bound ? 1 : 0);
    if (score <= best) continue;
    best = score;
    put(result, leg, i);
    if (score == 3 || (flow.saddr == 0 && score == 1)) return;
  }
}

void select_by_hash(std::int32_t hash, const multipath_rules& rules, flow_result& result) {
  const fib_info& info = *result.info;
  bool first = true;
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    const fib_leg& leg = info.legs[i];
    if (rules.neighbours != nullptr) {
      if (leg.is_dead() || !has_good_neighbour(leg, rules)) continue;
      if (first) put(result, leg, i);
      first = false;
    }
    if (hash > leg.upper_bound.load(std::memory_order_relaxed)) continue;  // relaxed: as above
    return put(result, leg, i);
  }
}

}  // namespace

void set_bounds(fib_info& info) noexcept {
  if (info.leg_count < 2) return;
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < info.leg_count; ++i) total += is_out_of_use(info.legs[i]) ? 0 : info.legs[i].weight;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    fib_leg& leg = info.legs[i];
    std::int32_t bound = -1;
    if (total > 0 && !is_out_of_use(leg)) bound = weight_bound(sum += leg.weight, total);
    leg.upper_bound.store(bound, std::memory_order_relaxed);  // relaxed: each bound stands for itself
  }
}

bool is_valid(neighbour_state state) noexcept {
  return state == neighbour_state::stale || state == neighbour_state::reachable;
}

void select_multipath(const flow4& flow, const multipath_rules& rules, flow_result& result) {
  const auto hash = static_cast<std::int32_t>(flow.hash & hash_mask);
  if (result.info->nexthop != nullptr) {
    const nexthop_state& state = result.info->nexthop->now();
    if (state.members.size() > 1) select_member(state, hash, rules, result);
  } else if (rules.source_prefers_leg) {
    select_by_score(flow, hash, rules, result);
  } else {
    select_by_hash(hash, rules, result);
  }
}

}  // namespace fibtrie::route
