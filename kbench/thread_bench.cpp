// SPDX-License-Identifier: MIT
#include "kbench/thread_bench.hpp"

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "kbench/clock.hpp"
#include "kbench/machine.hpp"
#include "kbench/summary.hpp"
#include "trie/assert.hpp"

namespace fibtrie::kbench {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::size_t slice = 4096;  // lookups between two looks at the clock and the stop sign
constexpr std::size_t update_block = 1000;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

struct shared_state {
  const engine& rival;
  const address_set& set;
  lookup_mode mode;
  std::latch start;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> checksum{0};
};

struct reading {
  double lookups_per_s = 0;
  double longest_gap_us = 0;
};

reading read(shared_state& shared, std::size_t number, const thread_plan& plan) {
  pin_to_cpu(plan.cpus[(number + 1) % plan.cpus.size()]);
  const auto registration = shared.rival.enter_thread();
  const std::span<const key32> addresses(shared.set.addresses);
  std::size_t at = addresses.size() / plan.readers * number;  // each reader looks somewhere else
  std::uint64_t sum = 0, lookups = 0, longest = 0;
  shared.start.arrive_and_wait();
  const auto start = clock::now();
  std::uint64_t last = ticks();
  // relaxed: a sign to stop, nothing is ordered by it
  while (!shared.stop.load(std::memory_order_relaxed)) {
    const auto part = addresses.subspan(at, std::min(slice, addresses.size() - at));
    sum += shared.rival.run(shared.mode, part);
    lookups += part.size();
    at += part.size();
    if (at >= addresses.size()) at = 0;
    const std::uint64_t now = ticks();
    longest = std::max(longest, now - last);
    last = now;
  }
  shared.checksum.fetch_add(sum, std::memory_order_relaxed);  // relaxed: only keeps the answers alive
  return {static_cast<double>(lookups) / seconds_since(start), static_cast<double>(longest) / ticks_per_ns() / 1000};
}

// Applies updates until the time is over, at most `rate` a second; returns how many.
std::uint64_t write(engine& rival, std::span<const update> updates, std::size_t& at, clock::time_point start,
                    clock::time_point end, double rate) {
  std::uint64_t done = 0;
  update_counts counts;
  for (auto now = clock::now(); now < end; now = clock::now()) {
    const double due = rate * std::chrono::duration<double>(now - start).count() - static_cast<double>(done);
    if (due < 1) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      continue;
    }
    const std::size_t most = std::min(update_block, updates.size() - at);
    const auto block = updates.subspan(at, std::min(most, static_cast<std::size_t>(due)));
    rival.apply(block, counts);
    done += block.size();
    at += block.size();
    if (at == updates.size()) at = 0;
  }
  FIBTRIE_CHECK(counts.failed == 0);
  return done;
}

struct pass_figures {
  std::vector<reading> readers;
  double updates_per_s = 0;
};

pass_figures run_pass(engine& rival, const address_set& set, lookup_mode mode, const thread_plan& plan,
                      std::span<const update> updates, std::size_t& at, writer_pace pace) {
  pass_figures found;
  found.readers.resize(plan.readers);
  shared_state shared{rival, set, mode, std::latch(static_cast<std::ptrdiff_t>(plan.readers) + 1)};
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < plan.readers; ++i) {
    readers.emplace_back([&, i] { found.readers[i] = read(shared, i, plan); });
  }
  shared.start.arrive_and_wait();
  const auto start = clock::now();
  const auto time = plan.duration / plan.rounds;
  if (pace == writer_pace::idle) {
    std::this_thread::sleep_for(time);
  } else {
    const double rate = pace == writer_pace::busy ? 1e12 : static_cast<double>(plan.rate);
    const std::uint64_t done = write(rival, updates, at, start, start + time, rate);
    found.updates_per_s = static_cast<double>(done) / seconds_since(start);
  }
  shared.stop.store(true, std::memory_order_relaxed);  // relaxed: see read()
  for (std::thread& reader : readers) reader.join();
  return found;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return percentile(values, 50);
}

void fill_row(thread_row& row, const std::vector<pass_figures>& passes) {
  std::vector<double> values(passes.size());
  for (std::size_t reader = 0; reader < row.lookups_per_s.size(); ++reader) {
    for (std::size_t i = 0; i < passes.size(); ++i) values[i] = passes[i].readers[reader].lookups_per_s;
    row.lookups_per_s[reader] = median_of(values);
    for (const pass_figures& p : passes)
      row.longest_gap_us = std::max(row.longest_gap_us, p.readers[reader].longest_gap_us);
  }
  for (std::size_t i = 0; i < passes.size(); ++i) values[i] = passes[i].updates_per_s;
  row.updates_per_s = median_of(values);
}

}  // namespace

const char* to_text(writer_pace pace) noexcept {
  switch (pace) {
    case writer_pace::idle: return "idle";
    case writer_pace::paced: return "paced";
    case writer_pace::busy: return "busy";
  }
  return "?";
}

std::vector<thread_row> bench_threads(engine& rival, const address_set& set, lookup_mode mode, const thread_plan& plan,
                                      std::span<const update> updates) {
  FIBTRIE_CHECK(plan.readers > 0 && plan.rounds > 0 && !plan.cpus.empty() && !set.addresses.empty());
  FIBTRIE_CHECK(rival.reads_beside_writer());
  std::vector<thread_row> rows;
  for (const writer_pace pace : {writer_pace::idle, writer_pace::paced, writer_pace::busy}) {
    if (pace != writer_pace::idle && updates.empty()) break;
    rows.push_back({rival.name(), set.name, mode, pace, std::vector<double>(plan.readers), 0, 0});
  }
  std::vector<std::vector<pass_figures>> passes(rows.size());
  std::size_t at = 0;
  for (unsigned round = 0; round < plan.rounds; ++round) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      passes[i].push_back(run_pass(rival, set, mode, plan, updates, at, rows[i].writer));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) fill_row(rows[i], passes[i]);
  return rows;
}

}  // namespace fibtrie::kbench
