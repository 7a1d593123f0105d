// SPDX-License-Identifier: MIT
// Tells a thread sanitizer what a grace period orders, which it cannot see inside an uninstrumented liburcu.
//
// Thread safety: any thread.
// Invariants: 1. Everything before a call of section_ends() happens before everything after a later
//   grace_period_ended(), in the sanitizer's eyes; so are callback_done() and callbacks_waited_for().  2. Without a
//   thread sanitizer all are nothing.
// Source: the happens-before annotations of ThreadSanitizer.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define FIBTRIE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBTRIE_THREAD_SANITIZER 1
#endif
#endif

#ifdef FIBTRIE_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace fibtrie::rcu::annotate {

#ifdef FIBTRIE_THREAD_SANITIZER
// One for all flavours: the sanitizer orders a little more than liburcu does, never less.
inline char sync_byte;
// What callbacks did is ordered before the end of a barrier that waited for them, and before nothing else.
inline char callbacks_byte;

inline void section_ends() noexcept { __tsan_release(&sync_byte); }
inline void grace_period_ended() noexcept { __tsan_acquire(&sync_byte); }
inline void callback_done() noexcept { __tsan_release(&callbacks_byte); }
inline void callbacks_waited_for() noexcept { __tsan_acquire(&callbacks_byte); }
#else
inline void section_ends() noexcept {}
inline void grace_period_ended() noexcept {}
inline void callback_done() noexcept {}
inline void callbacks_waited_for() noexcept {}
#endif
// A writer that hands over a callback ends its own accesses to the memory just as a reader does.
inline void callback_given() noexcept { section_ends(); }

}  // namespace fibtrie::rcu::annotate
