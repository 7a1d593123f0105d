// SPDX-License-Identifier: MIT
// The batch block with AVX2 registers: arithmetic by vectors, memory by prefetches, and gathers of what has come.
//
// Thread safety, invariants: as trie/batch_vector.hpp.
#pragma once

#include <cstdint>

#include "trie/batch_avx512.hpp"

namespace fibtrie::trie {

// True when processor and system can run it.
bool has_avx2() noexcept;

// vector_block() over 64 addresses; only where has_avx2().
void block_avx2(const std::uint32_t* slots, vector_root root, const std::uint32_t* addresses, std::uint32_t* results,
                vector_block_result& out) noexcept;

}  // namespace fibtrie::trie
