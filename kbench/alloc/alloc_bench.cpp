// SPDX-License-Identifier: MIT
#include "kbench/alloc/alloc_bench.hpp"

#include <algorithm>
#include <barrier>
#include <thread>

#include "kbench/clock.hpp"
#include "kbench/machine.hpp"
#include "kbench/summary.hpp"

namespace fibtrie::kbench {
namespace {

// Threads with a lane each, which run passes together.
class crew {
 public:
  crew(allocator& rival, unsigned threads, const std::vector<int>& cpus)
      : ready_(threads + 1), start_(threads + 1), done_(threads + 1), figures_(threads) {
    for (unsigned i = 0; i < threads; ++i) {
      members_.emplace_back([this, &rival, i, cpu = cpus.empty() ? -1 : cpus[i % cpus.size()]] {
        if (cpu >= 0) pin_to_cpu(cpu);
        work(rival, i);
      });
    }
    ready_.arrive_and_wait();
  }
  ~crew() {
    batch_ = 0;
    start_.arrive_and_wait();
    for (std::thread& member : members_) member.join();
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  // Cycles of one pair, the mean of the threads; negative: an allocation failed.
  double pass(unsigned batch, std::uint64_t repeats) {
    batch_ = batch;
    repeats_ = repeats;
    start_.arrive_and_wait();
    done_.arrive_and_wait();
    double sum = 0;
    for (const double cycles : figures_) {
      if (cycles < 0) return -1;
      sum += cycles;
    }
    return sum / static_cast<double>(figures_.size());
  }

 private:
  void work(allocator& rival, unsigned number) {
    const auto lane = rival.make_lane();
    ready_.arrive_and_wait();
    for (;;) {
      start_.arrive_and_wait();
      if (batch_ == 0) return;
      const std::uint64_t from = ticks_fenced();
      const bool good = lane != nullptr && lane->pairs(batch_, repeats_);
      const std::uint64_t to = ticks_fenced();
      figures_[number] = good ? static_cast<double>(to - from) / static_cast<double>(repeats_ * batch_) : -1;
      done_.arrive_and_wait();
    }
  }

  std::barrier<> ready_, start_, done_;  // what they order: batch_, repeats_ and figures_
  unsigned batch_ = 0;
  std::uint64_t repeats_ = 0;
  std::vector<double> figures_;
  std::vector<std::thread> members_;
};

bool objects_are_apart(allocator& rival, std::size_t object_bytes) {
  const auto lane = rival.make_lane();
  if (lane == nullptr) return false;
  std::vector<void*> places = lane->sample(max_batch);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) {
    const auto gap = static_cast<const std::byte*>(places[i]) - static_cast<const std::byte*>(places[i - 1]);
    if (static_cast<std::size_t>(gap) < object_bytes) return false;
  }
  return places.size() == max_batch;
}

}  // namespace

double alloc_row::median() const {
  std::vector<double> sorted = cycles;
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : percentile(sorted, 50);
}
double alloc_row::best() const { return cycles.empty() ? 0 : *std::min_element(cycles.begin(), cycles.end()); }

std::vector<alloc_row> bench_alloc(std::span<const std::unique_ptr<allocator>> rivals, const alloc_plan& plan,
                                   std::size_t object_bytes, std::string& error) {
  std::vector<alloc_row> rows;
  for (const unsigned threads : plan.threads) {
    std::vector<std::unique_ptr<crew>> crews;
    for (const auto& rival : rivals) crews.push_back(std::make_unique<crew>(*rival, threads, plan.cpus));
    for (const unsigned batch : plan.batches) {
      const std::size_t first = rows.size();
      std::vector<std::uint64_t> repeats;
      for (std::size_t i = 0; i < rivals.size(); ++i) {
        rows.push_back({rivals[i]->name(), batch, threads, {}});
        // Warm-up; it also tells how often a pass is to go round.
        constexpr std::uint64_t trial = 2000;
        const double cycles = crews[i]->pass(batch, trial);
        if (cycles < 0) {
          error = rivals[i]->name() + ": an allocation failed";
          return {};
        }
        const double pass_cycles = plan.pass_ms * 1e6 * ticks_per_ns();
        repeats.push_back(std::max<std::uint64_t>(static_cast<std::uint64_t>(pass_cycles / (cycles * batch)), 100));
      }
      for (unsigned round = 0; round < plan.rounds; ++round) {
        for (std::size_t i = 0; i < rivals.size(); ++i) {
          rows[first + i].cycles.push_back(crews[i]->pass(batch, repeats[i]));
          if (rows[first + i].cycles.back() < 0) error = rivals[i]->name() + ": an allocation failed";
        }
      }
    }
  }
  for (const auto& rival : rivals) {
    if (!objects_are_apart(*rival, object_bytes)) error = rival->name() + ": objects overlap";
    if (rival->lost() != 0) error = rival->name() + ": objects were lost";
  }
  return rows;
}

}  // namespace fibtrie::kbench
