// SPDX-License-Identifier: MIT
#include "trie/mem/slot_arena.hpp"

#include <algorithm>
#include <bit>

#include "trie/assert.hpp"
#include "trie/mem/poison.hpp"

namespace fibtrie::mem {
namespace {

// Free blocks of this class and above (2 MB of hot words) are worth giving back to the system.
constexpr unsigned give_back_class = 19;
constexpr std::size_t link_bytes = 2 * sizeof(std::uint32_t);
// A run takes blocks of this class (256 kB of hot words).
constexpr unsigned run_class = 16;

}  // namespace

slot_arena::~slot_arena() { unpoison(hot_.base(), std::size_t{peak_} * sizeof(word)); }

bool slot_arena::reserve(std::size_t slots, bool huge_pages, std::uint32_t first_free) noexcept {
  slots = std::min<std::size_t>(slots, std::size_t{1} << (max_class + 1));
  if (first_free > slots || !hot_.reserve(slots * sizeof(word), huge_pages) ||
      !twins_.reserve(slots * sizeof(word), huge_pages) || !classes_.reserve(slots / 2 + 1, false)) {
    return false;
  }
  limit_ = static_cast<std::uint32_t>(slots);
  top_ = floor_ = peak_ = first_free;
  live_ = first_free;
  return true;
}

std::uint32_t slot_arena::allocate(unsigned bits) noexcept {
  FIBTRIE_ASSERT(bits >= 1 && bits <= max_class);
  std::uint32_t start = take_from_list(bits);
  if (start == 0) start = take_fresh(bits);
  if (start == 0) return 0;
  live_ += 1u << bits;
  unpoison(hot() + start, sizeof(word) << bits);
  return start;
}

void slot_arena::free(std::uint32_t start, unsigned bits) noexcept {
  FIBTRIE_ASSERT((start & ((1u << bits) - 1)) == 0 && start + (1u << bits) <= top_ && live_ >= (1u << bits));
  live_ -= 1u << bits;
  poison(hot() + start, sizeof(word) << bits);
  while (bits < max_class) {
    const std::uint32_t buddy = start ^ (1u << bits);
    if (buddy >= top_ || free_class(buddy) != bits) break;
    unlink(buddy, bits);
    start = std::min(start, buddy);
    ++bits;
  }
  link(start, bits);
  if (start + (1u << bits) == top_) trim();
}

std::uint32_t slot_arena::take_from_list(unsigned bits) noexcept {
  unsigned found = bits;
  while (found <= max_class && heads_[found] == 0) ++found;
  if (found > max_class) return 0;
  const std::uint32_t start = heads_[found];
  unlink(start, found);
  while (found > bits) {  // the upper halves stay free
    --found;
    link(start + (1u << found), found);
  }
  return start;
}

std::uint32_t slot_arena::take_fresh(unsigned bits) noexcept {
  const std::uint64_t size = std::uint64_t{1} << bits;
  const std::uint64_t start = (top_ + size - 1) & ~(size - 1);
  if (start + size > limit_) return 0;
  // The gap up to the aligned start becomes free blocks.  Merging cannot reach them: what lies below is in use or of
  // another class.
  while (top_ < start) {
    const unsigned gap_bits = static_cast<unsigned>(std::countr_zero(top_));
    const std::uint32_t gap = top_;
    top_ += 1u << gap_bits;
    twins_.used(std::size_t{top_} * sizeof(word));
    link(gap, gap_bits);
  }
  top_ = static_cast<std::uint32_t>(start + size);
  touched_ = std::max(touched_, top_);
  peak_ = std::max(peak_, top_);
  hot_.used(std::size_t{top_} * sizeof(word));
  twins_.used(std::size_t{top_} * sizeof(word));
  classes_.used(top_ / 2);
  return static_cast<std::uint32_t>(start);
}

void slot_arena::link(std::uint32_t start, unsigned bits) noexcept {
  FIBTRIE_ASSERT(free_class(start) == 0);
  const std::uint32_t next = heads_[bits];
  // relaxed: the words of a free block belong to the writer alone
  twins()[start].store(next, std::memory_order_relaxed);
  twins()[start + 1].store(0, std::memory_order_relaxed);
  if (next != 0) twins()[next + 1].store(start, std::memory_order_relaxed);
  heads_[bits] = start;
  free_class(start) = static_cast<std::uint8_t>(bits);
}

void slot_arena::unlink(std::uint32_t start, unsigned bits) noexcept {
  FIBTRIE_ASSERT(free_class(start) == bits);
  // relaxed: as in link()
  const std::uint32_t next = twins()[start].load(std::memory_order_relaxed);
  const std::uint32_t previous = twins()[start + 1].load(std::memory_order_relaxed);
  if (next != 0) twins()[next + 1].store(previous, std::memory_order_relaxed);
  if (previous != 0) {
    twins()[previous].store(next, std::memory_order_relaxed);
  } else {
    heads_[bits] = next;
  }
  free_class(start) = 0;
}

// Takes free blocks off the top, so that a shrunken table does not keep a long tail.
void slot_arena::trim() noexcept {
  for (bool again = true; again && top_ > floor_;) {
    again = false;
    for (unsigned bits = 1; bits <= max_class && top_ - floor_ >= (1u << bits); ++bits) {
      const std::uint32_t start = top_ - (1u << bits);
      if ((start & ((1u << bits) - 1)) != 0 || free_class(start) != bits) continue;
      unlink(start, bits);
      top_ = start;
      again = true;
      break;
    }
  }
}

// Not part of free(): the next allocation might want the same pages again.
void slot_arena::give_back() noexcept {
  const auto release = [this](std::size_t from, std::size_t slots) {
    hot_.give_back(from * sizeof(word), slots * sizeof(word));
    const std::size_t links = from < top_ ? link_bytes : 0;
    twins_.give_back(from * sizeof(word) + links, slots * sizeof(word) - links);
  };
  for (unsigned bits = give_back_class; bits <= max_class; ++bits) {
    // relaxed: as in link()
    for (std::uint32_t at = heads_[bits]; at != 0; at = twins()[at].load(std::memory_order_relaxed)) {
      release(at, std::size_t{1} << bits);
    }
  }
  if (touched_ > top_) {
    // Up to the end of the last large page: nothing behind it was ever in use.
    const std::size_t end = std::min<std::size_t>(std::size_t{touched_} + huge_page_bytes / sizeof(word), limit_);
    release(top_, end - top_);
    classes_.give_back(top_ / 2 + 1, end / 2 - top_ / 2);
  }
  touched_ = top_;
}

std::uint32_t slot_arena::allocate_in_run(unsigned bits) noexcept {
  if (bits >= run_bits()) return allocate(bits);
  const std::uint32_t size = 1u << bits;
  for (;;) {
    const std::uint32_t start = (run_at_ + size - 1) & ~(size - 1);
    if (run_end_ != 0 && start + size <= run_end_) {
      free_range(run_at_, start);
      run_at_ = start + size;
      return start;
    }
    close_run();
    if (!open_run(std::max(run_bits(), bits + 1))) return allocate(bits);
  }
}

// No larger than what is to be moved, or than a small table itself: what is left of a run becomes smaller blocks.
unsigned slot_arena::run_bits() const noexcept {
  constexpr unsigned least = 7;
  const std::size_t wanted = std::min<std::size_t>(live_, run_plan_);
  return std::clamp(static_cast<unsigned>(std::bit_width(wanted)), least, run_class);
}

bool slot_arena::open_run(unsigned wanted) noexcept {
  std::uint32_t lowest = 0;
  unsigned found = 0;
  for (unsigned bits = wanted; bits <= max_class; ++bits) {
    // relaxed: as in link()
    for (std::uint32_t at = heads_[bits]; at != 0; at = twins()[at].load(std::memory_order_relaxed)) {
      if (lowest == 0 || at < lowest) {
        lowest = at;
        found = bits;
      }
    }
  }
  if (lowest != 0) {
    unlink(lowest, found);
    while (found > wanted) {
      --found;
      link(lowest + (1u << found), found);
    }
  } else {
    lowest = take_fresh(wanted);
    if (lowest == 0) return false;
  }
  live_ += 1u << wanted;
  unpoison(hot() + lowest, sizeof(word) << wanted);
  run_at_ = lowest;
  run_end_ = lowest + (1u << wanted);
  return true;
}

void slot_arena::close_run() noexcept {
  free_range(run_at_, run_end_);
  run_at_ = run_end_ = 0;
}

// Frees a range as the largest aligned blocks that fit.
void slot_arena::free_range(std::uint32_t from, std::uint32_t to) noexcept {
  while (from < to) {
    unsigned bits = static_cast<unsigned>(std::countr_zero(from));
    while ((to - from) >> bits == 0) --bits;
    free(from, bits);
    from += 1u << bits;
  }
}

bool slot_arena::recount(std::uint64_t& free_slots) const noexcept {
  free_slots = 0;
  for (unsigned bits = 1; bits <= max_class; ++bits) {
    std::uint32_t previous = 0;
    // relaxed: as in link()
    for (std::uint32_t at = heads_[bits]; at != 0; at = twins()[at].load(std::memory_order_relaxed)) {
      if (free_class(at) != bits || twins()[at + 1].load(std::memory_order_relaxed) != previous) return false;
      if (at + (1u << bits) > top_ || (at & ((1u << bits) - 1)) != 0) return false;
      free_slots += 1u << bits;
      previous = at;
    }
  }
  return true;
}

slot_arena::taken slot_arena::in_memory() const noexcept {
  const std::size_t words = (std::size_t{std::max(touched_, top_)} * sizeof(word) + huge_page_bytes) / huge_page_bytes;
  const std::size_t upto = words * huge_page_bytes;
  return {hot_.resident_bytes(upto) + twins_.resident_bytes(upto), hot_.huge_bytes() + twins_.huge_bytes(),
          classes_.resident_bytes(std::size_t{peak_} / 2 + 1)};
}

}  // namespace fibtrie::mem
