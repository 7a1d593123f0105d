// SPDX-License-Identifier: MIT
#include "kbench/lookup_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "kbench/clock.hpp"
#include "kbench/text.hpp"

namespace fibtrie::kbench {
namespace {

double median(std::span<const pass_time> passes, double pass_time::*field) {
  std::vector<double> values;
  for (const pass_time& pass : passes) values.push_back(pass.*field);
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : percentile(values, 50);
}

// The answers' checksum goes here, so that no pass can be left out.
volatile std::uint64_t consumed;

pass_time time_pass(const engine& rival, lookup_mode mode, std::span<const key32> addresses) {
  consumed = rival.run(mode, addresses.first(addresses.size() / 4));
  const double cpu_ns = thread_cpu_ns();
  const std::uint64_t start = ticks();
  consumed = rival.run(mode, addresses);
  const std::uint64_t stop = ticks();
  const auto count = static_cast<double>(addresses.size());
  return {(thread_cpu_ns() - cpu_ns) / count, static_cast<double>(stop - start) / ticks_per_ns() / count};
}

std::string describe(lookup_result answer) { return answer.found ? fmt::format("{}", answer.value) : "no route"; }

// The mode whose loop really runs.
lookup_mode loop_of(const engine& rival, lookup_mode mode) { return rival.has_mode(mode) ? mode : lookup_mode::scalar; }

// One row for each loop that must run: a mode without a loop of its own shares the scalar one's.
std::vector<lookup_row> plan_loops(std::span<const engine* const> engines, std::span<const lookup_mode> modes,
                                   const address_set& set, std::vector<const engine*>& runners) {
  std::vector<lookup_row> loops;
  for (const lookup_mode mode : modes) {
    for (const engine* rival : engines) {
      const lookup_mode loop = loop_of(*rival, mode);
      const bool planned = std::any_of(loops.begin(), loops.end(), [&](const lookup_row& row) {
        return row.engine == rival->name() && row.mode == loop;
      });
      if (planned) continue;
      loops.push_back({rival->name(), set.name, loop, false, set.addresses.size(), {}, 0});
      runners.push_back(rival);
    }
  }
  return loops;
}

}  // namespace

double lookup_row::median_ns() const { return median(passes, &pass_time::cpu_ns); }
double lookup_row::median_wall_ns() const { return median(passes, &pass_time::wall_ns); }
double lookup_row::best_ns() const {
  const auto less = [](const pass_time& a, const pass_time& b) { return a.cpu_ns < b.cpu_ns; };
  const auto best = std::min_element(passes.begin(), passes.end(), less);
  return best == passes.end() ? 0 : best->cpu_ns;
}

bool compare_answers(const engine& judge, std::span<const engine* const> engines, std::span<const lookup_mode> modes,
                     address_set& set, std::string& error) {
  std::vector<lookup_result> expected, answers;
  judge.answer(lookup_mode::scalar, set.addresses, expected);
  const auto hits = std::count_if(expected.begin(), expected.end(), [](lookup_result r) { return r.found; });
  set.hit_rate = expected.empty() ? 0 : static_cast<double>(hits) / static_cast<double>(expected.size());
  for (const engine* rival : engines) {
    for (const lookup_mode mode : modes) {
      if (!rival->has_mode(mode)) continue;
      rival->answer(mode, set.addresses, answers);
      const auto [want, got] = std::mismatch(expected.begin(), expected.end(), answers.begin(), answers.end());
      if (want == expected.end() && got == answers.end()) continue;
      const auto at = static_cast<std::size_t>(want - expected.begin());
      error = fmt::format("{}/{}/{}: address {} (number {}): got {}, {} says {}", rival->name(), set.name,
                          to_text(mode), at < set.addresses.size() ? to_text(set.addresses[at]) : "?", at,
                          got == answers.end() ? "nothing" : describe(*got), judge.name(),
                          want == expected.end() ? "nothing" : describe(*want));
      return false;
    }
  }
  return true;
}

std::vector<lookup_row> race(std::span<const engine* const> engines, const std::string& baseline,
                             std::span<const lookup_mode> modes, const address_set& set, unsigned rounds,
                             const step_function& step) {
  std::vector<const engine*> runners;
  std::vector<lookup_row> loops = plan_loops(engines, modes, set, runners);
  for (unsigned round = 0; round < rounds; ++round) {
    step(fmt::format("lookups, {}: round {} of {}", set.name, round + 1, rounds));
    for (std::size_t i = 0; i < loops.size(); ++i) {
      loops[i].passes.push_back(time_pass(*runners[i], loops[i].mode, set.addresses));
    }
  }

  const auto find_loop = [&](const std::string& name, lookup_mode mode) {
    return std::find_if(loops.begin(), loops.end(),
                        [&](const lookup_row& row) { return row.engine == name && row.mode == mode; });
  };
  std::vector<lookup_row> rows;
  for (const lookup_mode mode : modes) {
    double baseline_ns = 0;
    for (const engine* rival : engines) {
      const lookup_mode loop = loop_of(*rival, mode);
      lookup_row row = *find_loop(rival->name(), loop);
      row.mode = mode;
      row.is_scalar_loop = loop != mode;
      if (rival->name() == baseline) baseline_ns = row.median_ns();
      rows.push_back(std::move(row));
    }
    for (auto row = rows.end() - static_cast<std::ptrdiff_t>(engines.size()); row != rows.end(); ++row) {
      if (row->median_ns() > 0) row->ratio = baseline_ns / row->median_ns();
    }
  }
  return rows;
}

single_row time_singly(const engine& rival, const std::string& pattern, std::span<const key32> warm_up,
                       std::span<const key32> addresses) {
  consumed = rival.run(lookup_mode::scalar, warm_up);
  std::vector<std::uint64_t> ticks;
  consumed = rival.time_each(addresses, ticks);
  return {rival.name(), pattern, warm_up.size(), summarise(ticks, 1)};
}

std::vector<key32> linear_scan(std::size_t count) {
  std::vector<key32> addresses;
  const std::uint64_t end = std::uint64_t{224} << 24;
  for (std::size_t i = 0; i < count; ++i) {
    const auto address = static_cast<key32>(end * i / count);
    if (address >> 24 != 127) addresses.push_back(address);
  }
  return addresses;
}

}  // namespace fibtrie::kbench
