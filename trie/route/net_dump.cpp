// SPDX-License-Identifier: MIT
// Reports of routes and tables.
//
// Thread safety: readers in a read section, beside one writer; verify_invariants() needs the writer at rest.
// Source: section "Walking, dump order, resume" of the kernel's behaviour.
#include <unordered_map>

#include "trie/lc_trie_impl.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

route_type shown_type(const fib_info& info) noexcept {
  return info.nexthop != nullptr && is_blackhole(*info.nexthop) ? route_type::blackhole : info.type;
}

}  // namespace

nexthop_report report_of(const fib_leg& leg) noexcept {
  nexthop_report hop;
  hop.gateway = leg.gateway;
  hop.oif = leg.oif;
  hop.weight = leg.weight;
  hop.scope = leg.scope;
  hop.flow = leg.flow;
  hop.flags = static_cast<std::uint8_t>(leg.request_flags & nexthop_flag::onlink);
  if (leg.is_dead()) hop.flags |= nexthop_flag::dead;
  if (leg.is_linkdown()) hop.flags |= nexthop_flag::linkdown;
  if (leg.is_ignored_for_linkdown()) hop.flags |= nexthop_flag::dead;
  return hop;
}

void net::fill_report(const fib_info& info, std::uint8_t tos, prefix4 dst, route_report& out) const {
  out.dst = dst;
  out.tos = tos;
  out.type = shown_type(info);
  out.kept_type = info.type;
  out.scope = info.scope;
  out.protocol = info.protocol;
  out.priority = info.priority;
  out.prefsrc = info.prefsrc;
  out.table = info.table;
  out.nexthop_id = info.nexthop != nullptr ? info.nexthop->id : 0;
  out.metrics = info.metrics;
  out.nexthops.clear();
  if (info.nexthop != nullptr) {
    const nexthop_state& state = info.nexthop->now();
    if (state.members.empty()) out.nexthops.push_back(report_of(state.leg));
    for (const group_member& m : state.members) {
      out.nexthops.push_back(report_of(m.record->now().leg));
      out.nexthops.back().weight = m.weight;
    }
    return;
  }
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    if (info.legs[i].device != nullptr) out.nexthops.push_back(report_of(info.legs[i]));
  }
}

route_report net::report(const flow_result& result) const {
  route_report out;
  if (result.info != nullptr) fill_report(*result.info, result.tos, result.route, out);
  return out;
}

std::vector<std::uint32_t> net::tables() const {
  std::vector<std::uint32_t> ids;
  tables_.for_each([&](const table& t) { ids.push_back(t.id); });
  return ids;
}

namespace {

// Reports one table; false: the visitor wants no more.
class table_dump {
 public:
  table_dump(const alias_store& store, dump_cursor& cursor, const std::function<bool(const route_report&)>& visit)
      : store_(store), cursor_(cursor), visit_(visit) {}

  template <class Fill>
  bool operator()(const table& t, Fill&& fill) {
    trie::cursor<key32> at{cursor_.key, cursor_.plen, false};
    std::uint32_t skip = cursor_.skip;
    bool more = true;
    t.trie().walk(at, [&](prefix4 dst, std::uint32_t result) {
      if (dst.key != cursor_.key || dst.plen != cursor_.plen) skip = 0;
      std::uint32_t rank = 0;
      store_.for_each_alias(result, [&](const fib_info& info, std::uint8_t tos) {
        if (rank++ < skip || info.table != t.id) return true;
        cursor_.key = dst.key;
        cursor_.plen = dst.plen;
        cursor_.skip = rank;
        fill(info, tos, dst, report_);
        more = visit_(report_);
        return more;
      });
      return more;
    });
    return more;
  }

 private:
  const alias_store& store_;
  dump_cursor& cursor_;
  const std::function<bool(const route_report&)>& visit_;
  route_report report_;
};

}  // namespace

void net::dump(dump_cursor& cursor, std::uint32_t id, const std::function<bool(const route_report&)>& visit) const {
  table_dump dump_one(store_, cursor, visit);
  const auto fill = [&](const fib_info& info, std::uint8_t tos, prefix4 dst, route_report& out) {
    fill_report(info, tos, dst, out);
  };
  if (cursor.done) return;
  for (; cursor.chain < table_map::chains; ++cursor.chain) {
    for (const table* t = tables_.first(cursor.chain); t != nullptr; t = t->next) {
      if (id != 0 && t->id != id) continue;
      if (cursor.table != 0 && cursor.table != t->id) continue;  // tables are never destroyed: it will come
      cursor.table = t->id;
      if (!dump_one(*t, fill)) return;
      cursor = {cursor.chain, 0, 0, 32, 0, false};
    }
  }
  cursor.done = true;
}

void net::visit_shape(std::uint32_t id, table_shape_visitor& visitor) const {
  const table* const t = existing_table(id);
  if (t == nullptr) return;
  struct adapter final : shape_visitor4 {
    adapter(const alias_store& s, table_shape_visitor& v) : store(s), inner(v) {}
    void tnode(unsigned depth, prefix4 node, unsigned bits, std::uint32_t full, std::uint32_t empty) override {
      inner.tnode(depth, node, bits, full, empty);
    }
    void leaf(unsigned depth, key32 key) override { inner.leaf(depth, key); }
    void route(unsigned depth, prefix4 dst, std::uint32_t result) override {
      store.for_each_alias(result, [&](const fib_info& info, std::uint8_t tos) {
        inner.alias(depth, dst.plen, info.scope, info.type, tos);
        return true;
      });
    }
    const alias_store& store;
    table_shape_visitor& inner;
  };
  adapter adapt(store_, visitor);
  t->trie().visit_shape(adapt);
}

