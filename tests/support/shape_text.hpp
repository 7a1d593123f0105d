// SPDX-License-Identifier: MIT
// The shape of a trie as a text, to compare and to show.
//
// Thread safety: one thread.
// Invariants: 1. Equal shapes, counts and results give equal texts.
// Source: none.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "fibtrie/shape.h"

namespace fibtrie::testing {

template <class Key>
class shape_text_visitor final : public shape_visitor<Key> {
 public:
  void tnode(unsigned depth, prefix<Key> node, unsigned bits, std::uint32_t full, std::uint32_t empty) override {
    append("%*s+ %llx/%u bits %u full %u empty %u\n", depth, node.key, node.plen, bits, full, empty);
  }
  void leaf(unsigned depth, Key key) override { append("%*s- %llx\n", depth, key); }
  void route(unsigned depth, prefix<Key> route, std::uint32_t result) override {
    append("%*s  %llx/%u = %u\n", depth, route.key, route.plen, result);
  }
  std::string text;

 private:
  template <class... Args>
  void append(const char* format, unsigned depth, Key key, Args... args) {
    char line[160];
    std::snprintf(line, sizeof line, format, static_cast<int>(depth), "", static_cast<unsigned long long>(key),
                  args...);
    text += line;
  }
};

template <class Key, class Trie>
std::string shape_text(const Trie& trie) {
  shape_text_visitor<Key> visitor;
  trie.visit_shape(visitor);
  return std::move(visitor.text);
}

}  // namespace fibtrie::testing
