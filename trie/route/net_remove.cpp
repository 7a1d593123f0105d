// SPDX-License-Identifier: MIT
// Removing a route.
//
// Thread safety: one writer.
// Source: section "Delete" of the kernel's behaviour.
#include "trie/route/match.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

status net::remove(const route_spec& criteria) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  journal log;
  if (const status code = remove_requested(criteria, log); code != status::ok) return code;
  static_cast<void>(tell_events(log, false));  // what is gone cannot be vetoed
  settle(log);
  return status::ok;
}

status net::remove_requested(const route_spec& criteria, journal& log) {
  if (const status code = check_request(criteria); code != status::ok) return code;
  if (criteria.nexthop_id != 0 && nexthops_.find(criteria.nexthop_id) == nullptr) return status::invalid;
  table* const t = existing_table(criteria.table);
  return t == nullptr ? status::not_found : remove_in(*t, criteria, log);
}

status net::remove_in(table& t, const route_spec& criteria, journal& log) {
  journal_step step;
  step.where = &t;
  step.dst = criteria.dst;
  alias_vector aliases;
  step.before = read_prefix(t, criteria.dst, aliases);
  const std::size_t at = find_match(aliases, criteria);
  if (at == aliases.size()) return status::not_found;
  log.steps.reserve(log.steps.size() + 1);
  step.removed = aliases[at];
  aliases.erase(aliases.begin() + static_cast<std::ptrdiff_t>(at));
  status code = status::ok;
  if (!aliases.empty() || log.batch) {
    code = store_aliases(step, aliases);
  } else {
    code = t.trie().remove(criteria.dst);
  }
  if (code != status::ok) return code == status::no_buffers ? status::no_memory : code;
  note_remove_event(step, aliases, at);
  log.steps.push_back(step);
  return status::ok;
}

// The next route takes the place of the first one, or there is none left.
void net::note_remove_event(journal_step& step, const alias_vector& left, std::size_t at) const noexcept {
  const std::uint32_t id = step.removed.info->table;
  step.event_kind = fib_event::kind::entry_del;
  step.event_of = step.removed;
  step.event = true;
  if (options_.behaviour.every_alias_announced) return;
  step.event = at == 0 || left[at - 1].info->table != id;
  if (at < left.size() && left[at].info->table == id) {
    step.event_kind = fib_event::kind::entry_replace;
    step.event_of = left[at];
  }
}

}  // namespace fibtrie::route
