// SPDX-License-Identifier: MIT
// Faults planted in the trie by its traits: the runs of trie_interleave must notice each of them.
//
// Thread safety: one thread plays writer and readers.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/interleave.hpp"

namespace fibtrie::testing {
namespace {

prefix8 anything8(random_source& random) { return cut(static_cast<key8>(random()), random.below(9)); }

template <fault Planted>
std::string with_fault() {
  interleave_counts sum;
  const std::string text = interleave_runs<key8, hooked_traits<2, Planted>>(anything8, {}, 20, sum);
  std::printf("planted fault: %s\n", text.c_str());
  return text;
}

template <fault Planted>
void expect_caught() {
  // A sanitizer may see the fault first and end the program: that is a catch, too.
  if (under_address_sanitizer) {
    EXPECT_DEATH(if (!with_fault<Planted>().empty()) std::abort(), "");
  } else {
    EXPECT_NE(with_fault<Planted>(), "");
  }
}

TEST(trie_faults, memory_freed_at_once_is_caught) { expect_caught<fault::free_at_once>(); }
TEST(trie_faults, covers_not_handed_over_are_caught) { expect_caught<fault::no_hand_over>(); }
TEST(trie_faults, an_incomplete_tnode_is_caught) { expect_caught<fault::publish_incomplete>(); }

}  // namespace
}  // namespace fibtrie::testing
