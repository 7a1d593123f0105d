// SPDX-License-Identifier: MIT
// A look at the shape of a trie, node by node, in the order of /proc/net/fib_trie.
//
// Thread safety: a visitor is called by the thread that asked for the visit.
// Invariants: 1. Depth first, slots ascending; a leaf's routes follow it, longest first.
// Source: section "Text of the /proc files" of the kernel's behaviour.
#pragma once

#include <cstdint>

#include "fibtrie/key.h"

namespace fibtrie {

template <std::unsigned_integral Key>
class shape_visitor {
 public:
  virtual ~shape_visitor() = default;

  // depth: number of tnodes above.  plen: length of the tnode's own prefix, width - pos - bits.
  virtual void tnode(unsigned depth, prefix<Key> node, unsigned bits, std::uint32_t full_children,
                     std::uint32_t empty_children) = 0;
  virtual void leaf(unsigned depth, Key key) = 0;
  virtual void route(unsigned depth, prefix<Key> route, std::uint32_t result) = 0;
};

using shape_visitor4 = shape_visitor<key32>;

}  // namespace fibtrie
