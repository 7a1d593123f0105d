// SPDX-License-Identifier: MIT
// Batch lookup: many addresses in flight at once.
//
// Thread safety: as trie/lookup.hpp.
// Invariants: 1. Answers are those of reader::lookup for each address.
// Progress: wait-free.
// Source: docs/design.md, "batches".
#pragma once

#include <cstddef>
#include <cstdint>

#include "fibtrie/key.h"
#include "trie/lookup.hpp"

namespace fibtrie::trie {

// results[i] = result of addresses[i] or 0; bit i of found (may be null) tells which had a match.
void lookup_batch(const reader<key32>& table, const key32* addresses, std::size_t count, std::uint32_t* results,
                  std::uint64_t* found) noexcept;

}  // namespace fibtrie::trie
