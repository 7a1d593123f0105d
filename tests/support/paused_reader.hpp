// SPDX-License-Identifier: MIT
// reader::lookup and reader::match once more, one atomic load a step, so that a test can hold them anywhere.
//
// Thread safety: one thread.
// Invariants: 1. A step does at most one load of what the writer may store.  2. The loads come in the order of the real
//   functions.  3. After max_steps steps a reader counts as lost: it met a circle, which only a fault can make.
// Source: trie/lookup.hpp.
#pragma once

#include <cstdint>

#include "trie/lookup.hpp"

namespace fibtrie::testing {

enum class pace { reading, ended, lost };
inline constexpr unsigned max_steps = 256;

// reader::first_cover: down through the twins to where the cover chain begins.
template <class Key>
class paused_descent {
 public:
  void begin(std::uint32_t slot) { slot_ = slot; }

  pace step(const trie::reader<Key>& reader, Key address) {
    if (node_ == 0) {
      const trie::twin_ref ref = reader.load_twin(slot_);
      return trie::is_tnode_ref(ref) ? go_on(trie::id_of(ref)) : end(trie::id_of(ref));
    }
    const auto& node = reader.headers()[node_];
    const Key index = trie::child_index(node.key, node.pos, address);
    if (trie::shift_right(index, node.bits) != 0) return end(node.cover.load(std::memory_order_acquire));
    slot_ = node.array.load(std::memory_order_acquire) + static_cast<std::uint32_t>(index);
    return go_on(0);
  }
  std::uint32_t entry() const noexcept { return entry_; }

 private:
  pace go_on(std::uint32_t node) {
    node_ = node;
    return pace::reading;
  }
  pace end(std::uint32_t entry) {
    node_ = 0;
    entry_ = entry;
    return pace::ended;
  }

  std::uint32_t slot_ = 0;
  std::uint32_t node_ = 0;  // the header to look at next, 0: a slot
  std::uint32_t entry_ = 0;
};

template <class Key>
class paused_match {
 public:
  using reader_type = trie::reader<Key>;
  using answer_type = match_result<Key>;

  void begin(const reader_type& reader, Key address) {
    reader_ = &reader;
    address_ = address;
    state_ = state::descending;
    descent_ = {};
    descent_.begin(reader.holder());
    steps_ = 0;
  }

  pace step() {
    if (++steps_ > max_steps) return pace::lost;
    switch (state_) {
      case state::descending:
        return descent_.step(*reader_, address_) == pace::ended ? follow(descent_.entry()) : pace::reading;
      case state::at_entry: return try_entry();
      case state::at_top: return found(trie::id_of(reader_->load_twin(reader_->top_slot(address_))));
      case state::at_result: return take_result();
      case state::done: break;
    }
    return pace::ended;
  }

  Key address() const noexcept { return address_; }
  const match_result<Key>& answer() const noexcept { return answer_; }

 private:
  enum class state { descending, at_entry, at_top, at_result, done };

  pace try_entry() {
    const auto& e = reader_->entries()[id_];
    return e.covers(address_) ? found(id_) : follow(e.cover.load(std::memory_order_acquire));
  }

  pace follow(std::uint32_t id) {
    id_ = id;
    state_ = id == 0 ? state::at_top : state::at_entry;
    return pace::reading;
  }

  pace found(std::uint32_t id) {
    id_ = id;
    state_ = state::at_result;
    if (id != 0) return pace::reading;
    answer_ = {};
    state_ = state::done;
    return pace::ended;
  }

  pace take_result() {
    const auto& e = reader_->entries()[id_];
    answer_ = {{e.key, e.plen}, e.result.load(std::memory_order_acquire), true};
    state_ = state::done;
    return pace::ended;
  }

