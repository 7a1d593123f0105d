// SPDX-License-Identifier: MIT
// The reference trie's memory: slab-like size classes carved from chunks on 2 MB pages.
//
// Thread safety: none; one thread at a time.
// Invariants: 1. A block of a class comes from a slab of that class alone, so blocks of one kind made one after another
//   stand side by side, as in the kernel's slab caches.  2. Blocks above 4 kB take whole pages.
// Progress: take() and give_back() are constant time, apart from the mapping of a new chunk.  Without memory the
// program
//   ends: the trie is an oracle and a baseline, not a product.
// Source: kmalloc classes as the kernel's slabinfo shows them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace fibtrie::testing {

class reference_arena {
 public:
  reference_arena() = default;
  ~reference_arena();
  reference_arena(const reference_arena&) = delete;
  reference_arena& operator=(const reference_arena&) = delete;

  // A block of at least size_bytes, contents undefined.
  void* take(std::size_t size_bytes);
  // size_bytes as given to take().
  void give_back(void* block, std::size_t size_bytes) noexcept;

 private:
  struct free_block {
    free_block* next;
  };
  struct mapping {
    void* base;
    std::size_t size_bytes;
  };
  // Caches of their own for leaves (48) and aliases (56), then kmalloc's classes.
  static constexpr std::array<std::size_t, 11> class_bytes = {48, 56, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096};
  static constexpr std::size_t class_count = class_bytes.size();
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
  static constexpr std::size_t chunk_bytes = std::size_t{32} << 20;

  static std::size_t class_of(std::size_t size_bytes) noexcept;
  void* carve_slab(std::size_t size_class);
  char* carve(std::size_t size_bytes);
  char* map(std::size_t size_bytes);

  std::array<free_block*, class_count> free_{};
  std::array<std::vector<void*>, 64> free_pages_;  // by log2 of the number of pages, rounded up
  char* chunk_ = nullptr;                          // what is left of the newest chunk
  std::size_t chunk_left_ = 0;
  std::vector<mapping> mappings_;
};

}  // namespace fibtrie::testing
