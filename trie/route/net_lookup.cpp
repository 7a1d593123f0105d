// SPDX-License-Identifier: MIT
// Lookups over rules and in one table, and the choice among legs and default routes.
//
// Thread safety: readers in a read section, beside one writer.
// Source: sections "Policy rules", "Multipath" and "Several default routes" of the kernel's behaviour.
#include "trie/route/lookup.hpp"
#include "trie/route/multipath.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

std::size_t path_count(const fib_info& info) noexcept {
  return info.nexthop != nullptr ? leg_count(*info.nexthop) : info.leg_count;
}

const fib_leg* first_leg(const fib_info& info) noexcept {
  return info.nexthop != nullptr ? leg_at(*info.nexthop, 0) : info.leg_count > 0 ? &info.legs[0] : nullptr;
}

// Of the interface of a route's first next hop; all ones: there is none.
std::uint32_t group_of(const fib_info& info) noexcept {
  const fib_leg* const leg = first_leg(info);
  if (leg == nullptr || leg->device == nullptr) return UINT32_MAX;
  return leg->device->group.load(std::memory_order_relaxed);  // relaxed: a setting, nothing hangs on it
}

}  // namespace

status net::lookup_table(std::uint32_t id, const flow4& flow, unsigned flags, flow_result& out) const noexcept {
  const table* const t = existing_table(id);
  if (t == nullptr) return status::no_match;
  out.table = t->id;
  return lookup_in_trie(t->trie().reader(), store_, flow, flags, out);
}

status net::lookup(const flow4& flow, unsigned flags, flow_result& out) const noexcept {
  // acquire: the rules were published before
  if (!has_rules_.load(std::memory_order_acquire)) {
    status code = lookup_table(table_id::main, flow, flags, out);
    if (code == status::no_match) code = lookup_table(table_id::standard, flow, flags, out);
    return code == status::no_match ? status::net_unreachable : code;
  }
  return walk_rules(*rules_.list(), flow, [&](std::uint32_t id, const compiled_rule& rule) {
    // A rule that suppresses by prefix length needs to know it.
    const unsigned wanted = rule.spec.suppress_prefixlength >= 0 ? flags & ~lookup_flag::without_prefix : flags;
    const status code = lookup_table(id, flow, wanted, out);
    if (code != status::ok) return code;
    return is_suppressed(rule, out.route.plen, group_of(*out.info)) ? status::no_match : status::ok;
  });
}

plain_view net::plain(std::uint32_t id) const noexcept {
  const table* const t = existing_table(id);
  return plain_view(t == nullptr ? nullptr : &t->trie().reader());
}

namespace {

// Picks among default routes the first whose gateway does not look dead.
class default_choice {
 public:
  default_choice(flow_result& result, const neighbour_callback* neighbours) noexcept
      : result_(result), neighbours_(neighbours) {}

  // False: the choice has been made.
  bool offer(const alias_list::item& item, const fib_leg& leg) {
    if (candidate_ == nullptr) {
      if (item.info != result_.info) return false;
      head_ = &item;
    } else if (settle_candidate()) {
      return false;
    }
    candidate_ = item.info;
    candidate_leg_ = &leg;
    ++rank_;
    return true;
  }

  void finish() {
    if (head_ == nullptr) return;
    if (rank_ <= 0) return remember(-1);
    if (settle_candidate()) return;
    if (resort_rank_ >= 0) take(*resort_, *resort_leg_);
    remember(resort_rank_);
  }

 private:
  // relaxed (both): the rank chosen last, a hint between lookups
  void remember(std::int32_t rank) noexcept { head_->last_default.store(rank, std::memory_order_relaxed); }

  bool settle_candidate() {
    if (looks_dead()) return false;
    take(*candidate_, *candidate_leg_);
    remember(rank_);
    return true;
  }

  bool looks_dead() {
    if (neighbours_ == nullptr) return false;
    const neighbour_state state = (*neighbours_)(candidate_leg_->gateway, candidate_leg_->oif);
    const std::int32_t last = head_->last_default.load(std::memory_order_relaxed);
    if (state == neighbour_state::none || state == neighbour_state::reachable) return false;
    if (is_valid(state) && rank_ != last) return false;
    if (is_valid(state) || (resort_rank_ < 0 && rank_ > last && state != neighbour_state::incomplete)) {
      resort_ = candidate_;
      resort_leg_ = candidate_leg_;
      resort_rank_ = rank_;
    }
    return true;
  }

  void take(const fib_info& info, const fib_leg& leg) noexcept {
    result_.info = &info;
    result_.leg = &leg;
    result_.nexthop_index = 0;
  }

  flow_result& result_;
  const neighbour_callback* neighbours_;
  const alias_list::item* head_ = nullptr;
  const fib_info* candidate_ = nullptr;
  const fib_leg* candidate_leg_ = nullptr;
  std::int32_t rank_ = -1;
  const fib_info* resort_ = nullptr;
  const fib_leg* resort_leg_ = nullptr;
  std::int32_t resort_rank_ = -1;
};

void select_default(const alias_list& list, const flow4& flow, flow_result& result,
                    const neighbour_callback* neighbours) {
  default_choice choice(result, neighbours);
  const std::uint8_t scope = result.scope();
  std::uint32_t last_priority = result.priority();
  std::uint8_t last_tos = 0;
  for (const alias_list::item& item : list) {
    const fib_info& info = *item.info;
    if (info.table != result.table) continue;
    if (item.tos != 0 && item.tos != (flow.tos & tos_mask)) continue;
    if (info.priority > last_priority && item.tos == last_tos) {
      if (last_tos != 0) continue;
      break;
    }
    if (info.is_dead()) continue;
    last_tos = item.tos;
    last_priority = info.priority;
    if (info.scope != scope || info.type != route_type::unicast) continue;
    const fib_leg* const leg = first_leg(info);
    if (leg == nullptr || leg->gateway == 0 || leg->scope != scope::link) continue;
    if (!choice.offer(item, *leg)) return;
  }
  choice.finish();
}

}  // namespace

void net::select_path(const flow4& flow, flow_result& result, const neighbour_callback* neighbours) const {
  if (result.info == nullptr || flow.oif != 0) return;
  if (path_count(*result.info) > 1) {
    const multipath_rules rules{options_.behaviour.source_prefers_leg,
                                options_.multipath_uses_neighbours ? neighbours : nullptr};
    return select_multipath(flow, rules, result);
  }
  if (!alias_store::is_list(result.entry_result) || result.route.plen != 0 || result.type != route_type::unicast) {
    return;
  }
  const table* const t = existing_table(result.table);
  // relaxed: a count that only says whether there is a choice
  if (t == nullptr || t->defaults.load(std::memory_order_relaxed) < 2) return;
  select_default(store_.list_of(result.entry_result), flow, result, neighbours);
}

}  // namespace fibtrie::route
