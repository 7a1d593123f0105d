// SPDX-License-Identifier: MIT
// The flavour for polling data planes: a read section only counts, threads announce quiescent states instead.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. A thread that reads is registered and online.  2. A registered online thread passes quiescent states,
// or it
//   holds up every grace period.
// Source: liburcu-qsbr.
#pragma once

#include "rcu/flavour.hpp"

namespace fibtrie::rcu {

class qsbr {
 public:
  static constexpr const char* name = "qsbr";

  static bool register_thread() noexcept;
  static void unregister_thread() noexcept;

  static void read_lock() noexcept;
  static void read_unlock() noexcept;
  static bool in_read_section() noexcept;

  static void quiescent_state() noexcept;
  static void thread_offline() noexcept;
  static void thread_online() noexcept;

  static void synchronize() noexcept;
  static void barrier() noexcept;
  static void call(callback_head* head, void (*function)(callback_head*)) noexcept;
  static bool pin_callbacks(int cpu) noexcept;
  static void unpin_callbacks() noexcept;

  static const domain& instance() noexcept;
};
static_assert(flavour<qsbr>);

}  // namespace fibtrie::rcu
