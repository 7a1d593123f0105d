// SPDX-License-Identifier: MIT
// Slabs, free lists and chunks of the reference trie's memory.
//
// Thread safety: none.
#include "tests/support/reference_arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "trie/assert.hpp"

namespace fibtrie::testing {

namespace {

std::size_t page_order(std::size_t size_bytes, std::size_t page_bytes) noexcept {
  return static_cast<std::size_t>(std::bit_width((size_bytes - 1) / page_bytes));
}

}  // namespace

reference_arena::~reference_arena() {
  for (const auto& m : mappings_) munmap(m.base, m.size_bytes);
}

std::size_t reference_arena::class_of(std::size_t size_bytes) noexcept {
  std::size_t c = 0;
  while (class_bytes[c] < size_bytes) ++c;
  return c;
}

void* reference_arena::take(std::size_t size_bytes) {
  FIBTRIE_ASSERT(size_bytes > 0);
  if (size_bytes <= page_bytes) {
    const auto c = class_of(size_bytes);
    if (free_[c] == nullptr) return carve_slab(c);
    auto* block = free_[c];
    free_[c] = block->next;
    return block;
  }
  const auto order = page_order(size_bytes, page_bytes);
  auto& pages = free_pages_[order];
  if (pages.empty()) return carve(page_bytes << order);
  void* block = pages.back();
  pages.pop_back();
  return block;
}

void reference_arena::give_back(void* block, std::size_t size_bytes) noexcept {
  if (size_bytes <= page_bytes) {
    auto& head = free_[class_of(size_bytes)];
    head = new (block) free_block{head};
  } else {
    free_pages_[page_order(size_bytes, page_bytes)].push_back(block);
  }
}

// Takes a slab, hands out its first block and lists the others in ascending order.
void* reference_arena::carve_slab(std::size_t size_class) {
  const auto size_bytes = class_bytes[size_class];
  const auto slab_bytes = std::max(page_bytes, 8 * size_bytes);
  char* slab = carve(slab_bytes);
  free_block* next = nullptr;
  for (auto i = slab_bytes / size_bytes - 1; i > 0; --i) next = new (slab + i * size_bytes) free_block{next};
  free_[size_class] = next;
  return slab;
}

char* reference_arena::carve(std::size_t size_bytes) {
  if (size_bytes > huge_page_bytes) return map(size_bytes);
  if (size_bytes > chunk_left_) {
    chunk_ = map(chunk_bytes);
    chunk_left_ = chunk_bytes;
  }
  char* block = chunk_;
  chunk_ += size_bytes;
  chunk_left_ -= size_bytes;
  return block;
}

// Maps memory that starts on a 2 MB boundary and asks for 2 MB pages.
char* reference_arena::map(std::size_t size_bytes) {
  const auto mapped_bytes = size_bytes + huge_page_bytes;
  void* base = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  FIBTRIE_CHECK(base != MAP_FAILED);
  mappings_.push_back({base, mapped_bytes});
  const auto skip = -reinterpret_cast<std::uintptr_t>(base) & (huge_page_bytes - 1);
  char* aligned = static_cast<char*>(base) + skip;
  madvise(aligned, size_bytes, MADV_HUGEPAGE);  // a wish: without it the trie is only slower
  return aligned;
}

}  // namespace fibtrie::testing
