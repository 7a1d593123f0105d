// SPDX-License-Identifier: MIT
// The full lookup in one table: the kernel's rules over the chain of prefixes that contain an address.
//
// Thread safety: readers in a read section, beside one writer.
// Invariants: 1. Every prefix that contains the address is asked, longest first, until one decides.
// Progress: wait-free; at most width + 1 prefixes, each with its aliases and their legs; no store to shared memory.
// Source: section "Lookup in one table" of the kernel's behaviour.
#pragma once

#include "fibtrie/flow.h"
#include "fibtrie/status.h"
#include "trie/route/flow_result.hpp"
#include "trie/route/store.hpp"

namespace fibtrie::route {

// Bits of a TOS byte that select routes.
inline constexpr std::uint8_t tos_mask = 0x1c;

// Errors: no_match, also for a throw route; invalid, host_unreachable, no_access: the error of the route that matched.
status lookup_in_trie(const trie::reader<key32>& reader, const alias_store& store, const flow4& flow, unsigned flags,
                      flow_result& out) noexcept;

// The status a lookup ends with at a route of an error type; ok for other types.
status error_of(route_type type) noexcept;

}  // namespace fibtrie::route
