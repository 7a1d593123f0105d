// SPDX-License-Identifier: MIT
// An IPv4 table beside two references: every operation goes to all, every answer is compared.
//
// Thread safety: one thread.
// Invariants: 1. failure() keeps the first difference; once there is one, nothing more is compared.
// Source: none.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fibtrie/fib.h"
#include "tests/support/manual_domain.hpp"
#include "tests/support/naive_table.hpp"
#include "tests/support/reference_trie.hpp"

namespace fibtrie::testing {

class compared_table {
 public:
  explicit compared_table(const fib_options& options = {});

  // ---- operations, on all three
  void add(prefix4 route, std::uint32_t result);
  void replace(prefix4 route, std::uint32_t result);
  void remove(prefix4 route);
  void compact(std::size_t max_slots);
  void flush();

  // ---- comparisons
  // lookup and match.
  void probe(key32 address);
  // Both ends of the prefix and their neighbours.
  void probe_edges(prefix4 route);
  // One batch, with and without found bits; what lies behind the results must stay as it was.
  void probe_batch(const std::vector<key32>& addresses);
  void compare_find(prefix4 route);
  // All routes in order, in pieces of `piece` routes.
  void compare_walk(std::size_t piece);
  void compare_shape();
  void check_invariants();

  bool failed() const noexcept { return !failure_.empty(); }
  const std::string& failure() const noexcept { return failure_; }
  const naive_table<key32>& truth() const noexcept { return truth_; }
  fib& table() noexcept { return *table_; }
  manual_domain& domain() noexcept { return domain_; }
  std::uint64_t probes() const noexcept { return probes_; }
  std::uint64_t hits() const noexcept { return hits_; }
  std::size_t distinct_answers() const noexcept { return answers_.size(); }

 private:
  void expect(bool good, const char* what, key32 place);

  manual_domain domain_;
  std::unique_ptr<fib> table_;
  reference_trie reference_;
  naive_table<key32> truth_;
  std::set<std::uint32_t> answers_;
  std::uint64_t probes_ = 0;
  std::uint64_t hits_ = 0;
  std::string failure_;
};

}  // namespace fibtrie::testing
