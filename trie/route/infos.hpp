// SPDX-License-Identifier: MIT
// All shared parts of routes of a namespace: found by what they say, counted, named by 32-bit ids.
//
// Thread safety: the writer's, but for at(), which readers use inside a read section.
// Invariants: 1. No two infos in use are equal in what same_info() compares.  2. tree_refs > 0 for each info in use.
//   3. An id is given anew only after its info was reclaimed.
// Progress: find and adopt in constant time on average.
// Source: section "fib_info" of the kernel's behaviour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trie/mem/id_pool.hpp"
#include "trie/route/fib_info.hpp"

namespace fibtrie::route {

// Everything that two routes must agree in to share an info.
bool same_info(const fib_info& a, const fib_info& b) noexcept;
std::uint64_t hash_info(const fib_info& info) noexcept;

class info_table {
 public:
  info_table() = default;
  ~info_table();
  info_table(const info_table&) = delete;
  info_table& operator=(const info_table&) = delete;

  bool open() noexcept;

  const fib_info* at(std::uint32_t id) const noexcept {
    // acquire: the info was complete before its id was published
    return slots_[id].info.load(std::memory_order_acquire);
  }
  fib_info* writable(std::uint32_t id) const noexcept {
    return slots_[id].info.load(std::memory_order_relaxed);  // relaxed: the writer's own store
  }

  // The info in use that is the same, or null.
  fib_info* find(const fib_info& info) const noexcept;
  // The newest info in use that is the same but, perhaps, in its metrics; or null.
  fib_info* find_like(const fib_info& info) const noexcept;
  // Takes a new info in, with an id; false: no memory, and nothing has changed.
  bool adopt(std::unique_ptr<fib_info>& info) noexcept;
  // Takes an info without references out of use: it is not found any more.  The caller retires it and then calls
  // reclaim().
  void drop(fib_info& info) noexcept;
  void reclaim(fib_info* info) noexcept;

  std::size_t size() const noexcept { return size_; }
  std::uint32_t live_ids() const noexcept { return slots_.live(); }
  // Of all infos that have an id; and of the index of ids and the buckets.
  std::size_t info_bytes() const noexcept { return info_bytes_; }
  std::size_t index_bytes() const noexcept {
    return std::size_t{slots_.top()} * sizeof(slot) + bucket_count_ * sizeof(fib_info*);
  }
  static std::size_t bytes_of(const fib_info& info) noexcept {
    return sizeof(fib_info) + info.leg_count * sizeof(fib_leg);
  }
  fib_info* newest() const noexcept { return newest_; }
  fib_info* oldest() const noexcept { return oldest_; }

 private:
  struct slot {
    std::atomic<fib_info*> info{nullptr};
  };
  bool grow() noexcept;

  mem::id_pool<slot> slots_;
  std::unique_ptr<fib_info*[]> buckets_;
  std::size_t bucket_count_ = 0;
  std::size_t size_ = 0;
  std::size_t info_bytes_ = 0;
  fib_info* newest_ = nullptr;
  fib_info* oldest_ = nullptr;
};

}  // namespace fibtrie::route
