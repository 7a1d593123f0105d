// SPDX-License-Identifier: MIT
#include "kbench/replay.hpp"

#include <fmt/format.h>

#include "kbench/clock.hpp"
#include "kbench/machine.hpp"

namespace fibtrie::kbench {
namespace {

constexpr std::size_t block_size = 10'000;

std::string describe(const update_counts& c) {
  return fmt::format("{} replaced, {} added, {} removed, {} missing, {} failed, size {:+} to {:+}", c.replaced, c.added,
                     c.removed, c.missing, c.failed, c.lowest, c.highest);
}

bool check_end(const engine& rival, const update_counts& counts, const prepared_stream& stream, std::string& error) {
  if (counts != stream.expected) {
    error = fmt::format("{}: replay: {}; expected: {}", rival.name(), describe(counts), describe(stream.expected));
    return false;
  }
  if (rival.size() != stream.end_size()) {
    error = fmt::format("{}: replay: {} routes at the end, expected {}", rival.name(), rival.size(), stream.end_size());
    return false;
  }
  if (check_routes(rival.routes(), stream.end_table, error)) return true;
  error = fmt::format("{}: replay: {}", rival.name(), error);
  return false;
}

std::size_t growth(std::size_t before) {
  const std::size_t now = resident_bytes();
  return now > before ? now - before : 0;
}

}  // namespace

bool race_replay(std::span<engine* const> engines, const std::string& baseline, const prepared_stream& stream,
                 const step_function& step, std::vector<replay_row>& rows, std::string& error) {
  step(fmt::format("replay of {} updates", stream.updates.size()));
  std::vector<update_counts> counts(engines.size());
  std::vector<double> cpu_ns(engines.size()), wall_ns(engines.size());
  const std::span<const update> all(stream.updates);
  for (std::size_t at = 0; at < all.size(); at += block_size) {
    const auto block = all.subspan(at, std::min(block_size, all.size() - at));
    for (std::size_t i = 0; i < engines.size(); ++i) {
      const double start_ns = process_cpu_ns();
      const std::uint64_t start = ticks();
      engines[i]->apply(block, counts[i]);
      wall_ns[i] += static_cast<double>(ticks() - start) / ticks_per_ns();
      cpu_ns[i] += process_cpu_ns() - start_ns;
    }
  }
  step("replay: checking the end tables");
  const auto updates = static_cast<double>(std::max<std::size_t>(all.size(), 1));
  double baseline_ns = 0;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (!check_end(*engines[i], counts[i], stream, error)) return false;
    rows.push_back({engines[i]->name(), all.size(), cpu_ns[i] / updates, wall_ns[i] / updates, 0});
    if (engines[i]->name() == baseline) baseline_ns = rows.back().cpu_ns;
  }
  for (replay_row& row : rows) row.ratio = row.cpu_ns > 0 ? baseline_ns / row.cpu_ns : 0;
  return true;
}

bool measure_memory(const engine_maker& make, std::span<const io::table_route> routes, const prepared_stream& stream,
                    memory_figures& figures, std::string& error) {
  trim_heap();
  const std::size_t before = resident_bytes();
  const auto table = make(error);
  if (table == nullptr) return false;
  figures.load = table->load(routes);
  if (figures.load.failed != 0) {
    error = fmt::format("{}: {} of {} routes could not be added", table->name(), figures.load.failed, routes.size());
    return false;
  }
  table->settle();
  figures.loaded_prefixes = table->size();
  figures.loaded_bytes = growth(before);
  const double start_ns = process_cpu_ns();
  if (table->compact()) figures.compact_ns = process_cpu_ns() - start_ns;
  table->settle();
  figures.compacted_bytes = growth(before);
  update_counts counts;
  table->apply(stream.updates, counts);
  table->settle();
  figures.replayed_bytes = growth(before);
  figures.huge_bytes = huge_page_bytes();
  figures.end_prefixes = table->size();
  table->memory(figures.kinds);
  return check_end(*table, counts, stream, error);
}

}  // namespace fibtrie::kbench
