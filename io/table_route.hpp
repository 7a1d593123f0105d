// SPDX-License-Identifier: MIT
// A route as files and generators hand it over: a valid prefix and its 32-bit result.
//
// Thread safety: values only.
// Invariants: 1. The prefix has no host bits set.
#pragma once

#include <cstdint>

#include "fibtrie/key.h"

namespace fibtrie::io {

struct table_route {
  prefix4 route;
  std::uint32_t result = 0;

  friend constexpr bool operator==(const table_route&, const table_route&) noexcept = default;
};

}  // namespace fibtrie::io
