// SPDX-License-Identifier: MIT
// SHA-256 of a text, for expected texts that are too large to keep.
//
// Thread safety: a pure function.
// Invariants: none.
// Source: FIPS 180-4.
#pragma once

#include <string>
#include <string_view>

namespace fibtrie::io {

// 64 lower-case hex digits.
std::string sha256_hex(std::string_view text);

}  // namespace fibtrie::io
