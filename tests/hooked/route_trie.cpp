// SPDX-License-Identifier: MIT
// The tries with hooks that trie/route is built with here.
//
// Thread safety: see trie/lc_trie.hpp.
#include "trie/lc_trie_impl.hpp"
#include "trie/route/table.hpp"

template class fibtrie::trie::lc_trie<fibtrie::key32, fibtrie::route::trie_traits>;
