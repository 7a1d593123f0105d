// SPDX-License-Identifier: MIT
#include "tests/torture/judged_table.hpp"

#include <set>

#include "kbench/patterns.hpp"
#include "kbench/table_generator.hpp"
#include "trie/assert.hpp"

namespace fibtrie::torture {

judged_table::judged_table(const rcu::domain& domain, std::size_t routes, std::size_t probes, std::uint64_t seed) {
  fib_options options;
  options.backlog = on_backlog::wait;
  FIBTRIE_CHECK(fib::create(domain, options, table_) == status::ok);
  std::vector<io::table_route> all;
  kbench::generator_options wanted;
  wanted.routes = routes;
  wanted.seed = seed;
  FIBTRIE_CHECK(kbench::generate_table(wanted, all));
  testing::random_source random(seed);
  for (const io::table_route& r : all) {
    if (random.one_in(4)) {
      flapping_.push_back(r.route);
    } else {
      FIBTRIE_CHECK(table_->add(r.route, r.result) == status::ok);
    }
  }
  present_.resize(flapping_.size());
  make_probes(all, probes, random);
}

void judged_table::make_probes(const std::vector<io::table_route>& all, std::size_t count,
                               testing::random_source& random) {
  const auto addresses = kbench::make_addresses(kbench::pattern::cov, all, random(), 2 * count);
  std::vector<lookup_result> without;
  for (const key32 address : addresses) without.push_back(table_->lookup(address));
  std::set<std::uint32_t> answers;
  for (std::size_t i = 0; i < flapping_.size(); ++i) {
    FIBTRIE_CHECK(table_->add(flapping_[i], 77) == status::ok);
    present_[i] = true;
  }
  for (std::size_t i = 0; i < addresses.size() && probes_.addresses.size() < count; ++i) {
    const lookup_result with = table_->lookup(addresses[i]);
    const auto match = table_->match(addresses[i]);
    // Equal results may come from different prefixes: a flapping one must not be the match.
    if (!without[i].found || with != without[i] || with.value == 77 || match.value != with.value) continue;
    probes_.addresses.push_back(addresses[i]);
    probes_.results.push_back(with.value);
    answers.insert(with.value);
  }
  probes_.distinct = answers.size();
}

void judged_table::churn(testing::random_source& random) {
  const std::size_t i = random.below(flapping_.size());
  if (present_[i] && random.one_in(2)) {
    FIBTRIE_CHECK(table_->remove(flapping_[i]) == status::ok);
    present_[i] = false;
    return;
  }
  FIBTRIE_CHECK(table_->replace(flapping_[i], random.below(1u << 20)) == status::ok);
  present_[i] = true;
}

std::string judged_table::finish() {
  FIBTRIE_CHECK(table_->flush() == status::ok);
  return table_->verify_invariants();
}

}  // namespace fibtrie::torture
