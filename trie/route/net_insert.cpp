// SPDX-License-Identifier: MIT
// Inserting a route.
//
// Thread safety: one writer.
// Source: section "Table operations" of the kernel's behaviour.
#include "trie/route/net.hpp"

namespace fibtrie::route {

// What is refused before the table is looked at.
status net::check_request(const route_spec& spec) const noexcept {
  if (!is_valid(spec.dst) || spec.type > route_type::xresolve) return status::invalid;
  if ((spec.tos & 3) != 0 && options_.behaviour.ecn_bits_refused) return status::invalid;
  const bool hop = spec.hop.gateway != 0 || spec.hop.oif != 0;
  if (spec.nexthop_id != 0 && (hop || !spec.multipath.empty())) return status::invalid;
  if (hop && !spec.multipath.empty()) return status::invalid;
  return status::ok;
}

status net::insert(const route_spec& spec, std::uint16_t flags) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  if (const status code = check_request(spec); code != status::ok) return code;
  journal log;
  log.steps.reserve(1);
  if (const status code = insert_in(*table_for(spec.table), spec, flags, log); code != status::ok) return code;
  if (const status veto = tell_events(log, true); veto != status::ok) {
    undo(log);
    return veto;
  }
  settle(log);
  return status::ok;
}

status net::insert_in(table& t, const route_spec& spec, std::uint16_t flags, journal& log) {
  std::unique_ptr<fib_info> made;
  if (const status code = make_info(spec, made); code != status::ok) return code;
  journal_step step;
  step.where = &t;
  step.dst = spec.dst;
  alias_vector aliases;
  step.before = read_prefix(t, spec.dst, aliases);
  aliases.reserve(aliases.size() + 1);
  log.steps.reserve(log.steps.size() + 1);
  bool fresh = false;
  fib_info* const info = adopt(made, fresh);
  if (info == nullptr) return status::no_buffers;
  step.added = {info, spec.tos};
  insert_plan plan;
  status code = plan_insert(aliases, step.added, flags, plan);
  const bool nothing = code == status::ok && plan.done == insert_plan::what::nothing;
  if (code == status::ok && !nothing) code = store_aliases(step, aliases);
  if (code != status::ok || nothing) {
    if (fresh) abandon(info);
    return code;
  }
  store_.add_reference(*info);
  step.message = plan.message;
  if (plan.replaced != nullptr) step.removed = {plan.replaced, spec.tos};
  note_insert_event(step, aliases, plan);
  log.steps.push_back(step);
  return status::ok;
}

// Puts the new routes of a prefix into the trie; on an error nothing has changed.
status net::store_aliases(journal_step& step, const alias_vector& aliases) noexcept {
  if (!store_.encode(aliases, step.after)) return status::no_buffers;
  trie_type& trie = step.where->trie();
  const status code = step.before == 0 ? trie.add(step.dst, step.after) : trie.replace(step.dst, step.after, nullptr);
  if (code != status::ok) store_.discard(step.after);
  return code;
}

// Offload drivers care for the first route of each prefix and table alone.
void net::note_insert_event(journal_step& step, const alias_vector& aliases, const insert_plan& plan) const noexcept {
  const bool first = plan.at == 0 || aliases[plan.at - 1].info->table != step.added.info->table;
  const bool every = options_.behaviour.every_alias_announced;
  const bool replaced = plan.done == insert_plan::what::replaced;
  step.event = first || every;
  step.event_of = step.added;
  step.event_kind = fib_event::kind::entry_replace;
  if (every && !replaced) {
    const bool append = (plan.message & insert_flag::append) != 0;
    step.event_kind = append ? fib_event::kind::entry_append : fib_event::kind::entry_add;
  }
}

}  // namespace fibtrie::route
