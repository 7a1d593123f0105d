// SPDX-License-Identifier: MIT
// The trie as its writer sees it: cold headers and twins, the operations, and the memory they use.
//
// Thread safety: one writer at a time (a second one gets status::busy); readers go through reader(), walk() and find().
// Invariants: 1. Header 0 is the root holder: pos = width, bits = 0, one slot.  2. Hot word = word_for(twin), for every
// slot.
//   3. What readers may have seen is retired, not freed, and only after the last store that made it unreachable.
//   4. A failed operation has changed nothing; a failed resize is skipped and counted.
// Progress: an update never waits for readers, unless told to wait for its backlog.
// Source: sections 1 to 8 of the kernel's behaviour for the shape; docs/design.md for the rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "fibtrie/options.h"
#include "fibtrie/shape.h"
#include "fibtrie/stats.h"
#include "fibtrie/status.h"
#include "rcu/retire.hpp"
#include "trie/lookup.hpp"
#include "trie/mem/id_list.hpp"
#include "trie/mem/id_pool.hpp"
#include "trie/mem/slot_arena.hpp"
#include "trie/policy.hpp"
#include "trie/traits.hpp"

namespace fibtrie::trie {

// Where a walk goes on; see walk_cursor in fibtrie/fib.h.
template <std::unsigned_integral Key>
struct cursor {
  Key key{};
  std::uint8_t plen = key_width<Key>;
  bool done = false;
};

template <class Key, class Traits>
class lc_trie {
 public:
  static constexpr unsigned width = key_width<Key>;
  static constexpr unsigned top_bits = Traits::top_bits;
  using prefix_type = prefix<Key>;

  lc_trie(const rcu::domain& domain, const fib_options& options) noexcept;
  ~lc_trie();
  lc_trie(const lc_trie&) = delete;
  lc_trie& operator=(const lc_trie&) = delete;

  // Reserves the address ranges; to be called once, before anything else.  Errors: invalid, no_memory.
  status open() noexcept;

  // ---- updates (insert.hpp, remove.hpp, compact.hpp, prune.hpp)
  status add(prefix_type route, std::uint32_t result) noexcept;
  status replace(prefix_type route, std::uint32_t result, bool* existed) noexcept;
  status remove(prefix_type route) noexcept;
  status compact(std::size_t max_slots, bool* more) noexcept;
  status flush() noexcept;
  // Asks decide(prefix, result) for every prefix, in descending order, which result it shall have; none: it is dropped.
  // At most `drops` may be.  Then resizes each tnode once.  Errors: backlog_full, no_memory, busy, in_read_section;
  // before the first change, and before decide is called.
  template <class Decide>  // std::optional<std::uint32_t>(prefix, result)
  status prune(std::size_t drops, Decide&& decide);
  // Undoing what this writer did last, without fail: removes a prefix, or gives one its former result.  Where there is
  // no memory at all it may wait for readers.
  void take_back(prefix_type route) noexcept;
  void put_back(prefix_type route, std::uint32_t result) noexcept;

  // ---- readers
  const trie::reader<Key>& reader() const noexcept { return reader_; }
  lookup_result find(prefix_type route) const noexcept;
  template <class Visit>  // bool(prefix, result)
  void walk(cursor<Key>& at, Visit&& visit) const;
  void visit_shape(shape_visitor<Key>& visitor) const;
  trie_stats stats() const;

  // ---- about the table
  std::size_t size() const noexcept {
    return size_.load(std::memory_order_relaxed);
  }  // relaxed: a count, nothing hangs on it
  memory_stats memory() const noexcept;
  // May throw std::bad_alloc.  The writer must be at rest.
  memory_report report_memory() const;
  const writer_stats& writer() const noexcept { return counters_; }
  backlog_stats backlog() const noexcept { return retired_.stats(); }
  const fib_options& options() const noexcept { return options_; }
  std::string verify_invariants() const;

 private:
  using header_type = header<Key>;
  using entry_type = entry<Key>;
  static constexpr std::size_t entry_bytes = sizeof(entry_type) + sizeof(std::uint32_t);  // with its link

  struct position {  // where a key stands or would stand
    std::uint32_t node;
    std::uint32_t index;
    twin_ref ref;
    bool found;  // ref is the leaf of this key
  };

  // update_scope.hpp: what every update begins and ends with
  class update_scope;
  status begin_update() noexcept;
  void end_update() noexcept;
  void reclaim() noexcept;
  void reclaim_record(std::uint64_t record) noexcept;

