// SPDX-License-Identifier: MIT
// The tries of routing tables with hooks, for the test programs that build trie/route themselves.
//
// Thread safety: none needed.
// Invariants: 1. Hooks are apart from those of the tests' own tries.
// Source: none.
#pragma once

#include "tests/support/hooked_traits.hpp"

namespace fibtrie::route {

struct trie_traits : testing::hooked_traits<12> {};

}  // namespace fibtrie::route
