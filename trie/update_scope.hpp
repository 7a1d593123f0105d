// SPDX-License-Identifier: MIT
// lc_trie: what every update begins and ends with: one writer, no read section held, memory taken back, room to retire.
//
// Thread safety: begin_update() lets one thread in.
// Invariants: 1. When begin_update() is not ok, nothing was changed.
// Progress: waits for readers only with on_backlog::wait.
#pragma once

#include "trie/lc_trie.hpp"
#include "trie/nodes.hpp"

namespace fibtrie::trie {

template <class Key, class Traits>
class lc_trie<Key, Traits>::update_scope {
 public:
  explicit update_scope(lc_trie& trie) noexcept : trie_(trie), code_(trie.begin_update()) {}
  ~update_scope() {
    if (code_ == status::ok) trie_.end_update();
  }
  update_scope(const update_scope&) = delete;
  update_scope& operator=(const update_scope&) = delete;

  status code() const noexcept { return code_; }

 private:
  lc_trie& trie_;
  status code_;
};

template <class Key, class Traits>
status lc_trie<Key, Traits>::begin_update() noexcept {
  if (domain_.in_read_section()) return status::in_read_section;
  // acquire: sees what the writer before has done
  if (updating_.exchange(true, std::memory_order_acquire)) return status::busy;
  reclaim();
  made_.clear();
  status code = status::ok;
  if (retired_.over_limit()) {
    if (options_.backlog == on_backlog::wait) {
      retired_.barrier();
      reclaim();
    } else {
      retired_.submit();  // what waits in the open chunk would else never come back
      code = status::backlog_full;
    }
  }
  if (code == status::ok && !reserve_retire(0)) code = status::no_memory;
  if (code != status::ok) end_update();
  return code;
}

template <class Key, class Traits>
void lc_trie<Key, Traits>::end_update() noexcept {
  updating_.store(false, std::memory_order_release);  // release: the next writer sees what this one has done
}

template <class Key, class Traits>
status lc_trie<Key, Traits>::flush() noexcept {
  if (domain_.in_read_section()) return status::in_read_section;
  if (updating_.exchange(true, std::memory_order_acquire)) return status::busy;  // acquire: as in begin_update()
  retired_.barrier();
  reclaim();
  arena_.give_back();
  end_update();
  return status::ok;
}

}  // namespace fibtrie::trie
