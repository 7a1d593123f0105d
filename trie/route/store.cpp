// SPDX-License-Identifier: MIT
// Results of tables.
//
// Thread safety: one writer.
#include "trie/route/store.hpp"

#include "trie/assert.hpp"

namespace fibtrie::route {

namespace {
constexpr std::size_t max_lists = std::size_t{1} << 28;
}

alias_store::~alias_store() {
  for (std::uint32_t id = 1; id < lists_.top(); ++id) {
    // A free slot holds a link to the next free one, which is an id: no pointer.
    alias_list* const list = lists_[id].list.load(std::memory_order_relaxed);  // relaxed: nobody looks any more
    if (list != nullptr && reinterpret_cast<std::uintptr_t>(list) > UINT32_MAX && list->id == id) {
      alias_list::destroy(list);
    }
  }
}

bool alias_store::open() noexcept {
  if (!infos_.open()) return false;
  for (std::size_t count = max_lists; count >= 1024; count /= 4) {
    if (lists_.reserve(count, false)) return true;
  }
  return false;
}

void alias_store::read(std::uint32_t result, alias_vector& out) const {
  if (!is_list(result)) {
    out.push_back({infos_.writable(result), 0});
    return;
  }
  const alias_list& list = list_of(result);
  out.reserve(out.size() + list.size());
  for (const alias_list::item& item : list) out.push_back({const_cast<fib_info*>(item.info), item.tos});
}

bool alias_store::encode(const alias_vector& aliases, std::uint32_t& result) noexcept {
  if (is_simple(aliases)) {
    result = aliases[0].info->id;
    FIBTRIE_ASSERT(result != 0 && result < complex_result);
    return true;
  }
  alias_list* const list = alias_list::make(aliases);
  if (list == nullptr) return false;
  const std::uint32_t id = lists_.allocate();
  if (id == 0) {
    alias_list::destroy(list);
    return false;
  }
  list->id = id;
  list_bytes_ += list->bytes();
  lists_[id].list.store(list, std::memory_order_release);  // release: the list is complete
  result = complex_result | id;
  return true;
}

void alias_store::discard(std::uint32_t result) noexcept {
  if (!is_list(result)) return;
  // relaxed: the writer's own store
  drop_list(lists_[result & ~complex_result].list.load(std::memory_order_relaxed));
}

void alias_store::retire(std::uint32_t result) noexcept {
  if (!is_list(result)) return;
  // relaxed: the writer's own store
  const alias_list* const list = lists_[result & ~complex_result].list.load(std::memory_order_relaxed);
  waiting_list_bytes_ += list->bytes();
  retired_.retire(retired_record(retired_kind::list, list), list->bytes());
}

void alias_store::drop_list(alias_list* list) noexcept {
  list_bytes_ -= list->bytes();
  lists_[list->id].list.store(nullptr, std::memory_order_relaxed);  // relaxed: no reader is left
  lists_.free(list->id);
  alias_list::destroy(list);
}

void alias_store::drop_reference(fib_info& info) noexcept {
  FIBTRIE_ASSERT(info.tree_refs > 0);
  if (--info.tree_refs > 0) return;
  infos_.drop(info);
  waiting_info_bytes_ += info_table::bytes_of(info);
  retired_.retire(retired_record(retired_kind::info, &info), info_table::bytes_of(info));
}

}  // namespace fibtrie::route
