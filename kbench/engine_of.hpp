// SPDX-License-Identifier: MIT
// The benchmark's loops, compiled once for each table type, so that every lookup is inlined.
//
// Thread safety: as engine.hpp.
// Invariants: 1. A loop that is timed and the one whose answers are compared are one template.
//   2. In mode `dependent` an address needs the answer before it: by a mask that is zero, which the compiler cannot
//   know.
// Source: docs/design.md, "Measuring".
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "kbench/clock.hpp"
#include "kbench/engine.hpp"
#include "trie/assert.hpp"

namespace fibtrie::kbench {

// Zero.  volatile: read at run time, so that no compiler may count on it.
inline volatile key32 zero_mask = 0;

// Consumes answers: every one goes into the sum.
struct summing_sink {
  std::uint64_t sum = 0;
  void take(lookup_result answer) noexcept { sum += std::uint64_t{answer.value} + answer.found; }
  void take(const std::uint32_t* results, const std::uint64_t* found, std::size_t count) noexcept {
    std::uint64_t part = 0;
    for (std::size_t i = 0; i < count; ++i) part += results[i];
    for (std::size_t i = 0; i < (count + 63) / 64; ++i) part += static_cast<unsigned>(std::popcount(found[i]));
    sum += part;
  }
};

// Keeps answers.
struct storing_sink {
  std::vector<lookup_result>& answers;
  void take(lookup_result answer) { answers.push_back(answer); }
  void take(const std::uint32_t* results, const std::uint64_t* found, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) answers.push_back({results[i], (found[i / 64] >> (i % 64) & 1) != 0});
  }
};

// What the lookups of one read section go through: the library's view, where a table has one.
template <class Table>
decltype(auto) lookups_of(const Table& table) {
  if constexpr (requires { table.view(); }) {
    return table.view();
  } else {
    return (table);
  }
}

template <class Table, class Sink>
void look_up_scalar(const Table& table, std::span<const key32> addresses, Sink& sink) {
  const auto& lookups = lookups_of(table);
  for (const key32 address : addresses) sink.take(lookups.lookup(address));
}

template <class Table, class Sink>
void look_up_dependent(const Table& table, std::span<const key32> addresses, Sink& sink) {
  const auto& lookups = lookups_of(table);
  const key32 mask = zero_mask;
  key32 previous = 0;
  for (const key32 address : addresses) {
    const lookup_result answer = lookups.lookup(address ^ (previous & mask));
    previous = answer.value + answer.found;
    sink.take(answer);
  }
}

template <std::size_t Batch, class Table, class Sink>
void look_up_batches(const Table& table, std::span<const key32> addresses, Sink& sink) {
  std::array<std::uint32_t, Batch> results;
  std::array<std::uint64_t, (Batch + 63) / 64> found;
  for (std::size_t at = 0; at < addresses.size(); at += Batch) {
    const std::size_t count = std::min(Batch, addresses.size() - at);
    table.lookup_batch(&addresses[at], count, results.data(), found.data());
    sink.take(results.data(), found.data(), count);
  }
}

// Table: lookup(address); lookup_batch where Rival::has_batches; add, replace(route, result, &existed), remove, size.
// Rival: name, rcu (a flavour, or no_rcu), table_type, has_batches, reads_beside_writer.
template <class Rival>
class engine_of : public engine {
 public:
  using table_type = typename Rival::table_type;
  using rcu = typename Rival::rcu;

  std::string name() const override { return Rival::name; }
  bool reads_beside_writer() const noexcept override { return Rival::reads_beside_writer; }
  bool has_mode(lookup_mode mode) const noexcept override {
    return Rival::has_batches || mode == lookup_mode::scalar || mode == lookup_mode::dependent;
  }
  std::unique_ptr<thread_scope> enter_thread() const override { return std::make_unique<registered>(); }

  std::uint64_t run(lookup_mode mode, std::span<const key32> addresses) const override {
    summing_sink sink;
    look_up(mode, addresses, sink);
    return sink.sum;
  }

  void answer(lookup_mode mode, std::span<const key32> addresses, std::vector<lookup_result>& answers) const override {
    answers.clear();
    answers.reserve(addresses.size());
    storing_sink sink{answers};
    look_up(mode, addresses, sink);
  }

