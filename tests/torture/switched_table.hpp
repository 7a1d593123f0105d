// SPDX-License-Identifier: MIT
// A whole table that is replaced by another one, and the old one destroyed.
//
// Thread safety: replace() by one thread, registered and outside a read section; is_right() by readers.
// Invariants: 1. All routes of a table have its generation as their result; generations grow.
// Source: how a router publishes a table that it has built anew.
#pragma once

#include <atomic>
#include <memory>

#include "fibtrie/fib.h"
#include "tests/support/seed.hpp"
#include "trie/assert.hpp"

namespace fibtrie::torture {

class switched_table {
 public:
  static constexpr unsigned routes = 64;

  explicit switched_table(const rcu::domain& domain) : domain_(domain) { shown_.store(make().release()); }
  ~switched_table() { delete shown_.load(); }
  switched_table(const switched_table&) = delete;
  switched_table& operator=(const switched_table&) = delete;

  void replace() {
    std::unique_ptr<fib> fresh = make();
    // acq_rel: publishes the table; the old one was made by the same thread
    std::unique_ptr<fib> old(shown_.exchange(fresh.release(), std::memory_order_acq_rel));
    domain_.synchronize();
  }
  bool is_right(testing::random_source& random, std::uint32_t& newest) const {
    const fib* const table = shown_.load(std::memory_order_acquire);  // acquire: its content
    std::uint32_t generation = 0;
    for (int i = 0; i < 8; ++i) {
      const lookup_result got = table->lookup(ipv4(10, static_cast<std::uint8_t>(random.below(routes)), 1, 1));
      if (!got.found || got.value < newest || (i > 0 && got.value != generation)) return false;
      generation = got.value;
    }
    newest = generation;
    return true;
  }

 private:
  std::unique_ptr<fib> make() {
    ++generation_;
    fib_options options;
    options.reserve_prefixes = 1 << 16;
    std::unique_ptr<fib> made;
    FIBTRIE_CHECK(fib::create(domain_, options, made) == status::ok);
    for (unsigned n = 0; n < routes; ++n) {
      FIBTRIE_CHECK(made->add({ipv4(10, static_cast<std::uint8_t>(n), 0, 0), 16}, generation_) == status::ok);
    }
    return made;
  }

  const rcu::domain& domain_;
  std::atomic<fib*> shown_{nullptr};
  std::uint32_t generation_ = 0;
};

}  // namespace fibtrie::torture
