// SPDX-License-Identifier: MIT
// What `kbench alloc` compares: allocators of objects of one size, a lane of each for every thread.
//
// Thread safety: an allocator is used by one thread; each thread runs a lane of its own.
// Invariants: 1. The loop of a lane is compiled with its allocator inlined: no virtual call is timed but one a pass.
// Source: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fibtrie::kbench {

inline constexpr unsigned max_batch = 256;

class alloc_lane {
 public:
  virtual ~alloc_lane() = default;
  // Allocates `batch` objects and frees them, so many times over.  False: an allocation failed.
  virtual bool pairs(unsigned batch, std::uint64_t repeats) = 0;
  // The addresses that one batch gets, all freed again.
  virtual std::vector<void*> sample(unsigned batch) = 0;
};

class allocator {
 public:
  virtual ~allocator() = default;
  virtual const std::string& name() const noexcept = 0;
  // For the calling thread.  Null: not possible.
  virtual std::unique_ptr<alloc_lane> make_lane() = 0;
  // Objects that are with nobody's lane and not free; 0 when every lane gave back what it had.
  virtual std::size_t lost() const { return 0; }
};

// Thread has: handle (a type), bool allocate(handle*, unsigned), void free(handle*, unsigned), void* address(handle).
template <class Thread>
class lane_of final : public alloc_lane {
 public:
  template <class... Arguments>
  explicit lane_of(Arguments&&... arguments) : thread_(std::forward<Arguments>(arguments)...) {}

  bool pairs(unsigned batch, std::uint64_t repeats) override {
    typename Thread::handle got[max_batch];
    for (std::uint64_t i = 0; i < repeats; ++i) {
      if (!thread_.allocate(got, batch)) return false;
      asm volatile("" : : "r"(got) : "memory");  // whoever uses the objects is not to be optimised away
      thread_.free(got, batch);
    }
    return true;
  }
  std::vector<void*> sample(unsigned batch) override {
    typename Thread::handle got[max_batch];
    std::vector<void*> places;
    if (!thread_.allocate(got, batch)) return places;
    for (unsigned i = 0; i < batch; ++i) places.push_back(thread_.address(got[i]));
    thread_.free(got, batch);
    return places;
  }

 private:
  Thread thread_;
};

// ---- those that are always there
// object_pool; initial: bytes of the template that every free object holds.
std::unique_ptr<allocator> make_pool_allocator(std::size_t object_bytes, std::size_t initial, std::size_t objects);
std::unique_ptr<allocator> make_malloc_allocator(std::size_t object_bytes);

// ---- those that may be missing; null, and the reason
std::unique_ptr<allocator> make_jemalloc_allocator(std::size_t object_bytes, std::string& why);
std::unique_ptr<allocator> make_dpdk_objects(std::size_t object_bytes, std::size_t objects, std::string& why);
// rte_pktmbuf, with 2048 bytes of data and 128 of head room.
std::unique_ptr<allocator> make_dpdk_packets(std::size_t objects, std::string& why);

}  // namespace fibtrie::kbench
