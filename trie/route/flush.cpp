// SPDX-License-Identifier: MIT
// Sweeping dead routes out of all tables, and parting local from main.
//
// Thread safety: one writer.
// Source: sections "Flush" and "Local and main" of the kernel's behaviour.
#include "trie/route/flush.hpp"

#include <algorithm>

#include "trie/lc_trie_impl.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

// In the order of a walk: keys ascending, the longer prefix first.
bool walks_before(prefix4 a, prefix4 b) noexcept { return a.key != b.key ? a.key < b.key : a.plen > b.plen; }

const sweep_step* find_step(const std::vector<sweep_step>& steps, prefix4 dst) noexcept {
  const auto at = std::lower_bound(steps.begin(), steps.end(), dst,
                                   [](const sweep_step& s, prefix4 p) { return walks_before(s.dst, p); });
  return at != steps.end() && at->dst == dst ? &*at : nullptr;
}

}  // namespace

sweep_plan::~sweep_plan() {
  for (const sweep& pass : passes) {
    for (const sweep_step& step : pass.steps) {
      if (step.after != 0) store.discard(step.after);
    }
  }
}

void plan_sweep(const table& t, const is_swept& swept, const sweep* earlier, alias_store& store, sweep& pass) {
  trie::cursor<key32> at;
  alias_vector aliases;
  alias_vector left;
  bool enough = true;
  t.trie().walk(at, [&](prefix4 dst, std::uint32_t result) {
    const sweep_step* const before = earlier != nullptr ? find_step(earlier->steps, dst) : nullptr;
    if (before != nullptr && before->after == 0) return true;  // nothing will be left for this pass
    aliases.clear();
    store.read(before != nullptr ? before->after : result, aliases);
    left.clear();
    for (const alias& a : aliases) {
      if (!swept(t, a)) left.push_back(a);
    }
    if (left.size() == aliases.size()) return true;
    pass.steps.push_back({dst, before != nullptr ? before->after : result, 0, pass.gone.size(), 0});
    sweep_step& step = pass.steps.back();
    bool first = true;  // none of this table stays in front
    for (std::size_t i = 0; i < aliases.size(); ++i) {
      if (swept(t, aliases[i])) {
        pass.gone.push_back({aliases[i], i + 1 < aliases.size() ? aliases[i + 1] : alias{}, first});
        ++step.gone_count;
      } else if (aliases[i].info->table == t.id) {
        first = false;
      }
    }
    enough = left.empty() || store.encode(left, step.after);
    return enough;
  });
  if (!enough) throw std::bad_alloc();
}

void net::plan_flush(sweep_plan& plan, const is_swept& swept) {
  tables_.for_each([&](const table& t) {
    plan.passes.emplace_back();  // first, so that the plan gives back what the pass has made if it is not completed
    sweep& pass = plan.passes.back();
    pass.where = const_cast<table*>(&t);
    const sweep* earlier = nullptr;
    for (const sweep& other : plan.passes) {
      if (&other != &pass && &other.where->trie() == &t.trie()) earlier = &other;
    }
    plan_sweep(t, swept, earlier, store_, pass);
    plan.records += 2 * pass.steps.size() + pass.gone.size();
  });
  reserve_retire(plan.records);
}

// A pass that cannot even begin ends it: those behind build on it.  Then the routes stay where they are, dead, until
// the next update.
bool net::carry_out(sweep_plan& plan) noexcept {
  std::size_t done = 0;
  while (done < plan.passes.size() && carry_out(plan.passes[done])) ++done;
  plan.passes.erase(plan.passes.begin(), plan.passes.begin() + static_cast<std::ptrdiff_t>(done));
  return plan.passes.empty();
}

bool net::carry_out(sweep& pass) noexcept {
  const auto decide = [&](prefix4 dst, std::uint32_t result) -> std::optional<std::uint32_t> {
    const sweep_step* const step = find_step(pass.steps, dst);
    if (step == nullptr) return result;
    if (has_listeners() && pass.tell) tell_swept(pass, *step);
    if (step->after == 0) return std::nullopt;
    return step->after;
  };
  if (pass.where->trie().prune(pass.steps.size(), decide) != status::ok) return false;
  for (const sweep_step& step : pass.steps) {
    store_.retire(step.before);
    for (std::size_t i = 0; i < step.gone_count; ++i) {
      const alias& gone = pass.gone[step.first_gone + i].route;
      if (!pass.drops_references) continue;
      // relaxed: a count that only says whether there is a choice
      if (step.dst.plen == 0) pass.where->defaults.fetch_sub(1, std::memory_order_relaxed);
      store_.drop_reference(*gone.info);
    }
  }
  return true;
}

void net::tell_swept(const sweep& pass, const sweep_step& step) noexcept {
  for (std::size_t i = 0; i < step.gone_count; ++i) {
    const swept_alias& gone = pass.gone[step.first_gone + i];
    const bool every = options_.behaviour.every_alias_announced;
    if (gone.first || every) {
      const bool next = !every && gone.next.info != nullptr && gone.next.info->table == pass.where->id;
      static_cast<void>(tell_event(next ? fib_event::kind::entry_replace : fib_event::kind::entry_del,
                                   next ? gone.next : gone.route, step.dst));
    }
    if (gone.route.info->prefsrc_gone && options_.behaviour.prefsrc_removal_announced) {
      tell(route_message::kind::removed, 0, gone.route, step.dst);
    }
  }
}

// Drops all routes whose info is dead, or doomed to be.
void net::flush_dead() noexcept {
  flush_due_ = true;
  sweep_plan plan(store_);
  try {
    plan_flush(plan, [](const table& t, const alias& a) { return a.info->table == t.id && a.info->is_dead(); });
  } catch (const std::bad_alloc&) {
    return;  // lookups pass them by; they go with the next update
  }
  flush_due_ = !carry_out(plan);
}

}  // namespace fibtrie::route
