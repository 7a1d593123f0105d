// SPDX-License-Identifier: MIT
// The commands of the program, one file each.
//
// Thread safety: one thread.
// Invariants: 1. A command that returns has written all its output; else it throws failure.
#pragma once

#include "tools/settings.hpp"

namespace fibtrie::tools {

void lookup_command(const settings& wanted);
void stat_command(const settings& wanted);
void dump_command(const settings& wanted);
void replay_command(const settings& wanted);
void check_command(const settings& wanted);

}  // namespace fibtrie::tools
