// SPDX-License-Identifier: MIT
// What a full lookup finds, and the plain lookup of a table with the kernel's semantics.
//
// Thread safety: valid inside the read section of the lookup that filled it.
// Invariants: 1. info is set; leg is set but for routes of an error type.
// Source: section "Lookup in one table" of the kernel's behaviour.
#pragma once

#include <cstdint>

#include "fibtrie/route.h"
#include "trie/lookup.hpp"
#include "trie/route/fib_info.hpp"

namespace fibtrie {

// A table's plain result with this bit set is the number of an alias list, which only the full lookup understands.
inline constexpr std::uint32_t complex_result = 0x80000000u;

struct flow_result {
  prefix4 route{};  // what matched; not set with lookup_flag::without_prefix
  const route::fib_info* info = nullptr;
  const route::fib_leg* leg = nullptr;
  std::uint32_t entry_result = 0;   // of the prefix: an info's id, or complex_result and a list
  std::uint32_t table = 0;          // the one that was asked
  std::uint16_t nexthop_index = 0;  // rank of the leg
  std::uint8_t tos = 0;             // the route's
  route_type type = route_type::unspec;

  std::uint8_t scope() const noexcept { return info->scope; }
  std::uint32_t priority() const noexcept { return info->priority; }
  std::uint32_t gateway() const noexcept { return leg != nullptr ? leg->gateway : 0; }
  // The address that packets of this host leave with; 0: none is known.
  key32 source() const noexcept {
    if (info->prefsrc != 0 || leg == nullptr) return info->prefsrc;
    return leg->source.load(std::memory_order_relaxed);  // relaxed: an address stands for itself
  }
  std::uint32_t oif() const noexcept { return leg != nullptr ? leg->oif : 0; }
};

// Plain lookups in one table, inside a read section: the route's shared part by number, without tos, errors and state.
class plain_view {
 public:
  explicit plain_view(const trie::reader<key32>* reader) noexcept
      : reader_(reader), root_(reader != nullptr ? reader->root() : 0) {}

  bool exists() const noexcept { return reader_ != nullptr; }
  // To be asked only of a table that exists().
  lookup_result lookup(key32 address) const noexcept { return reader_->lookup_from(root_, address); }

 private:
  const trie::reader<key32>* reader_;
  trie::root_word root_;
};

}  // namespace fibtrie
