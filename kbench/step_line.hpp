// SPDX-License-Identifier: MIT
// One line on stderr that tells what the benchmark is at, when stderr is a terminal.
//
// Thread safety: one thread.
// Invariants: 1. Callers say a step before they start their clocks, so that writing is never timed.
// Source: none.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace fibtrie::kbench {

class step_line {
 public:
  step_line() : is_terminal_(isatty(STDERR_FILENO) == 1) {}
  ~step_line() { clear(); }
  step_line(const step_line&) = delete;
  step_line& operator=(const step_line&) = delete;

  void say(const std::string& text) {
    if (is_terminal_) std::fprintf(stderr, "\r\033[K%s ...", text.c_str());
  }
  void clear() {
    if (is_terminal_) std::fputs("\r\033[K", stderr);
  }

 private:
  const bool is_terminal_;
};

}  // namespace fibtrie::kbench
