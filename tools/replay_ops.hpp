// SPDX-License-Identifier: MIT
// The kinds of `fibtrie replay` that play operation lists in a namespace.
//
// Thread safety: one thread.
// Invariants: 1. A function that returns has written all its output; else it throws failure.
#pragma once

#include "tools/settings.hpp"

namespace fibtrie::tools {

// Plays settings.ops_file and prints what settings.print names.
void replay_operations(const settings& wanted);
// Plays each of settings.cases and compares every file it has; a failure when anything differs.
void check_cases(const settings& wanted);

}  // namespace fibtrie::tools
