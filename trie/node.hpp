// SPDX-License-Identifier: MIT
// The records of the trie: prefix entries, tnode headers and escape descriptors.
//
// Thread safety: plain fields are written before the record is published and never after; atomic fields are stored by
// the
//   one writer and loaded by readers; fields marked "writer" belong to the writer alone.
// Invariants: 1. Id 0 is no record: as a cover it means "no prefix longer than top_bits", the chain ends at the top
// array.
//   2. An entry's cover is the longest prefix of more than top_bits bits, shorter than the entry, that contains it.
//   3. A header's cover is the same for the tnode's own prefix (length width - pos - bits, itself included).
//   4. A descriptor repeats its header: key, pos, bits, array, cover.
// Source: docs/design.md; the header's fields are those of the kernel's tnode.
#pragma once

#include <atomic>
#include <cstdint>

#include "trie/bits.hpp"

namespace fibtrie::trie {

template <std::unsigned_integral Key>
struct entry {
  Key key{};
  std::atomic<std::uint32_t> cover{0};
  std::atomic<std::uint32_t> result{0};
  std::uint8_t plen = 0;
  bool by_reference = false;          // writer: slots refer to this entry instead of carrying its result
  std::atomic<bool> has_next{false};  // a shorter entry of the same key follows; spares most walks a look at the link

  bool covers(Key address) const noexcept {
    return shift_right(static_cast<Key>(key ^ address), key_width<Key> - plen) == 0;
  }
};
static_assert(sizeof(entry<key32>) == 16);

enum class visibility : std::uint8_t { dead, unseen, seen };

template <std::unsigned_integral Key>
struct header {
  Key key{};
  std::uint8_t pos = 0;
  std::uint8_t bits = 0;
  visibility seen = visibility::dead;  // writer
  std::uint32_t parent = 0;            // writer; 0 = the root holder
  std::uint32_t empty_children = 0;    // writer
  std::uint32_t full_children = 0;     // writer
  std::atomic<std::uint32_t> cover{0};
  std::atomic<std::uint32_t> array{0};
  std::uint32_t descriptor = 0;  // writer; 0 = none needed so far

  unsigned plen() const noexcept { return key_width<Key> - pos - bits; }
  std::uint32_t slots() const noexcept { return 1u << bits; }
};
static_assert(sizeof(header<key32>) == 32);

template <std::unsigned_integral Key>
struct descriptor {
  Key key{};
  std::atomic<std::uint32_t> array{0};
  std::atomic<std::uint32_t> cover{0};
  std::uint8_t pos = 0;
  std::uint8_t bits = 0;
};
static_assert(sizeof(descriptor<key32>) == 16);

}  // namespace fibtrie::trie
