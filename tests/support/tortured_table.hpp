// SPDX-License-Identifier: MIT
// A table under churn whose answers readers can judge, whatever the writer is at.
//
// Thread safety: churn() and finish() by one writer; the judgements by readers in a read section.
// Invariants: 1. Constant prefixes never change and nothing longer covers their probes.  2. The result of a flapping
//   prefix tells its number and a generation, which only grows; where it is absent a constant prefix answers.
// Source: docs/design.md, "Order of an update"; docs/guarantees.md, B to D.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "fibtrie/fib.h"
#include "tests/support/naive_table.hpp"
#include "tests/support/seed.hpp"
#include "trie/assert.hpp"

namespace fibtrie::testing {

inline constexpr std::uint32_t constant_result = 0x3fff0000;  // + number
inline constexpr unsigned constants = 256;
inline constexpr unsigned flapping = 48;

// 10.n.0.0/16 and 0/0 never change; everything else happens below 10.n.128.0/17 and among short prefixes.
constexpr prefix4 constant_route(unsigned n) { return {ipv4(10, static_cast<std::uint8_t>(n), 0, 0), 16}; }
constexpr key32 constant_address(unsigned n, std::uint64_t random) {
  return ipv4(10, static_cast<std::uint8_t>(n), 0, 0) | static_cast<key32>(random & 0x7fff);
}
// Of all lengths from /17 to /32, so that with the churn below they lie over and under tnodes.
constexpr prefix4 flapping_route(unsigned n) {
  return cut(ipv4(10, static_cast<std::uint8_t>(n), 0xff, 0xff), 17 + n % 16);
}
constexpr std::uint32_t flapping_result(unsigned n, std::uint32_t generation) { return n << 24 | generation; }

class tortured_table {
 public:
  explicit tortured_table(const rcu::domain& domain) {
    fib_options options;
    options.backlog_objects = 20000;
    options.backlog = on_backlog::wait;
    FIBTRIE_CHECK(fib::create(domain, options, table_) == status::ok);
    update(table_->add({0, 0}, constant_result + constants));
    for (unsigned n = 0; n < constants; ++n) update(table_->add(constant_route(n), constant_result + n));
  }

  // ---- the writer
  void churn(random_source& random) {
    switch (random.below(8)) {
      case 0: return flap_short(random);
      case 1: return flap_wide(random);
      case 2:
        if (random.one_in(16)) update(table_->compact(64));
        return;
      default: return flap(random);
    }
  }
  // Waits for readers; what is wrong with the table, or an empty text.
  std::string finish() {
    update(table_->flush());
    return table_->verify_invariants();
  }
  std::uint64_t updates() const noexcept { return updates_; }
  const fib& table() const noexcept { return *table_; }

  // ---- readers: what is wrong about the answers of one address; generations are the reader's memory
  using generations = std::array<std::uint32_t, flapping>;
  bool constant_is_right(random_source& random) const {
    const unsigned n = random.below(constants);
    const key32 address = constant_address(n, random());
    const lookup_result want{constant_result + n, true};
    if (random.one_in(4)) {
      const auto match = table_->match(address);
      return match.found && match.value == want.value && match.route == constant_route(n);
    }
    if (random.one_in(4)) return batch_is_right(address, want);
    return table_->lookup(address) == want;
  }
  bool flapping_is_right(random_source& random, generations& seen) const {
    const unsigned n = random.below(flapping);
    const prefix4 p = flapping_route(n);
    // One address of each: two addresses of a prefix may change their answers at different times.
    const lookup_result got = table_->lookup(p.key + (last_address(p) - p.key) / 256);
    const std::uint32_t newest = newest_[n].load(std::memory_order_acquire);  // acquire: not older than the answer
    if (got == lookup_result{constant_result + n, true}) return true;
    if (got.found && got.value >= churn_result) return p.plen < 32;  // a longer prefix of the churn
    const std::uint32_t generation = got.value & 0xffffff;
    const bool right = got.found && got.value >> 24 == n && generation >= seen[n] && generation <= newest;
    seen[n] = generation;
    return right;
  }

  // Walks from end to end, in pieces that in_section(piece) runs in a read section each: ascending, and nothing
  // missing.
  template <class InSection>
  bool walk_is_right(InSection&& in_section) const {
    walk_cursor cursor;
    unsigned lasting = 0;
    prefix4 last{};
    bool first = true;
    bool ascending = true;
    while (!cursor.done) {
      in_section([&] {
        unsigned left = 100;
        table_->walk(cursor, [&](const route4& r) {
          ascending = ascending && (first || walks_before(last, r.route));
          lasting += r.route.plen == 16 && r.result - constant_result < constants ? 1 : 0;
          last = r.route;
          first = false;
          return --left > 0;
        });
      });
    }
    return ascending && lasting == constants;
  }

 private:
  static constexpr std::uint32_t churn_result = 0xff000000;

  void update(status code) {
    FIBTRIE_CHECK(code == status::ok);
    ++updates_;
  }
  bool batch_is_right(key32 address, lookup_result want) const {
    std::array<key32, 33> addresses;
    addresses.fill(address);
    std::array<std::uint32_t, 33> results{};
    std::uint64_t found = 0;
    table_->lookup_batch(addresses.data(), addresses.size(), results.data(), &found);
    if (found != (std::uint64_t{1} << 33) - 1) return false;
    for (const std::uint32_t r : results) {
      if (r != want.value) return false;
    }
    return true;
  }

  void flap(random_source& random) {
    const unsigned n = random.below(flapping);
    if (present_[n] && random.one_in(2)) {
      present_[n] = false;
      return update(table_->remove(flapping_route(n)));
    }
    const std::uint32_t generation = newest_[n].load(std::memory_order_relaxed) + 1;  // relaxed: own store
    newest_[n].store(generation, std::memory_order_release);  // release: before the answer can be seen
    present_[n] = true;
    update(table_->replace(flapping_route(n), flapping_result(n, generation)));
  }
  // Blocks of host routes and /24s beside the flapping ones, filled and drained: inflates, halves, covers.
  void flap_wide(random_source& random) {
    const key32 base = ipv4(10, static_cast<std::uint8_t>(random.below(constants)), 0x80, 0);
    const bool fill = random.one_in(2);
    const unsigned count = 8 + random.below(24);
    for (unsigned i = 0; i < count; ++i) {
      const prefix4 p = random.one_in(2) ? prefix4{base | i << 8, 24} : prefix4{base | i, 32};
      const status code = fill ? table_->replace(p, churn_result + i) : table_->remove(p);
      if (code != status::not_found) update(code);
    }
  }
  // Prefixes that live in the top array, shorter than all constants' but 0/0.
  void flap_short(random_source& random) {
    const prefix4 p = cut(static_cast<key32>(random()), 1 + random.below(12));
    const status code = random.one_in(2) ? table_->replace(p, churn_result) : table_->remove(p);
    if (code != status::not_found) update(code);
  }

  std::unique_ptr<fib> table_;
  std::array<std::atomic<std::uint32_t>, flapping> newest_{};
  std::array<bool, flapping> present_{};
  std::uint64_t updates_ = 0;
};

}  // namespace fibtrie::testing
