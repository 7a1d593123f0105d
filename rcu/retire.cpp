// SPDX-License-Identifier: MIT
// The writer's queue of retired records: chunks from spare to open to waiting and back.
//
// Thread safety, invariants, progress: as rcu/retire.hpp says.
// Source: docs/design.md, "Readers never wait".
#include "rcu/retire.hpp"

#include <time.h>

#include <new>
#include <type_traits>
#include <utility>

#include "trie/assert.hpp"

namespace fibtrie::rcu {

namespace {

std::uint64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

template <class Chunk>
void free_all(Chunk* first) noexcept {
  while (first != nullptr) std::free(std::exchange(first, first->next));
}

}  // namespace

retire_queue::retire_queue(const domain& domain, limits limit, allocate_function allocate) noexcept
    : domain_(domain), limit_(limit), allocate_(allocate) {}

retire_queue::~retire_queue() {
  while (chunk* const ready = take_ready()) std::free(ready);
  // Only a callback under way needs waiting for; the open chunk was handed to nobody.
  if (oldest_ != nullptr) {
    FIBTRIE_CHECK(!domain_.in_read_section());  // the wait would never end
    domain_.barrier();
    // The marks are looked at although the barrier vouches for them: what orders a callback before this thread is to be
    // seen here.
    while (chunk* const ready = take_ready()) std::free(ready);
    FIBTRIE_CHECK(oldest_ == nullptr);
  }
  free_all(open_);
  free_all(spare_);
}

bool retire_queue::reserve(std::size_t records) noexcept {
  reserved_ = 0;
  submit_if_heavy();
  if (records == 0) return true;
  // The open chunk's room is not counted, so that a heavy one can be submitted in the middle of an operation.
  const std::size_t open_to_be = open_ == nullptr ? records_per_chunk : 0;
  while (spare_count_ * records_per_chunk < open_to_be + records) {
    if (!add_spare()) return false;
  }
  // What a rare operation with very many records has left over is not kept for ever.
  while (spare_count_ > records / records_per_chunk + 1 + spare_chunks_kept) {
    std::free(std::exchange(spare_, spare_->next));
    --spare_count_;
    --chunk_count_;
  }
  reserved_ = records;
  return true;
}

void retire_queue::retire(std::uint64_t record, std::size_t bytes) noexcept {
  FIBTRIE_ASSERT(reserved_ > 0);
  if (open_ == nullptr) {
    FIBTRIE_CHECK(spare_ != nullptr);
    open_ = std::exchange(spare_, spare_->next);
    --spare_count_;
    open_->next = nullptr;
  }
  open_->records[open_->count++] = record;
  open_->bytes += bytes;
  if (reserved_ > 0) --reserved_;
  add_backlog_writer(1, bytes);
  // relaxed: a figure with one writer
  retired_.store(retired_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (open_->count == records_per_chunk) {
    submit_open();
  } else {
    submit_if_heavy();
  }
}

void retire_queue::submit() noexcept {
  reserved_ = 0;
  if (open_ != nullptr) submit_open();
}

void retire_queue::barrier() noexcept {
  FIBTRIE_CHECK(!domain_.in_read_section());
  submit();
  if (oldest_ == nullptr) return;
  domain_.barrier();
  // acquire: pairs with mark_ready().
  FIBTRIE_ASSERT(youngest_->ready.load(std::memory_order_acquire));
}

void retire_queue::mark_ready(callback_head* head) noexcept {
  static_assert(std::is_standard_layout_v<chunk>);  // the head's address is the chunk's
  // release: the grace period happens before the writer's reclaiming.  Afterwards the chunk may be gone.
  reinterpret_cast<chunk*>(head)->ready.store(true, std::memory_order_release);
}

bool retire_queue::add_spare() noexcept {
  void* const memory = allocate_(sizeof(chunk));
  if (memory == nullptr) return false;
  auto* const fresh = ::new (memory) chunk;
  fresh->next = spare_;
  spare_ = fresh;
  ++spare_count_;
  ++chunk_count_;
  return true;
}

void retire_queue::submit_open() noexcept {
  FIBTRIE_ASSERT(open_ != nullptr && open_->count > 0);
  chunk* const full = std::exchange(open_, nullptr);
  if (oldest_ == nullptr) {
    oldest_ = full;
  } else {
    youngest_->next = full;
  }
  youngest_ = full;
  full->since_ns = now_ns();
  if (oldest_ == full) oldest_since_ns_.store(full->since_ns, std::memory_order_relaxed);  // relaxed: a figure
  domain_.call(&full->head, mark_ready);
}

void retire_queue::submit_if_heavy() noexcept {
  if (open_ == nullptr || open_->bytes <= heavy_bytes) return;
  if (spare_count_ * records_per_chunk >= reserved_) submit_open();
}

retire_queue::chunk* retire_queue::take_ready() noexcept {
  // acquire: pairs with mark_ready().
  if (oldest_ == nullptr || !oldest_->ready.load(std::memory_order_acquire)) return nullptr;
  chunk* const ready = std::exchange(oldest_, oldest_->next);
  // relaxed: a figure
  oldest_since_ns_.store(oldest_ == nullptr ? 0 : oldest_->since_ns, std::memory_order_relaxed);
  return ready;
}

backlog_stats retire_queue::stats() const noexcept {
  // relaxed (all): figures
  const backlog_size now = backlog();
  const std::uint64_t retired = retired_.load(std::memory_order_relaxed);
  const std::uint64_t since = oldest_since_ns_.load(std::memory_order_relaxed);
  const std::uint64_t waited = since == 0 ? 0 : now_ns() - since;
  const std::uint64_t reclaimed = retired > now.objects ? retired - now.objects : 0;
  return {now.objects, now.bytes, retired, reclaimed, static_cast<double>(waited) / 1e6};
}

void retire_queue::recycle(chunk* reclaimed) noexcept {
  add_backlog_writer(0 - std::size_t{reclaimed->count}, 0 - reclaimed->bytes);
  if (spare_count_ >= spare_chunks_kept && spare_count_ * records_per_chunk >= reserved_) {
    std::free(reclaimed);
    --chunk_count_;
    return;
  }
  auto* const fresh = ::new (static_cast<void*>(reclaimed)) chunk;
  fresh->next = spare_;
  spare_ = fresh;
  ++spare_count_;
}

void retire_queue::add_backlog_writer(std::size_t objects, std::size_t bytes) noexcept {
  // relaxed, and no read-modify-write: only the writer changes the figures, others just look.
  backlog_objects_.store(backlog_objects_.load(std::memory_order_relaxed) + objects, std::memory_order_relaxed);
  backlog_bytes_.store(backlog_bytes_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}

}  // namespace fibtrie::rcu