  std::uint64_t time_each(std::span<const key32> addresses, std::vector<std::uint64_t>& ticks) const override {
    ticks.clear();
    ticks.reserve(addresses.size());
    summing_sink sink;
    sections(addresses, [&](auto chunk) {
      for (const key32 address : chunk) {
        const std::uint64_t start = ticks_fenced();
        sink.take(table().lookup(address));
        ticks.push_back(ticks_fenced() - start);
      }
    });
    return sink.sum;
  }

  load_figures load(std::span<const io::table_route> routes) override {
    load_figures figures;
    const double start_ns = process_cpu_ns();
    std::uint64_t longest = 0, before = ticks();
    for (std::size_t i = 0; i < routes.size(); ++i) {
      figures.failed += table().add(routes[i].route, routes[i].result) != status::ok;
      const std::uint64_t now = ticks();
      if (now - before > longest) longest = now - before, figures.longest_index = i;
      before = now;
      rcu::quiescent_state();
    }
    figures.cpu_ns = process_cpu_ns() - start_ns;
    figures.longest_ns = static_cast<double>(longest) / ticks_per_ns();
    return figures;
  }

  void apply(std::span<const update> updates, update_counts& counts) override {
    for (const update& u : updates) {
      apply_one(u, counts);
      counts.note_size();
      rcu::quiescent_state();
    }
  }

  void apply_timed(std::span<const update> updates, update_counts& counts, std::vector<std::uint64_t>& ticks) override {
    for (const update& u : updates) {
      const std::uint64_t start = ticks_fenced();
      apply_one(u, counts);
      ticks.push_back(ticks_fenced() - start);
      counts.note_size();
      rcu::quiescent_state();
    }
  }

  std::size_t size() const override { return table().size(); }
  trie_stats stats() const override { return table().stats(); }

  std::vector<io::table_route> routes() const override {
    struct collector final : shape_visitor4 {
      std::vector<io::table_route> found;
      void tnode(unsigned, prefix4, unsigned, std::uint32_t, std::uint32_t) override {}
      void leaf(unsigned, key32) override {}
      void route(unsigned, prefix4 route, std::uint32_t result) override { found.push_back({route, result}); }
    } all;
    all.found.reserve(size());
    const typename rcu::section section;
    table().visit_shape(all);
    return std::move(all.found);
  }

 protected:
  virtual table_type& table() noexcept = 0;
  virtual const table_type& table() const noexcept = 0;

 private:
  struct registered final : thread_scope {
    typename rcu::registration registration;
  };

  // Runs body for each part of the addresses, in a read section of its own.
  template <class Body>
  static void sections(std::span<const key32> addresses, Body body) {
    while (!addresses.empty()) {
      const std::size_t count = std::min(lookups_per_section, addresses.size());
      {
        const typename rcu::section section;
        body(addresses.first(count));
      }
      rcu::quiescent_state();
      addresses = addresses.subspan(count);
    }
  }

  template <class Sink>
  void look_up(lookup_mode mode, std::span<const key32> addresses, Sink& sink) const {
    const table_type& t = table();
    if constexpr (Rival::has_batches) {
      if (mode == lookup_mode::batch32) {
        return sections(addresses, [&](auto chunk) { look_up_batches<32>(t, chunk, sink); });
      }
      if (mode == lookup_mode::batch256) {
        return sections(addresses, [&](auto chunk) { look_up_batches<256>(t, chunk, sink); });
      }
    }
    if (mode == lookup_mode::dependent) {
      return sections(addresses, [&](auto chunk) { look_up_dependent(t, chunk, sink); });
    }
    sections(addresses, [&](auto chunk) { look_up_scalar(t, chunk, sink); });
  }

  void apply_one(const update& u, update_counts& counts) {
    switch (u.kind) {
      case update_kind::add: return add(u, counts);
      case update_kind::remove: return remove(u, counts);
      case update_kind::replace: return replace(u, counts);
      case update_kind::flap: return remove(u, counts), add(u, counts);
      case update_kind::pulse: return add(u, counts), remove(u, counts);
    }
  }
  void add(const update& u, update_counts& counts) {
    ++(table().add(u.route, u.result) == status::ok ? counts.added : counts.failed);
  }
  void remove(const update& u, update_counts& counts) {
    const status code = table().remove(u.route);
    ++(code == status::ok ? counts.removed : code == status::not_found ? counts.missing : counts.failed);
  }
  void replace(const update& u, update_counts& counts) {
    bool existed = false;
    const status code = table().replace(u.route, u.result, &existed);
    ++(code != status::ok ? counts.failed : existed ? counts.replaced : counts.added);
  }
};

}  // namespace fibtrie::kbench
