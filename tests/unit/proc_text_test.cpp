// SPDX-License-Identifier: MIT
// The text writers at their edges; the golden cases show the rest.
//
// Thread safety: one thread.
#include "io/proc_text.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "io/sha256.hpp"
#include "io/text_sink.hpp"
#include "tests/support/reference_trie.hpp"

namespace fibtrie::io {
namespace {

std::string trie_text(const testing::reference_trie& trie) {
  std::string text;
  text_sink sink(text);
  write_fib_trie(
      sink, "Main:", [&](shape_visitor4& visitor) { trie.visit_shape(visitor); },
      [](prefix4, std::uint32_t result) {
        return route_words{result == 0 ? "link" : "host", "UNICAST"};
      });
  sink.flush();
  return text;
}

TEST(proc_text, empty_table_has_no_fib_trie_section) { EXPECT_EQ(trie_text(testing::reference_trie()), ""); }

TEST(proc_text, a_lone_leaf_stands_at_depth_zero) {
  testing::reference_trie trie;
  ASSERT_EQ(trie.add({ipv4(192, 0, 2, 0), 24}, 0), status::ok);
  ASSERT_EQ(trie.add({ipv4(192, 0, 2, 0), 32}, 1), status::ok);
  EXPECT_EQ(trie_text(trie),
            "Main:\n"
            "  |-- 192.0.2.0\n"
            "     /32 host UNICAST\n"
            "     /24 link UNICAST\n");
}

TEST(proc_text, children_are_one_step_further_in) {
  testing::reference_trie trie;
  ASSERT_EQ(trie.add({ipv4(10, 0, 0, 0), 8}, 0), status::ok);
  ASSERT_EQ(trie.add({ipv4(0, 0, 0, 0), 0}, 1), status::ok);
  EXPECT_EQ(trie_text(trie),
            "Main:\n"
            "  +-- 0.0.0.0/4 2 0 2\n"
            "     |-- 0.0.0.0\n"
            "        /0 host UNICAST\n"
            "     |-- 10.0.0.0\n"
            "        /8 link UNICAST\n");
}

TEST(proc_text, average_depth_is_cut_and_total_size_rounded_up) {
  trie_stats stats;
  stats.leaves = 3;
  stats.prefixes = 3;
  stats.depth_sum = 5;  // 1.666...
  stats.max_depth = 2;
  stats.pointers = 8;
  stats.null_pointers = 4;
  stats.tnodes_by_bits[2] = 2;
  std::string text;
  text_sink sink(text);
  write_fib_triestat(sink, "Id 7:", stats);
  sink.flush();
  EXPECT_EQ(text,
            "Id 7:\n\tAver depth:     1.66\n\tMax depth:      2\n\tLeaves:         3\n\tPrefixes:       3\n"
            "\tInternal nodes: 2\n\t  2: 2\n\tPointers: 8\nNull ptrs: 4\nTotal size: 1  kB\n");
}

TEST(text_sink, a_file_that_takes_nothing_is_noticed) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  std::setvbuf(full, nullptr, _IONBF, 0);
  text_sink sink(full);
  sink.put("lost");
  EXPECT_FALSE(sink.flush());
  std::fclose(full);
}

TEST(text_sink, a_long_text_arrives_whole_and_in_order) {
  std::string text, expected;
  {
    text_sink sink(text);
    for (unsigned i = 0; i < 40000; ++i) sink.number(i).put('\n');
  }
  for (unsigned i = 0; i < 40000; ++i) expected += std::to_string(i) + '\n';
  EXPECT_EQ(text, expected);
}

// The standard's own examples: the sum of the full table's text rests on this.
TEST(sha256, agrees_with_the_standard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
}  // namespace fibtrie::io
