// SPDX-License-Identifier: MIT
#include "kbench/thread_bench.hpp"

#include <atomic>
#include <latch>
#include <thread>

#include "kbench/machine.hpp"
#include "trie/assert.hpp"

namespace fibtrie::kbench {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::size_t slice = std::size_t{1} << 16;  // lookups between two looks at the stop sign
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

void read(shared_state& shared, std::size_t number, const thread_plan& plan, double& lookups_per_s) {
  pin_to_cpu(plan.cpus[(number + 1) % plan.cpus.size()]);
  const auto registration = shared.rival.enter_thread();
  const std::span<const key32> addresses(shared.set.addresses);
  std::size_t at = addresses.size() / plan.readers * number;  // each reader looks somewhere else
  std::uint64_t sum = 0, lookups = 0;
  shared.start.arrive_and_wait();
  const auto start = clock::now();
  // relaxed: a sign to stop, nothing is ordered by it
  while (!shared.stop.load(std::memory_order_relaxed)) {
    const auto part = addresses.subspan(at, std::min(slice, addresses.size() - at));
    sum += shared.rival.run(shared.mode, part);
    lookups += part.size();
    at += part.size();
    if (at >= addresses.size()) at = 0;
  }
  lookups_per_s = static_cast<double>(lookups) / seconds_since(start);
  shared.checksum.fetch_add(sum, std::memory_order_relaxed);  // relaxed: only keeps the answers alive
}

// Applies updates until the time is over; returns how many.
std::uint64_t write(engine& rival, std::span<const update> updates, clock::time_point end) {
  std::uint64_t done = 0;
  update_counts counts;
  for (std::size_t at = 0; clock::now() < end;) {
    const auto block = updates.subspan(at, std::min(update_block, updates.size() - at));
    rival.apply(block, counts);
    done += block.size();
    at += block.size();
    if (at == updates.size()) at = 0;
  }
  FIBTRIE_CHECK(counts.failed == 0);
  return done;
}

thread_row run(engine& rival, const address_set& set, lookup_mode mode, const thread_plan& plan,
               std::span<const update> updates) {
  thread_row row{rival.name(), set.name, mode, !updates.empty(), std::vector<double>(plan.readers), 0};
  shared_state shared{rival, set, mode, std::latch(static_cast<std::ptrdiff_t>(plan.readers) + 1)};
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < plan.readers; ++i) {
    readers.emplace_back([&, i] { read(shared, i, plan, row.lookups_per_s[i]); });
  }
  shared.start.arrive_and_wait();
  const auto start = clock::now();
  if (updates.empty()) {
    std::this_thread::sleep_for(plan.duration);
  } else {
    const std::uint64_t done = write(rival, updates, start + plan.duration);
    row.updates_per_s = static_cast<double>(done) / seconds_since(start);
  }
  shared.stop.store(true, std::memory_order_relaxed);  // relaxed: see read()
  for (std::thread& reader : readers) reader.join();
  return row;
}

}  // namespace

std::vector<thread_row> bench_threads(engine& rival, const address_set& set, lookup_mode mode, const thread_plan& plan,
                                      std::span<const update> updates) {
  FIBTRIE_CHECK(plan.readers > 0 && !plan.cpus.empty() && !set.addresses.empty() && rival.reads_beside_writer());
  std::vector<thread_row> rows{run(rival, set, mode, plan, {})};
  if (!updates.empty()) rows.push_back(run(rival, set, mode, plan, updates));
  return rows;
}

}  // namespace fibtrie::kbench
