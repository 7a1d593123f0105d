// SPDX-License-Identifier: MIT
// `kbench alloc`: its command line, its run and its report.
//
// Thread safety: one thread.
// Source: none.
#pragma once

namespace fibtrie::kbench {

// argv[0] is the word "alloc".  The exit code of the program.
int alloc_main(int argc, char** argv);

}  // namespace fibtrie::kbench
