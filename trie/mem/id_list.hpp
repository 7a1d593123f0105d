// SPDX-License-Identifier: MIT
// A growable list of 32-bit ids that reports lack of memory instead of throwing.
//
// Thread safety: one owner.
// Invariants: 1. After a successful reserve(n), n more push() calls cannot fail.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "trie/assert.hpp"

namespace fibtrie::mem {

class id_list {
 public:
  id_list() = default;
  ~id_list() { std::free(ids_); }
  id_list(const id_list&) = delete;
  id_list& operator=(const id_list&) = delete;

  bool reserve(std::size_t more) noexcept {
    if (size_ + more <= capacity_) return true;
    const std::size_t wanted = 2 * capacity_ > size_ + more ? 2 * capacity_ : size_ + more;
    void* grown = std::realloc(ids_, wanted * sizeof(std::uint32_t));
    if (grown == nullptr) return false;
    ids_ = static_cast<std::uint32_t*>(grown);
    capacity_ = wanted;
    return true;
  }
  void push(std::uint32_t id) noexcept {
    FIBTRIE_ASSERT(size_ < capacity_);
    ids_[size_++] = id;
  }
  // Keeps little memory: the rare operations with very many ids should not be paid for ever after.
  void clear() noexcept {
    size_ = 0;
    if (capacity_ <= kept_ids) return;
    std::free(ids_);
    ids_ = nullptr;
    capacity_ = 0;
  }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity_bytes() const noexcept { return capacity_ * sizeof(std::uint32_t); }
  const std::uint32_t* begin() const noexcept { return ids_; }
  const std::uint32_t* end() const noexcept { return ids_ + size_; }

 private:
  static constexpr std::size_t kept_ids = 4096;

  std::uint32_t* ids_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace fibtrie::mem
