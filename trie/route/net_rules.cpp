// SPDX-License-Identifier: MIT
// Policy rules, and the parting of local from main that the first change of them brings.
//
// Thread safety: one writer.
// Source: sections "Local and main" and "Policy rules" of the kernel's behaviour.
#include <new>

#include "trie/lc_trie_impl.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

bool is_of_local(const table&, const alias& a) { return a.info->table == table_id::local; }

}  // namespace

status net::add_rule(const rule_spec& rule, std::uint16_t flags) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  std::unique_ptr<rule_list> next;
  rule_spec made;
  if (const status code = rules_.prepare_add(rule, flags, device_lookup(), next, made); code != status::ok) {
    return code;
  }
  if (const status veto = tell_rule(fib_event::kind::rule_add, made); veto != status::ok) return veto;
  publish_custom_rules(std::move(next));
  return status::ok;
}

status net::remove_rule(const rule_spec& rule) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  std::unique_ptr<rule_list> next;
  rule_spec removed;
  if (const status code = rules_.prepare_remove(rule, device_lookup(), next, removed); code != status::ok) return code;
  publish_custom_rules(std::move(next));
  static_cast<void>(tell_rule(fib_event::kind::rule_del, removed));
  return status::ok;
}

status net::tell_rule(fib_event::kind what, const rule_spec& rule) {
  fib_event event;
  event.what = what;
  event.rule = &rule;
  return tell_event(event);
}

void net::publish_rules(std::unique_ptr<rule_list> next) noexcept {
  const rule_list* const old = rules_.publish(std::move(next));
  retired_.retire(retired_record(retired_kind::rules, old), sizeof(rule_list));
}

device_lookup_function net::device_lookup() const {
  return [this](const std::string& name) { return devices_.index_of(name); };
}

// Names of interfaces that came or went.
void net::resolve_rules() {
  if (auto next = rules_.prepare_devices(device_lookup())) publish_rules(std::move(next));
}

// The first time, local gets a trie of its own, filled in the order of a walk; then what is local's leaves main's trie.
// May throw std::bad_alloc, with nothing changed.  This once it waits for readers: one that still looks into main alone
// must find local's routes there.
void net::publish_custom_rules(std::unique_ptr<rule_list> next) {
  table* const local = tables_.find(table_id::local);
  table* const main = tables_.find(table_id::main);
  const bool shared = local != nullptr && main != nullptr && local->own == nullptr;
  std::unique_ptr<trie_type> fresh;
  if (shared) fresh = copy_of_local(*main);
  if (fresh != nullptr) {
    local->own = std::move(fresh);
    local->shown.store(local->own.get(), std::memory_order_release);  // release: the trie is complete
  }
  publish_rules(std::move(next));
  const bool first = !has_rules_.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  has_rules_.store(true, std::memory_order_release);               // release: the rules are published
  if (!first || !shared) return;
  domain_.synchronize();
  parting_due_ = true;
  sweep_local_out_of_main();
}

// May find no memory; then the next update does it.
void net::sweep_local_out_of_main() noexcept {
  try {
    sweep_plan plan(store_);
    plan.passes.emplace_back();
    sweep& pass = plan.passes.back();
    pass.where = tables_.find(table_id::main);
    pass.tell = false;
    pass.drops_references = false;
    plan_sweep(*pass.where, is_of_local, nullptr, store_, pass);
    reserve_retire(2 * pass.steps.size());
    parting_due_ = !carry_out(plan);
  } catch (const std::bad_alloc&) {
    // still due
  }
}

std::unique_ptr<trie_type> net::copy_of_local(const table& main) {
  auto fresh = make_trie(domain_, options_.table);
  if (fresh == nullptr) throw std::bad_alloc();
  std::vector<std::uint32_t> made;
  try {
    copy_aliases(main, *fresh, made);
  } catch (...) {
    for (const std::uint32_t result : made) store_.discard(result);
    throw;
  }
  return fresh;
}

// References stay as they are: the routes only move.
void net::copy_aliases(const table& main, trie_type& into, std::vector<std::uint32_t>& made) {
  trie::cursor<key32> at;
  alias_vector aliases;
  bool enough = true;
  main.trie().walk(at, [&](prefix4 dst, std::uint32_t result) {
    aliases.clear();
    store_.read(result, aliases);
    std::erase_if(aliases, [&](const alias& a) { return !is_of_local(main, a); });
    if (aliases.empty()) return true;
    made.reserve(made.size() + 1);
    std::uint32_t copy = 0;
    enough = store_.encode(aliases, copy);
    if (!enough) return false;
    made.push_back(copy);
    enough = into.add(dst, copy) == status::ok;
    return enough;
  });
  if (!enough) throw std::bad_alloc();
}

}  // namespace fibtrie::route
