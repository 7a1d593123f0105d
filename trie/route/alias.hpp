// SPDX-License-Identifier: MIT
// The routes of one prefix: their order, and where a new one goes or which one a delete means.
//
// Thread safety: alias_list is complete before it is published and never changes, but for last_default, which readers
// may store; alias_vector is the writer's.
// Invariants: 1. Order: table descending, tos descending, priority ascending; equal ones as the insert flags made it.
//   2. A list has at least one alias.
// Progress: linear in the number of routes of the prefix.
// Source: sections "Order of aliases in a leaf" and "Table operations" of the kernel's behaviour.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fibtrie/status.h"
#include "trie/route/fib_info.hpp"

namespace fibtrie::route {

struct alias {
  fib_info* info = nullptr;
  std::uint8_t tos = 0;

  friend bool operator==(const alias&, const alias&) = default;
};

using alias_vector = std::vector<alias>;

// What readers walk.  One allocation: the aliases follow the head.
class alias_list {
 public:
  struct item {
    const fib_info* info;
    std::uint8_t tos;
    // Of a default route: the rank of the one chosen last among several (section 18); -1: none.
    mutable std::atomic<std::int32_t> last_default{-1};
  };

  // Null: no memory.
  static alias_list* make(const alias_vector& aliases) noexcept;
  static void destroy(alias_list* list) noexcept;

  const item* begin() const noexcept { return reinterpret_cast<const item*>(this + 1); }
  const item* end() const noexcept { return begin() + count_; }
  std::uint32_t size() const noexcept { return count_; }
  std::size_t bytes() const noexcept { return sizeof(alias_list) + count_ * sizeof(item); }

  std::uint32_t id = 0;  // writer: by which slot words name it

 private:
  alias_list() = default;
  std::uint32_t count_ = 0;
};

// A route that stands alone and whose type is no error needs no list: its info tells all.
inline bool is_simple(const alias_vector& aliases) noexcept {
  return aliases.size() == 1 && aliases[0].tos == 0 && !is_error_type(aliases[0].info->type);
}

// What an insert does to the routes of its prefix.
struct insert_plan {
  enum class what : std::uint8_t { nothing, added, replaced };
  what done = what::nothing;
  std::size_t at = 0;            // where the new one stands
  std::uint16_t message = 0;     // flags of the message that tells of it
  fib_info* replaced = nullptr;  // whose place it took
};

// Changes aliases as an insert of (info, tos) with these flags would.  known: info is one that is in use already, so
// that it may be the same as one in the list.  Errors, with nothing changed: exists, no_entry.  May throw
// std::bad_alloc.
status plan_insert(alias_vector& aliases, const alias& fresh, std::uint16_t flags, insert_plan& plan);

// The rank of the first route of (table, tos) at or behind the place of a priority: the first one of equal (tos,
// priority), or the one before which such a one must go; aliases.size(): none.
std::size_t find_alias(const alias_vector& aliases, std::uint32_t table, std::uint8_t tos,
                       std::uint32_t priority) noexcept;

}  // namespace fibtrie::route
