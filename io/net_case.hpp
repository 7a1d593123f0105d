// SPDX-License-Identifier: MIT
// Plays a recorded case in a namespace and compares everything that the recording holds.
//
// A case is a folder: ops.txt, and what there was to see: results.txt, steps.txt, fib_trie.txt or fib_trie.sha256,
// fib_triestat.txt, routes.txt, events.txt, lookups.txt; each may be gzipped (NAME.gz).
//
// Thread safety: one thread, which is the namespace's writer.
// Invariants: 1. Every file of those that is there is compared byte for byte.
// Source: the format of the recorded cases.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fibtrie/net.h"

namespace fibtrie::io {

struct case_check {
  std::string file;        // "routes.txt"
  std::string difference;  // "line 7: expected <...>, got <...>"; empty: none
};

struct case_report {
  std::vector<case_check> checks;
  std::string error;  // the case cannot be played
  std::size_t operations = 0;
  std::size_t lookups = 0;

  bool good() const noexcept;
};

// Where two texts differ first, instead of megabytes; empty: they do not.
std::string first_difference(std::string_view expected, std::string_view actual);

// The file, or its gzipped form.
std::optional<std::string> find_case_file(const std::filesystem::path& folder, const std::string& name);

// net: empty.  between: called after each operation (a qsbr writer passes a quiescent state).
case_report play_case(fib_net& net, const std::filesystem::path& folder, const std::function<void()>& between = {});

}  // namespace fibtrie::io
