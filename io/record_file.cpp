// SPDX-License-Identifier: MIT
// See record_file.hpp.
#include "io/record_file.hpp"

#include <unistd.h>

#include <algorithm>

#include "io/line_reader.hpp"
#include "io/progress.hpp"

namespace fibtrie::io {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::uint64_t lines_per_update = 4096;

// The record in a line: without comment and outer blanks.
std::string_view strip(std::string_view line) noexcept {
  line = line.substr(0, line.find('#'));
  const auto first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

std::string at_line(const std::string& path, std::uint64_t line, std::string_view what) {
  return path + ":" + std::to_string(line) + ": " + std::string(what);
}

void keep_bad_line(load_report& report, std::uint64_t line, const char* reason) {
  if (report.skipped++ < max_kept_errors) report.bad_lines.push_back({line, reason});
}

}  // namespace

bool read_records(const std::string& path, const load_options& options, load_report& report, const take_record& take) {
  report = {};
  line_reader reader(path);
  const byte_source& source = reader.source();
  progress bar(options.show_progress ? STDERR_FILENO : -1, path, source.packed_bytes_total());
  std::uint64_t records = 0;
  std::string_view line;
  for (;;) {
    const line_kind kind = reader.next(line);
    report.lines = reader.line_number();
    if (kind == line_kind::end) return true;
    if (kind == line_kind::failed) {
      report.error = path + ": " + source.error();
      return false;
    }
    const char* reason = "the line is too long";
    if (kind == line_kind::line) {
      const std::string_view record = strip(line);
      if (record.empty()) continue;
      if (records == options.max_records) {
        report.error = at_line(path, report.lines, "more than " + std::to_string(records) + " records");
        return false;
      }
      reason = take(record);
    }
    if (reason == nullptr) {
      ++records;
    } else if (options.skip_bad) {
      keep_bad_line(report, report.lines, reason);
    } else {
      report.error = at_line(path, report.lines, reason);
      return false;
    }
    if (report.lines % lines_per_update == 0) bar.update(source.packed_bytes_read());
  }
}

}  // namespace fibtrie::io
