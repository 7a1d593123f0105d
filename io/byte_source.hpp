// SPDX-License-Identifier: MIT
// Bytes of a file, unpacked on the way when it is gzip.
//
// Thread safety: one thread.
// Invariants: 1. A file is gzip when it starts with the two magic bytes, whatever its name.  2. A gzip file that is cut
//   short, damaged, or followed by anything but a further gzip member is an error: unlike gzread, which takes such an
//   end for the end of the file, so that routes would be missing silently.
// Progress: fixed buffers; memory does not depend on the input.
// Source: RFC 1952.
#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace fibtrie::io {

class byte_source {
 public:
  // Opens the file; see error().
  explicit byte_source(const std::string& path);
  ~byte_source();
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;

  // Stores up to capacity bytes at out and returns how many; 0 at the end and after an error.
  std::size_t read(char* out, std::size_t capacity);

  // What went wrong, without the file's name; empty while all is well.
  const std::string& error() const noexcept { return error_; }
  std::uint64_t packed_bytes_read() const noexcept { return bytes_read_ - stream_.avail_in; }
  std::uint64_t packed_bytes_total() const noexcept { return bytes_total_; }  // 0 when unknown, as for a pipe

 private:
  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  bool fill_input();                                   // false at the end of the file and on an error
  bool inflate_some(char* out, std::size_t capacity);  // false on an error
  std::size_t copy_plain(char* out, std::size_t capacity) noexcept;
  bool starts_like_gzip();
  void fail(const char* what);

  std::unique_ptr<std::FILE, closer> file_;
  std::string error_;
  z_stream stream_{};
  bool gzip_ = false;
  bool member_ended_ = false;  // at the border between two gzip members, or at the end
  bool at_end_ = false;        // of the packed file
  std::uint64_t bytes_read_ = 0, bytes_total_ = 0;
  std::array<unsigned char, 1 << 16> input_;
};

}  // namespace fibtrie::io
