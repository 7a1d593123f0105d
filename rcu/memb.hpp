// SPDX-License-Identifier: MIT
// The default flavour: cheap read sections for ordinary registered threads; grace periods use sys_membarrier.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. A thread that reads or writes is registered, and unregistered before it ends.
// Source: liburcu-memb.
#pragma once

#include "rcu/flavour.hpp"

namespace fibtrie::rcu {

class memb {
 public:
  static constexpr const char* name = "memb";

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
static_assert(flavour<memb>);

}  // namespace fibtrie::rcu
