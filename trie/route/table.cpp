// SPDX-License-Identifier: MIT
// Tables and the map of them.
//
// Thread safety: one writer.
#include "trie/route/table.hpp"

#include <new>

#include "trie/lc_trie_impl.hpp"

namespace fibtrie::route {

table_map::~table_map() {
  for (auto& chain : chains_) {
    for (table* t = chain.load(std::memory_order_relaxed); t != nullptr;) {  // relaxed: nobody looks any more
      table* const next = t->next;
      delete t;
      t = next;
    }
  }
}

table* table_map::add(std::unique_ptr<table> fresh) noexcept {
  table* const made = fresh.release();
  auto& chain = chains_[made->id % chains];
  made->next = chain.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  chain.store(made, std::memory_order_release);        // release: the table is complete
  return made;
}

std::unique_ptr<trie_type> make_trie(const rcu::domain& domain, const fib_options& options) noexcept {
  std::unique_ptr<trie_type> made(new (std::nothrow) trie_type(domain, options));
  if (made == nullptr || made->open() != status::ok) return nullptr;
  return made;
}

}  // namespace fibtrie::route
