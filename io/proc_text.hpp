// SPDX-License-Identifier: MIT
// The kernel's texts about a table: its sections of /proc/net/fib_trie and /proc/net/fib_triestat.
//
// Thread safety: one thread; visiting a table follows that table's rules.
// Invariants: 1. The text is the kernel's, byte for byte: an empty table has no fib_trie section, but a fib_triestat
// one.
// Source: section "Text of the /proc files" of the kernel's behaviour.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "fibtrie/key.h"
#include "fibtrie/shape.h"
#include "fibtrie/stats.h"
#include "io/text_sink.hpp"

namespace fibtrie::io {

// How fib_trie shows what a route leads to, e.g. {"universe", "UNICAST"}.  The texts must outlive the writing.
struct route_words {
  std::string_view scope;
  std::string_view type;
};
using describe_route = std::function<route_words(prefix4 route, std::uint32_t result)>;

// Calls a table's visit_shape: [&](shape_visitor4& v) { table.visit_shape(v); }
using shape_source = std::function<void(shape_visitor4&)>;

// The lines of a section, node by node.
class fib_trie_lines {
 public:
  fib_trie_lines(text_sink& sink, std::string_view label) noexcept : sink_(sink), label_(label) {}

  void tnode(unsigned depth, prefix4 node, unsigned bits, std::uint32_t full_children, std::uint32_t empty_children);
  void leaf(unsigned depth, key32 key);
  // Without a newline: a tos may follow.
  void route(unsigned depth, unsigned plen, std::string_view scope, std::string_view type);

 private:
  void put_label_once();

  text_sink& sink_;
  std::string_view label_;  // written before the first node
};

// label: "Main:", "Local:" or "Id 100:".
void write_fib_trie(text_sink& sink, std::string_view label, const shape_source& shape, const describe_route& describe);

// The first line of the file; then one section per table.
void write_fib_triestat_head(text_sink& sink);
void write_fib_triestat(text_sink& sink, std::string_view label, const trie_stats& stats);

}  // namespace fibtrie::io
