// SPDX-License-Identifier: MIT
// What a trie can be told at compile time; tests use it to stand between two stores, to refuse memory and to plant
// faults.
//
// Thread safety: none needed.
// Invariants: 1. With default_traits every hook is empty and costs nothing.
#pragma once

namespace fibtrie::trie {

struct default_traits {
  // Prefixes of up to this many bits leave the cover chains: their answers stand in an array of 2^top_bits words.
  static constexpr unsigned top_bits = 12;
  // Called after each store that a reader may see.
  static constexpr void stored() noexcept {}
  // False makes the next allocation fail.
  static constexpr bool may_allocate() noexcept { return true; }
  // Faults on purpose, to prove that the tests see them.
  static constexpr bool fault_free_at_once = false;        // no grace period
  static constexpr bool fault_no_hand_over = false;        // covers are not handed over
  static constexpr bool fault_publish_incomplete = false;  // a new tnode is visible before its words
};

}  // namespace fibtrie::trie
