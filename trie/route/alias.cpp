// SPDX-License-Identifier: MIT
// Order and placement of the routes of one prefix.
//
// Thread safety: one writer.
#include "trie/route/alias.hpp"

#include <new>

namespace fibtrie::route {

alias_list* alias_list::make(const alias_vector& aliases) noexcept {
  static_assert(sizeof(alias_list) % alignof(item) == 0);
  void* const place = ::operator new(sizeof(alias_list) + aliases.size() * sizeof(item), std::nothrow);
  if (place == nullptr) return nullptr;
  auto* const list = new (place) alias_list();
  list->count_ = static_cast<std::uint32_t>(aliases.size());
  auto* at = reinterpret_cast<item*>(list + 1);
  for (const alias& a : aliases) new (at++) item{a.info, a.tos, {}};
  return list;
}

void alias_list::destroy(alias_list* list) noexcept { ::operator delete(list); }

std::size_t find_alias(const alias_vector& aliases, std::uint32_t table, std::uint8_t tos,
                       std::uint32_t priority) noexcept {
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    const fib_info& info = *aliases[i].info;
    if (info.table > table) continue;
    if (info.table != table) break;
    if (aliases[i].tos > tos) continue;
    if (info.priority >= priority || aliases[i].tos < tos) return i;
  }
  return aliases.size();
}

namespace {

// Behind all routes of the table and of those above it.
std::size_t end_of_table(const alias_vector& aliases, std::uint32_t table) noexcept {
  std::size_t i = 0;
  while (i < aliases.size() && aliases[i].info->table >= table) ++i;
  return i;
}

void insert_at(alias_vector& aliases, std::size_t at, const alias& fresh, insert_plan& plan) {
  aliases.insert(aliases.begin() + static_cast<std::ptrdiff_t>(at), fresh);
  plan.done = insert_plan::what::added;
  plan.at = at;
}

// The group of equal (table, tos, priority) exists and begins at first.
status plan_beside(alias_vector& aliases, std::size_t first, const alias& fresh, std::uint16_t flags,
                   insert_plan& plan) {
  if ((flags & insert_flag::exclusive) != 0) return status::exists;
  const fib_info& head = *aliases[first].info;
  std::size_t end = first;
  bool same = false;
  for (; end < aliases.size(); ++end) {
    const fib_info& info = *aliases[end].info;
    if (info.table != head.table || aliases[end].tos != fresh.tos || info.priority != head.priority) break;
    same = aliases[end].info == fresh.info;
    if (same) break;
  }
  if ((flags & insert_flag::replace) != 0) {
    if (same) return end == first ? status::ok : status::exists;
    plan = {insert_plan::what::replaced, first, insert_flag::replace, aliases[first].info};
    aliases[first] = fresh;
    return status::ok;
  }
  if (same) return status::exists;
  const bool append = (flags & insert_flag::append) != 0;
  if ((flags & insert_flag::create) == 0) return status::no_entry;
  plan.message = static_cast<std::uint16_t>(insert_flag::create | (append ? insert_flag::append : 0));
  insert_at(aliases, append ? end : first, fresh, plan);
  return status::ok;
}

}  // namespace

status plan_insert(alias_vector& aliases, const alias& fresh, std::uint16_t flags, insert_plan& plan) {
  const fib_info& info = *fresh.info;
  const std::size_t place = find_alias(aliases, info.table, fresh.tos, info.priority);
  plan = {};
  if (place < aliases.size() && aliases[place].tos == fresh.tos && aliases[place].info->priority == info.priority) {
    return plan_beside(aliases, place, fresh, flags, plan);
  }
  if ((flags & insert_flag::create) == 0) return status::no_entry;
  plan.message = insert_verb::add;
  insert_at(aliases, place < aliases.size() ? place : end_of_table(aliases, info.table), fresh, plan);
  return status::ok;
}

}  // namespace fibtrie::route
