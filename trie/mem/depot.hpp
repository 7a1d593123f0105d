// SPDX-License-Identifier: MIT
// What one memory node has of one size class and no thread holds: ids that were freed, and ids never used.
//
// Thread safety: the caller holds `lock`.
// Invariants: 1. free_count() + ids with threads = capacity.  2. Ids above first + fresh have never been given out.
// Progress: constant time and one copy.
// Source: docs/memory.md, "pools".
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "trie/assert.hpp"
#include "trie/mem/spin_lock.hpp"

namespace fibtrie::mem {

class alignas(64) depot {
 public:
  spin_lock lock;

  // Ids [first, first + capacity).  False: no memory.
  bool open(std::uint32_t first, std::uint32_t capacity) noexcept {
    returned_.reset(new (std::nothrow) std::uint32_t[capacity]);  // touched as it fills
    first_ = first;
    capacity_ = capacity;
    return returned_ != nullptr;
  }

  // Up to out.size() ids; the second number of those, at the end, have never been used.
  struct taken {
    std::size_t count;
    std::size_t fresh;
  };
  taken take(std::span<std::uint32_t> out) noexcept {
    const auto old = static_cast<std::uint32_t>(std::min<std::size_t>(out.size(), returned_count_));
    returned_count_ -= old;
    std::memcpy(out.data(), &returned_[returned_count_], old * sizeof(std::uint32_t));
    const auto fresh = static_cast<std::uint32_t>(std::min<std::size_t>(out.size() - old, capacity_ - fresh_));
    for (std::uint32_t i = 0; i < fresh; ++i) out[old + i] = first_ + fresh_ + i;
    fresh_ += fresh;
    return {old + fresh, fresh};
  }
  void give(std::span<const std::uint32_t> ids) noexcept {
    FIBTRIE_ASSERT(returned_count_ + ids.size() <= fresh_);
    std::memcpy(&returned_[returned_count_], ids.data(), ids.size_bytes());
    returned_count_ += static_cast<std::uint32_t>(ids.size());
  }

  std::uint32_t capacity() const noexcept { return capacity_; }
  std::uint32_t free_count() const noexcept { return capacity_ - fresh_ + returned_count_; }
  std::uint32_t ever_used() const noexcept { return fresh_; }
  std::span<const std::uint32_t> returned() const noexcept { return {returned_.get(), returned_count_}; }

 private:
  std::unique_ptr<std::uint32_t[]> returned_;  // a stack: the ones freed last are the warmest
  std::uint32_t returned_count_ = 0;
  std::uint32_t fresh_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace fibtrie::mem
