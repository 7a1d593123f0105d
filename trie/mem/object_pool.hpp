// SPDX-License-Identifier: MIT
// Pools of fixed-size objects for many threads: packet buffers, nodes, records.  One store for each size class and
// memory node, and a cache for each thread in front of them.
//
// Objects are named by 32-bit ids of their class, from 1 on.  An object that is free holds the template: it is copied
// back when the object is freed, while it is warm, so that allocation writes nothing.  In front of each object the
// embedder may have room of its own, which the pool never touches.
//
// Thread safety: each thread uses a cache of its own; a pool's functions may be called from any thread.
// Invariants: 1. For each class and node, total = available + cached + used, in every sample that stats() takes.
//   2. An id is in one place only: a store, a cache, or with its user.  3. Caches are gone before their pool.
// Progress: allocate and free take one uncontended lock of their cache and, every exchange_size objects, one of a
// store.
// Source: VPP's buffer manager (per-thread caches, initialising on free, strides of an odd number of lines).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fibtrie/status.h"
#include "trie/assert.hpp"
#include "trie/mem/depot.hpp"
#include "trie/mem/poison.hpp"
#include "trie/mem/region.hpp"
#include "trie/mem/spin_lock.hpp"
#include "trie/mem/topology.hpp"

namespace fibtrie::mem {

struct size_class {
  std::size_t object_bytes = 0;      // what a user may write to; a multiple of 16 up to 1 MB
  std::size_t objects_per_node = 0;  // up to 2^27
};

struct pool_options {
  std::vector<size_class> classes;  // ascending sizes, at most 16
  std::size_t header_bytes = 0;     // the embedder's, in front of each object
  std::vector<std::byte> initial;   // the template: how a free object begins; not longer than the smallest class
  bool borrow = true;               // from another node, when the own one has nothing left
  bool huge_pages = true;
  topology nodes = topology::system();
};

// One size class on one node.
struct pool_row {
  std::size_t object_bytes = 0;
  unsigned node = 0;
  std::size_t total = 0;
  std::size_t available = 0;                   // in the store
  std::size_t cached = 0;                      // in threads' caches, together
  std::size_t used = 0;                        // with their users
  std::vector<std::size_t> cached_per_thread;  // in the order in which the caches were made
};

struct pool_stats {
  std::vector<pool_row> rows;    // by class, then by node
  std::uint64_t borrowed = 0;    // objects that came from another node than the asking thread's
  std::uint64_t stolen = 0;      // objects taken out of other threads' caches, since the stores were empty
  std::uint64_t refused = 0;     // objects that were missing when somebody asked
  std::size_t memory_bytes = 0;  // of objects that have ever been given out, with headers and padding
};

class pool_cache;

class object_pool {
 public:
  static constexpr std::size_t cache_size = 512;     // ids of one class and node that a cache holds at most
  static constexpr std::size_t exchange_size = 256;  // ids that go between a cache and a store at once
  static constexpr std::size_t max_classes = 16;
  static constexpr unsigned no_class = max_classes;

  // Errors: invalid, no_memory (also: no address space).
  static status create(const pool_options& options, std::unique_ptr<object_pool>& out) noexcept;
  ~object_pool();
  object_pool(const object_pool&) = delete;
  object_pool& operator=(const object_pool&) = delete;

  std::byte* object(unsigned cls, std::uint32_t id) const noexcept {
    FIBTRIE_ASSERT(cls < class_count_ && id != 0);
    return classes_[cls].base + std::size_t{id} * classes_[cls].stride;
  }
  std::byte* header(unsigned cls, std::uint32_t id) const noexcept { return object(cls, id) - header_bytes_; }
  // Of a pointer to the beginning of an object.
  std::uint32_t id_of(unsigned cls, const std::byte* object) const noexcept {
    return static_cast<std::uint32_t>(static_cast<std::size_t>(object - classes_[cls].base) / classes_[cls].stride);
  }
  unsigned node_of(unsigned cls, std::uint32_t id) const noexcept { return (id - 1) >> classes_[cls].node_shift; }
  // The smallest class whose objects have so many bytes, or no_class.
  unsigned class_for(std::size_t bytes) const noexcept;

