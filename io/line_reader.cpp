// SPDX-License-Identifier: MIT
// See line_reader.hpp.
#include "io/line_reader.hpp"

#include <cstring>

#include "io/limits.hpp"
#include "trie/assert.hpp"

namespace fibtrie::io {

namespace {

constexpr std::size_t buffer_bytes = 1 << 17;
constexpr std::size_t max_raw_line = max_line_bytes + 2;  // with its end
static_assert(max_raw_line < buffer_bytes);

}  // namespace

line_reader::line_reader(const std::string& path) : source_(path), buffer_(buffer_bytes) {}

line_kind line_reader::next(std::string_view& line) {
  for (;;) {
    const char* begin = buffer_.data() + begin_;
    const std::size_t available = end_ - begin_;
    const auto* newline = static_cast<const char*>(std::memchr(begin, '\n', available));
    if (newline == nullptr && available < max_raw_line && refill()) continue;
    if (!source_.error().empty()) return line_kind::failed;
    if (newline == nullptr && available == 0) return line_kind::end;
    ++line_number_;
    if (newline == nullptr && available >= max_raw_line) return skip_rest();
    std::size_t length = newline == nullptr ? available : static_cast<std::size_t>(newline - begin);
    begin_ += length + (newline == nullptr ? 0 : 1);
    if (length > 0 && begin[length - 1] == '\r') --length;
    if (length > max_line_bytes) return line_kind::too_long;
    line = {begin, length};
    return line_kind::line;
  }
}

// Moves the unread bytes to the front and reads more behind them.
bool line_reader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  FIBTRIE_ASSERT(end_ < buffer_.size());
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

line_kind line_reader::skip_rest() {
  for (;;) {
    const char* begin = buffer_.data() + begin_;
    if (const auto* newline = static_cast<const char*>(std::memchr(begin, '\n', end_ - begin_)); newline != nullptr) {
      begin_ += static_cast<std::size_t>(newline - begin) + 1;
      return line_kind::too_long;
    }
    begin_ = end_ = 0;
    if (!refill()) return source_.error().empty() ? line_kind::too_long : line_kind::failed;
  }
}

}  // namespace fibtrie::io
