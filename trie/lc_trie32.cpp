// SPDX-License-Identifier: MIT
// The trie over IPv4 keys.
#include "trie/lc_trie_impl.hpp"

namespace fibtrie::trie {

template class lc_trie<key32, default_traits>;

}  // namespace fibtrie::trie
