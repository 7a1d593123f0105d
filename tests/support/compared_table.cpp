// SPDX-License-Identifier: MIT
// Operations on three tables and the comparison of their answers.
//
// Thread safety: one thread.
#include "tests/support/compared_table.hpp"

#include <cstdio>

#include "tests/support/shape_text.hpp"
#include "trie/assert.hpp"

namespace fibtrie::testing {

compared_table::compared_table(const fib_options& options) {
  FIBTRIE_CHECK(fib::create(domain_, options, table_) == status::ok);
}

void compared_table::expect(bool good, const char* what, key32 place) {
  if (good || failed()) return;
  char text[160];
  std::snprintf(text, sizeof text, "%s differs at %08x", what, place);
  failure_ = text;
}

void compared_table::add(prefix4 route, std::uint32_t result) {
  const status want = truth_.add(route, result);
  expect(table_->add(route, result) == want, "status of add", route.key);
  expect(reference_.add(route, result) == want, "status of the reference's add", route.key);
}

void compared_table::replace(prefix4 route, std::uint32_t result) {
  const bool there = truth_.find(route).found;
  const status want = truth_.replace(route, result);
  bool existed = !there;
  expect(table_->replace(route, result, &existed) == want, "status of replace", route.key);
  expect(want != status::ok || existed == there, "what replace found", route.key);
  expect(reference_.replace(route, result) == want, "status of the reference's replace", route.key);
}

void compared_table::remove(prefix4 route) {
  const status want = truth_.remove(route);
  expect(table_->remove(route) == want, "status of remove", route.key);
  expect(reference_.remove(route) == want, "status of the reference's remove", route.key);
}

void compared_table::compact(std::size_t max_slots) {
  expect(table_->compact(max_slots, nullptr) == status::ok, "status of compact", 0);
}
void compared_table::flush() { expect(table_->flush() == status::ok, "status of flush", 0); }

void compared_table::probe(key32 address) {
  if (failed()) return;
  const auto want = truth_.match(address);
  const auto match = table_->match(address);
  expect(table_->lookup(address) == lookup_result{want.value, want.found}, "lookup", address);
  expect(match.found == want.found && match.value == want.value, "match", address);
  expect(match.route == want.route, "matched prefix", address);
  ++probes_;
  if (!want.found) return;
  ++hits_;
  if (answers_.size() < 10000) answers_.insert(want.value);
}

void compared_table::probe_edges(prefix4 route) {
  const key32 last = last_address(route);
  for (const key32 address : {route.key, route.key - 1, last, last + 1}) probe(address);
}

void compared_table::probe_batch(const std::vector<key32>& addresses) {
  constexpr std::uint32_t mark = 0xfeedf00d;
  const std::size_t words = (addresses.size() + 63) / 64;
  std::vector<std::uint32_t> results(addresses.size() + 1, mark);
  std::vector<std::uint32_t> without_found(addresses.size() + 1, mark);
  std::vector<std::uint64_t> found(words + 1, ~std::uint64_t{0});
  table_->lookup_batch(addresses.data(), addresses.size(), results.data(), found.data());
  table_->lookup_batch(addresses.data(), addresses.size(), without_found.data(), nullptr);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto want = truth_.match(addresses[i]);
    expect(results[i] == want.value, "result of a batch", addresses[i]);
    expect((found[i / 64] >> (i % 64) & 1) == (want.found ? 1u : 0u), "found bit of a batch", addresses[i]);
    expect(without_found[i] == want.value, "result of a batch without found bits", addresses[i]);
  }
  expect(results.back() == mark && without_found.back() == mark, "what lies behind the results", 0);
  expect(found.back() == ~std::uint64_t{0}, "what lies behind the found bits", 0);
}

void compared_table::compare_find(prefix4 route) {
  expect(table_->find(route) == truth_.find(route), "find", route.key);
}

void compared_table::compare_walk(std::size_t piece) {
  std::vector<naive_route<key32>> seen;
  walk_cursor cursor;
  while (!cursor.done) {
    std::size_t left = piece;
    table_->walk(cursor, [&](const route4& r) {
      seen.push_back({r.route, r.result});
      return --left > 0;
    });
  }
  expect(seen == truth_.routes(), "walk", 0);
  expect(table_->size() == seen.size(), "size", 0);
}

void compared_table::compare_shape() {
  expect(shape_text<key32>(*table_) == shape_text<key32>(reference_), "shape", 0);
  const trie_stats mine = table_->stats();
  const trie_stats theirs = reference_.stats();
  expect(mine.tnodes_by_bits == theirs.tnodes_by_bits && mine.leaves == theirs.leaves, "node counts", 0);
  expect(mine.prefixes == theirs.prefixes && mine.depth_sum == theirs.depth_sum, "depth sum", 0);
  expect(mine.max_depth == theirs.max_depth && mine.pointers == theirs.pointers, "pointers", 0);
  expect(mine.null_pointers == theirs.null_pointers, "null pointers", 0);
}

void compared_table::check_invariants() {
  const std::string text = table_->verify_invariants();
  if (!text.empty() && !failed()) failure_ = text;
}

}  // namespace fibtrie::testing
