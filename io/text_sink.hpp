// SPDX-License-Identifier: MIT
// A buffered place for text: a string or an open file.
//
// Thread safety: one thread.
// Invariants: 1. What was put is in the target after flush() or the end of the sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "fibtrie/key.h"

namespace fibtrie::io {

class text_sink {
 public:
  explicit text_sink(std::string& target) noexcept : string_(&target) {}
  explicit text_sink(std::FILE* target) noexcept : file_(target) {}
  text_sink(const text_sink&) = delete;
  text_sink& operator=(const text_sink&) = delete;
  ~text_sink() { flush(); }

  text_sink& put(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= flush_bytes) flush();
    return *this;
  }
  text_sink& put(char c) { return put(std::string_view(&c, 1)); }
  text_sink& blanks(std::size_t count) {
    buffer_.append(count, ' ');
    return *this;
  }
  text_sink& number(std::uint64_t value);
  // 0x0a000001 as 10.0.0.1.
  text_sink& dotted(key32 address);
  // False once a write to the file has failed.
  bool flush();

 private:
  static constexpr std::size_t flush_bytes = 1 << 16;

  std::string buffer_;
  std::string* string_ = nullptr;
  std::FILE* file_ = nullptr;
  bool is_good_ = true;
};

}  // namespace fibtrie::io
