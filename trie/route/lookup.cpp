// SPDX-License-Identifier: MIT
// The full lookup in one table.
//
// Thread safety: readers.
#include "trie/route/lookup.hpp"

#include "trie/route/nexthops.hpp"

namespace fibtrie::route {

status error_of(route_type type) noexcept {
  switch (type) {
    case route_type::blackhole:
    case route_type::nat:
    case route_type::xresolve: return status::invalid;
    case route_type::unreachable: return status::host_unreachable;
    case route_type::prohibit: return status::no_access;
    case route_type::throw_route: return status::no_match;
    default: return status::ok;
  }
}

namespace {

enum class verdict : std::uint8_t {
  next_alias,
  next_leaf,  // the other routes of this key do not count
  decided,
};

struct question {
  const flow4& flow;
  unsigned flags;
  flow_result& out;
  status answer = status::no_match;
};

verdict ask_object(const nexthop_record& record, question& q) noexcept {
  if (is_blackhole(record)) {
    q.answer = status::invalid;
    return verdict::decided;
  }
  q.out.leg = first_usable(record, q.flow.oif, q.flags, q.out.nexthop_index);
  return q.out.leg != nullptr ? verdict::decided : verdict::next_leaf;
}

verdict ask_legs(const fib_info& info, question& q) noexcept {
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    if (!info.legs[i].is_usable(q.flow.oif, q.flags)) continue;
    q.out.leg = &info.legs[i];
    q.out.nexthop_index = static_cast<std::uint16_t>(i);
    return verdict::decided;
  }
  return verdict::next_alias;
}

verdict ask_alias(const fib_info& info, std::uint8_t tos, question& q) noexcept {
  if (tos != 0 && tos != (q.flow.tos & tos_mask)) return verdict::next_alias;
  if (info.scope < q.flow.scope) return verdict::next_alias;
  q.out.info = &info;
  q.out.leg = nullptr;
  q.out.nexthop_index = 0;
  q.out.tos = tos;
  q.out.type = info.type;
  q.answer = error_of(info.type);
  if (is_error_type(info.type)) return verdict::decided;
  if (info.is_dead()) return verdict::next_alias;
  return info.nexthop != nullptr ? ask_object(*info.nexthop, q) : ask_legs(info, q);
}

// The plain lookup's answer where it stands for a route that can be used as it is.
bool answer_simply(const trie::reader<key32>& reader, const alias_store& store, question& q, status& answer) noexcept {
  const lookup_result plain = reader.lookup(q.flow.daddr);
  if (!plain.found) {
    answer = status::no_match;
    return true;
  }
  if (alias_store::is_list(plain.value)) return false;
  const fib_info& info = store.info_of(plain.value);
  if (info.nexthop != nullptr || ask_alias(info, 0, q) != verdict::decided) return false;
  q.out.entry_result = plain.value;
  answer = status::ok;
  return true;
}

}  // namespace

status lookup_in_trie(const trie::reader<key32>& reader, const alias_store& store, const flow4& flow, unsigned flags,
                      flow_result& out) noexcept {
  question q{flow, flags, out};
  status answer = status::no_match;
  if ((flags & lookup_flag::without_prefix) != 0 && answer_simply(reader, store, q, answer)) return answer;
  bool skipping = false;  // a key whose next-hop object failed
  key32 skipped = 0;
  const bool found = reader.for_each_match(flow.daddr, [&](const trie::entry<key32>& e) {
    if (skipping && e.key == skipped) return false;
    const std::uint32_t result = e.result.load(std::memory_order_acquire);  // acquire: what it names is complete
    verdict last = verdict::next_alias;
    store.for_each_alias(result, [&](const fib_info& info, std::uint8_t tos) {
      last = ask_alias(info, tos, q);
      return last == verdict::next_alias;
    });
    if (last == verdict::decided) {
      out.route = {e.key, e.plen};
      out.entry_result = result;
      return true;
    }
    skipping = last == verdict::next_leaf;
    skipped = e.key;
    return false;
  });
  return found ? q.answer : status::no_match;
}

}  // namespace fibtrie::route
