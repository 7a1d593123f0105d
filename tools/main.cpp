// SPDX-License-Identifier: MIT
// fibtrie: the command line tool.  START HERE: settings.cpp for the commands, table.hpp for what they work on.
#include <fcntl.h>

#include <cstdio>
#include <new>

#include "tools/settings.hpp"

namespace {

using fibtrie::tools::exit_code;

int end(exit_code code, const char* text) {
  std::fflush(stdout);  // what was answered comes before what went wrong
  std::fprintf(stderr, "fibtrie: %s\n", text);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fibtrie::tools;
  // A file opened later would become standard output.
  if (fcntl(1, F_GETFD) == -1) return end(exit_code::refused, "standard output is closed");
  try {
    settings wanted;
    exit_code code = exit_code::good;
    if (!parse_settings(argc, argv, wanted, code)) return static_cast<int>(code);
    wanted.command(wanted);
    return static_cast<int>(exit_code::good);
  } catch (const failure& error) {
    return end(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return end(exit_code::refused, "out of memory");
  }
}
