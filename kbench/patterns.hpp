// SPDX-License-Identifier: MIT
// The address patterns of the benchmark.
//
// Thread safety: pure functions.
// Invariants: 1. Equal arguments give equal addresses on every machine.
// Source: docs/design.md, "Measuring".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fibtrie/key.h"
#include "io/table_route.hpp"

namespace fibtrie::kbench {

enum class pattern : std::uint8_t {
  cov,   // a random host in a random prefix of the table
  uni,   // uniform over 1.0.0.0-223.255.255.255
  zipf,  // as cov, the prefixes drawn with weights 1, 1/2, 1/3, ... over a random order of them
  seq,   // evenly ascending over the same range as uni
  rep,   // the addresses of cov, each repeat_count times in a row
};

inline constexpr std::size_t default_address_count = std::size_t{1} << 22;  // 16 MiB: the addresses stream from memory
inline constexpr std::size_t repeat_count = 16;

// The range of uni and seq.
inline constexpr key32 first_address = ipv4(1, 0, 0, 0);
inline constexpr std::uint64_t address_range = std::uint64_t{223} << 24;

const char* to_text(pattern which) noexcept;
std::optional<pattern> parse_pattern(std::string_view name) noexcept;

// Makes count addresses.  An empty table has no prefixes to draw from: cov, zipf and rep are then made over 0.0.0.0/0.
std::vector<key32> make_addresses(pattern which, std::span<const io::table_route> routes, std::uint64_t seed,
                                  std::size_t count = default_address_count);

}  // namespace fibtrie::kbench
