// SPDX-License-Identifier: MIT
#include "kbench/goals.hpp"

#include <algorithm>

namespace fibtrie::kbench {
namespace {

constexpr std::size_t full_table_size = 900'000;

const lookup_row* find_row(const findings& found, const std::string& pattern, lookup_mode mode) {
  const auto row = std::find_if(found.lookups.begin(), found.lookups.end(), [&](const lookup_row& r) {
    return r.engine == subject_name && r.pattern == pattern && r.mode == mode;
  });
  return row == found.lookups.end() ? nullptr : &*row;
}

void judge_ratios(const findings& found, std::vector<goal>& goals) {
  struct wish {
    const char* pattern;
    lookup_mode mode;
    double ratio;
  };
  static constexpr wish wishes[] = {{"cov", lookup_mode::scalar, 10},
                                    {"uni", lookup_mode::scalar, 10},
                                    {"zipf", lookup_mode::scalar, 6},
                                    {"cov", lookup_mode::batch256, 18}};
  for (const wish& w : wishes) {
    const lookup_row* row = find_row(found, w.pattern, w.mode);
    if (row != nullptr && row->ratio > 0) {
      goals.push_back({row->name() + ", speed", row->ratio, true, w.ratio, "x kernel-walk"});
    }
  }
  const lookup_row* dependent = find_row(found, "cov", lookup_mode::dependent);
  if (dependent != nullptr && dependent->ratio > 0) {
    goals.push_back({dependent->name() + ", time", 1 / dependent->ratio, false, 0.25, "x kernel-walk"});
  }
}

void judge_batches(const findings& found, std::vector<goal>& goals) {
  for (const address_set& set : found.sets) {
    const lookup_row* batch = find_row(found, set.name, lookup_mode::batch32);
    const lookup_row* scalar = find_row(found, set.name, lookup_mode::scalar);
    if (batch == nullptr || scalar == nullptr) continue;
    goals.push_back({batch->name() + ", speed", scalar->median_ns() / batch->median_ns(), true, 1, "x own scalar"});
  }
}

void judge_updates(const findings& found, std::vector<goal>& goals) {
  for (const update_row& row : found.updates) {
    if (row.engine == subject_name && row.operation == "flap" && row.ratio > 0) {
      goals.push_back({"flap of random routes, time", row.ratio, false, 1, "x kernel-walk"});
    }
  }
  for (const replay_row& row : found.replays) {
    if (row.engine == subject_name && row.ratio > 0) {
      goals.push_back({"replay, rate", row.ratio, true, 0.8, "x kernel-walk"});
    }
  }
  for (const worst_row& row : found.worst) {
    if (row.engine != subject_name) continue;
    goals.push_back({"flap of " + row.what + ", median", row.ns.p50 / 1000, false, 50, "us"});
  }
}

// Both rows of one mode, one after the other.
void judge_readers(const findings& found, std::vector<goal>& goals) {
  for (std::size_t i = 0; i + 1 < found.threads.size(); ++i) {
    const thread_row& idle = found.threads[i];
    const thread_row& paced = found.threads[i + 1];
    if (idle.writer != writer_pace::idle || paced.writer != writer_pace::paced || idle.total() <= 0) continue;
    goals.push_back({"readers beside a paced writer, " + std::string(to_text(idle.mode)),
                     100 * (1 - paced.total() / idle.total()), false, 15, "% slower"});
  }
}

}  // namespace

bool is_full_table(const findings& found) noexcept { return found.table_size >= full_table_size; }

std::vector<goal> judge_goals(const findings& found) {
  std::vector<goal> goals;
  judge_ratios(found, goals);
  judge_batches(found, goals);
  judge_updates(found, goals);
  judge_readers(found, goals);
  if (found.memory) {
    goals.push_back({"memory after the replay", found.memory->bytes_per_prefix(), false, 60, "bytes per prefix"});
  }
  return goals;
}

}  // namespace fibtrie::kbench
