// SPDX-License-Identifier: MIT
// A table's routes replaced as a whole: a new trie is filled, then shown in the place of the old one.
//
// Thread safety: one writer; readers see one switch.
#include "trie/lc_trie_impl.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

struct told {
  alias route;
  prefix4 dst;
};

bool walks_before(prefix4 a, prefix4 b) noexcept { return a.key != b.key ? a.key < b.key : a.plen > b.plen; }

}  // namespace

// A table in the making: like the one it will replace, but seen by nobody.
struct net::draft {
  draft(net& n, table& shown) : owner(n) {
    hidden.id = shown.id;
    hidden.own = make_trie(n.domain_, n.options_.table);
    if (hidden.own == nullptr) throw std::bad_alloc();
    hidden.shown.store(hidden.own.get(), std::memory_order_relaxed);  // relaxed: nobody else looks
    log.batch = true;
  }
  ~draft() {
    if (hidden.own != nullptr) owner.undo(log);
  }
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  net& owner;
  table hidden;
  journal log;
};

status net::replace_all(std::uint32_t id, std::span<const route_spec> routes, std::size_t* failed) {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  table& shown = *table_for(id);
  if (shares_trie(shown)) return status::unsupported;
  draft fresh(*this, shown);
  reserve_retire(4 * routes.size());
  fresh.log.steps.reserve(routes.size());
  for (std::size_t i = 0; i < routes.size(); ++i) {
    status code = check_request(routes[i]);
    if (code == status::ok && existing_table(routes[i].table) != &shown) code = status::invalid;
    if (code == status::ok) code = insert_in(fresh.hidden, routes[i], insert_verb::append, fresh.log);
    if (code == status::ok) continue;
    if (failed != nullptr) *failed = i;
    return code;
  }
  switch_tries(shown, fresh);
  return status::ok;
}

bool net::shares_trie(const table& t) const noexcept {
  if (t.own == nullptr) return true;
  const table* const local = tables_.find(table_id::local);
  return t.id == table_id::main && local != nullptr && local->own == nullptr;
}

namespace {

// All routes of a trie, in the order of a walk.
std::vector<told> routes_of(const trie_type& trie, const alias_store& store) {
  std::vector<told> routes;
  trie::cursor<key32> at;
  alias_vector aliases;
  trie.walk(at, [&](prefix4 dst, std::uint32_t result) {
    aliases.clear();
    store.read(result, aliases);
    for (const alias& a : aliases) routes.push_back({a, dst});
    return true;
  });
  return routes;
}

bool holds(const std::vector<told>& sorted, const told& wanted) noexcept {
  auto at = std::lower_bound(sorted.begin(), sorted.end(), wanted,
                             [](const told& a, const told& b) { return walks_before(a.dst, b.dst); });
  for (; at != sorted.end() && at->dst == wanted.dst; ++at) {
    if (at->route == wanted.route) return true;
  }
  return false;
}

}  // namespace

// Everything that may fail comes before the switch.
void net::switch_tries(table& shown, draft& fresh) {
  const std::vector<told> old = routes_of(*shown.own, store_);
  std::vector<told> now;
  if (has_listeners()) now = routes_of(*fresh.hidden.own, store_);
  std::vector<std::uint32_t> results;
  trie::cursor<key32> at;
  shown.own->walk(at, [&](prefix4, std::uint32_t result) {
    results.push_back(result);
    return true;
  });
  reserve_retire(results.size() + old.size() + 2 * fresh.log.steps.size() + 1);

  for (const journal_step& step : fresh.log.steps) store_.retire(step.before);
  fresh.log.steps.clear();
  std::swap(shown.own, fresh.hidden.own);
  shown.shown.store(shown.own.get(), std::memory_order_release);  // release: the trie is complete
  // relaxed (both): a count that only says whether there is a choice
  std::uint32_t defaults = 0;
  shown.own->walk(at = {}, [&](prefix4 dst, std::uint32_t result) {
    if (dst.plen == 0) defaults = alias_store::is_list(result) ? store_.list_of(result).size() : 1;
    return dst.key == 0;
  });
  shown.defaults.store(defaults, std::memory_order_relaxed);
  for (const told& gone : old) {
    if (has_listeners() && !holds(now, gone)) tell(route_message::kind::removed, 0, gone.route, gone.dst);
  }
  for (const told& made : now) {
    if (!holds(old, made)) tell(route_message::kind::added, insert_verb::add, made.route, made.dst);
  }
  if (has_listeners()) tell_switch(*shown.own, *fresh.hidden.own);
  for (const std::uint32_t result : results) store_.retire(result);
  for (const told& gone : old) store_.drop_reference(*gone.route.info);
  const std::size_t bytes = bytes_of(*fresh.hidden.own);
  waiting_trie_bytes_ += bytes;
  retired_.retire(retired_record(retired_kind::trie, fresh.hidden.own.release()), bytes);
}

// The first route of each prefix that has another one than before, or none any more.
void net::tell_switch(const trie_type& now, const trie_type& old) noexcept {
  const auto first_of = [this](std::uint32_t result) {
    alias first;
    store_.for_each_alias(result, [&](const fib_info& info, std::uint8_t tos) {
      first = {const_cast<fib_info*>(&info), tos};
      return false;
    });
    return first;
  };
  trie::cursor<key32> at;
  old.walk(at, [&](prefix4 dst, std::uint32_t result) {
    if (!now.find(dst).found) static_cast<void>(tell_event(fib_event::kind::entry_del, first_of(result), dst));
    return true;
  });
  now.walk(at = {}, [&](prefix4 dst, std::uint32_t result) {
    const lookup_result before = old.find(dst);
    const alias first = first_of(result);
    if (!before.found || !(first_of(before.value) == first)) {
      static_cast<void>(tell_event(fib_event::kind::entry_replace, first, dst));
    }
    return true;
  });
}

}  // namespace fibtrie::route
