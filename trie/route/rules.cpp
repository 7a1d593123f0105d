// SPDX-License-Identifier: MIT
// Policy rules.
//
// Thread safety: see the header.
#include "trie/route/rules.hpp"

#include <algorithm>

#include "fibtrie/route.h"
#include "trie/route/lookup.hpp"

namespace fibtrie::route {

namespace {

bool matches_ports(const compiled_rule& rule, const flow4& flow) noexcept {
  const auto inside = [](const auto& range, std::uint16_t port) {
    return !range || (port >= range->first && port <= range->last);
  };
  return inside(rule.spec.sport, flow.sport) && inside(rule.spec.dport, flow.dport);
}

bool matches_interfaces(const compiled_rule& rule, const flow4& flow) noexcept {
  // An interface that does not exist is nobody's.
  if (!rule.spec.iif.empty() && (rule.iif == 0 || rule.iif != flow.iif)) return false;
  return rule.spec.oif.empty() || (rule.oif != 0 && rule.oif == flow.oif);
}

bool matches_all(const compiled_rule& rule, const flow4& flow) noexcept {
  const rule_spec& s = rule.spec;
  if (!matches_interfaces(rule, flow)) return false;
  if (((s.mark ^ flow.mark) & s.mark_mask) != 0) return false;
  if (s.tunnel_id != 0 && s.tunnel_id != flow.tunnel_id) return false;
  if (s.uid && (flow.uid < s.uid->first || flow.uid > s.uid->last)) return false;
  if (!contains(s.from, flow.saddr) || !contains(s.to, flow.daddr)) return false;
  if (s.dscp ? *s.dscp != flow.tos >> 2 : s.tos != 0 && s.tos != (flow.tos & tos_mask)) return false;
  if (s.ip_protocol != 0 && s.ip_protocol != flow.ip_protocol) return false;
  return matches_ports(rule, flow);
}

template <class T>
bool is_bad_range(const std::optional<inclusive_range<T>>& range) noexcept {
  return range && range->first > range->last;
}

bool is_bad_ports(const std::optional<inclusive_range<std::uint16_t>>& range) noexcept {
  return range && (range->first == 0 || range->last == 0xffff || range->first > range->last);
}

status check(const rule_spec& s, std::uint32_t priority) noexcept {
  const bool known = (s.action >= rule_action::unspec && s.action <= rule_action::nop) ||
                     (s.action >= rule_action::blackhole && s.action <= rule_action::prohibit);
  if (!known || !is_valid(s.from) || !is_valid(s.to)) return status::invalid;
  if ((s.tos & ~tos_mask) != 0 || (s.dscp && (*s.dscp > 63 || s.tos != 0))) return status::invalid;
  if (is_bad_ports(s.sport) || is_bad_ports(s.dport) || is_bad_range(s.uid)) return status::invalid;
  if (s.action == rule_action::go_to && s.target <= priority) return status::invalid;
  return status::ok;
}

// Below the second rule; 0 if that cannot be.
std::uint32_t default_priority(const rule_list& list) noexcept {
  if (list.rules.size() < 2 || list.rules[1].priority == 0) return 0;
  return list.rules[1].priority - 1;
}

bool same_rule(const compiled_rule& a, const rule_spec& b, std::uint32_t priority) noexcept {
  rule_spec spec = b;  // what does not make a rule another one
  spec.priority = a.spec.priority;
  spec.invert = a.spec.invert;
  spec.target = a.spec.target;
  spec.protocol = a.spec.protocol;
  // What is not asked for of these is not compared.
  if (b.from.plen == 0) spec.from = a.spec.from;
  if (b.to.plen == 0) spec.to = a.spec.to;
  if (b.tos == 0 && !b.dscp) {
    spec.tos = a.spec.tos;
    spec.dscp = a.spec.dscp;
  }
  return a.priority == priority && spec == a.spec;
}

// What a delete gives has to be equal, what it does not give is any.
bool fits(const compiled_rule& rule, const rule_spec& c) noexcept {
  const rule_spec& s = rule.spec;
  const auto given = [](const auto& wanted, const auto& none, const auto& there) {
    return wanted == none || wanted == there;
  };
  if (c.priority && *c.priority != rule.priority) return false;
  if (!given(c.action, rule_action::unspec, s.action) || !given(c.table, 0u, s.table)) return false;
  if (!given(c.iif, std::string(), s.iif) || !given(c.oif, std::string(), s.oif)) return false;
  if (!given(c.mark, 0u, s.mark) || !given(c.mark_mask, 0u, s.mark_mask)) return false;
  if (!given(c.suppress_prefixlength, -1, s.suppress_prefixlength) || !given(c.suppress_group, -1, s.suppress_group) ||
      !given(c.tunnel_id, std::uint64_t{0}, s.tunnel_id) || !given(c.ip_protocol, std::uint8_t{0}, s.ip_protocol) ||
      !given(c.protocol, std::uint8_t{0}, s.protocol)) {
    return false;
  }
  if ((c.uid && c.uid != s.uid) || (c.sport && c.sport != s.sport) || (c.dport && c.dport != s.dport)) return false;
  if (c.from.plen != 0 && c.from != s.from) return false;
  if (c.to.plen != 0 && c.to != s.to) return false;
  return (c.tos == 0 || c.tos == s.tos) && (!c.dscp || c.dscp == s.dscp);
}

void resolve_devices(rule_list& list, const device_lookup_function& devices) {
  for (compiled_rule& rule : list.rules) {
    rule.iif = rule.spec.iif.empty() ? 0 : devices(rule.spec.iif);
    rule.oif = rule.spec.oif.empty() ? 0 : devices(rule.spec.oif);
  }
}

// Places of targets, by priority.
void resolve_targets(rule_list& list) noexcept {
  for (compiled_rule& rule : list.rules) {
    rule.target = compiled_rule::nowhere;
    if (rule.spec.action != rule_action::go_to) continue;
    for (std::size_t i = 0; i < list.rules.size(); ++i) {
      if (list.rules[i].priority != rule.spec.target) continue;
      rule.target = i;
      break;
    }
  }
}

compiled_rule compile(const rule_spec& spec, std::uint32_t priority) {
  compiled_rule rule;
  rule.spec = spec;
  rule.spec.priority = priority;
  rule.priority = priority;
  return rule;
}

}  // namespace

bool rule_matches(const compiled_rule& rule, const flow4& flow) noexcept {
  return matches_all(rule, flow) != rule.spec.invert;
}

bool is_suppressed(const compiled_rule& rule, unsigned plen, std::uint32_t group) noexcept {
  if (static_cast<int>(plen) <= rule.spec.suppress_prefixlength) return true;
  return rule.spec.suppress_group != -1 && static_cast<std::uint32_t>(rule.spec.suppress_group) == group;
}

void rule_book::open() {
  auto list = std::make_unique<rule_list>();
  const auto add = [&](std::uint32_t priority, std::uint32_t table) {
    rule_spec spec;
    spec.table = table;
    spec.protocol = protocol::kernel;
    list->rules.push_back(compile(spec, priority));
  };
  add(0, table_id::local);
  add(32766, table_id::main);
  add(32767, table_id::standard);
  delete publish(std::move(list));
}

status rule_book::prepare_add(const rule_spec& spec, std::uint16_t flags, const device_lookup_function& devices,
                              std::unique_ptr<rule_list>& next, rule_spec& made) const {
  const std::uint32_t priority = spec.priority ? *spec.priority : default_priority(*list());
  if (const status code = check(spec, priority); code != status::ok) return code;
  if (spec.action == rule_action::unspec || (spec.action == rule_action::to_table && spec.table == 0)) {
    return status::invalid;
  }
  auto fresh = std::make_unique<rule_list>(*list());
  auto& rules = fresh->rules;
  if ((flags & insert_flag::exclusive) != 0) {
    for (const compiled_rule& rule : rules) {
      if (same_rule(rule, spec, priority)) return status::exists;
    }
  }
  const auto at = std::upper_bound(rules.begin(), rules.end(), priority,
                                   [](std::uint32_t p, const compiled_rule& rule) { return p < rule.priority; });
  made = rules.insert(at, compile(spec, priority))->spec;
  resolve_devices(*fresh, devices);
  resolve_targets(*fresh);
  next = std::move(fresh);
  return status::ok;
}

status rule_book::prepare_remove(const rule_spec& criteria, const device_lookup_function& devices,
                                 std::unique_ptr<rule_list>& next, rule_spec& removed) const {
  const std::uint32_t priority = criteria.priority ? *criteria.priority : default_priority(*list());
  if (const status code = check(criteria, priority); code != status::ok) return code;
  auto fresh = std::make_unique<rule_list>(*list());
  auto& rules = fresh->rules;
  const auto at =
      std::find_if(rules.begin(), rules.end(), [&](const compiled_rule& rule) { return fits(rule, criteria); });
  if (at == rules.end()) return status::no_entry;
  removed = at->spec;
  rules.erase(at);
  resolve_devices(*fresh, devices);
  resolve_targets(*fresh);
  next = std::move(fresh);
  return status::ok;
}

std::unique_ptr<rule_list> rule_book::prepare_devices(const device_lookup_function& devices) const {
  const auto& rules = list()->rules;
  const bool named = std::any_of(rules.begin(), rules.end(), [](const compiled_rule& rule) {
    return !rule.spec.iif.empty() || !rule.spec.oif.empty();
  });
  if (!named) return nullptr;
  auto fresh = std::make_unique<rule_list>(*list());
  resolve_devices(*fresh, devices);
  return fresh;
}

const rule_list* rule_book::publish(std::unique_ptr<rule_list> next) noexcept {
  const rule_list* const old = list_.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  list_.store(next.release(), std::memory_order_release);              // release: the list is complete
  return old;
}

}  // namespace fibtrie::route
