// SPDX-License-Identifier: MIT
// Which route a delete means.
//
// Thread safety: the writer's.
// Invariants: 1. tos is never any; type, scope, protocol, priority, prefsrc and next hops may be.
// Progress: linear in the routes of the prefix.
// Source: section "Delete" of the kernel's behaviour.
#pragma once

#include "trie/route/alias.hpp"

namespace fibtrie::route {

// The rank of the first route that fits all criteria; aliases.size(): none.
std::size_t find_match(const alias_vector& aliases, const route_spec& criteria) noexcept;

}  // namespace fibtrie::route
