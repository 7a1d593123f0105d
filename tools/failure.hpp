// SPDX-License-Identifier: MIT
// What ends a command early: a text for standard error and the exit code that goes with it.
//
// Thread safety: values only.
// Invariants: 1. Every exit code but good comes with a text.
#pragma once

#include <stdexcept>
#include <string>

namespace fibtrie::tools {

enum class exit_code : int {
  good = 0,
  refused = 1,    // the table differs, an operation is not supported, no memory, or the output cannot be written
  bad_input = 2,  // arguments, or a file and its line
};

class failure : public std::runtime_error {
 public:
  failure(exit_code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  exit_code code() const noexcept { return code_; }

 private:
  exit_code code_;
};

}  // namespace fibtrie::tools
