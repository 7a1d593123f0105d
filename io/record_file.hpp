// SPDX-License-Identifier: MIT
// What all text files of one record a line have in common: comments, bad lines, limits, the progress bar.
//
// Thread safety: one thread.
// Invariants: 1. "#" starts a comment anywhere in a line; blank lines are skipped.  2. Without skip_bad the first bad
//   line is an error of the whole file.  With it, bad lines are counted and the first max_kept_errors kept.  3. Damaged
//   gzip data, a read error and more than max_records records are always errors of the whole file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/limits.hpp"

namespace fibtrie::io {

struct load_options {
  bool skip_bad = false;
  bool show_progress = false;                   // on a terminal, for long loads
  std::uint64_t max_records = io::max_records;  // of the good lines
};

struct bad_line {
  std::uint64_t line = 0;
  std::string reason;
};

struct load_report {
  std::uint64_t lines = 0;          // all lines of the file
  std::uint64_t skipped = 0;        // bad lines
  std::vector<bad_line> bad_lines;  // the first of them
  std::string error;                // "FILE: what" or "FILE:LINE: what" when nothing was loaded
};

// Takes one line without comment and outer blanks.  Returns what is wrong with it, null if nothing.
using take_record = std::function<const char*(std::string_view record)>;

// Calls take for every record.  False: report.error says why.  Exceptions of take are the caller's.
bool read_records(const std::string& path, const load_options& options, load_report& report, const take_record& take);

}  // namespace fibtrie::io
