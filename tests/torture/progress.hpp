// SPDX-License-Identifier: MIT
// What each thread of a torture run has done, and whether it still gets on.
//
// Thread safety: a member is written by its thread and read by the watchdog.
// Invariants: 1. step() is called at least every few milliseconds by a thread that gets on.
// Source: rcutorture's forward-progress test.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

namespace fibtrie::torture {

class member {
 public:
  using clock = std::chrono::steady_clock;

  explicit member(std::string kind) : kind_(std::move(kind)) {}

  // `count` more things were done.  Sleeps of its own are to be told by rested(), or count as a gap.
  void step(std::uint64_t count) noexcept {
    const auto now = clock::now();
    if (now - last_ > longest_gap_) longest_gap_ = now - last_;
    last_ = now;
    done_.fetch_add(count, std::memory_order_relaxed);  // relaxed (all): figures
  }
  void rested() noexcept { last_ = clock::now(); }
  void wrong(std::uint64_t count) noexcept { wrong_.fetch_add(count, std::memory_order_relaxed); }

  const std::string& kind() const noexcept { return kind_; }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  std::uint64_t mistakes() const noexcept { return wrong_.load(std::memory_order_relaxed); }
  // After the thread has ended.
  double longest_gap_ms() const noexcept { return std::chrono::duration<double, std::milli>(longest_gap_).count(); }

 private:
  std::string kind_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> wrong_{0};
  clock::time_point last_ = clock::now();
  clock::duration longest_gap_{0};
};

// The threads of a run.
class roll {
 public:
  member& enter(std::string kind) {
    const std::lock_guard guard(lock_);
    return members_.emplace_back(std::move(kind));
  }
  const std::deque<member>& members() const noexcept { return members_; }

 private:
  std::mutex lock_;
  std::deque<member> members_;
};

}  // namespace fibtrie::torture
