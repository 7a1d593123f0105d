// SPDX-License-Identifier: MIT
// Settling and undoing what operations have done; many operations as one.
//
// Thread safety: one writer.
#include "trie/lc_trie_impl.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

void net::count_default(table& t, prefix4 dst, const journal_step& step) noexcept {
  if (dst.plen != 0) return;
  // relaxed (both): a count that only says whether there is a choice
  if (step.added.info != nullptr && step.removed.info == nullptr) t.defaults.fetch_add(1, std::memory_order_relaxed);
  if (step.added.info == nullptr && step.removed.info != nullptr) t.defaults.fetch_sub(1, std::memory_order_relaxed);
}

// Gives up what was replaced, and tells of what was done.
void net::settle(journal& log) noexcept {
  for (journal_step& step : log.steps) {
    count_default(*step.where, step.dst, step);
    if (!step.silent && has_listeners()) {
      if (step.added.info != nullptr) {
        tell(route_message::kind::added, step.message, step.added, step.dst);
      } else {
        tell(route_message::kind::removed, 0, step.removed, step.dst);
      }
    }
  }
  if (log.batch) remove_emptied(log);
  for (journal_step& step : log.steps) {
    store_.retire(step.before);
    if (step.removed.info != nullptr) store_.drop_reference(*step.removed.info);
  }
  log.steps.clear();
}

// Prefixes that a batch left without routes.
void net::remove_emptied(journal& log) noexcept {
  for (journal_step& step : log.steps) {
    if (!alias_store::is_list(step.after) || store_.list_of(step.after).size() != 0) continue;
    trie_type& trie = step.where->trie();
    const lookup_result now = trie.find(step.dst);
    if (!now.found || now.value != step.after) continue;  // a later step gave it routes again
    trie.take_back(step.dst);
    store_.retire(step.after);
  }
}

// The last step first.
void net::undo(journal& log) noexcept {
  for (auto step = log.steps.rbegin(); step != log.steps.rend(); ++step) {
    if (step->before == 0) {
      step->where->trie().take_back(step->dst);
    } else {
      step->where->trie().put_back(step->dst, step->before);
    }
    store_.retire(step->after);
    if (step->added.info != nullptr) store_.drop_reference(*step->added.info);
  }
  log.steps.clear();
}

status net::apply(std::span<const route_operation> operations, std::size_t* failed) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  reserve_retire(4 * operations.size());
  journal log;
  log.batch = true;
  log.steps.reserve(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    status code = status::no_memory;
    try {
      code = apply_one(operations[i], log);
    } catch (const std::bad_alloc&) {
      // undone below
    }
    if (code == status::ok) continue;
    if (failed != nullptr) *failed = i;
    undo(log);
    return code;
  }
  static_cast<void>(tell_events(log, false));
  settle(log);
  return status::ok;
}

status net::apply_one(const route_operation& operation, journal& log) {
  if (operation.what == route_operation::kind::remove) return remove_requested(operation.spec, log);
  if (const status code = check_request(operation.spec); code != status::ok) return code;
  return insert_in(*table_for(operation.spec.table), operation.spec, operation.flags, log);
}

}  // namespace fibtrie::route
