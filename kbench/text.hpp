// SPDX-License-Identifier: MIT
// Addresses and prefixes as std::string, for messages.
//
// Thread safety: pure functions.
// Invariants: 1. The text is io/address_text.hpp's.
// Source: none.
#pragma once

#include <string>

#include "io/address_text.hpp"

namespace fibtrie::kbench {

inline std::string to_text(key32 address) { return io::address_text(address); }
inline std::string to_text(prefix4 route) { return io::prefix_text(route); }

}  // namespace fibtrie::kbench
