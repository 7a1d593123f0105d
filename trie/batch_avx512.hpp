// SPDX-License-Identifier: MIT
// The batch block with AVX-512 registers.
//
// Thread safety, invariants: as trie/batch_vector.hpp.
#pragma once

#include <cstdint>

namespace fibtrie::trie {

struct vector_block_result {
  std::uint64_t missed = 0;  // bit i: no route
  std::uint64_t open = 0;    // bit i: slot[i] and word[i] are to be resolved
  std::uint32_t slot[64];
  std::uint32_t word[64];
};

// Where the top node's slots are: a root word taken apart.
struct vector_root {
  std::uint32_t array;
  std::uint32_t pos;
  std::uint32_t mask;
};

// True when processor and system can run it.
bool has_avx512() noexcept;

// vector_block() over 64 addresses; only where has_avx512().
void block_avx512(const std::uint32_t* slots, vector_root root, const std::uint32_t* addresses, std::uint32_t* results,
                  vector_block_result& out) noexcept;

}  // namespace fibtrie::trie
