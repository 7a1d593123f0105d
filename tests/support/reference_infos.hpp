// SPDX-License-Identifier: MIT
// The shared route infos of a reference trie: one record per distinct result, reference counted.
//
// Thread safety: none.
// Invariants: 1. Every listed info has references > 0.
// Source: the kernel shares fib_info records through a hash of their contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "tests/support/reference_arena.hpp"
#include "tests/support/reference_node.hpp"
#include "trie/assert.hpp"

namespace fibtrie::testing {

class reference_infos {
 public:
  explicit reference_infos(reference_arena& arena) : arena_(arena), buckets_(16) {}

  // The info of this result with one reference more.
  reference_info* acquire(std::uint32_t value) {
    if (count_ >= buckets_.size()) grow();
    auto*& head = bucket_of(value);
    for (auto* info = head; info != nullptr; info = info->next_in_bucket) {
      if (info->nexthop.value != value) continue;
      ++info->references;
      return info;
    }
    auto* info = new (arena_.take(sizeof(reference_info))) reference_info;
    info->nexthop.value = value;
    info->references = 1;
    info->next_in_bucket = head;
    head = info;
    ++count_;
    return info;
  }

  void release(reference_info* info) noexcept {
    FIBTRIE_ASSERT(info->references > 0);
    if (--info->references != 0) return;
    auto** link = &bucket_of(info->nexthop.value);
    while (*link != info) link = &(*link)->next_in_bucket;
    *link = info->next_in_bucket;
    arena_.give_back(info, sizeof(reference_info));
    --count_;
  }

 private:
  reference_info*& bucket_of(std::uint32_t value) noexcept {
    const auto mixed = value * std::uint64_t{0x9e3779b97f4a7c15};
    return buckets_[(mixed >> 32) & (buckets_.size() - 1)];
  }

  void grow() {
    auto old = std::vector<reference_info*>(buckets_.size() * 2);
    old.swap(buckets_);
    for (auto* info : old) {
      while (info != nullptr) {
        auto* next = info->next_in_bucket;
        auto*& head = bucket_of(info->nexthop.value);
        info->next_in_bucket = head;
        head = info;
        info = next;
      }
    }
  }

  reference_arena& arena_;
  std::vector<reference_info*> buckets_;
  std::size_t count_ = 0;
};

}  // namespace fibtrie::testing
