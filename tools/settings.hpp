// SPDX-License-Identifier: MIT
// What the command line asks for.
//
// Thread safety: values only.
// Invariants: 1. After parse_settings() every name (format, print, rcu, size model) is one of those offered.
#pragma once

#include <string>
#include <vector>

#include "fibtrie/options.h"
#include "tools/failure.hpp"

namespace fibtrie::tools {

struct settings {
  void (*command)(const settings&) = nullptr;  // one of commands.hpp

  // the table
  std::string routes_file;
  bool skip_bad = false;
  std::string rcu = "memb";
  shape_policy policy;

  // what to do with it; empty where the command has no such option
  std::vector<std::string> addresses;
  std::string format;
  bool memory = false;         // of stat: every byte by kind
  std::string label = "Main";  // of the kernel's texts, without the colon
  std::string ops_file, updates_file;
  std::vector<std::string> cases;  // folders; with check
  bool check = false;
  std::string print;
};

// Parses the command line.  False: the program is to end with code; help or the error have been printed.
bool parse_settings(int argc, char** argv, settings& out, exit_code& code);

}  // namespace fibtrie::tools
