// SPDX-License-Identifier: MIT
// A writer's queue of retired things: 8-byte records in chunks, one grace-period callback a chunk, reclaimed by the
// writer.
//
// Thread safety: one writer uses a queue; backlog() may be called from any thread.
// Invariants: 1. Records are reclaimed in the order of their retirement, each after a grace period of its own chunk.
//   2. Within a reservation retire() cannot fail.  3. open + waiting records = backlog().objects.
//   4. A chunk belongs to the callback from submit until it is marked ready; the callback touches nothing else.
// Progress: reserve, retire, submit and reclaim never wait for readers; barrier() and the destructor do.
// Source: docs/design.md, "Readers never wait"; the chunks answer liburcu's need of a head per callback.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fibtrie/stats.h"
#include "rcu/domain.hpp"

namespace fibtrie::rcu {

// Retired and not yet reclaimed.
struct backlog_size {
  std::size_t objects = 0;
  std::size_t bytes = 0;
};

class retire_queue {
 public:
  struct limits {
    std::size_t bytes;
    std::size_t objects;
  };
  // Memory for chunks comes from here and goes to std::free; null means none is left.
  using allocate_function = void* (*)(std::size_t);

  retire_queue(const domain& domain, limits limit, allocate_function allocate = system_allocate) noexcept;
  // Waits for the queue's own callbacks.  Records not reclaimed are forgotten: their memory goes with its owner.
  ~retire_queue();
  retire_queue(const retire_queue&) = delete;
  retire_queue& operator=(const retire_queue&) = delete;

  // Makes sure that the next `records` calls of retire() cannot fail; replaces the reservation before.  reserve(0) ends
  // an operation: it gives up what is left and needs no memory.  False: no memory, and nothing is reserved.
  [[nodiscard]] bool reserve(std::size_t records) noexcept;
  // Hands over one record; bytes is what its reclaiming will give back.  Only within a reservation.  The chunk goes to
  // the domain when it is full, or holds more than heavy_bytes (unless that would cost reserved room: then by the next
  // reserve()).
  void retire(std::uint64_t record, std::size_t bytes) noexcept;
  // Hands over the open chunk however little it holds; ends the reservation.  For a writer that goes idle.
  void submit() noexcept;
  // Calls fn(record) for each record whose grace period is over, oldest first; returns how many.  fn must not use the
  // queue.  One load when nothing is ready.
  template <class Fn>
  std::size_t reclaim(Fn&& fn);
  // Submits and waits until everything retired so far is ready for reclaim().  Not from inside a read section.
  void barrier() noexcept;

  backlog_size backlog() const noexcept {
    // relaxed: figures; the two need not fit each other.
    return {backlog_objects_.load(std::memory_order_relaxed), backlog_bytes_.load(std::memory_order_relaxed)};
  }
  // From any thread.
  backlog_stats stats() const noexcept;
  // Memory of the chunks: waiting, open and spare.
  std::size_t memory_bytes() const noexcept { return chunk_count_ * chunk_bytes; }
  bool over_limit() const noexcept {
    const backlog_size now = backlog();
    return now.bytes > limit_.bytes || now.objects > limit_.objects;
  }

  static constexpr std::size_t heavy_bytes = std::size_t{64} << 10;
  static constexpr std::size_t chunk_bytes = 4096 - 16;  // with malloc's header a page at most
  static constexpr std::size_t records_per_chunk = (chunk_bytes - 72) / sizeof(std::uint64_t);

 private:
  struct chunk {
    callback_head head;  // first: the callback finds the chunk by it
    std::atomic<bool> ready{false};
    std::uint32_t count = 0;
    std::size_t bytes = 0;
    std::uint64_t since_ns = 0;  // when it was handed over
    chunk* next = nullptr;       // the next younger one waiting, or the next free one
    std::uint64_t records[records_per_chunk];
  };
  static_assert(sizeof(chunk) <= chunk_bytes);

  static constexpr std::size_t spare_chunks_kept = 4;

  static void* system_allocate(std::size_t bytes) noexcept { return std::malloc(bytes); }
  static void mark_ready(callback_head* head) noexcept;
  bool add_spare() noexcept;
  void submit_open() noexcept;
  void submit_if_heavy() noexcept;
  chunk* take_ready() noexcept;
  void recycle(chunk* reclaimed) noexcept;
  void add_backlog_writer(std::size_t objects, std::size_t bytes) noexcept;

  const domain& domain_;
  const limits limit_;
  const allocate_function allocate_;
  chunk* open_ = nullptr;    // being filled
  chunk* oldest_ = nullptr;  // waiting for their grace periods, in the order of submission
  chunk* youngest_ = nullptr;
  chunk* spare_ = nullptr;  // empty
  std::size_t spare_count_ = 0;
  std::size_t chunk_count_ = 0;
  std::size_t reserved_ = 0;  // calls of retire() still promised
  std::atomic<std::size_t> backlog_objects_{0};
  std::atomic<std::size_t> backlog_bytes_{0};
  std::atomic<std::uint64_t> retired_{0};
  std::atomic<std::uint64_t> oldest_since_ns_{0};  // 0: nothing waits
};
static_assert(sizeof(retire_queue) < 224);

template <class Fn>
std::size_t retire_queue::reclaim(Fn&& fn) {
  std::size_t reclaimed = 0;
  while (chunk* const ready = take_ready()) {
    for (std::uint32_t i = 0; i < ready->count; ++i) fn(ready->records[i]);
    reclaimed += ready->count;
    recycle(ready);
  }
  return reclaimed;
}

}  // namespace fibtrie::rcu
