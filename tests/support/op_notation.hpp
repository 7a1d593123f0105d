// SPDX-License-Identifier: MIT
// A short notation for tests: "+10.0.0.0/8=A ?10.1.1.1=A -10.0.0.0/8 ?10.1.1.1=none", separated by blanks.
//
// Thread safety: one thread.
// Invariants: 1. Each ? is asked of lookup, match and lookup_batch of every size from 1 to 33, at every place in the
// batch. Source: none.
#pragma once

#include <string>

#include "fibtrie/fib.h"

namespace fibtrie::testing {

// +P=v adds, ~P=v replaces, -P removes, ?a=v looks up; v is a capital letter (its code is the result), a number or
// none. The first thing that goes wrong, or an empty text.
std::string run_notation(fib& table, const std::string& operations);

}  // namespace fibtrie::testing
