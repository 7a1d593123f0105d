// SPDX-License-Identifier: MIT
// Batch lookup: many addresses in flight at once, in the form that was measured to be fastest on the processor at hand.
//
// Thread safety: as trie/lookup.hpp.
// Invariants: 1. Answers are those of reader::lookup for each address, whatever the form.  2. All addresses of a batch
// start from
//   one load of the root word.
// Progress: wait-free.
// Source: docs/design.md, "batches".
#pragma once

#include <cstddef>
#include <cstdint>

#include "fibtrie/key.h"
#include "trie/lookup.hpp"

namespace fibtrie::trie {

// results[i] = result of addresses[i] or 0; bit i % 64 of found[i / 64] (found may be null) tells which had a match.
using batch_function = void (*)(const reader<key32>& table, const key32* addresses, std::size_t count,
                                std::uint32_t* results, std::uint64_t* found) noexcept;

// Interleaved scalar lookups with prefetches: for every processor.
void lookup_batch_interleaved(const reader<key32>& table, const key32* addresses, std::size_t count,
                              std::uint32_t* results, std::uint64_t* found) noexcept;
// Gathers with AVX-512 registers; where they are missing, the interleaved form.
void lookup_batch_avx512(const reader<key32>& table, const key32* addresses, std::size_t count, std::uint32_t* results,
                         std::uint64_t* found) noexcept;
// The same with AVX2 registers and prefetches.
void lookup_batch_avx2(const reader<key32>& table, const key32* addresses, std::size_t count, std::uint32_t* results,
                       std::uint64_t* found) noexcept;
// The form chosen for this processor.
batch_function best_batch() noexcept;

}  // namespace fibtrie::trie
