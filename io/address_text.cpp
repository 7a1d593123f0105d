// SPDX-License-Identifier: MIT
// See address_text.hpp.
#include "io/address_text.hpp"

#include "trie/assert.hpp"

namespace fibtrie::io {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Reads one to max_digits digits at the front of text and takes them off.  False for none, too many or a leading zero.
bool take_number(std::string_view& text, std::size_t max_digits, unsigned& value) noexcept {
  std::size_t digits = 0;
  value = 0;
  while (digits < text.size() && is_digit(text[digits])) {
    if (digits == max_digits) return false;
    value = value * 10 + static_cast<unsigned>(text[digits++] - '0');
  }
  if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
  text.remove_prefix(digits);
  return true;
}

// Reads an address at the front of text and takes it off.
bool take_address(std::string_view& text, key32& address) noexcept {
  address = 0;
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0) {
      if (text.empty() || text[0] != '.') return false;
      text.remove_prefix(1);
    }
    unsigned value = 0;
    if (!take_number(text, 3, value) || value > 255) return false;
    address = address << 8 | value;
  }
  return true;
}

char* write_octet(char* out, unsigned value) noexcept {
  if (value >= 100) *out++ = static_cast<char>('0' + value / 100);
  if (value >= 10) *out++ = static_cast<char>('0' + value / 10 % 10);
  *out++ = static_cast<char>('0' + value % 10);
  return out;
}

}  // namespace

const char* to_text(address_error error) noexcept {
  switch (error) {
    case address_error::none: return "ok";
    case address_error::bad_address: return "not an IPv4 address";
    case address_error::no_length: return "the prefix length is missing";
    case address_error::bad_length: return "the prefix length is not a number";
    case address_error::length_out_of_range: return "the prefix length is more than 32";
    case address_error::host_bits_set: return "host bits are set";
    case address_error::trailing_garbage: return "garbage after the address";
  }
  return "unknown error";
}

address_error parse_address(std::string_view text, key32& out) noexcept {
  key32 address = 0;
  if (!take_address(text, address)) return address_error::bad_address;
  if (!text.empty()) return address_error::trailing_garbage;
  out = address;
  return address_error::none;
}

address_error parse_prefix(std::string_view text, prefix4& out, missing_length rule) noexcept {
  key32 address = 0;
  if (!take_address(text, address)) return address_error::bad_address;
  unsigned plen = key_width<key32>;
  if (text.empty()) {
    if (rule == missing_length::is_error) return address_error::no_length;
  } else {
    if (text[0] != '/') return address_error::trailing_garbage;
    text.remove_prefix(1);
    // Three digits, so that "/100" is called out of range and not a malformed number.
    if (!take_number(text, 3, plen)) return address_error::bad_length;
    if (!text.empty()) return address_error::trailing_garbage;
    if (plen > key_width<key32>) return address_error::length_out_of_range;
  }
  const prefix4 parsed{address, static_cast<std::uint8_t>(plen)};
  if (!is_valid(parsed)) return address_error::host_bits_set;
  out = parsed;
  return address_error::none;
}

char* write_address(char* out, key32 address) noexcept {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out = write_octet(out, address >> shift & 0xff);
    if (shift > 0) *out++ = '.';
  }
  return out;
}

char* write_prefix(char* out, prefix4 route) noexcept {
  FIBTRIE_ASSERT(route.plen <= key_width<key32>);
  out = write_address(out, route.key);
  *out++ = '/';
  return write_octet(out, route.plen);
}

std::string address_text(key32 address) {
  char text[max_address_text];
  return {text, write_address(text, address)};
}

std::string prefix_text(prefix4 route) {
  char text[max_prefix_text];
  return {text, write_prefix(text, route)};
}

}  // namespace fibtrie::io
