// SPDX-License-Identifier: MIT
// All of lc_trie's member functions; to be included where a trie of a new key width or other traits is instantiated.
//
// Thread safety, invariants: see lc_trie.hpp.
#pragma once

#include "trie/account.hpp"
#include "trie/check.hpp"
#include "trie/compact.hpp"
#include "trie/covers.hpp"
#include "trie/insert.hpp"
#include "trie/lc_trie.hpp"
#include "trie/nodes.hpp"
#include "trie/open.hpp"
#include "trie/prune.hpp"
#include "trie/remove.hpp"
#include "trie/resize.hpp"
#include "trie/slots.hpp"
#include "trie/top.hpp"
#include "trie/update_scope.hpp"
#include "trie/walk.hpp"
