// SPDX-License-Identifier: MIT
// A flavour of std::atomic alone, without liburcu: thread sanitizers understand it as it is.  For tests and debugging.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. A thread that reads is registered, and unregistered before it ends; a thread that writes need not be.
// Source: the even/odd section counters of seqlocks, turned round: here the writer watches the readers.
#pragma once

#include "rcu/flavour.hpp"

namespace fibtrie::rcu {

class plain {
 public:
  static constexpr const char* name = "plain";

  static bool register_thread() noexcept;
  static void unregister_thread() noexcept;

  static void read_lock() noexcept;
  static void read_unlock() noexcept;
  static bool in_read_section() noexcept;

  static void quiescent_state() noexcept {}
  static void thread_offline() noexcept {}
  static void thread_online() noexcept {}

  static void synchronize() noexcept;
  static void barrier() noexcept;
  static void call(callback_head* head, void (*function)(callback_head*)) noexcept;
  static bool pin_callbacks(int cpu) noexcept;
  static void unpin_callbacks() noexcept;

  static const domain& instance() noexcept;
};
static_assert(flavour<plain>);

}  // namespace fibtrie::rcu