trie_stats net::stats(std::uint32_t id) const {
  const table* const t = existing_table(id);
  if (t == nullptr) return {};
  trie_stats s = t->trie().stats();
  s.prefixes = 0;  // the kernel counts aliases
  trie::cursor<key32> at;
  t->trie().walk(at, [&](prefix4, std::uint32_t result) {
    s.prefixes += alias_store::is_list(result) ? store_.list_of(result).size() : 1;
    return true;
  });
  return s;
}

memory_stats net::memory() const {
  memory_stats sum;
  tables_.for_each([&](const table& t) {
    if (t.own == nullptr) return;
    const memory_stats m = t.own->memory();
    sum.slot_bytes += m.slot_bytes;
    sum.header_bytes += m.header_bytes;
    sum.descriptor_bytes += m.descriptor_bytes;
    sum.entry_bytes += m.entry_bytes;
    sum.arena_top_bytes += m.arena_top_bytes;
    sum.backlog_bytes += m.backlog_bytes;
    sum.backlog_objects += m.backlog_objects;
    sum.reserved_bytes += m.reserved_bytes;
  });
  const auto backlog = retired_.backlog();
  sum.backlog_bytes += backlog.bytes;
  sum.backlog_objects += backlog.objects;
  return sum;
}

// Devices, next-hop objects and rules are few, and not told.
memory_report net::report_memory() const {
  memory_report sum;
  std::size_t own = sizeof(*this);
  tables_.for_each([&](const table& t) {
    own += sizeof(t);
    if (t.own == nullptr) return;
    const memory_report one = t.own->report_memory();
    if (sum.rows.empty()) {
      sum = one;
      return;
    }
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      sum.rows[i].live += one.rows[i].live;
      sum.rows[i].retired += one.rows[i].retired;
      sum.rows[i].free += one.rows[i].free;
      sum.rows[i].resident += one.rows[i].resident;
      sum.rows[i].huge += one.rows[i].huge;
    }
  });
  const auto heap = [&](const char* kind, std::size_t live, std::size_t retired) {
    sum.rows.push_back({kind, live, retired, 0, live + retired, 0});
  };
  heap("route infos", store_.live_info_bytes(), store_.waiting_info_bytes());
  heap("replaced tables", 0, waiting_trie_bytes_);
  heap("alias lists", store_.live_list_bytes(), store_.waiting_list_bytes());
  heap("route ids", store_.index_bytes(), 0);
  heap("route retire chunks", retired_.memory_bytes(), 0);
  heap("the namespace itself", own, 0);
  return sum;
}

// The tries' own invariants; references counted anew; order of the aliases; defaults.
std::string net::verify_invariants() const {
  std::string wrong;
  std::unordered_map<const fib_info*, std::uint32_t> references;
  std::size_t list_bytes = 0;
  std::size_t info_bytes = 0;
  const auto check_order = [&](prefix4 dst, const alias_vector& aliases) {
    for (std::size_t i = 1; i < aliases.size(); ++i) {
      const fib_info& a = *aliases[i - 1].info;
      const fib_info& b = *aliases[i].info;
      const bool ordered = a.table != b.table                     ? a.table > b.table
                           : aliases[i - 1].tos != aliases[i].tos ? aliases[i - 1].tos > aliases[i].tos
                                                                  : a.priority <= b.priority;
      if (!ordered && wrong.empty()) wrong = "routes out of order at key " + std::to_string(dst.key);
    }
  };
  tables_.for_each([&](const table& t) {
    if (t.own == nullptr) return;
    if (wrong.empty()) wrong = t.own->verify_invariants();
    trie::cursor<key32> at;
    alias_vector aliases;
    t.own->walk(at, [&](prefix4 dst, std::uint32_t result) {
      aliases.clear();
      store_.read(result, aliases);
      if (alias_store::is_list(result)) list_bytes += store_.list_of(result).bytes();
      if (aliases.empty() && wrong.empty()) wrong = "a prefix without routes, key " + std::to_string(dst.key);
      if (!alias_store::is_list(result) != is_simple(aliases) && wrong.empty()) wrong = "a list where none is needed";
      check_order(dst, aliases);
      for (const alias& a : aliases) ++references[a.info];
      return true;
    });
  });
  std::size_t infos = 0;
  for (const fib_info* info = store_.infos().oldest(); info != nullptr; info = info->newer) {
    ++infos;
    info_bytes += info_table::bytes_of(*info);
    const auto counted = references.find(info);
    if (wrong.empty() && (counted == references.end() || counted->second != info->tree_refs)) {
      wrong = "references of info " + std::to_string(info->id) + ": counted " +
              std::to_string(counted == references.end() ? 0 : counted->second) + ", kept " +
              std::to_string(info->tree_refs);
    }
    if (wrong.empty() && store_.infos().find(*info) != info) wrong = "an info that cannot be found";
  }
  if (wrong.empty() && infos != references.size()) wrong = "routes with an info that is not in use";
  if (wrong.empty() && list_bytes != store_.live_list_bytes()) wrong = "bytes of alias lists";
  if (wrong.empty() && info_bytes != store_.live_info_bytes()) wrong = "bytes of infos";
  return wrong;
}

}  // namespace fibtrie::route
