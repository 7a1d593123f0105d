// SPDX-License-Identifier: MIT
// The trie over 8-bit keys, small enough to try every address and every prefix.
//
// Thread safety: one thread.
// Invariants: 1. Prefixes up to /2 stand in the top array, as those up to /12 do in the trie over 32 bits.
// Source: none.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/manual_domain.hpp"
#include "tests/support/naive_table.hpp"
#include "trie/lc_trie_impl.hpp"

namespace fibtrie::testing {

using key8 = std::uint8_t;
using prefix8 = prefix<key8>;

struct traits8 : trie::default_traits {
  static constexpr unsigned top_bits = 2;
};

// An open table and its domain.
template <class Key, class Traits>
class opened_trie {
 public:
  explicit opened_trie(fib_options options = small_options()) : trie_(domain_, options) {
    FIBTRIE_CHECK(trie_.open() == status::ok);
  }
  trie::lc_trie<Key, Traits>* operator->() noexcept { return &trie_; }
  const trie::lc_trie<Key, Traits>* operator->() const noexcept { return &trie_; }
  trie::lc_trie<Key, Traits>& operator*() noexcept { return trie_; }
  manual_domain& domain() noexcept { return domain_; }

  static fib_options small_options() {
    fib_options options;
    options.reserve_prefixes = 1 << 16;
    return options;
  }

 private:
  manual_domain domain_;
  trie::lc_trie<Key, Traits> trie_;
};

using trie8 = opened_trie<key8, traits8>;

// All 511 prefixes.
inline const std::vector<prefix8>& all_prefixes8() {
  static const std::vector<prefix8> all = [] {
    std::vector<prefix8> made;
    for (unsigned plen = 0; plen <= 8; ++plen) {
      for (unsigned n = 0; n < 1u << plen; ++n)
        made.push_back({static_cast<key8>(n << (8 - plen)), static_cast<key8>(plen)});
    }
    return made;
  }();
  return all;
}
inline unsigned number8(prefix8 p) { return (1u << p.plen) - 1 + (p.plen == 0 ? 0u : p.key >> (8u - p.plen)); }

// The truth about a small set of prefixes: present or not, and each address's longest match, painted shortest first.
class world8 {
 public:
  void set(prefix8 p, std::uint32_t result) {
    present_[number8(p)] = true;
    result_[number8(p)] = result;
    paint();
  }
  void unset(prefix8 p) {
    present_[number8(p)] = false;
    paint();
  }
  bool has(unsigned number) const { return present_[number]; }
  std::uint32_t result(unsigned number) const { return result_[number]; }
  int match(unsigned address) const { return match_[address]; }  // number of the prefix, or -1
  std::size_t size() const {
    std::size_t sum = 0;
    for (const bool there : present_) sum += there ? 1 : 0;
    return sum;
  }

 private:
  void paint() {
    match_.fill(-1);
    for (unsigned n = 0; n < present_.size(); ++n) {  // numbers ascend with length
      if (!present_[n]) continue;
      const prefix8 p = all_prefixes8()[n];
      for (unsigned a = p.key; a <= last_address(p); ++a) match_[a] = static_cast<int>(n);
    }
  }

  std::array<bool, 511> present_{};
  std::array<std::uint32_t, 511> result_{};
  std::array<int, 256> match_{};
};

// What differs between a trie and the truth, or an empty text.
std::string difference8(const trie::lc_trie<key8, traits8>& trie, const world8& truth);

}  // namespace fibtrie::testing
