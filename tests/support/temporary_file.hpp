// SPDX-License-Identifier: MIT
// A file that exists as long as its object, for tests of readers.
//
// Thread safety: one thread for each object.
// Invariants: 1. The name is unique; the destructor removes the file.
#pragma once

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <string>
#include <string_view>

#include "trie/assert.hpp"

namespace fibtrie::test {

class temporary_file {
 public:
  explicit temporary_file(std::string_view content) {
    const int descriptor = mkstemp(path_.data());
    FIBTRIE_CHECK(descriptor >= 0);
    close(descriptor);
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~temporary_file() { unlink(path_.c_str()); }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_ = "/tmp/fibtrie-test-XXXXXX";
};

// The content as a gzip member.
inline std::string gzip(std::string_view content) {
  z_stream stream{};
  FIBTRIE_CHECK(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, content.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<unsigned>(content.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  FIBTRIE_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace fibtrie::test
