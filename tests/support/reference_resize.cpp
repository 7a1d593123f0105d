// SPDX-License-Identifier: MIT
// Level compression of the reference trie: inflate, halve, collapse, in the kernel's order of steps.
//
// Thread safety: one thread.
#include "tests/support/reference_trie.hpp"
#include "trie/assert.hpp"

namespace fibtrie::testing {

namespace {

constexpr unsigned max_work = 10;
constexpr std::uint64_t inflate_percent = 50;
constexpr std::uint64_t halve_percent = 25;
constexpr std::uint64_t top_inflate_percent = 30;
constexpr std::uint64_t top_halve_percent = 15;

std::uint64_t used_slots(const key_vector* n) noexcept { return n->slot_count() - node_of(n).empty_children; }

}  // namespace

bool reference_trie::should_inflate(const key_vector* n) const noexcept {
  const auto used = used_slots(n) + node_of(n).full_children;
  const auto percent = is_at_top(n) ? top_inflate_percent : inflate_percent;
  return used > 1 && n->pos > 0 && 50 * used >= percent * n->slot_count();
}

bool reference_trie::should_halve(const key_vector* n) const noexcept {
  const auto used = used_slots(n);
  const auto percent = is_at_top(n) ? top_halve_percent : halve_percent;
  return used > 1 && n->bits > 1 && 100 * used < percent * n->slot_count();
}

key_vector* reference_trie::resize(key_vector* n) {
  auto* parent = node_of(n).parent;
  auto*& slot = parent->slots()[index_of(*parent, n->key)];
  unsigned work = max_work;
  for (; work > 0 && should_inflate(slot); --work) inflate(slot);
  if (work != max_work) return parent;
  for (; work > 0 && should_halve(slot); --work) halve(slot);
  return used_slots(slot) < 2 ? collapse(slot) : parent;
}

void reference_trie::inflate(key_vector* old) {
  auto* grown = make_tnode(old->key, old->pos - 1u, old->bits + 1u);
  for (auto i = old->slot_count(); i-- > 0;) {
    auto* child = old->slots()[i];
    if (child == nullptr) continue;
    if (!is_full(*old, child)) {
      put_child(grown, index_of(*grown, child->key), child);
      continue;
    }
    node_of(child).next_to_free = to_free_;
    to_free_ = &node_of(child);
    if (child->bits == 1) {
      put_child(grown, 2 * i + 1, child->slots()[1]);
      put_child(grown, 2 * i, child->slots()[0]);
    } else {
      split_full_child(grown, i, child);
    }
  }
  put_in_place(old, grown);
}

// A full child of two bits or more becomes two tnodes, one for each half of its slots.
void reference_trie::split_full_child(key_vector* grown, std::uint64_t index, key_vector* child) {
  const auto half = child->slot_count() / 2;
  auto* high = make_tnode(child->key | key32{1} << grown->pos, child->pos, child->bits - 1u);
  auto* low = make_tnode(child->key, child->pos, child->bits - 1u);
  node_of(high).parent = grown;
  node_of(low).parent = grown;
  for (auto j = half; j-- > 0;) {
    put_child(high, j, child->slots()[j + half]);
    put_child(low, j, child->slots()[j]);
  }
  put_child(grown, 2 * index + 1, high);
  put_child(grown, 2 * index, low);
}

void reference_trie::halve(key_vector* old) {
  auto* shrunk = make_tnode(old->key, old->pos + 1u, old->bits - 1u);
  for (auto j = shrunk->slot_count(); j-- > 0;) {
    auto* high = old->slots()[2 * j + 1];
    auto* low = old->slots()[2 * j];
    if (high == nullptr || low == nullptr) {
      put_child(shrunk, j, high == nullptr ? low : high);
      continue;
    }
    auto* pair = make_tnode(low->key, old->pos, 1);
    node_of(pair).parent = shrunk;
    put_child(pair, 1, high);
    put_child(pair, 0, low);
    put_child(shrunk, j, pair);
  }
  put_in_place(old, shrunk);
}

key_vector* reference_trie::collapse(key_vector* n) noexcept {
  auto* parent = node_of(n).parent;
  key_vector* child = nullptr;
  for (std::uint64_t i = 0; i < n->slot_count() && child == nullptr; ++i) child = n->slots()[i];
  put_child(parent, index_of(*parent, n->key), child);
  if (child != nullptr) node_of(child).parent = parent;
  free_node(n);
  return parent;
}

// The fresh node takes the old one's place; then its full children get their turn, highest first.
void reference_trie::put_in_place(key_vector* old, key_vector* fresh) {
  auto* parent = node_of(old).parent;
  node_of(fresh).parent = parent;
  put_child(parent, index_of(*parent, fresh->key), fresh);
  adopt_children(fresh);
  free_node(old);
  while (to_free_ != nullptr) {
    auto* node = to_free_;
    to_free_ = node->next_to_free;
    free_node(&node->vector);
  }
  for (auto i = fresh->slot_count(); i-- > 0;) {
    auto* child = fresh->slots()[i];
    if (is_full(*fresh, child)) resize(child);
  }
}

// Points children that moved at the node that holds them now.  A child that knows its parent already was made together
// with it: its own children have moved.
void reference_trie::adopt_children(key_vector* n) noexcept {
  for (auto i = n->slot_count(); i-- > 0;) {
    auto* child = n->slots()[i];
    if (child == nullptr) continue;
    if (node_of(child).parent == n) {
      adopt_children(child);
    } else {
      node_of(child).parent = n;
    }
  }
}

}  // namespace fibtrie::testing
