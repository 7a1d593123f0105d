// SPDX-License-Identifier: MIT
// IPv4 text: what is accepted, what is refused and why, and that writing and parsing are inverse.
#include "io/address_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

namespace fibtrie::io {
namespace {

std::string text_of(prefix4 route) {
  std::array<char, max_prefix_text> buffer;
  return {buffer.data(), write_prefix(buffer.data(), route)};
}

address_error error_of(std::string_view text, missing_length rule = missing_length::is_error) {
  prefix4 out{0xdeadbeef, 99};
  const address_error error = parse_prefix(text, out, rule);
  if (error != address_error::none) {
    EXPECT_EQ(out, (prefix4{0xdeadbeef, 99})) << text;
  }
  return error;
}

TEST(address_text, parses_addresses) {
  key32 address = 0;
  EXPECT_EQ(parse_address("1.2.3.4", address), address_error::none);
  EXPECT_EQ(address, ipv4(1, 2, 3, 4));
  EXPECT_EQ(parse_address("255.255.255.255", address), address_error::none);
  EXPECT_EQ(address, 0xffffffffu);
  EXPECT_EQ(parse_address("0.0.0.0", address), address_error::none);
  EXPECT_EQ(address, 0u);
}

TEST(address_text, refuses_bad_addresses) {
  for (const char* text : {"",          ".",         "1",          "1.2.3",    "1.2.3.",    "256.1.1.1",
                           "1.1.1.256", "1.2.3.999", "1.2.3.0000", "01.2.3.4", "1.2.3.00",  "1..2.3",
                           "-1.2.3.4",  "+1.2.3.4",  " 1.2.3.4",   "1.2.3.x",  "0x1.2.3.4", "4294967297.1.1.1",
                           "a.b.c.d",   "::1",       "1,2,3,4"}) {
    key32 address = 7;
    EXPECT_EQ(parse_address(text, address), address_error::bad_address) << text;
    EXPECT_EQ(address, 7u) << text;
  }
  key32 address = 7;
  for (const char* text : {"1.2.3.4.", "1.2.3.4 ", "1.2.3.4/32", "1.2.3.4x", "1.2.3.4.5"}) {
    EXPECT_EQ(parse_address(text, address), address_error::trailing_garbage) << text;
  }
  EXPECT_EQ(parse_address(std::string_view("1.2.3.4\0", 8), address), address_error::trailing_garbage);
}

TEST(address_text, every_octet_and_length_round_trips) {
  for (unsigned octet = 0; octet < 256; ++octet) {
    const key32 address = ipv4(static_cast<std::uint8_t>(octet), 0, static_cast<std::uint8_t>(255 - octet), 9);
    std::array<char, max_address_text> buffer;
    const std::string text(buffer.data(), write_address(buffer.data(), address));
    EXPECT_EQ(text, std::to_string(octet) + ".0." + std::to_string(255 - octet) + ".9");
    key32 back = 0;
    EXPECT_EQ(parse_address(text, back), address_error::none);
    EXPECT_EQ(back, address);
  }
  for (unsigned plen = 0; plen <= 32; ++plen) {
    const prefix4 route{0xffffffff & prefix_mask<key32>(plen), static_cast<std::uint8_t>(plen)};
    prefix4 back;
    EXPECT_EQ(parse_prefix(text_of(route), back), address_error::none) << text_of(route);
    EXPECT_EQ(back, route);
  }
  EXPECT_EQ(text_of({0xffffffff, 32}).size(), max_prefix_text);
}

TEST(address_text, says_what_is_wrong_with_a_prefix) {
  EXPECT_EQ(error_of("0.0.0.0/0"), address_error::none);
  EXPECT_EQ(error_of("1.2.3.4/33"), address_error::length_out_of_range);
  EXPECT_EQ(error_of("1.2.3.4/100"), address_error::length_out_of_range);
  EXPECT_EQ(error_of("1.2.3.4/1000"), address_error::bad_length);
  EXPECT_EQ(error_of("1.2.3/24"), address_error::bad_address);
  EXPECT_EQ(error_of("256.1.1.1/8"), address_error::bad_address);
  EXPECT_EQ(error_of("1.2.3.4/24"), address_error::host_bits_set);
  EXPECT_EQ(error_of("128.0.0.0/0"), address_error::host_bits_set);
  EXPECT_EQ(error_of("1.2.3.1/31"), address_error::host_bits_set);
  EXPECT_EQ(error_of("1.2.3.0/"), address_error::bad_length);
  EXPECT_EQ(error_of("1.2.3.0/x"), address_error::bad_length);
  EXPECT_EQ(error_of("1.2.3.0/-1"), address_error::bad_length);
  EXPECT_EQ(error_of("1.2.3.0/024"), address_error::bad_length);
  EXPECT_EQ(error_of("1.2.3.0/24/"), address_error::trailing_garbage);
  EXPECT_EQ(error_of("1.2.3.0/24 "), address_error::trailing_garbage);
  EXPECT_EQ(error_of("1.2.3.0 /24"), address_error::trailing_garbage);
  EXPECT_EQ(error_of("1.2.3.0/255.255.255.0"), address_error::trailing_garbage);
}

TEST(address_text, a_missing_length_is_a_host_route_only_where_asked) {
  EXPECT_EQ(error_of("1.2.3.4"), address_error::no_length);
  prefix4 route;
  EXPECT_EQ(parse_prefix("1.2.3.4", route, missing_length::is_host_route), address_error::none);
  EXPECT_EQ(route, (prefix4{ipv4(1, 2, 3, 4), 32}));
  EXPECT_EQ(error_of("1.2.3.4/", missing_length::is_host_route), address_error::bad_length);
}

TEST(address_text, every_error_has_a_text) {
  for (int code = 0; code <= static_cast<int>(address_error::trailing_garbage); ++code) {
    EXPECT_STRNE(to_text(static_cast<address_error>(code)), "unknown error");
  }
}

}  // namespace
}  // namespace fibtrie::io