  unsigned class_count() const noexcept { return class_count_; }
  unsigned nodes() const noexcept { return nodes_.nodes(); }
  const topology& places() const noexcept { return nodes_; }
  // All threads pause meanwhile.  May throw std::bad_alloc.
  pool_stats stats() const;
  // Walks all stores and caches, whose users must be at rest; empty: every id is where it belongs, and once.
  std::string audit() const;

 private:
  friend class pool_cache;

  struct class_state {
    std::byte* base = nullptr;  // where object 0 would be, if there were one
    std::size_t stride = 0;
    unsigned node_shift = 0;
    std::size_t object_bytes = 0;
    region memory;
  };

  object_pool(const pool_options& options, std::size_t initial_lines) noexcept;
  bool open(const pool_options& options);
  bool open_class(unsigned cls, const size_class& wanted, bool huge_pages);
  depot& store(unsigned cls, unsigned node) const noexcept { return stores_[cls * nodes_.nodes() + node]; }

  // Copies the template back into an object nobody else knows.
  void restore(std::byte* object) const noexcept {
    for (std::size_t line = 0; line < initial_lines_; ++line) {
      std::memcpy(object + line * 64, initial_.get() + line * 64, 64);
    }
    if (initial_rest_ != 0)
      std::memcpy(object + initial_lines_ * 64, initial_.get() + initial_lines_ * 64, initial_rest_);
  }

  std::size_t count_caches() const noexcept;
  void count_row(unsigned cls, unsigned node, pool_row& row, std::size_t& memory) const noexcept;
  std::uint32_t find_wrong(unsigned cls, unsigned node, std::span<const std::uint32_t> ids,
                           std::vector<bool>& seen) const;

  // What a cache cannot do alone.  Return how many ids were written.
  std::size_t take(unsigned cls, unsigned node, std::span<std::uint32_t> out) noexcept;
  std::size_t borrow(unsigned cls, unsigned node, std::span<std::uint32_t> out) noexcept;
  std::size_t gather(const pool_cache& asking, unsigned cls, std::span<std::uint32_t> out) noexcept;
  void give(unsigned cls, unsigned node, std::span<const std::uint32_t> ids) noexcept;

  class_state classes_[max_classes];
  unsigned class_count_ = 0;
  std::size_t header_bytes_;
  std::size_t initial_lines_;
  std::size_t initial_rest_ = 0;
  std::unique_ptr<std::byte[]> initial_;
  bool borrow_;
  topology nodes_;
  std::unique_ptr<depot[]> stores_;  // by class, then by node

  mutable spin_lock registry_;         // taken before a cache's lock, which is taken before a store's
  pool_cache* first_cache_ = nullptr;  // in the order of their making
  // relaxed (all): counts
  std::atomic<std::uint64_t> borrowed_{0};
  std::atomic<std::uint64_t> stolen_{0};
  std::atomic<std::uint64_t> refused_{0};
};

// A thread's own.
class pool_cache {
 public:
  // node: the thread's memory node.  Errors: no_memory, invalid (no such node).
  static status create(object_pool& pool, unsigned node, std::unique_ptr<pool_cache>& out) noexcept;
  static status create(object_pool& pool, std::unique_ptr<pool_cache>& out) noexcept {
    return create(pool, pool.places().current_node(), out);
  }
  ~pool_cache();  // gives everything back
  pool_cache(const pool_cache&) = delete;
  pool_cache& operator=(const pool_cache&) = delete;

