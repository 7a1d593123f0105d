// SPDX-License-Identifier: MIT
// The clocks of the benchmark: the processor's time stamp counter (TSC), CPU time of the thread and of the process.
//
// Thread safety: all functions may be called from any thread.
// Invariants: 1. ticks() counts at the constant rate ticks_per_ns(), whatever the core's frequency is.
// Source: the processor manuals' advice on timing short code: fences keep neighbours out of the timed part.
#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace fibtrie::kbench {

#if defined(__x86_64__)
inline std::uint64_t ticks() noexcept { return __rdtsc(); }

// Waits until all instructions before it are done, then reads; what follows starts later.
inline std::uint64_t ticks_fenced() noexcept {
  _mm_lfence();
  const std::uint64_t now = __rdtsc();
  _mm_lfence();
  return now;
}
#else
// Without a TSC a tick is a nanosecond.
inline std::uint64_t ticks() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}
inline std::uint64_t ticks_fenced() noexcept { return ticks(); }
#endif

// Measured once against the system's clock, which takes 50 ms.
double ticks_per_ns();

// Median ticks between two ticks_fenced() with nothing in between: what every single timing contains.
std::uint64_t timer_overhead_ticks();

double thread_cpu_ns() noexcept;
double process_cpu_ns() noexcept;

}  // namespace fibtrie::kbench
