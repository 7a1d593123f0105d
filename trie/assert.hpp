// SPDX-License-Identifier: MIT
// Assertions of internal invariants.  Data from outside never reaches them.
//
// Thread safety: none needed.
// Invariants: 1. Without FIBTRIE_ASSERTS the condition is not evaluated.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace fibtrie::detail {
[[noreturn]] inline void assertion_failed(const char* what, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, what);
  std::abort();
}
}  // namespace fibtrie::detail

// Always evaluated: memory safety at the boundary.
#define FIBTRIE_CHECK(condition) \
  ((condition) ? void() : ::fibtrie::detail::assertion_failed(#condition, __FILE__, __LINE__))

#ifdef FIBTRIE_ASSERTS
#define FIBTRIE_ASSERT(condition) FIBTRIE_CHECK(condition)
#else
#define FIBTRIE_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