  const reader_type* reader_ = nullptr;
  Key address_{};
  paused_descent<Key> descent_;
  std::uint32_t id_ = 0;
  state state_ = state::done;
  unsigned steps_ = 0;
  match_result<Key> answer_;
};

template <class Key>
class paused_lookup {
 public:
  using reader_type = trie::reader<Key>;
  using answer_type = lookup_result;

  // The first load, that of the root word.
  void begin(const reader_type& reader, Key address) {
    reader_ = &reader;
    address_ = address;
    slot_ = reader_type::root_step(reader.root(), address);
    state_ = state::at_slot;
    steps_ = 0;
  }

  pace step() {
    if (++steps_ > max_steps) return pace::lost;
    switch (state_) {
      case state::at_slot: return take_word(reader_->load(slot_));
      case state::at_descriptor: return leave_descriptor();
      case state::at_entry: return try_entry();
      case state::at_top: return take_word(reader_->load(slot_));
      case state::at_result: return end({reader_->entries()[id_].result.load(std::memory_order_acquire), true});
      case state::at_twins: return go_on_in_twins();
      case state::done: break;
    }
    return pace::ended;
  }

  Key address() const noexcept { return address_; }
  const lookup_result& answer() const noexcept { return answer_; }

 private:
  enum class state { at_slot, at_descriptor, at_entry, at_top, at_result, at_twins, done };

  pace end(lookup_result answer) {
    answer_ = answer;
    state_ = state::done;
    return pace::ended;
  }

  pace take_word(trie::slot_word word) {
    if (trie::is_tnode(word) && state_ != state::at_top) {
      slot_ = trie::step(word, address_);
      return pace::reading;
    }
    if (!trie::is_check(word)) return end(reader_type::terminal(word));
    if (trie::is_guard(word)) return try_guard(word);
    id_ = word & trie::id_mask;
    state_ = state_ == state::at_top    ? state::at_result
             : word >= trie::escape_tag ? state::at_descriptor
                                        : state::at_entry;
    return pace::reading;
  }

  pace try_guard(trie::slot_word word) {
    if (trie::guard_matches(word, address_)) return end({trie::guard_result(word), true});
    if ((word & trie::guard_top_bit) != 0) return follow(0);
    descent_ = {};
    descent_.begin(slot_);
    state_ = state::at_twins;
    return pace::reading;
  }

  pace go_on_in_twins() {
    if (descent_.step(*reader_, address_) != pace::ended) return pace::reading;
    const std::uint32_t id = descent_.entry();
    const std::uint32_t top_cells = reader_->top_slot(static_cast<Key>(~Key{0})) - reader_->top_slot(0) + 1;
    return follow(std::uint64_t{1} << reader_->entries()[id].plen <= top_cells ? 0 : id);
  }

  pace leave_descriptor() {
    const auto& node = reader_->descriptors()[id_];
    if (trie::shift_right(static_cast<Key>(node.key ^ address_), node.pos + node.bits) != 0) {
      return follow(node.cover.load(std::memory_order_acquire));
    }
    const auto index = trie::shift_right(address_, node.pos) & trie::low_mask<Key>(node.bits);
    slot_ = node.array.load(std::memory_order_acquire) + static_cast<std::uint32_t>(index);
    state_ = state::at_slot;
    return pace::reading;
  }

  pace try_entry() {
    const auto& e = reader_->entries()[id_];
    if (!e.covers(address_)) return follow(e.cover.load(std::memory_order_acquire));
    state_ = state::at_result;
    return pace::reading;
  }

  pace follow(std::uint32_t id) {
    id_ = id;
    state_ = state::at_entry;
    if (id == 0) {
      slot_ = reader_->top_slot(address_);
      state_ = state::at_top;
    }
    return pace::reading;
  }

  const reader_type* reader_ = nullptr;
  Key address_{};
  std::uint32_t slot_ = 0;
  std::uint32_t id_ = 0;
  state state_ = state::done;
  unsigned steps_ = 0;
  lookup_result answer_;
  paused_descent<Key> descent_;
};

}  // namespace fibtrie::testing
