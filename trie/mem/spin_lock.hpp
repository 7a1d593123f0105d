// SPDX-License-Identifier: MIT
// A lock for sections of a few dozen instructions that are rarely contended.
//
// Thread safety: that is what it is for.
// Progress: a thread that finds it taken spins, then yields, since its holder may have been preempted.
// Source: none.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace fibtrie::mem {

class spin_lock {
 public:
  bool try_lock() noexcept {
    // acquire: what the last holder did is seen
    return taken_.load(std::memory_order_relaxed) == 0 && taken_.exchange(1, std::memory_order_acquire) == 0;
  }
  void lock() noexcept {
    // acquire: as above
    if (taken_.exchange(1, std::memory_order_acquire) == 0) [[likely]]
      return;
    wait();
  }
  // release: what was done under the lock is seen by the next holder
  void unlock() noexcept { taken_.store(0, std::memory_order_release); }

 private:
  [[gnu::noinline, gnu::cold]] void wait() noexcept {
    for (unsigned spins = 0; !try_lock(); ++spins) {
      if (spins % 64 == 63) sched_yield();
    }
  }

  std::atomic<std::uint32_t> taken_{0};
};

}  // namespace fibtrie::mem