  // Writes up to out.size() ids of the class; fewer, when the pool has no more (or no such class).
  [[nodiscard]] std::size_t allocate(unsigned cls, std::span<std::uint32_t> out) noexcept {
    std::size_t count = out.size();
    if (count == 0 || cls >= pool_.class_count_) return 0;
    {
      const std::lock_guard guard(lock_);
      stack& own = stack_of(cls, node_);
      if (own.count >= count) [[likely]] {
        own.count -= static_cast<std::uint32_t>(count);
        std::memcpy(out.data(), &own.ids[own.count], out.size_bytes());
      } else {
        count = refill(cls, own, out);
      }
    }
    if (count < out.size()) [[unlikely]]
      count += search(cls, out.subspan(count));
    if constexpr (has_poison) reveal(cls, out.first(count));
    return count;
  }
  // All or nothing.
  [[nodiscard]] bool allocate_all(unsigned cls, std::span<std::uint32_t> out) noexcept {
    const std::size_t count = allocate(cls, out);
    if (count == out.size()) [[likely]]
      return true;
    give_back(cls, out.first(count));
    return false;
  }
  // One object, or 0.
  [[nodiscard]] std::uint32_t allocate(unsigned cls) noexcept {
    std::uint32_t id = 0;
    return allocate(cls, {&id, 1}) == 1 ? id : 0;
  }

  // The ids must have been allocated from this pool, by whatever thread; what the objects hold is lost.
  void free(unsigned cls, std::span<const std::uint32_t> ids) noexcept {
    if (ids.empty()) return;
    const object_pool::class_state& c = pool_.classes_[cls];
    if (pool_.initial_lines_ + pool_.initial_rest_ != 0) {
      for (const std::uint32_t id : ids) pool_.restore(c.base + std::size_t{id} * c.stride);
    }
    std::uint32_t elsewhere = 0;
    if (pool_.nodes() > 1) {
      for (const std::uint32_t id : ids) elsewhere |= (id - 1) >> c.node_shift ^ node_;
    }
    for ([[maybe_unused]] const std::uint32_t id : ids) {
      FIBTRIE_ASSERT(id != 0 && pool_.node_of(cls, id) < pool_.nodes());
    }
    if constexpr (has_poison) hide(cls, ids);
    put(cls, ids, elsewhere == 0);
  }
  void free(unsigned cls, std::uint32_t id) noexcept { free(cls, std::span<const std::uint32_t>(&id, 1)); }

  // Gives back what the cache holds, for a thread that goes idle.
  void flush() noexcept;
  unsigned node() const noexcept { return node_; }

 private:
  friend class object_pool;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr bool has_poison = true;
#else
  static constexpr bool has_poison = false;
#endif

  struct alignas(64) stack {
    std::uint32_t count = 0;
    std::uint32_t ids[object_pool::cache_size];
  };

  pool_cache(object_pool& pool, unsigned node) noexcept : pool_(pool), node_(node) {}
  stack& stack_of(unsigned cls, unsigned node) const noexcept {
    FIBTRIE_ASSERT(cls < pool_.class_count_);
    return stacks_[cls * pool_.nodes() + node];
  }
  void put(unsigned cls, std::span<const std::uint32_t> ids, bool own_node) noexcept {
    const std::lock_guard guard(lock_);
    stack& own = stack_of(cls, node_);
    if (own_node && own.count + ids.size() <= object_pool::cache_size) [[likely]] {
      std::memcpy(&own.ids[own.count], ids.data(), ids.size_bytes());
      own.count += static_cast<std::uint32_t>(ids.size());
    } else {
      put_slowly(cls, ids);
    }
  }
  // Back to where they came from, as they are.
  void give_back(unsigned cls, std::span<const std::uint32_t> ids) noexcept;

  // With the lock held.
  std::size_t refill(unsigned cls, stack& own, std::span<std::uint32_t> out) noexcept;
  void put_slowly(unsigned cls, std::span<const std::uint32_t> ids) noexcept;
  static std::size_t take_from(stack& has, std::span<std::uint32_t> out) noexcept;
  void push(unsigned cls, unsigned node, std::span<const std::uint32_t> ids) noexcept;
  // Without it.
  std::size_t take_foreign(unsigned cls, std::span<std::uint32_t> out) noexcept;
  std::size_t search(unsigned cls, std::span<std::uint32_t> out) noexcept;

  void reveal(unsigned cls, std::span<const std::uint32_t> ids) const noexcept;
  void hide(unsigned cls, std::span<const std::uint32_t> ids) const noexcept;

  object_pool& pool_;
  unsigned node_;
  mutable spin_lock lock_;
  std::unique_ptr<stack[]> stacks_;  // by class, then by node
  pool_cache* next_ = nullptr;       // in the pool's list
};

}  // namespace fibtrie::mem
