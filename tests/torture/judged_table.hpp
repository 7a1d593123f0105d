// SPDX-License-Identifier: MIT
// A table of the Internet's size under churn, with addresses whose answers must not change.
//
// Thread safety: churn() by one writer; probes are read by anybody.
// Invariants: 1. A quarter of the routes flaps; a probe's answer is the same with all of them there and with none, so
//   it is the same in between: what flaps is shorter than its match, or elsewhere.
// Source: docs/guarantees.md, B to D.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fibtrie/fib.h"
#include "io/table_route.hpp"
#include "tests/support/seed.hpp"

namespace fibtrie::torture {

struct probe_set {
  std::vector<key32> addresses;
  std::vector<std::uint32_t> results;
  std::size_t distinct = 0;  // different answers among them
};

class judged_table {
 public:
  // Loads a generated table and works out `probes` probes.  The calling thread is a writer; nobody reads yet.
  judged_table(const rcu::domain& domain, std::size_t routes, std::size_t probes, std::uint64_t seed);

  const fib& table() const noexcept { return *table_; }
  const probe_set& probes() const noexcept { return probes_; }

  // One update: a flapping route comes, goes, or gets another result.
  void churn(testing::random_source& random);
  // Waits for readers; what is wrong with the table, or an empty text.
  std::string finish();

 private:
  void make_probes(const std::vector<io::table_route>& all, std::size_t count, testing::random_source& random);

  std::unique_ptr<fib> table_;
  std::vector<prefix4> flapping_;
  std::vector<bool> present_;
  probe_set probes_;
};

}  // namespace fibtrie::torture
