// SPDX-License-Identifier: MIT
// Marks free memory of our own allocators for AddressSanitizer; nothing in other builds.
//
// Thread safety: as the memory's owner.
// Invariants: 1. poison() and unpoison() pair up over the same range.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace fibtrie::mem {

inline void poison([[maybe_unused]] const void* from, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(from, bytes);
#endif
}
inline void unpoison([[maybe_unused]] const void* from, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(from, bytes);
#endif
}

}  // namespace fibtrie::mem
