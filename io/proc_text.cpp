// SPDX-License-Identifier: MIT
// Writers of the fib_trie and fib_triestat texts.
//
// Thread safety: one thread.
#include "io/proc_text.hpp"

#include <cstddef>

namespace fibtrie::io {

namespace {

// What the kernel's records take on a 64-bit machine.
constexpr unsigned leaf_bytes = 48;
constexpr unsigned tnode_bytes = 40;
constexpr unsigned alias_bytes = 56;
constexpr unsigned pointer_bytes = 8;

constexpr std::size_t indent = 3;

class fib_trie_writer final : public shape_visitor4 {
 public:
  fib_trie_writer(text_sink& sink, std::string_view label, const describe_route& describe)
      : sink_(sink), lines_(sink, label), describe_(describe) {}

  void tnode(unsigned depth, prefix4 node, unsigned bits, std::uint32_t full, std::uint32_t empty) override {
    lines_.tnode(depth, node, bits, full, empty);
  }
  void leaf(unsigned depth, key32 key) override { lines_.leaf(depth, key); }
  void route(unsigned depth, prefix4 route, std::uint32_t result) override {
    const auto words = describe_(route, result);
    lines_.route(depth, route.plen, words.scope, words.type);
    sink_.put('\n');
  }

 private:
  text_sink& sink_;
  fib_trie_lines lines_;
  const describe_route& describe_;
};

void put_average_depth(text_sink& sink, std::uint32_t depth_sum, std::uint32_t leaves) {
  const std::uint32_t hundredths = leaves == 0 ? 0 : depth_sum * 100 / leaves;
  sink.put("\tAver depth:     ").number(hundredths / 100).put('.');
  sink.number(hundredths % 100 / 10).number(hundredths % 10).put('\n');
}

}  // namespace

void fib_trie_lines::tnode(unsigned depth, prefix4 node, unsigned bits, std::uint32_t full_children,
                           std::uint32_t empty_children) {
  put_label_once();
  sink_.blanks(indent * depth).put("  +-- ").dotted(node.key).put('/').number(node.plen).put(' ').number(bits);
  sink_.put(' ').number(full_children).put(' ').number(empty_children).put('\n');
}

void fib_trie_lines::leaf(unsigned depth, key32 key) {
  put_label_once();
  sink_.blanks(indent * depth).put("  |-- ").dotted(key).put('\n');
}

void fib_trie_lines::route(unsigned depth, unsigned plen, std::string_view scope, std::string_view type) {
  sink_.blanks(indent * (depth + 1)).put("  /").number(plen).put(' ').put(scope).put(' ').put(type);
}

void fib_trie_lines::put_label_once() {
  if (label_.empty()) return;
  sink_.put(label_).put('\n');
  label_ = {};
}

void write_fib_trie(text_sink& sink, std::string_view label, const shape_source& shape,
                    const describe_route& describe) {
  fib_trie_writer writer(sink, label, describe);
  shape(writer);
}

void write_fib_triestat_head(text_sink& sink) {
  sink.put("Basic info: size of leaf: ").number(leaf_bytes).put(" bytes, size of tnode: ").number(tnode_bytes);
  sink.put(" bytes.\n");
}

void write_fib_triestat(text_sink& sink, std::string_view label, const trie_stats& stats) {
  // The kernel counts in 32 bits.
  const auto narrow = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  sink.put(label).put('\n');
  put_average_depth(sink, narrow(stats.depth_sum), narrow(stats.leaves));
  sink.put("\tMax depth:      ").number(narrow(stats.max_depth));
  sink.put("\n\tLeaves:         ").number(narrow(stats.leaves));
  sink.put("\n\tPrefixes:       ").number(narrow(stats.prefixes));
  sink.put("\n\tInternal nodes: ").number(narrow(stats.tnodes())).put("\n\t");
  for (std::size_t bits = 0; bits < stats.tnodes_by_bits.size(); ++bits) {
    const auto count = narrow(stats.tnodes_by_bits[bits]);
    if (count != 0) sink.put("  ").number(bits).put(": ").number(count);
  }
  const auto bytes = narrow(leaf_bytes * stats.leaves + alias_bytes * stats.prefixes + tnode_bytes * stats.tnodes() +
                            pointer_bytes * stats.pointers);
  const auto kilobytes = bytes / 1024 + (bytes % 1024 != 0 ? 1 : 0);
  sink.put("\n\tPointers: ").number(narrow(stats.pointers));
  sink.put("\nNull ptrs: ").number(narrow(stats.null_pointers));
  sink.put("\nTotal size: ").number(kilobytes).put("  kB\n");
}

}  // namespace fibtrie::io
