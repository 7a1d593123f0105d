// SPDX-License-Identifier: MIT
// Whole-trie visits of the reference trie: shape, figures, self check.
//
// Thread safety: readers of a trie that nobody changes.
#include <algorithm>
#include <bit>

#include "tests/support/reference_trie.hpp"
#include "trie/assert.hpp"

namespace fibtrie::testing {

namespace {

std::uint8_t plen_of(const reference_alias& alias) noexcept { return static_cast<std::uint8_t>(key_bits - alias.slen); }

void visit_node(const key_vector* n, unsigned depth, shape_visitor4& visitor) {
  if (n == nullptr) return;
  if (n->is_tnode()) {
    const auto& node = node_of(n);
    const auto plen = static_cast<std::uint8_t>(key_bits - n->pos - n->bits);
    visitor.tnode(depth, {n->key, plen}, n->bits, node.full_children, node.empty_children);
    for (std::uint64_t i = 0; i < n->slot_count(); ++i) visit_node(n->slots()[i], depth + 1, visitor);
    return;
  }
  visitor.leaf(depth, n->key);
  for (const auto* a = n->aliases(); a != nullptr; a = a->next) {
    visitor.route(depth, {n->key, plen_of(*a)}, a->info->nexthop.value);
  }
}

class stats_counter final : public shape_visitor4 {
 public:
  void tnode(unsigned, prefix4, unsigned bits, std::uint32_t, std::uint32_t empty_children) override {
    ++stats.tnodes_by_bits[bits];
    stats.pointers += std::uint64_t{1} << bits;
    stats.null_pointers += empty_children;
  }
  void leaf(unsigned depth, key32) override {
    ++stats.leaves;
    stats.depth_sum += depth;
    stats.max_depth = std::max<std::uint64_t>(stats.max_depth, depth);
  }
  void route(unsigned, prefix4, std::uint32_t) override { ++stats.prefixes; }

  trie_stats stats;
};

void check_leaf(const key_vector& leaf, std::size_t& routes) {
  FIBTRIE_CHECK(leaf.pos == 0 && leaf.aliases() != nullptr);
  unsigned slen = 0;
  for (const auto* a = leaf.aliases(); a != nullptr; a = a->next, ++routes) {
    FIBTRIE_CHECK(a == leaf.aliases() || a->slen > slen);
    FIBTRIE_CHECK(*a->link == a && a->info->references > 0);
    FIBTRIE_CHECK(is_valid(prefix4{leaf.key, plen_of(*a)}));
    slen = a->slen;
  }
  FIBTRIE_CHECK(leaf.slen == slen);
}

// Returns the true largest slen under the node, at least its pos.
unsigned check_node(const key_vector& n, std::size_t& routes) {
  if (n.is_leaf()) {
    check_leaf(n, routes);
    return n.slen;
  }
  std::uint32_t empty = 0, full = 0;
  unsigned slen = n.pos;
  FIBTRIE_CHECK(is_valid(prefix4{n.key, static_cast<std::uint8_t>(key_bits - n.pos - n.bits)}));
  for (std::uint64_t i = 0; i < n.slot_count(); ++i) {
    const auto* child = n.slots()[i];
    if (child == nullptr) {
      ++empty;
      continue;
    }
    full += is_full(n, child) ? 1u : 0u;
    FIBTRIE_CHECK(index_of(n, child->key) == i && child->pos + child->bits <= n.pos);
    FIBTRIE_CHECK(node_of(child).parent == &n);
    const auto below = check_node(*child, routes);
    FIBTRIE_CHECK(below <= n.pos + (i == 0 ? key_bits : static_cast<unsigned>(std::countr_zero(i))));
    slen = std::max(slen, below);
  }
  FIBTRIE_CHECK(empty == node_of(&n).empty_children && full == node_of(&n).full_children);
  FIBTRIE_CHECK(n.slen >= slen);
  return slen;
}

}  // namespace

void reference_trie::visit_shape(shape_visitor4& visitor) const { visit_node(holder_->slots()[0], 0, visitor); }

trie_stats reference_trie::stats() const {
  stats_counter counter;
  visit_shape(counter);
  return counter.stats;
}

void reference_trie::check_invariants() const {
  std::size_t routes = 0;
  const auto* top = holder_->slots()[0];
  if (top != nullptr) {
    FIBTRIE_CHECK(node_of(top).parent == holder_);
    check_node(*top, routes);
  }
  FIBTRIE_CHECK(routes == size_);
}

}  // namespace fibtrie::testing
