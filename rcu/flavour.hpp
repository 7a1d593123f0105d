// SPDX-License-Identifier: MIT
// The concept of an RCU flavour: a class of static functions, so that the read side costs no indirection.
//
// Thread safety: all functions of a flavour may be called from any thread; each acts for the calling thread.
// Invariants: 1. read_lock() and read_unlock() pair up and nest.  2. Flavours are independent: a read section of one
//   says nothing to the others.  3. Readers and writers of one structure use the same flavour.
//   4. quiescent_state(), thread_offline(), synchronize() and barrier() are never called inside a read section.
// Progress: read_lock, read_unlock, in_read_section, quiescent_state, thread_offline and thread_online are wait-free
//   (the first read section of a bp thread registers it); call never waits for readers; synchronize and barrier do.
// Source: the API of liburcu.
#pragma once

#include <concepts>

#include "rcu/domain.hpp"

namespace fibtrie::rcu {

// register_thread    makes the calling thread known; false when it was known already (or the flavour needs no
//                    registration), and then the caller has nothing to take back.
// in_read_section    true between read_lock and read_unlock.
// quiescent_state,   mean something to qsbr only: a registered thread counts as reading until it passes a quiescent
//   thread_offline,  state or goes offline, and it must be online to read.  A registered qsbr thread that writes
//   thread_online    passes quiescent states between updates, or nothing is ever reclaimed.
// call               as domain::call.
// pin_callbacks      gives the calling thread a callback worker of its own, bound to that CPU.  For a writer that
//                    retires much: memory comes back on the CPU whose cache has it, and a saturated machine cannot
//                    starve reclaiming while updates go on.  Undo it (unpin_callbacks) before the thread ends.
//                    False when the flavour has one worker only, or the CPU does not exist.
template <class F>
concept flavour = requires(callback_head* head, void (*function)(callback_head*), int cpu) {
  { F::register_thread() }
  noexcept->std::same_as<bool>;
  { F::unregister_thread() }
  noexcept;
  { F::read_lock() }
  noexcept;
  { F::read_unlock() }
  noexcept;
  { F::in_read_section() }
  noexcept->std::same_as<bool>;
  { F::quiescent_state() }
  noexcept;
  { F::thread_offline() }
  noexcept;
  { F::thread_online() }
  noexcept;
  { F::synchronize() }
  noexcept;
  { F::barrier() }
  noexcept;
  { F::call(head, function) }
  noexcept;
  { F::pin_callbacks(cpu) }
  noexcept->std::same_as<bool>;
  { F::unpin_callbacks() }
  noexcept;
  { F::instance() }
  noexcept->std::same_as<const domain&>;
  { F::name } -> std::convertible_to<const char*>;
};

}  // namespace fibtrie::rcu
