// SPDX-License-Identifier: MIT
// Policy rules: the list of them, what a flow has to have for one to match, and the walk from rule to rule.
//
// Thread safety: rule_book is the writer's, but for list(), which readers load; a published list never changes.
// Invariants: 1. A list is sorted by priority, equal ones in the order of their creation.  2. A goto leads forward.
// Progress: wait-free for readers; a walk asks each rule at most once.
// Source: section "Policy rules" of the kernel's behaviour.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fibtrie/flow.h"
#include "fibtrie/rule.h"
#include "fibtrie/status.h"

namespace fibtrie::route {

using device_lookup_function = std::function<std::uint32_t(const std::string&)>;  // 0: no such interface

struct compiled_rule {
  static constexpr std::size_t nowhere = SIZE_MAX;

  rule_spec spec;
  std::uint32_t priority = 0;
  std::uint32_t iif = 0;  // of interfaces that exist
  std::uint32_t oif = 0;
  std::size_t target = nowhere;  // of a goto: the place in the list to go on at
};

struct rule_list {
  std::vector<compiled_rule> rules;
};

bool rule_matches(const compiled_rule& rule, const flow4& flow) noexcept;

// True when a route of that length through an interface of that group does not count.
bool is_suppressed(const compiled_rule& rule, unsigned plen, std::uint32_t group) noexcept;

// Asks lookup(table, rule) for each rule that matches until it says something else than no_match.  Errors: those of
// lookup and of the rules; net_unreachable: no rule had an answer.
template <class Lookup>
status walk_rules(const rule_list& list, const flow4& flow, Lookup&& lookup) {
  for (std::size_t i = 0; i < list.rules.size();) {
    const compiled_rule& rule = list.rules[i++];
    if (!rule_matches(rule, flow)) continue;
    status code = status::no_match;
    switch (rule.spec.action) {
      case rule_action::to_table: code = lookup(rule.spec.table, rule); break;
      case rule_action::go_to:
        if (rule.target != compiled_rule::nowhere) i = rule.target;
        break;
      case rule_action::unspec:  // of deletes alone
      case rule_action::nop: break;
      case rule_action::blackhole: return status::invalid;
      case rule_action::unreachable: return status::net_unreachable;
      case rule_action::prohibit: return status::no_access;
    }
    if (code != status::no_match) return code;
  }
  return status::net_unreachable;
}

class rule_book {
 public:
  rule_book() = default;
  ~rule_book() { delete list_.load(std::memory_order_relaxed); }  // relaxed: nobody looks any more
  rule_book(const rule_book&) = delete;
  rule_book& operator=(const rule_book&) = delete;

  // Makes the rules that there are at first: 0 -> local, 32766 -> main, 32767 -> default.  May throw.
  void open();
  const rule_list* list() const noexcept {
    // acquire: the list was complete before it was published
    return list_.load(std::memory_order_acquire);
  }

  // What the list would become; nothing is changed.  May throw std::bad_alloc.  Errors: invalid, exists (with
  // insert_flag::exclusive), no_entry.
  status prepare_add(const rule_spec& spec, std::uint16_t flags, const device_lookup_function& devices,
                     std::unique_ptr<rule_list>& next, rule_spec& made) const;
  status prepare_remove(const rule_spec& criteria, const device_lookup_function& devices,
                        std::unique_ptr<rule_list>& next, rule_spec& removed) const;
  // After interfaces came or went; null: nothing changes.
  std::unique_ptr<rule_list> prepare_devices(const device_lookup_function& devices) const;
  // The old list is the caller's to retire.
  const rule_list* publish(std::unique_ptr<rule_list> next) noexcept;

 private:
  std::atomic<const rule_list*> list_{nullptr};
};

}  // namespace fibtrie::route