  // slots.hpp: reading and storing slots
  bool is_short(std::uint32_t entry_id) const noexcept { return entries_[entry_id].plen <= top_bits; }
  bool is_full_child(const header_type& parent, twin_ref ref) const noexcept;
  bool is_plain_child(const header_type& parent, const header_type& child) const noexcept;
  Key key_of(twin_ref ref) const noexcept;
  std::uint32_t index_in(std::uint32_t node, Key key) const noexcept;
  twin_ref twin_at(std::uint32_t array, std::uint32_t index) const noexcept;
  twin_ref slot_ref(std::uint32_t node, std::uint32_t index) const noexcept;
  slot_word answer_word(std::uint32_t entry_id) const noexcept;
  slot_word guard_word(const header_type& parent, std::uint32_t entry_id) const noexcept;
  slot_word word_for(const header_type& parent, twin_ref ref) const noexcept;
  void store_slot(std::uint32_t node, std::uint32_t index, twin_ref ref) noexcept;
  void publish_root(twin_ref ref) noexcept;
  void set_slot(std::uint32_t node, std::uint32_t index, twin_ref ref) noexcept;
  bool put(std::uint32_t node, std::uint32_t index, twin_ref ref) noexcept;
  void put_word(std::uint32_t node, std::uint32_t index, twin_ref ref, slot_word word) noexcept;
  slot_word word_at(std::uint32_t node, std::uint32_t index) const noexcept;
  void set_cover(std::uint32_t node, std::uint32_t entry_id) noexcept;
  void set_entry_cover(std::uint32_t entry_id, std::uint32_t cover) noexcept;
  std::uint32_t cover_of(std::uint32_t entry_id) const noexcept;
  std::uint32_t next_of(std::uint32_t entry_id) const noexcept;
  void set_next(std::uint32_t entry_id, std::uint32_t next) noexcept;
  position find_position(Key key) const noexcept;
  position find_for_update(Key key) const noexcept;

  // nodes.hpp: making and dropping records
  std::uint32_t new_tnode(Key key, unsigned pos, unsigned bits, std::uint32_t cover, std::uint32_t parent) noexcept;
  bool ensure_descriptor(std::uint32_t node) noexcept;
  bool ensure_reachable(std::uint32_t parent, std::uint32_t node) noexcept;
  std::uint32_t new_entry(prefix_type route, std::uint32_t result, std::uint32_t cover) noexcept;
  void free_tnode(std::uint32_t node) noexcept;
  bool reserve_retire(std::size_t records) noexcept;
  bool within_limit(std::size_t more) const noexcept;
  void retire_tnode(std::uint32_t node) noexcept;
  void retire_entry(std::uint32_t entry_id) noexcept;
  void retire_array(std::uint32_t array, unsigned bits) noexcept;

  // covers.hpp: the longest prefix around a place, and what happens when it changes
  std::uint32_t cover_from(twin_ref ref, unsigned max_plen) const noexcept;
  std::uint32_t lowest_around(std::uint32_t node, unsigned plen) const noexcept;
  void hand_over(std::uint32_t node, prefix_type route, std::uint32_t from, std::uint32_t to) noexcept;
  void hand_over_below(std::uint32_t node, prefix_type route, std::uint32_t from, std::uint32_t to) noexcept;
  void hand_over_leaf(std::uint32_t node, std::uint32_t index, prefix_type route, std::uint32_t from,
                      std::uint32_t to) noexcept;
  void hand_over_tnode(std::uint32_t child, prefix_type route, std::uint32_t from, std::uint32_t to) noexcept;
  void hand_over_chain(std::uint32_t entry_id, unsigned plen, std::uint32_t from, std::uint32_t to) noexcept;
  std::pair<std::uint32_t, std::uint32_t> index_range(const header_type& node, prefix_type route) const noexcept;
  std::uint32_t rewrite_result(std::uint32_t node, std::uint32_t entry_id) noexcept;
  void change_result(const position& at, std::uint32_t entry_id, std::uint32_t result) noexcept;

  // top.hpp: prefixes of up to top_bits bits
  std::atomic<std::uint32_t>& short_id(std::uint32_t index) noexcept {
    return reinterpret_cast<std::atomic<std::uint32_t>*>(short_ids_.base())[index];
  }
  void top_insert(std::uint32_t entry_id) noexcept;
  void top_remove(std::uint32_t entry_id) noexcept;
  void top_rewrite(std::uint32_t entry_id) noexcept;
  void store_top(std::uint32_t slot, std::uint32_t entry_id) noexcept;

