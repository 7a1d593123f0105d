// SPDX-License-Identifier: MIT
// Cutting a line into words, and words into numbers.
//
// Thread safety: functions of their arguments.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace fibtrie::io {

// Cuts the next word off text; empty at the end.
inline std::string_view take_word(std::string_view& text) noexcept {
  constexpr std::string_view blanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const auto word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

// A decimal number that fits; on an error out is unchanged.
template <class T>
bool parse_number(std::string_view text, T& out, int base = 10) noexcept {
  T value{};
  const auto* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value, base);
  if (code != std::errc{} || stop != end) return false;
  out = value;
  return true;
}

// As C has it: 16, 0x10 or 020.
template <class T>
bool parse_c_number(std::string_view text, T& out) noexcept {
  if (text.size() > 2 && (text.starts_with("0x") || text.starts_with("0X"))) {
    return parse_number(text.substr(2), out, 16);
  }
  return text.size() > 1 && text[0] == '0' ? parse_number(text.substr(1), out, 8) : parse_number(text, out);
}

inline std::string quoted(std::string_view word) {
  std::string text = "'";
  return text.append(word).append("'");
}

}  // namespace fibtrie::io
