// SPDX-License-Identifier: MIT
// Updates of the reference trie: exact walk, insert, remove, suffix lengths.
//
// Thread safety: one thread.
#include "tests/support/reference_trie.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "trie/assert.hpp"

namespace fibtrie::testing {

namespace {

constexpr std::uint32_t table_id = 100;
constexpr std::uint8_t unicast_type = 1;

// Puts an alias before the one that *link points to.
void link_alias(reference_alias** link, reference_alias* alias) noexcept {
  alias->next = *link;
  alias->link = link;
  if (alias->next != nullptr) alias->next->link = &alias->next;
  *link = alias;
}

void unlink_alias(reference_alias* alias) noexcept {
  *alias->link = alias->next;
  if (alias->next != nullptr) alias->next->link = alias->link;
}

unsigned last_slen(const key_vector& leaf) noexcept {
  const auto* alias = leaf.aliases();
  while (alias->next != nullptr) alias = alias->next;
  return alias->slen;
}

// The largest slen among the children, at least pos.  A child at index i cannot have an slen above pos + trailing
// zeros of i (index 0: any), so larger ones than the best so far can only stand at ever wider strides.
unsigned recompute_slen(const key_vector& n) noexcept {
  const unsigned limit = std::min<unsigned>(n.pos + n.bits - 1u, n.slen);
  unsigned slen = n.pos;
  std::uint64_t stride = 2;
  for (std::uint64_t i = 0; i < n.slot_count(); i += stride) {
    const auto* child = n.slots()[i];
    if (child == nullptr || child->slen <= slen) continue;
    slen = child->slen;
    if (slen >= limit) break;
    stride = std::uint64_t{2} << (slen - n.pos);
    i &= ~(stride - 1);
  }
  return slen;
}

}  // namespace

reference_trie::reference_trie()
    : holder_(new (arena_.take(sizeof(key_vector) + sizeof(key_vector*)))
                  key_vector{.key = 0, .pos = key_bits, .bits = 0, .slen = key_bits}) {
  holder_->slots()[0] = nullptr;
}

match_result<key32> reference_trie::match(key32 address) const noexcept {
  const auto found = select(address);
  if (found.nexthop == nullptr) return {};
  const auto plen = static_cast<std::uint8_t>(key_bits - found.alias->slen);
  return {{address & prefix_mask<key32>(plen), plen}, found.nexthop->value, true};
}

reference_trie::place reference_trie::find_node(key32 key) noexcept {
  auto* parent = holder_;
  std::uint64_t index = 0;
  for (;;) {
    auto* n = parent->slots()[index];
    if (n == nullptr) return {nullptr, parent};
    index = index_of(*n, key);
    if (index >= n->slot_count()) return {nullptr, parent};
    if (n->is_leaf()) return {n, parent};
    parent = n;
  }
}

reference_alias* reference_trie::find_alias(key_vector* leaf, unsigned slen) noexcept {
  auto* alias = leaf->aliases();
  while (alias != nullptr && alias->slen < slen) alias = alias->next;
  return alias != nullptr && alias->slen == slen ? alias : nullptr;
}

status reference_trie::add(prefix4 route, std::uint32_t result) {
  if (!is_valid(route)) return status::invalid;
  const auto at = find_node(route.key);
  if (at.leaf != nullptr && find_alias(at.leaf, key_bits - route.plen) != nullptr) return status::exists;
  insert_alias(at, route, result);
  return status::ok;
}

status reference_trie::replace(prefix4 route, std::uint32_t result) {
  if (!is_valid(route)) return status::invalid;
  const auto at = find_node(route.key);
  auto* alias = at.leaf == nullptr ? nullptr : find_alias(at.leaf, key_bits - route.plen);
  if (alias == nullptr) {
    insert_alias(at, route, result);
    return status::ok;
  }
  auto* old = alias->info;
  alias->info = infos_.acquire(result);
  infos_.release(old);
  return status::ok;
}

status reference_trie::remove(prefix4 route) {
  if (!is_valid(route)) return status::invalid;
  const auto at = find_node(route.key);
  auto* alias = at.leaf == nullptr ? nullptr : find_alias(at.leaf, key_bits - route.plen);
  if (alias == nullptr) return status::not_found;
  const bool is_last = alias->next == nullptr;
  unlink_alias(alias);
  infos_.release(alias->info);
  arena_.give_back(alias, sizeof(reference_alias));
  --size_;
  if (at.leaf->aliases() == nullptr) {
    remove_leaf(at);
  } else if (is_last) {
    at.leaf->slen = static_cast<std::uint8_t>(last_slen(*at.leaf));
    pull_suffix(at.parent, at.leaf->slen);
  }
  return status::ok;
}

void reference_trie::insert_alias(place at, prefix4 route, std::uint32_t result) {
  const auto slen = static_cast<std::uint8_t>(key_bits - route.plen);
  auto* leaf = at.leaf == nullptr ? make_leaf(route.key) : at.leaf;
  auto** link = &leaf->aliases();
  while (*link != nullptr && (*link)->slen < slen) link = &(*link)->next;
  auto* alias = new (arena_.take(sizeof(reference_alias)))
      reference_alias{nullptr, nullptr, infos_.acquire(result), table_id, 0, unicast_type, 0, slen, -1, {}};
  link_alias(link, alias);
  ++size_;
  if (leaf->slen < slen || at.leaf == nullptr) leaf->slen = slen;
  if (at.leaf == nullptr) {
    insert_leaf(at.parent, leaf);
  } else if (alias->next == nullptr) {
    push_suffix(at.parent, slen);
  }
}

void reference_trie::insert_leaf(key_vector* parent, key_vector* leaf) {
  const auto index = index_of(*parent, leaf->key);
  auto* n = parent->slots()[index];
  if (n != nullptr) {
    const auto pos = static_cast<unsigned>(std::bit_width(leaf->key ^ n->key)) - 1u;
    auto* fork = make_tnode(leaf->key, pos, 1);
    node_of(fork).parent = parent;
    put_child(fork, index_of(*fork, leaf->key) ^ 1, n);
    put_child(parent, index, fork);
    node_of(n).parent = fork;
    parent = fork;
  }
  push_suffix(parent, leaf->slen);
  node_of(leaf).parent = parent;
  put_child(parent, index_of(*parent, leaf->key), leaf);
  rebalance(parent);
}

void reference_trie::remove_leaf(place at) {
  // As the kernel does: the pull still sees the leaf, so slens above may stay too large until a resize.
  if (at.parent->slen == at.leaf->slen) pull_suffix(at.parent, at.parent->pos);
  put_child(at.parent, index_of(*at.parent, at.leaf->key), nullptr);
  free_node(at.leaf);
  rebalance(at.parent);
}

void reference_trie::push_suffix(key_vector* n, unsigned slen) noexcept {
  while (n->slen < slen) {
    n->slen = static_cast<std::uint8_t>(slen);
    n = node_of(n).parent;
  }
}

void reference_trie::pull_suffix(key_vector* n, unsigned slen) noexcept {
  while (n->slen > n->pos && n->slen > slen) {
    const auto old = n->slen;
    slen = recompute_slen(*n);
    n->slen = static_cast<std::uint8_t>(slen);
    if (slen == old) return;
    n = node_of(n).parent;
  }
}

void reference_trie::rebalance(key_vector* n) {
  while (!is_holder(n)) n = resize(n);
}

key_vector* reference_trie::make_leaf(key32 key) {
  auto* node = new (arena_.take(leaf_bytes)) reference_node{};
  node->vector.key = key;
  node->vector.aliases() = nullptr;
  return &node->vector;
}

// An empty tnode whose key is the given one without the bits of its index field and below.
key_vector* reference_trie::make_tnode(key32 key, unsigned pos, unsigned bits) {
  FIBTRIE_ASSERT(bits > 0 && pos + bits <= key_bits);
  void* memory = arena_.take(tnode_bytes(bits));
  std::memset(memory, 0, tnode_bytes(bits));
  auto* node = new (memory) reference_node{};
  node->empty_children = std::uint32_t{1} << bits;
  node->vector = {.key = key & prefix_mask<key32>(key_bits - pos - bits),
                  .pos = static_cast<std::uint8_t>(pos),
                  .bits = static_cast<std::uint8_t>(bits),
                  .slen = static_cast<std::uint8_t>(pos)};
  return &node->vector;
}

void reference_trie::put_child(key_vector* n, std::uint64_t index, key_vector* child) noexcept {
  if (is_holder(n)) {
    n->slots()[0] = child;
    return;
  }
  FIBTRIE_ASSERT(index < n->slot_count());
  FIBTRIE_ASSERT(child == nullptr || (index_of(*n, child->key) == index && child->pos + child->bits <= n->pos));
  auto& node = node_of(n);
  auto*& slot = n->slots()[index];
  node.empty_children += static_cast<std::uint32_t>(child == nullptr) - static_cast<std::uint32_t>(slot == nullptr);
  node.full_children += static_cast<std::uint32_t>(is_full(*n, child)) - static_cast<std::uint32_t>(is_full(*n, slot));
  if (child != nullptr && n->slen < child->slen) n->slen = child->slen;
  slot = child;
}

void reference_trie::free_node(key_vector* n) noexcept {
  const auto size_bytes = n->is_leaf() ? leaf_bytes : tnode_bytes(n->bits);
  arena_.give_back(&node_of(n), size_bytes);
}

}  // namespace fibtrie::testing
