// SPDX-License-Identifier: MIT
// Lines of a file, plain or gzip.
//
// Thread safety: one thread.
// Invariants: 1. A line comes without its end ("\n" or "\r\n"); a last line without an end counts.  2. A line of more
//   than max_line_bytes is reported as too long, skipped whole, and reading goes on behind it.  3. Bytes are passed on
//   as they are, zeros included.
// Progress: a fixed buffer; time proportional to the bytes read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"

namespace fibtrie::io {

enum class line_kind : std::uint8_t { line, too_long, end, failed };

class line_reader {
 public:
  explicit line_reader(const std::string& path);

  // On line_kind::line, the text is good until the next call.
  line_kind next(std::string_view& line);
  std::uint64_t line_number() const noexcept { return line_number_; }  // of the line last returned, from 1
  const byte_source& source() const noexcept { return source_; }       // for its error and position

 private:
  bool refill();          // false at the end and on an error
  line_kind skip_rest();  // of a line that is too long

  byte_source source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread bytes in buffer_
  std::uint64_t line_number_ = 0;
};

}  // namespace fibtrie::io
