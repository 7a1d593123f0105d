// SPDX-License-Identifier: MIT
// What a route of an operation list leads to (type, scope, gateway, device), and its numbering as a 32-bit result.
//
// Thread safety: one thread.
// Invariants: 1. Equal attributes have equal results; results count up from 0 in order of first sight.
// Source: words and numbers of rtnetlink and iproute2.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fibtrie/route.h"
#include "io/proc_text.hpp"

namespace fibtrie::io {

struct route_attributes {
  route_type type = route_type::unicast;
  std::uint8_t scope = scope::universe;
  std::uint32_t via = 0;  // gateway; 0: none
  std::string dev;        // empty: none

  friend auto operator<=>(const route_attributes&, const route_attributes&) = default;
};

// "unicast"; "throw" for throw_route.
std::string_view type_name(route_type type) noexcept;
std::optional<route_type> type_from_name(std::string_view name) noexcept;
// "universe", "link", ...; a number for scopes without a name.
std::string scope_name(std::uint8_t scope);
// A name or a number.
std::optional<std::uint8_t> scope_from_name(std::string_view name) noexcept;

class route_interner {
 public:
  route_interner() = default;
  route_interner(const route_interner&) = delete;
  route_interner& operator=(const route_interner&) = delete;

  std::uint32_t result_of(const route_attributes& attributes);
  // result must come from result_of().
  const route_attributes& attributes_of(std::uint32_t result) const;
  // The words of /proc/net/fib_trie; they live as long as the interner.
  route_words words_of(std::uint32_t result) const;

 private:
  struct record {
    const route_attributes* attributes;
    std::string scope_word;
    std::string type_word;
  };

  std::map<route_attributes, std::uint32_t> results_;
  std::deque<record> records_;
};

// The table in netlink dump order, one route a line:
//   TYPE PREFIX/LEN metric 0 proto 3 scope S [via G] [dev D]
void write_routes(text_sink& sink, const shape_source& shape, const route_interner& interner);

}  // namespace fibtrie::io
