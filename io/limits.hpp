// SPDX-License-Identifier: MIT
// Bounds on what a foreign file may ask for.  Each is enforced by its reader and tested at the bound and one past it.
//
// Thread safety: constants only.
// Invariants: 1. Apart from the records it returns, a reader's memory does not depend on its input.
// Source: longest sane line of a route file is below 600 bytes; the Internet table has about one million routes.
#pragma once

#include <cstddef>

namespace fibtrie::io {

inline constexpr std::size_t max_line_bytes = 4096;               // without the line's end
inline constexpr std::size_t max_records = std::size_t{1} << 24;  // routes, updates or addresses in one file
inline constexpr std::size_t max_kept_errors = 100;               // further bad lines are only counted

}  // namespace fibtrie::io
