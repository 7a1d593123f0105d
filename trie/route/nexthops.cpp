// SPDX-License-Identifier: MIT
// Next-hop objects and groups.
//
// Thread safety: one writer; readers through first_usable() and its like.
#include "trie/route/nexthops.hpp"

#include "trie/route/multipath.hpp"

namespace fibtrie::route {

bool is_blackhole(const nexthop_record& record) noexcept {
  const nexthop_state& state = record.now();
  if (state.members.empty()) return state.blackhole;
  return state.members.size() == 1 && state.members[0].record->now().blackhole;
}

std::size_t leg_count(const nexthop_record& record) noexcept {
  const std::size_t members = record.now().members.size();
  return members == 0 ? 1 : members;
}

const fib_leg* leg_at(const nexthop_record& record, std::size_t rank) noexcept {
  const nexthop_state& state = record.now();
  if (state.members.empty()) return rank == 0 ? &state.leg : nullptr;
  return rank < state.members.size() ? &state.members[rank].record->now().leg : nullptr;
}

const fib_leg* first_usable(const nexthop_record& record, std::uint32_t oif, unsigned flags,
                            std::uint16_t& rank) noexcept {
  const nexthop_state& state = record.now();
  rank = 0;
  if (state.members.empty()) return state.leg.is_usable(oif, flags) ? &state.leg : nullptr;
  for (const group_member& member : state.members) {
    const fib_leg& leg = member.record->now().leg;
    if (leg.is_usable(oif, flags)) return &leg;
    ++rank;
  }
  return nullptr;
}

void set_bounds(std::vector<group_member>& members) noexcept {
  std::uint64_t total = 0;
  for (const group_member& m : members) total += m.weight;
  std::uint64_t sum = 0;
  for (group_member& m : members) {
    sum += m.weight;
    m.upper_bound = weight_bound(sum, total);
  }
}

nexthop_record* nexthop_table::find(std::uint32_t id) const noexcept {
  const auto at = records_.find(id);
  return at == records_.end() ? nullptr : at->second.get();
}

std::uint32_t nexthop_table::free_id() const noexcept {
  std::uint32_t id = 1;
  for (const auto& [used, record] : records_) {
    if (used != id) break;
    ++id;
  }
  return id;
}

nexthop_record* nexthop_table::add(std::unique_ptr<nexthop_record> record) {
  const std::uint32_t id = record->id;
  return records_.emplace(id, std::move(record)).first->second.get();
}

std::unique_ptr<nexthop_record> nexthop_table::remove(std::uint32_t id) noexcept {
  const auto at = records_.find(id);
  auto record = std::move(at->second);
  records_.erase(at);
  return record;
}

}  // namespace fibtrie::route
