// SPDX-License-Identifier: MIT
// What the 32-bit results in a table's trie stand for: an info, or a list of aliases; with references and retirement.
//
// Thread safety: the writer's, but for list_of() and info_of(), which readers use inside a read section.
// Invariants: 1. A result below complex_result is the id of an info: the one route of its prefix, tos 0, no error type.
//   Any other is complex_result and the id of a list.  2. An info has as many references as aliases name it.
//   3. Whatever readers may have seen is retired, not freed.
// Progress: never waits for readers.
// Source: docs/semantics.md.
#pragma once

#include <cstdint>

#include "rcu/retire.hpp"
#include "trie/mem/id_pool.hpp"
#include "trie/route/alias.hpp"
#include "trie/route/flow_result.hpp"
#include "trie/route/infos.hpp"

namespace fibtrie::route {

class alias_store {
 public:
  explicit alias_store(rcu::retire_queue& retired) noexcept : retired_(retired) {}
  ~alias_store();
  alias_store(const alias_store&) = delete;
  alias_store& operator=(const alias_store&) = delete;

  bool open() noexcept;

  // ---- readers
  static bool is_list(std::uint32_t result) noexcept { return (result & complex_result) != 0; }
  const fib_info& info_of(std::uint32_t result) const noexcept { return *infos_.at(result); }
  const alias_list& list_of(std::uint32_t result) const noexcept {
    // acquire: the list was complete before its id was published
    return *lists_[result & ~complex_result].list.load(std::memory_order_acquire);
  }
  // Calls visit(info, tos) for each alias, in order, until it returns false; false: it did.
  template <class Visit>
  bool for_each_alias(std::uint32_t result, Visit&& visit) const {
    if (!is_list(result)) return visit(info_of(result), std::uint8_t{0});
    for (const alias_list::item& item : list_of(result)) {
      if (!visit(*item.info, item.tos)) return false;
    }
    return true;
  }

  // ---- the writer's
  // Appends the aliases a result stands for.  May throw std::bad_alloc.
  void read(std::uint32_t result, alias_vector& out) const;
  // A result that stands for these aliases; false: no memory.  To be published, or discarded.
  bool encode(const alias_vector& aliases, std::uint32_t& result) noexcept;
  void discard(std::uint32_t result) noexcept;  // of an encoded one that no reader has seen
  // Gives up a published one; needs one reserved record.  The references of its aliases are the caller's.
  void retire(std::uint32_t result) noexcept;

  void add_reference(fib_info& info) noexcept { ++info.tree_refs; }
  // Retires the info with its last reference; needs one reserved record.
  void drop_reference(fib_info& info) noexcept;

  info_table& infos() noexcept { return infos_; }
  const info_table& infos() const noexcept { return infos_; }
  std::uint32_t live_lists() const noexcept { return lists_.live(); }

  // Of the queue's records: the two kinds that this class retires.
  void reclaim_info(fib_info* info) noexcept {
    waiting_info_bytes_ -= info_table::bytes_of(*info);
    infos_.reclaim(info);
  }
  void reclaim_list(alias_list* list) noexcept {
    waiting_list_bytes_ -= list->bytes();
    drop_list(list);
  }

  // ---- what all this takes: live, and waiting for readers
  std::size_t live_info_bytes() const noexcept { return infos_.info_bytes() - waiting_info_bytes_; }
  std::size_t waiting_info_bytes() const noexcept { return waiting_info_bytes_; }
  std::size_t live_list_bytes() const noexcept { return list_bytes_ - waiting_list_bytes_; }
  std::size_t waiting_list_bytes() const noexcept { return waiting_list_bytes_; }
  std::size_t index_bytes() const noexcept { return infos_.index_bytes() + std::size_t{lists_.top()} * sizeof(slot); }

 private:
  void drop_list(alias_list* list) noexcept;

  struct slot {
    std::atomic<alias_list*> list{nullptr};
  };

  rcu::retire_queue& retired_;
  info_table infos_;
  mem::id_pool<slot> lists_;
  std::size_t list_bytes_ = 0;  // of all lists that have an id
  std::size_t waiting_list_bytes_ = 0;
  std::size_t waiting_info_bytes_ = 0;
};

// What a record of the namespace's retire queue is.
enum class retired_kind : std::uint8_t { info, list, rules, nexthop_state, nexthop, device, trie };

inline std::uint64_t retired_record(retired_kind kind, const void* what) noexcept {
  return std::uint64_t{static_cast<std::uint8_t>(kind)} << 56 | reinterpret_cast<std::uintptr_t>(what);
}

}  // namespace fibtrie::route
