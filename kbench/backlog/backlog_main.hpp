// SPDX-License-Identifier: MIT
// `kbench backlog`: how long single inserts take while a table is loaded beside a reader, by the limit of retired
// memory.
//
// Thread safety: one thread; it starts the reader.
// Source: docs/memory.md, "backlog".
#pragma once

namespace fibtrie::kbench {

// argv[0] is the word "backlog".  The exit code of the program.
int backlog_main(int argc, char** argv);

}  // namespace fibtrie::kbench
