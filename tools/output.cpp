// SPDX-License-Identifier: MIT
// See output.hpp.
#include "tools/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/failure.hpp"

namespace fibtrie::tools {

output::output() : sink_(stdout) {
  errno = 0;  // whatever it holds in finish() is a failed write's
}

void output::finish() {
  const bool flushed = sink_.flush();
  if (std::fflush(stdout) == 0 && flushed) return;
  const char* reason = errno != 0 ? std::strerror(errno) : "write error";
  throw failure(exit_code::refused, std::string("cannot write to standard output: ") + reason);
}

}  // namespace fibtrie::tools
