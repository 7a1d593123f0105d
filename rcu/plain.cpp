// SPDX-License-Identifier: MIT
// The plain flavour: a section counter per thread, odd while the thread reads; a grace period watches each odd one
// change.
//
// Thread safety, progress: as rcu/flavour.hpp says; the reader's step is one atomic addition to its own counter.
// Invariants: 1. Every change of a counter, the watcher's included, is a read-modify-write: their order alone decides
//   whether the watcher sees the section or the section sees the stores before the watch, without any fence.
//   2. Callbacks run in the order of their call(), one batch per grace period.
// Source: none.
#include "rcu/plain.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>

#include "rcu/flavour_domain.hpp"
#include "trie/assert.hpp"

namespace fibtrie::rcu {

namespace {

struct reader {
  std::atomic<std::uint64_t> section{0};
  std::uint64_t awaited = 0;  // the odd number a grace period waits to see gone, else 0; under the registry's lock
  unsigned nesting = 0;
  bool registered = false;
  reader* next = nullptr;
};
constinit thread_local reader self;

// What a callback_head's opaque part holds while it waits.
struct link {
  callback_head* next;
};
static_assert(sizeof(link) <= sizeof(callback_head::opaque));

callback_head* next_of(callback_head* head) noexcept {
  return std::launder(reinterpret_cast<link*>(head->opaque))->next;
}
void set_next(callback_head* head, callback_head* next) noexcept { ::new (head->opaque) link{next}; }

class engine {
 public:
  engine() { std::thread(&engine::run, this).detach(); }

  void add(reader& r) noexcept {
    const std::lock_guard lock(registry_lock_);
    r.awaited = 0;
    r.next = readers_;
    readers_ = &r;
  }

  void drop(reader& r) noexcept {
    const std::lock_guard lock(registry_lock_);
    reader** place = &readers_;
    while (*place != &r) place = &(*place)->next;
    *place = r.next;
  }

  void synchronize() noexcept {
    const std::lock_guard one_at_a_time(grace_period_lock_);
    watch_open_sections();
    // The registry's lock is free between the looks: threads come and go while a reader takes its time.
    for (unsigned looks = 0; any_watched_section_left(); ++looks) {
      if (looks < spins_before_sleep) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    }
  }

  void call(callback_head* head) noexcept {
    callback_head* newest = pending_.load(std::memory_order_relaxed);  // the exchange below decides
    do {
      set_next(head, newest);
      // release: the worker must see the head and all that the caller did before.
    } while (!pending_.compare_exchange_weak(newest, head, std::memory_order_release, std::memory_order_relaxed));
    if (newest == nullptr) pending_.notify_one();
  }

  void barrier() noexcept {
    struct marker {
      callback_head head;
      engine* owner;
      bool passed;
    } mine{{}, this, false};
    mine.head.function = [](callback_head* head) {
      auto* m = reinterpret_cast<marker*>(head);
      engine* const owner = m->owner;
      const std::lock_guard lock(owner->barrier_lock_);
      m->passed = true;  // the marker is gone as soon as the lock is
      owner->barrier_passed_.notify_all();
    };
    call(&mine.head);
    std::unique_lock lock(barrier_lock_);
    barrier_passed_.wait(lock, [&mine] { return mine.passed; });
  }

 private:
  static constexpr unsigned spins_before_sleep = 100;

  void watch_open_sections() noexcept {
    const std::lock_guard lock(registry_lock_);
    for (reader* r = readers_; r != nullptr; r = r->next) {
      // acq_rel: invariant 1.  acquire sees the end of earlier sections, release shows later ones the writer's stores.
      const std::uint64_t section = r->section.fetch_add(0, std::memory_order_acq_rel);
      r->awaited = section % 2 == 1 ? section : 0;
    }
  }

  bool any_watched_section_left() noexcept {
    const std::lock_guard lock(registry_lock_);
    for (reader* r = readers_; r != nullptr; r = r->next) {
      // acquire: what the ended section read happens before the reuse of the memory.
      if (r->awaited != 0 && r->section.load(std::memory_order_acquire) == r->awaited) return true;
    }
    return false;
  }

  void run() noexcept {
    for (;;) {
      pending_.wait(nullptr, std::memory_order_relaxed);  // only a hint; the exchange decides
      // acquire: pairs with the release of every call() whose head is taken.
      callback_head* batch = oldest_first(pending_.exchange(nullptr, std::memory_order_acquire));
      synchronize();
      while (batch != nullptr) {
        callback_head* const head = batch;
        batch = next_of(head);  // the callback may free the head
        head->function(head);
      }
    }
  }

  static callback_head* oldest_first(callback_head* newest) noexcept {
    callback_head* done = nullptr;
    while (newest != nullptr) {
      callback_head* const next = next_of(newest);
      set_next(newest, done);
      done = newest;
      newest = next;
    }
    return done;
  }

  std::mutex registry_lock_;
  reader* readers_ = nullptr;
  std::mutex grace_period_lock_;  // one grace period at a time owns the awaited fields
  std::atomic<callback_head*> pending_{nullptr};
  std::mutex barrier_lock_;
  std::condition_variable barrier_passed_;
};

// Never destroyed: its worker runs until the process ends.
engine& the_engine() noexcept {
  static engine& the_one = *new engine;
  return the_one;
}

}  // namespace

bool plain::register_thread() noexcept {
  if (self.registered) return false;
  the_engine().add(self);
  self.registered = true;
  return true;
}

void plain::unregister_thread() noexcept {
  FIBTRIE_CHECK(self.registered && self.nesting == 0);
  the_engine().drop(self);
  self.registered = false;
}

void plain::read_lock() noexcept {
  FIBTRIE_ASSERT(self.registered);
  // acq_rel: invariant 1; acquire sees the stores made before a watch that came earlier.
  if (self.nesting++ == 0) self.section.fetch_add(1, std::memory_order_acq_rel);
}

void plain::read_unlock() noexcept {
  FIBTRIE_ASSERT(self.nesting > 0);
  // acq_rel: release ends the section for the watcher; acquire keeps the chain of invariant 1 unbroken.
  if (--self.nesting == 0) self.section.fetch_add(1, std::memory_order_acq_rel);
}

bool plain::in_read_section() noexcept { return self.nesting > 0; }

void plain::synchronize() noexcept {
  FIBTRIE_CHECK(!in_read_section());
  the_engine().synchronize();
}

void plain::barrier() noexcept {
  FIBTRIE_CHECK(!in_read_section());
  the_engine().barrier();
}

void plain::call(callback_head* head, void (*function)(callback_head*)) noexcept {
  head->function = function;
  the_engine().call(head);
}

bool plain::pin_callbacks(int) noexcept { return false; }  // one worker serves all
void plain::unpin_callbacks() noexcept {}

const domain& plain::instance() noexcept {
  the_engine();  // starts the worker now rather than in the middle of a removal
  static const auto* const the_one = new flavour_domain<plain>;
  return *the_one;
}

}  // namespace fibtrie::rcu
