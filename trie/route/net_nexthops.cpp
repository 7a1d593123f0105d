// SPDX-License-Identifier: MIT
// Next-hop objects: made, replaced, removed, with the routes that refer to them.
//
// Thread safety: one writer.
// Source: what the kernel is seen to do with `ip nexthop`.
#include <algorithm>
#include <utility>

#include "trie/lc_trie_impl.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

constexpr std::uint32_t loopback_index = 1;

bool is_group(const nexthop_object& object) noexcept { return !object.group.empty(); }

// A group that was made anew stands behind the others.
void make_newest(std::vector<nexthop_record*>& groups, nexthop_record* group) noexcept {
  const auto at = std::find(groups.begin(), groups.end(), group);
  std::rotate(at, at + 1, groups.end());
}

}  // namespace

// Whether the request makes sense, and what readers are to follow.
status net::make_nexthop_state(const nexthop_object& object, std::unique_ptr<nexthop_state>& out) const {
  auto state = std::make_unique<nexthop_state>();
  if (is_group(object)) {
    if (object.blackhole || object.hop.gateway != 0 || object.hop.oif != 0) return status::invalid;
    for (const nexthop_member& m : object.group) {
      nexthop_record* const record = nexthops_.find(m.id);
      if (record == nullptr || record->is_group() || m.weight == 0 || m.weight > 256) return status::invalid;
      if (record->now().blackhole && object.group.size() > 1) return status::invalid;
      for (const group_member& other : state->members) {
        if (other.record == record) return status::invalid;
      }
      state->members.push_back({record, m.weight, -1});
    }
    set_bounds(state->members);
    out = std::move(state);
    return status::ok;
  }
  state->blackhole = object.blackhole;
  fib_leg& leg = state->leg;
  if (object.blackhole && (object.hop.gateway != 0 || object.hop.oif != 0)) return status::invalid;
  leg.gateway = object.hop.gateway;
  leg.oif = object.blackhole ? loopback_index : object.hop.oif;
  leg.request_flags = object.hop.flags;
  const device* const dev = devices_.find(leg.oif);
  if (dev == nullptr) return status::invalid;
  if (!object.blackhole && !dev->has_carrier()) return status::net_down;
  route_spec as_route;
  as_route.table = table_id::main;
  if (const status code = check_leg(as_route, leg); code != status::ok) return code;
  out = std::move(state);
  return status::ok;
}

status net::add_nexthop(const nexthop_object& object, std::uint16_t flags) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  const bool replace = (flags & insert_flag::replace) != 0;
  if (replace && object.id == 0) return status::invalid;
  std::unique_ptr<nexthop_state> state;
  if (const status code = make_nexthop_state(object, state); code != status::ok) return code;
  nexthop_record* const there = object.id != 0 ? nexthops_.find(object.id) : nullptr;
  if (there != nullptr && !replace) return status::exists;
  if (there == nullptr && (flags & insert_flag::create) == 0) return status::no_entry;
  if (there != nullptr) return replace_nexthop(*there, object, std::move(state));
  auto record = std::make_unique<nexthop_record>();
  record->id = object.id != 0 ? object.id : nexthops_.free_id();
  record->object = object;
  record->object.id = record->id;
  for (const group_member& m : state->members) m.record->groups.reserve(m.record->groups.size() + 1);
  std::vector<nexthop_record*> members;
  for (const group_member& m : state->members) members.push_back(m.record);
  record->state.store(state.release(), std::memory_order_release);  // release: the state is complete
  nexthop_record* const made = nexthops_.add(std::move(record));
  for (nexthop_record* m : members) m->groups.push_back(made);
  return status::ok;
}

status net::replace_nexthop(nexthop_record& record, const nexthop_object& object,
                            std::unique_ptr<nexthop_state> state) {
  if (record.is_group() != is_group(object)) return status::invalid;
  if (const status code = check_replacement(record, object, *state); code != status::ok) return code;
  nexthop_object kept = object;
  kept.id = record.id;
  for (const group_member& m : state->members) m.record->groups.reserve(m.record->groups.size() + 1);
  leave_groups(record);
  for (const group_member& m : state->members) m.record->groups.push_back(&record);
  record.object = std::move(kept);
  publish_state(record, std::move(state));
  announce_nexthop(record);
  for (auto group = record.groups.rbegin(); group != record.groups.rend(); ++group) announce_nexthop(**group);
  return status::ok;
}

// Groups, and the routes that are there, do not take everything.
status net::check_replacement(const nexthop_record& record, const nexthop_object& object,
                              const nexthop_state& state) const {
  if (object.blackhole) {
    for (const nexthop_record* group : record.groups) {
      if (group->now().members.size() > 1) return status::invalid;
    }
  }
  const fib_leg& leg = state.members.empty() ? state.leg : state.members[0].record->now().leg;
  for (const fib_info* info = store_.infos().oldest(); info != nullptr; info = info->newer) {
    if (info->nexthop != &record) continue;
    if (const status code = check_object(info->scope, is_group(object), leg); code != status::ok) return code;
  }
  return status::ok;
}

// The record is not a member's group any more.
void net::leave_groups(nexthop_record& record) noexcept {
  for (const group_member& m : record.now().members) {
    auto& groups = m.record->groups;
    groups.erase(std::remove(groups.begin(), groups.end(), &record), groups.end());
  }
}

void net::publish_state(nexthop_record& record, std::unique_ptr<nexthop_state> state) noexcept {
  nexthop_state* const old = record.state.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  record.state.store(state.release(), std::memory_order_release);           // release: the state is complete
  retired_.retire(retired_record(retired_kind::nexthop_state, old), sizeof(nexthop_state));
}

