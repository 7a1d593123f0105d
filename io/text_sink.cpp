// SPDX-License-Identifier: MIT
// Numbers, addresses and flushing of a text sink.
//
// Thread safety: one thread.
#include "io/text_sink.hpp"

#include <charconv>

#include "io/address_text.hpp"

namespace fibtrie::io {

text_sink& text_sink::number(std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return put(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

text_sink& text_sink::dotted(key32 address) {
  char text[max_address_text];
  const auto* end = write_address(text, address);
  return put(std::string_view(text, static_cast<std::size_t>(end - text)));
}

bool text_sink::flush() {
  if (string_ != nullptr) {
    string_->append(buffer_);
  } else if (is_good_) {
    is_good_ = std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
  }
  buffer_.clear();
  return is_good_;
}

}  // namespace fibtrie::io
