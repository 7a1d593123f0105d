// SPDX-License-Identifier: MIT
// Fixed-size records addressed by 32-bit ids from 1 on, in a region that never moves; free ids are reused, last freed
// first.
//
// Thread safety: allocate and free by the one writer; readers may use records that were published to them.
// Invariants: 1. Id 0 is never given out.  2. A free record's first four bytes link to the next free one, the next four
// stay.
//   3. live() = ids given out and not freed.
// Progress: constant time.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>

#include "trie/assert.hpp"
#include "trie/mem/poison.hpp"
#include "trie/mem/region.hpp"

namespace fibtrie::mem {

template <class Record>
class id_pool {
  static_assert(sizeof(Record) >= 4 && sizeof(Record) % 4 == 0);

 public:
  ~id_pool() { unpoison(region_.base(), std::size_t{next_} * sizeof(Record)); }

  bool reserve(std::size_t records, bool huge_pages) noexcept {
    return region_.reserve(records * sizeof(Record), huge_pages);
  }

  Record* data() const noexcept { return reinterpret_cast<Record*>(region_.base()); }
  Record& operator[](std::uint32_t id) const noexcept { return data()[id]; }

  // A fresh record, or 0 when the reserved range is used up.
  std::uint32_t allocate() noexcept {
    std::uint32_t id = free_;
    if (id != 0) {
      std::memcpy(&free_, static_cast<const void*>(&data()[id]), sizeof free_);
      __builtin_prefetch(&data()[free_], 1);  // the next one: it was last touched a grace period ago
      unpoison(&data()[id], sizeof(Record));
    } else {
      if ((std::size_t{next_} + 1) * sizeof(Record) > region_.size()) return 0;
      id = next_++;
      region_.used(std::size_t{next_} * sizeof(Record));
    }
    new (static_cast<void*>(&data()[id])) Record();
    ++live_;
    return id;
  }

  void free(std::uint32_t id) noexcept {
    FIBTRIE_ASSERT(id != 0 && id < next_ && live_ > 0);
    std::memcpy(static_cast<void*>(&data()[id]), &free_, sizeof free_);
    // The first eight bytes stay readable: the link, and a mark by which the owner knows a dead record.
    if constexpr (sizeof(Record) > 8) poison(reinterpret_cast<const std::byte*>(&data()[id]) + 8, sizeof(Record) - 8);
    free_ = id;
    --live_;
  }

  std::uint32_t live() const noexcept { return live_; }
  std::uint32_t top() const noexcept { return next_; }
  std::size_t reserved_bytes() const noexcept { return region_.size(); }
  // Bytes in memory and on 2 MB pages.
  std::size_t resident_bytes() const noexcept {
    return region_.resident_bytes(std::size_t{next_} * sizeof(Record) + huge_page_bytes);
  }
  std::size_t huge_bytes() const noexcept { return region_.huge_bytes(); }

 private:
  region region_;
  std::uint32_t next_ = 1;
  std::uint32_t free_ = 0;
  std::uint32_t live_ = 0;
};

}  // namespace fibtrie::mem
