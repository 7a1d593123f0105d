// SPDX-License-Identifier: MIT
// Weights of several next hops as bounds of a 31-bit hash, and the choice by such a hash.
//
// Thread safety: bounds are stored by the writer; the choice may run beside it.
// Invariants: 1. The last leg in use has the bound 2^31 - 1, legs not in use have -1.
// Progress: linear in the number of legs.
// Source: section "Multipath" of the kernel's behaviour.
#pragma once

#include <cstdint>

#include "fibtrie/flow.h"
#include "fibtrie/net.h"
#include "trie/route/fib_info.hpp"

namespace fibtrie::route {

// round(sum * 2^31 / total) - 1.  weight_bound(1, 2) == 2^30 - 1.
constexpr std::int32_t weight_bound(std::uint64_t sum, std::uint64_t total) noexcept {
  return static_cast<std::int32_t>((((sum << 31) + total / 2) / total) - 1);
}

// Sets the bounds of an info's legs after the state of one of them has changed.
void set_bounds(fib_info& info) noexcept;

// What decides beside the hash.
struct multipath_rules {
  bool source_prefers_leg = true;
  const neighbour_callback* neighbours = nullptr;  // null: gateways are not asked for
};

// Puts the leg that the flow's hash selects into the result; without one the result stays.
void select_multipath(const flow4& flow, const multipath_rules& rules, flow_result& result);

// A neighbour that answers, or may.
bool is_valid(neighbour_state state) noexcept;

}  // namespace fibtrie::route
