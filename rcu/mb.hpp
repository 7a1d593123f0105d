// SPDX-License-Identifier: MIT
// The flavour for machines without sys_membarrier: two full memory barriers in each read section.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. A thread that reads or writes is registered, and unregistered before it ends.
// Source: liburcu-mb.
#pragma once

#include "rcu/flavour.hpp"

namespace fibtrie::rcu {

class mb {
 public:
  static constexpr const char* name = "mb";

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
static_assert(flavour<mb>);

}  // namespace fibtrie::rcu
