// SPDX-License-Identifier: MIT
// Child arrays: blocks of 2^bits slots, each with a hot word and a twin word at the same index of two regions.
//
// Thread safety: allocate and free by the one writer; readers load words of arrays that were published to them.
// Invariants: 1. A block of 2^bits slots starts at a multiple of 2^bits.  2. Buddies that are both free are merged.
//   3. A free block keeps its list links in its first two twin words, and its class at free_class_[start / 2].
//   4. No free block ends at the top.  5. live slots + free slots = top.
// Progress: allocation and freeing take O(classes) steps and no system call but the page faults of fresh slots.
// Source: Knuth's buddy system; docs/design.md, "memory".
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "trie/mem/region.hpp"

namespace fibtrie::mem {

class slot_arena {
 public:
  using word = std::atomic<std::uint32_t>;
  static constexpr unsigned max_class = 30;

  ~slot_arena();

  // Sets up the two regions for `slots` slots, of which the first `first_free` are in use from the start.  False: the
  // system refuses.
  bool reserve(std::size_t slots, bool huge_pages, std::uint32_t first_free) noexcept;

  word* hot() const noexcept { return reinterpret_cast<word*>(hot_.base()); }
  word* twins() const noexcept { return reinterpret_cast<word*>(twins_.base()); }

  // Index of a block of 2^bits slots (bits >= 1, contents undefined), or 0: no room.
  std::uint32_t allocate(unsigned bits) noexcept;
  void free(std::uint32_t start, unsigned bits) noexcept;

  // Gives the memory of large free blocks, and of what lies above the top, back to the system.
  void give_back() noexcept;

  std::uint32_t live_slots() const noexcept { return live_; }
  std::uint32_t top() const noexcept { return top_; }
  std::size_t reserved_bytes() const noexcept { return hot_.size() + twins_.size(); }
  // Bytes in memory and on 2 MB pages: of the slots, and of the map of free blocks.
  struct taken {
    std::size_t slots = 0, slots_huge = 0, map = 0;
  };
  taken in_memory() const noexcept;
  // Counts the free slots anew and checks the lists; for verify_invariants().  False: something is wrong.
  bool recount(std::uint64_t& free_slots) const noexcept;

  // A run hands out blocks at ascending addresses, for arrays that are to lie side by side: from the lowest large free
  // block, or from fresh slots.  close_run() frees what is left of it.
  std::uint32_t allocate_in_run(unsigned bits) noexcept;
  void close_run() noexcept;
  // So many slots are going to be asked for, about: runs are no larger.
  void plan_run(std::size_t slots) noexcept { run_plan_ = slots; }
  // Slots that count as live, but are only set aside for the run.
  std::uint32_t run_left() const noexcept { return run_end_ - run_at_; }

 private:
  std::uint32_t take_from_list(unsigned bits) noexcept;
  std::uint32_t take_fresh(unsigned bits) noexcept;
  void link(std::uint32_t start, unsigned bits) noexcept;
  void unlink(std::uint32_t start, unsigned bits) noexcept;
  void trim() noexcept;
  bool open_run(unsigned bits) noexcept;
  unsigned run_bits() const noexcept;
  void free_range(std::uint32_t from, std::uint32_t to) noexcept;
  std::uint8_t& free_class(std::uint32_t start) const noexcept {
    return reinterpret_cast<std::uint8_t*>(classes_.base())[start / 2];
  }

  region hot_;
  region twins_;
  region classes_;
  std::array<std::uint32_t, max_class + 1> heads_{};
  std::uint32_t top_ = 0;
  std::uint32_t peak_ = 0;     // the highest top so far
  std::uint32_t touched_ = 0;  // memory above the top and below here is still held
  std::uint32_t floor_ = 0;
  std::uint32_t limit_ = 0;
  std::uint32_t live_ = 0;
  std::uint32_t run_at_ = 0;
  std::uint32_t run_end_ = 0;
  std::size_t run_plan_ = SIZE_MAX;
};

}  // namespace fibtrie::mem
