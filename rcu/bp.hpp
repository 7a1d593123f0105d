// SPDX-License-Identifier: MIT
// The flavour for plug-ins and bindings that cannot register threads: a thread is registered by its first read.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. register_thread() only takes that cost ahead of the first read; liburcu takes a thread back when it
// ends. Source: liburcu-bp.
#pragma once

#include "rcu/flavour.hpp"

namespace fibtrie::rcu {

class bp {
 public:
  static constexpr const char* name = "bp";

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
static_assert(flavour<bp>);

}  // namespace fibtrie::rcu
