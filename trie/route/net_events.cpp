// SPDX-License-Identifier: MIT
// Telling listeners.
//
// Thread safety: one writer; listeners are called inside its update.
// Source: section "Notifications" of the kernel's behaviour.
#include <algorithm>

#include "trie/lc_trie_impl.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

// Reports are made anew for each event; one that finds no memory is lost to nobody but the listener, who is told so by
// the next subscription: there is no way to undo what has happened.
void net::tell(route_message::kind what, std::uint16_t flags, const alias& of, prefix4 dst) noexcept {
  try {
    route_report report;
    fill_report(*of.info, of.tos, dst, report);
    const route_message message{what, flags, &report};
    for (route_listener* listener : listeners_) listener->on_message(message);
  } catch (const std::bad_alloc&) {
    ++lost_messages_;
  }
}

// The first objection ends it.
status net::tell_event(const fib_event& event) {
  for (route_listener* listener : listeners_) {
    if (const status veto = listener->on_event(event); veto != status::ok) return veto;
  }
  return status::ok;
}

status net::tell_event(fib_event::kind what, const alias& of, prefix4 dst, const fib_leg* leg) noexcept {
  if (!has_listeners()) return status::ok;
  try {
    route_report report;
    fill_report(*of.info, of.tos, dst, report);
    nexthop_report hop;
    fib_event event;
    event.what = what;
    event.route = &report;
    if (leg != nullptr) {
      hop = report_of(*leg);
      event.leg = &hop;
    }
    return tell_event(event);
  } catch (const std::bad_alloc&) {
    ++lost_messages_;
    return status::ok;
  }
}

// The first objection ends it where it counts.
status net::tell_events(const journal& log, bool may_veto) noexcept {
  for (const journal_step& step : log.steps) {
    if (!step.event) continue;
    const status veto = tell_event(step.event_kind, step.event_of, step.dst);
    if (veto != status::ok && may_veto) return veto;
  }
  return status::ok;
}

status net::subscribe(route_listener& listener) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  if (std::find(listeners_.begin(), listeners_.end(), &listener) != listeners_.end()) return status::exists;
  listeners_.reserve(listeners_.size() + 1);
  for (const compiled_rule& rule : rules_.list()->rules) {
    fib_event event;
    event.what = fib_event::kind::rule_add;
    event.rule = &rule.spec;
    if (const status veto = listener.on_event(event); veto != status::ok) return veto;
  }
  if (const status veto = replay_routes(listener); veto != status::ok) return veto;
  listeners_.push_back(&listener);
  return status::ok;
}

// For each table the first route of each prefix (all of them, where all are announced).
status net::replay_routes(route_listener& listener) const {
  status veto = status::ok;
  tables_.for_each([&](const table& t) {
    trie::cursor<key32> at;
    if (veto != status::ok) return;
    t.trie().walk(at, [&](prefix4 dst, std::uint32_t result) {
      bool first = true;
      store_.for_each_alias(result, [&](const fib_info& info, std::uint8_t tos) {
        if (info.table != t.id) return true;
        route_report report;
        fill_report(info, tos, dst, report);
        fib_event event;
        event.what = first ? fib_event::kind::entry_replace : fib_event::kind::entry_append;
        event.route = &report;
        veto = listener.on_event(event);
        first = false;
        return veto == status::ok && options_.behaviour.every_alias_announced;
      });
      return veto == status::ok;
    });
  });
  return veto;
}

void net::unsubscribe(route_listener& listener) noexcept {
  const update_scope scope(*this);
  const auto at = std::find(listeners_.begin(), listeners_.end(), &listener);
  if (at != listeners_.end()) listeners_.erase(at);
}

}  // namespace fibtrie::route
