// SPDX-License-Identifier: MIT
// A routing table: an id and a trie, which local and main share until a policy rule parts them.
//
// Thread safety: the writer's, but for trie() and the chains of table_map, which readers follow in a read section.
// Invariants: 1. A table, once made, lives as long as its namespace.  2. defaults = routes of length 0 with its id.
// Progress: finding a table is linear in the tables of its chain.
// Source: sections "Tables" and "Local and main" of the kernel's behaviour.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "fibtrie/net.h"
#include "trie/lc_trie.hpp"
#ifdef FIBTRIE_ROUTE_TRAITS  // a header: tests stand between two stores, and refuse memory
#include FIBTRIE_ROUTE_TRAITS
#else
#include "trie/traits.hpp"
namespace fibtrie::route {
using trie_traits = trie::default_traits;
}
#endif

namespace fibtrie::route {

using trie_type = trie::lc_trie<key32, trie_traits>;

struct table {
  std::uint32_t id = 0;
  std::atomic<trie_type*> shown{nullptr};  // what readers look into
  std::unique_ptr<trie_type> own;          // null while another table's trie is shown
  std::atomic<std::uint32_t> defaults{0};
  table* next = nullptr;  // in its chain; written before the table is published

  // acquire: a trie was complete before it was shown
  trie_type& trie() const noexcept { return *shown.load(std::memory_order_acquire); }
};

class table_map {
 public:
  static constexpr std::uint32_t chains = 256;

  table_map() = default;
  ~table_map();
  table_map(const table_map&) = delete;
  table_map& operator=(const table_map&) = delete;

  table* find(std::uint32_t id) const noexcept {
    table* t = first(id % chains);
    while (t != nullptr && t->id != id) t = t->next;
    return t;
  }
  table* first(std::uint32_t chain) const noexcept {
    // acquire: the table was complete before it was published
    return chains_[chain].load(std::memory_order_acquire);
  }
  // Newest first in its chain.
  table* add(std::unique_ptr<table> fresh) noexcept;

  // Calls visit(table&) in the order of /proc: chain by chain.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t chain = 0; chain < chains; ++chain) {
      for (table* t = first(chain); t != nullptr; t = t->next) visit(*t);
    }
  }

 private:
  std::array<std::atomic<table*>, chains> chains_{};
};

// An empty trie; null: no memory.
std::unique_ptr<trie_type> make_trie(const rcu::domain& domain, const fib_options& options) noexcept;

}  // namespace fibtrie::route
