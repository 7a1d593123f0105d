// SPDX-License-Identifier: MIT
// Scopes of an RCU flavour: a registered thread, a read section, a time offline, callbacks on a CPU of one's choice.
//
// Thread safety: an object is made and destroyed by the same thread.
// Invariants: 1. Scopes end in reverse order of their beginnings.  2. No offline_scope inside a read section.
// Progress: as the flavour's functions.
// Source: RAII over rcu/flavour.hpp.
#pragma once

#include "rcu/flavour.hpp"

namespace fibtrie::rcu {

// Makes the calling thread known to the flavour.  Harmless where somebody registered it already.
template <flavour F>
class [[nodiscard]] thread_registration {
 public:
  thread_registration() noexcept : mine_(F::register_thread()) {}
  ~thread_registration() {
    if (mine_) F::unregister_thread();
  }
  thread_registration(const thread_registration&) = delete;
  thread_registration& operator=(const thread_registration&) = delete;

 private:
  const bool mine_;
};

// Everything found inside stays valid until its end.  May span many lookups; a long one only delays reclaiming.
template <flavour F>
class [[nodiscard]] read_section {
 public:
  read_section() noexcept { F::read_lock(); }
  ~read_section() { F::read_unlock(); }
  read_section(const read_section&) = delete;
  read_section& operator=(const read_section&) = delete;
};

// For a qsbr thread that is about to block or to work long without reading.  Nothing for the other flavours.
template <flavour F>
class [[nodiscard]] offline_scope {
 public:
  offline_scope() noexcept { F::thread_offline(); }
  ~offline_scope() { F::thread_online(); }
  offline_scope(const offline_scope&) = delete;
  offline_scope& operator=(const offline_scope&) = delete;
};

// Runs the calling thread's callbacks on one CPU, as a rule the writer's own (rcu/flavour.hpp, pin_callbacks).
template <flavour F>
class [[nodiscard]] pinned_callbacks {
 public:
  explicit pinned_callbacks(int cpu) noexcept : pinned_(F::pin_callbacks(cpu)) {}
  ~pinned_callbacks() {
    if (pinned_) F::unpin_callbacks();
  }
  pinned_callbacks(const pinned_callbacks&) = delete;
  pinned_callbacks& operator=(const pinned_callbacks&) = delete;

  bool pinned() const noexcept { return pinned_; }

 private:
  const bool pinned_;
};

}  // namespace fibtrie::rcu
