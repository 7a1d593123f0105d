// SPDX-License-Identifier: MIT
// Which route a delete means.
//
// Thread safety: the writer's.
#include "trie/route/match.hpp"

#include "trie/route/nexthops.hpp"

namespace fibtrie::route {

namespace {

// The criteria's device and gateway are compared with the first next hop only.
bool fits_hop(const fib_info& info, const nexthop_spec& hop) noexcept {
  const fib_leg& leg = info.legs[0];
  if (hop.flow != 0 && hop.flow != leg.flow) return false;
  return (hop.oif == 0 || hop.oif == leg.oif) && (hop.gateway == 0 || hop.gateway == leg.gateway);
}

// Each given one with the next hop of the same rank; those behind may be any.
bool fits_list(const fib_info& info, const std::vector<nexthop_spec>& hops) noexcept {
  std::uint32_t rank = 0;
  for (const nexthop_spec& hop : hops) {
    if (rank == info.leg_count) return true;
    const fib_leg& leg = info.legs[rank++];
    if (hop.oif != 0 && hop.oif != leg.oif) return false;
    if (hop.gateway != 0 && hop.gateway != leg.gateway) return false;
    if (hop.flow != 0 && hop.flow != leg.flow) return false;
  }
  return rank == info.leg_count;
}

bool fits_nexthops(const fib_info& info, const route_spec& criteria) noexcept {
  if (criteria.priority != 0 && criteria.priority != info.priority) return false;
  if (criteria.nexthop_id != 0) return info.nexthop != nullptr && info.nexthop->id == criteria.nexthop_id;
  const bool hop = criteria.hop.oif != 0 || criteria.hop.gateway != 0;
  if (info.nexthop != nullptr) return !hop && criteria.multipath.empty();
  if (hop) return fits_hop(info, criteria.hop);
  return criteria.multipath.empty() || fits_list(info, criteria.multipath);
}

bool fits_metrics(const fib_info& info, const route_metrics& wanted) noexcept {
  for (std::size_t i = 0; i < wanted.value.size(); ++i) {
    if (wanted.value[i] != 0 && wanted.value[i] != info.metrics.value[i]) return false;
  }
  return true;
}

bool fits(const fib_info& info, const route_spec& criteria) noexcept {
  return (criteria.type == route_type::unspec || criteria.type == info.type) &&
         (criteria.scope == scope::nowhere || criteria.scope == info.scope) &&
         (criteria.prefsrc == 0 || criteria.prefsrc == info.prefsrc) &&
         (criteria.protocol == protocol::unspec || criteria.protocol == info.protocol) &&
         fits_nexthops(info, criteria) && fits_metrics(info, criteria.metrics);
}

}  // namespace

std::size_t find_match(const alias_vector& aliases, const route_spec& criteria) noexcept {
  const std::uint32_t table = criteria.table == table_id::unspec ? table_id::main : criteria.table;
  for (std::size_t i = find_alias(aliases, table, criteria.tos, 0); i < aliases.size(); ++i) {
    if (aliases[i].info->table != table || aliases[i].tos != criteria.tos) break;
    if (fits(*aliases[i].info, criteria)) return i;
  }
  return aliases.size();
}

}  // namespace fibtrie::route