// Tells anew of every route that uses it: keys in descending order, the routes of a key in their own order.
void net::announce_nexthop(const nexthop_record& record) noexcept {
  if (!has_listeners()) return;
  struct told {
    alias route;
    prefix4 dst;
  };
  try {
    tables_.for_each([&](const table& t) {
      std::vector<told> routes;
      trie::cursor<key32> at;
      t.trie().walk(at, [&](prefix4 dst, std::uint32_t result) {
        store_.for_each_alias(result, [&](const fib_info& info, std::uint8_t tos) {
          if (info.table == t.id && info.nexthop == &record)
            routes.push_back({{const_cast<fib_info*>(&info), tos}, dst});
          return true;
        });
        return true;
      });
      std::stable_sort(routes.begin(), routes.end(),
                       [](const told& a, const told& b) { return a.dst.key > b.dst.key; });
      for (const told& r : routes) tell(route_message::kind::added, insert_flag::replace, r.route, r.dst);
    });
  } catch (const std::bad_alloc&) {
    ++lost_messages_;
  }
}

status net::remove_nexthop(std::uint32_t id) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  nexthop_record* const record = nexthops_.find(id);
  if (record == nullptr) return status::no_entry;
  return drop_nexthop(*record) ? status::ok : status::no_memory;
}

// With its places in groups, groups that become empty, and all routes by it.  False: no memory; nothing has changed.
bool net::drop_nexthop(nexthop_record& record) noexcept {
  struct change {
    nexthop_record* group;
    std::unique_ptr<nexthop_state> state;
  };
  std::vector<change> changes;
  try {
    for (auto at = record.groups.rbegin(); at != record.groups.rend(); ++at) {
      nexthop_record* const group = *at;
      if (group->now().members.size() > 1) changes.push_back({group, without(*group, record)});
    }
    reserve_retire(record.groups.size());
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (change& c : changes) {
    auto& members = c.group->object.group;
    members.erase(
        std::remove_if(members.begin(), members.end(), [&](const nexthop_member& m) { return m.id == record.id; }),
        members.end());
    publish_state(*c.group, std::move(c.state));
    for (const group_member& m : c.group->now().members) make_newest(m.record->groups, c.group);
  }
  const std::vector<nexthop_record*> groups = std::move(record.groups);
  record.groups.clear();
  unlink_nexthop(record);
  if (kill_routes_by(record)) flush_dead();
  for (auto at = groups.rbegin(); at != groups.rend(); ++at) {
    nexthop_record& group = **at;
    if (group.object.group.size() != 1 || group.object.group[0].id != record.id) continue;
    unlink_nexthop(group);
    if (kill_routes_by(group)) flush_dead();
  }
  retire_gone_nexthops();
  return true;
}

std::unique_ptr<nexthop_state> net::without(const nexthop_record& group, const nexthop_record& member) const {
  auto state = std::make_unique<nexthop_state>();
  for (const group_member& m : group.now().members) {
    if (m.record != &member) state->members.push_back(m);
  }
  set_bounds(state->members);
  return state;
}

// Takes it out of the table.  Routes that are dead, but not swept out, may still lead to it.
void net::unlink_nexthop(nexthop_record& record) noexcept {
  leave_groups(record);
  nexthop_record* const gone = nexthops_.remove(record.id).release();
  gone->next_gone = std::exchange(gone_nexthops_, gone);
}

// True: there was one.
bool net::kill_routes_by(const nexthop_record& record) noexcept {
  bool any = false;
  for (fib_info* info = store_.infos().oldest(); info != nullptr; info = info->newer) {
    if (info->nexthop != &record) continue;
    info->flags.store(nexthop_flag::dead, std::memory_order_relaxed);  // relaxed: a flag that stands for itself
    any = true;
  }
  return any;
}

// Those that no route leads to any more; without memory for it, the next update does it.
void net::retire_gone_nexthops() noexcept {
  if (gone_nexthops_ == nullptr || flush_due_) return;
  std::size_t count = 0;
  for (const nexthop_record* gone = gone_nexthops_; gone != nullptr; gone = gone->next_gone) ++count;
  try {
    reserve_retire(count);
  } catch (const std::bad_alloc&) {
    return;
  }
  while (nexthop_record* const gone = gone_nexthops_) {
    gone_nexthops_ = gone->next_gone;
    retired_.retire(retired_record(retired_kind::nexthop, gone), sizeof(nexthop_record) + sizeof(nexthop_state));
  }
}

// Objects through an interface go with it; blackholes stand on the loopback device as long as it exists.
void net::drop_nexthops_of(std::uint32_t index, bool unregistered) noexcept {
  for (const auto& [id, record] : nexthops_) {
    nexthop_state& state = *record->state.load(std::memory_order_relaxed);  // relaxed: the writer's own store
    if (record->is_group() || state.leg.oif != index || (state.blackhole && !unregistered)) continue;
    // relaxed: a flag that stands for itself
    state.leg.flags.store(nexthop_flag::dead, std::memory_order_relaxed);
    objects_due_ = true;
  }
  drop_dead_nexthops();
}

// Without memory for it, the next update does it; lookups pass dead ones by.
void net::drop_dead_nexthops() noexcept {
  while (objects_due_) {
    const auto dead = std::find_if(nexthops_.begin(), nexthops_.end(), [](const auto& entry) {
      return !entry.second->is_group() && entry.second->now().leg.is_dead();
    });
    objects_due_ = dead != nexthops_.end();
    if (!objects_due_ || !drop_nexthop(*dead->second)) return;
  }
}

}  // namespace fibtrie::route
