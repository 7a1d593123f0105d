// SPDX-License-Identifier: MIT
// Objects behind one pointer, each of which counts the grace periods that it outlived.
//
// Thread safety: replace() by one writer; look() by readers in a read section; the ages go up in grace-period
// callbacks.
// Invariants: 1. Age 0 is in sight; 1: replaced; each grace period adds one.  A reader in its section sees 0 or 1 only:
//   more is a grace period that did not wait for it.  2. Content is poison from max_age on.
// Source: the pipeline of rcutorture.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>

#include "rcu/annotate.hpp"
#include "rcu/domain.hpp"
#include "trie/assert.hpp"

namespace fibtrie::torture {

inline constexpr unsigned max_age = 8;
using age_histogram = std::array<std::uint64_t, max_age + 1>;

class aged_objects {
 public:
  struct object {
    rcu::callback_head head;  // first: the callback finds the object by it
    std::atomic<std::uint32_t> age{0};
    std::uint64_t generation = 0;
    std::uint64_t inverse = 0;
    aged_objects* owner = nullptr;
  };

  explicit aged_objects(const rcu::domain& domain) : domain_(domain) {
    for (object& o : objects_) free_.push_back(&o);
    replace();
  }
  // Waits for all callbacks.
  ~aged_objects() {
    for (unsigned i = 0; i < max_age + 2; ++i) domain_.barrier();
  }
  aged_objects(const aged_objects&) = delete;
  aged_objects& operator=(const aged_objects&) = delete;

  // A new object in, the old one into the pipeline.  False: all are still in it.
  bool replace() {
    object* const fresh = take();
    if (fresh == nullptr) return false;
    fresh->owner = this;
    fresh->generation = ++generation_;
    fresh->inverse = ~generation_;
    fresh->age.store(0, std::memory_order_relaxed);  // relaxed: published by the exchange
    // acq_rel: publishes the object; the old one was published by the same writer.
    object* const old = current_.exchange(fresh, std::memory_order_acq_rel);
    if (old == nullptr) return true;
    old->age.store(1, std::memory_order_relaxed);  // relaxed: judged as it is
    domain_.call(&old->head, grow_older);
    return true;
  }

  // In a read section: what `during` does happens between finding the object and judging it.  False: it was poison.
  template <class During>
  bool look(age_histogram& ages, During&& during) const {
    const object* const mine = current_.load(std::memory_order_acquire);  // acquire: its content
    during();
    const bool right = mine->inverse == ~mine->generation;
    ++ages[mine->age.load(std::memory_order_relaxed)];  // relaxed: a count, judged as it is
    return right;
  }

  std::uint64_t generation() const noexcept { return generation_; }
  std::uint64_t grace_periods() const noexcept { return grace_periods_.load(std::memory_order_relaxed); }

 private:
  static void grow_older(rcu::callback_head* head) {
    object* const old = reinterpret_cast<object*>(head);
    aged_objects& all = *old->owner;
    all.grace_periods_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
    // relaxed: the next grace period, or the lock, orders it.
    if (old->age.fetch_add(1, std::memory_order_relaxed) + 1 < max_age) {
      all.domain_.call(head, grow_older);
      return;
    }
    old->generation = old->inverse = 0;
    const std::lock_guard guard(all.lock_);
    all.free_.push_back(old);
  }
  object* take() {
    const std::lock_guard guard(lock_);
    if (free_.empty()) return nullptr;
    object* const first = free_.front();  // the one that has been free for longest: late readers find poison
    free_.pop_front();
    return first;
  }

  const rcu::domain& domain_;
  std::array<object, 4096> objects_;
  std::mutex lock_;
  std::deque<object*> free_;
  std::atomic<object*> current_{nullptr};
  std::uint64_t generation_ = 0;
  std::atomic<std::uint64_t> grace_periods_{0};
};

}  // namespace fibtrie::torture