  // insert.hpp, remove.hpp
  status insert(prefix_type route, std::uint32_t result, const position& at) noexcept;
  bool insert_pair(const position& at, std::uint32_t entry_id) noexcept;
  void hand_over_hidden(std::uint32_t entry_id) noexcept;
  std::uint32_t entry_in_leaf(std::uint32_t first, unsigned plen, std::uint32_t& before) const noexcept;
  void unlink_entry(const position& at, std::uint32_t before, std::uint32_t entry_id) noexcept;
  bool drop_entry(const position& at, std::uint32_t before, std::uint32_t entry_id) noexcept;

  // prune.hpp
  template <class Decide>
  void prune_slot(std::uint32_t node, std::uint32_t index, Decide& decide);
  void resize_all(std::uint32_t node) noexcept;
  void begin_undo() noexcept;

  // resize.hpp
  void rebalance(std::uint32_t node) noexcept;
  std::uint32_t resize(std::uint32_t node) noexcept;
  bool wants_inflate(std::uint32_t node) const noexcept;
  bool wants_halve(std::uint32_t node) const noexcept;
  std::uint32_t inflate(std::uint32_t old) noexcept;
  bool inflate_slot(std::uint32_t old, std::uint32_t fresh, std::uint32_t index) noexcept;
  bool split_child(std::uint32_t child, std::uint32_t fresh, std::uint32_t index) noexcept;
  std::uint32_t halve(std::uint32_t old) noexcept;
  bool halve_pair(std::uint32_t old, std::uint32_t fresh, std::uint32_t index) noexcept;
  void abandon() noexcept;
  void take_place(std::uint32_t old, std::uint32_t fresh, bool inflated) noexcept;
  void collapse(std::uint32_t node) noexcept;
  void begin_hidden(std::uint32_t parent, std::uint32_t index, twin_ref ref) noexcept;
  void end_hidden() noexcept;

  // compact.hpp
  status compact_below(std::uint32_t node, std::size_t& budget) noexcept;
  status move_array(std::uint32_t node) noexcept;

  // account.hpp
  std::size_t taken_bytes() const noexcept;

  // walk.hpp
  template <class Visit>
  bool walk_below(twin_ref ref, cursor<Key>& at, Visit& visit) const;
  void visit_below(twin_ref ref, unsigned depth, shape_visitor<Key>& visitor) const;

  // check.hpp
  class checker;
  friend class checker;

  std::atomic<std::uint32_t>& hot(std::uint32_t slot) noexcept { return arena_.hot()[slot]; }
  std::atomic<std::uint32_t>& twin(std::uint32_t slot) const noexcept { return arena_.twins()[slot]; }

  static constexpr std::uint32_t holder_slot = 1;
  static constexpr std::uint32_t top_base = 1u << top_bits;
  static_assert(fits_plain(top_base, top_bits));
  static constexpr slot_word top_word = make_plain(top_base, width - top_bits, top_bits);

  trie::reader<Key> reader_;
  fib_options options_;
  resize_rules rules_;
  mem::slot_arena arena_;
  mem::id_pool<header_type> headers_;
  mem::id_pool<descriptor<Key>> descriptors_;
  mem::id_pool<entry_type> entries_;
  mem::region nexts_;      // per entry: the next shorter entry of the same key
  mem::region short_ids_;  // entry ids of the prefixes up to top_bits, by short_index()
  rcu::retire_queue retired_;
  const rcu::domain& domain_;
  // What the retired records hold; of the allocators' counts of what is in use these are not live.
  struct retired_counts {
    std::size_t slots = 0, headers = 0, descriptors = 0, entries = 0;
  };
  retired_counts waiting_;
  bool is_open_ = false;
  std::atomic<bool> updating_{false};
  std::atomic<std::size_t> size_{0};
  writer_stats counters_;

  // While one resize loop works, the slot it works on is not stored: readers keep the old subtree.  Nodes born
  // meanwhile are unseen and freed at once if they die before the end.
  struct hidden_work {
    bool active = false;
    std::uint32_t parent = 0;
    std::uint32_t index = 0;
    twin_ref ref = 0;
  };
  hidden_work hidden_;
  mem::id_list unseen_;        // tnodes born in the hidden work
  mem::id_list retire_later_;  // published tnodes that it replaced
  mem::id_list made_;          // tnodes made by the inflate or halve at work, for abandon()
  Key compact_key_{};          // compact() goes on at the first tnode at or after (key, pos) in walk order
  unsigned compact_pos_ = width;
};

}  // namespace fibtrie::trie
