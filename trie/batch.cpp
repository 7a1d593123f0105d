// SPDX-License-Identifier: MIT
#include "trie/batch.hpp"

namespace fibtrie::trie {

void lookup_batch(const reader<key32>& table, const key32* addresses, std::size_t count, std::uint32_t* results,
                  std::uint64_t* found) noexcept {
  const root_word root = table.root();
  for (std::size_t i = 0; i < count; ++i) {
    const lookup_result r = table.lookup_from(root, addresses[i]);
    results[i] = r.value;
    if (found != nullptr) {
      if (i % 64 == 0) found[i / 64] = 0;
      found[i / 64] |= std::uint64_t{r.found} << (i % 64);
    }
  }
}

}  // namespace fibtrie::trie
