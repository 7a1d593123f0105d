// SPDX-License-Identifier: MIT
// See byte_source.hpp.
#include "io/byte_source.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "trie/assert.hpp"

namespace fibtrie::io {

namespace {
constexpr int gzip_window_bits = 15 + 16;  // the largest window; + 16 means a gzip header and trailer
}  // namespace

byte_source::byte_source(const std::string& path) : file_(std::fopen(path.c_str(), "rb")) {
  if (file_ == nullptr) {
    error_ = std::strerror(errno);
    return;
  }
  struct stat info {};
  if (fstat(fileno(file_.get()), &info) == 0 && S_ISREG(info.st_mode)) {
    bytes_total_ = static_cast<std::uint64_t>(info.st_size);
  }
  if (!starts_like_gzip()) return;
  gzip_ = true;
  if (inflateInit2(&stream_, gzip_window_bits) != Z_OK) error_ = "out of memory";
}

byte_source::~byte_source() {
  if (gzip_) inflateEnd(&stream_);  // harmless after a failed inflateInit2
}

std::size_t byte_source::read(char* out, std::size_t capacity) {
  FIBTRIE_ASSERT(capacity > 0);
  if (!error_.empty()) return 0;
  if (!gzip_) return copy_plain(out, capacity);
  for (;;) {
    if (stream_.avail_in == 0 && !fill_input()) {
      if (error_.empty() && !member_ended_) fail("the gzip data end too early");
      return 0;
    }
    if (!inflate_some(out, capacity)) return 0;
    const std::size_t got = capacity - stream_.avail_out;
    if (got > 0) return got;
  }
}

bool byte_source::fill_input() {
  if (at_end_) return false;
  const std::size_t got = std::fread(input_.data(), 1, input_.size(), file_.get());
  if (got == 0) {
    at_end_ = true;
    if (std::ferror(file_.get()) != 0) error_ = std::strerror(errno);
    return false;
  }
  bytes_read_ += got;
  stream_.next_in = input_.data();
  stream_.avail_in = static_cast<unsigned>(got);
  return true;
}

bool byte_source::inflate_some(char* out, std::size_t capacity) {
  if (member_ended_) {
    inflateReset(&stream_);
    member_ended_ = false;
  }
  stream_.next_out = reinterpret_cast<unsigned char*>(out);
  stream_.avail_out = static_cast<unsigned>(capacity);
  const int code = inflate(&stream_, Z_NO_FLUSH);
  if (code == Z_STREAM_END) {
    member_ended_ = true;
  } else if (code == Z_MEM_ERROR) {
    error_ = "out of memory";
  } else if (code != Z_OK) {
    fail(stream_.msg != nullptr ? stream_.msg : "damaged");
  }
  return error_.empty();
}

std::size_t byte_source::copy_plain(char* out, std::size_t capacity) noexcept {
  if (stream_.avail_in == 0 && !fill_input()) return 0;
  const std::size_t got = std::min<std::size_t>(capacity, stream_.avail_in);
  std::memcpy(out, stream_.next_in, got);
  stream_.next_in += got;
  stream_.avail_in -= static_cast<unsigned>(got);
  return got;
}

bool byte_source::starts_like_gzip() {
  return fill_input() && stream_.avail_in >= 2 && input_[0] == 0x1f && input_[1] == 0x8b;
}

void byte_source::fail(const char* what) {
  error_ = std::string("bad gzip data near byte ") + std::to_string(packed_bytes_read()) + ": " + what;
}

}  // namespace fibtrie::io
