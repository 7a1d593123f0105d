// SPDX-License-Identifier: MIT
// A routing table too simple to be wrong: one hash table per prefix length, tried from the longest on.
//
// Thread safety: one thread.
// Invariants: 1. Only valid prefixes are kept, each once.
// Progress: a lookup tries every length.
// Source: the definition of the longest match.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fibtrie/key.h"
#include "fibtrie/status.h"
#include "trie/lookup.hpp"

namespace fibtrie::testing {

template <class Key>
struct naive_route {
  prefix<Key> route;
  std::uint32_t result;

  friend bool operator==(const naive_route&, const naive_route&) = default;
};

template <class Key>
constexpr prefix<Key> cut(Key key, unsigned plen) noexcept {
  return {static_cast<Key>(key & prefix_mask<Key>(plen)), static_cast<std::uint8_t>(plen)};
}
template <class Key>
constexpr Key last_address(prefix<Key> p) noexcept {
  return static_cast<Key>(p.key | static_cast<Key>(~prefix_mask<Key>(p.plen)));
}

// The order of a walk: key ascending, then the longer prefix first.
template <class Key>
constexpr bool walks_before(prefix<Key> a, prefix<Key> b) noexcept {
  return a.key != b.key ? a.key < b.key : a.plen > b.plen;
}

template <class Key>
class naive_table {
 public:
  static constexpr unsigned width = key_width<Key>;

  status add(prefix<Key> route, std::uint32_t result) {
    if (!is_valid(route)) return status::invalid;
    return by_plen_[route.plen].try_emplace(route.key, result).second ? status::ok : status::exists;
  }
  status replace(prefix<Key> route, std::uint32_t result) {
    if (!is_valid(route)) return status::invalid;
    by_plen_[route.plen].insert_or_assign(route.key, result);
    return status::ok;
  }
  status remove(prefix<Key> route) {
    if (!is_valid(route)) return status::invalid;
    return by_plen_[route.plen].erase(route.key) != 0 ? status::ok : status::not_found;
  }

  match_result<Key> match(Key address) const {
    for (unsigned plen = width + 1; plen-- > 0;) {
      const auto& table = by_plen_[plen];
      if (table.empty()) continue;
      const auto found = table.find(cut(address, plen).key);
      if (found != table.end()) return {cut(address, plen), found->second, true};
    }
    return {};
  }
  lookup_result find(prefix<Key> route) const {
    if (!is_valid(route)) return {};
    const auto found = by_plen_[route.plen].find(route.key);
    return found == by_plen_[route.plen].end() ? lookup_result{} : lookup_result{found->second, true};
  }
  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& table : by_plen_) sum += table.size();
    return sum;
  }
  // All routes, in walk order.
  std::vector<naive_route<Key>> routes() const {
    std::vector<naive_route<Key>> all;
    for (unsigned plen = 0; plen <= width; ++plen) {
      for (const auto& [key, result] : by_plen_[plen]) all.push_back({cut(key, plen), result});
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return walks_before(a.route, b.route); });
    return all;
  }

 private:
  std::array<std::unordered_map<Key, std::uint32_t>, width + 1> by_plen_;
};

}  // namespace fibtrie::testing
