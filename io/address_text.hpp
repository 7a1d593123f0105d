// SPDX-License-Identifier: MIT
// IPv4 addresses and prefixes as text: strict parsing and canonical writing.
//
// Thread safety: pure functions.
// Invariants: 1. Accepted are exactly four decimal octets 0..255 without leading zeros (which some readers take for
//   octal), and a length 0..32 without leading zeros.  2. A parsed prefix has no host bits set.  3. Writing what was
//   parsed gives the same text back.
// Progress: no allocation, but for the strings; time bounded by the length of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fibtrie/key.h"

namespace fibtrie::io {

enum class address_error : std::uint8_t {
  none,
  bad_address,          // not four octets 0..255
  no_length,            // "/len" is missing
  bad_length,           // not a number
  length_out_of_range,  // more than 32
  host_bits_set,        // bits below the length are not zero
  trailing_garbage,     // something follows
};

// A short English text without a final full stop.
const char* to_text(address_error error) noexcept;

// What a prefix without "/len" means.
enum class missing_length : std::uint8_t { is_error, is_host_route };

// "10.1.2.3".  On an error, out is unchanged.
address_error parse_address(std::string_view text, key32& out) noexcept;
// "10.0.0.0/8".  On an error, out is unchanged.
address_error parse_prefix(std::string_view text, prefix4& out,
                           missing_length rule = missing_length::is_error) noexcept;

// The longest texts: "255.255.255.255" and "255.255.255.255/32".
inline constexpr std::size_t max_address_text = 15;
inline constexpr std::size_t max_prefix_text = 18;

// Writes the text without a final zero and returns its end; out must have room for max_..._text characters.
char* write_address(char* out, key32 address) noexcept;
char* write_prefix(char* out, prefix4 route) noexcept;
// The same as a string.
std::string address_text(key32 address);
std::string prefix_text(prefix4 route);

}  // namespace fibtrie::io
