// SPDX-License-Identifier: MIT
#include "kbench/update_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kbench/clock.hpp"
#include "kbench/random.hpp"
#include "kbench/text.hpp"

namespace fibtrie::kbench {
namespace {

constexpr std::size_t block_size = 1000;
constexpr unsigned longest_worst_plen = 19;
constexpr std::size_t suspects = 40;  // measured again, as one long flap may be somebody else's doing
constexpr std::size_t repetitions = 51;

bool report_failure(const engine& rival, const std::string& what, const update_counts& counts, std::string& error) {
  if (counts.failed == 0 && counts.missing == 0) return false;
  error = fmt::format("{}: {}: {} updates failed, {} prefixes were missing", rival.name(), what, counts.failed,
                      counts.missing);
  return true;
}

// Applies the updates to all rivals, block by block; one row for each.
bool time_operation(std::span<engine* const> engines, const std::string& baseline, const std::string& operation,
                    std::span<const update> updates, std::vector<update_row>& rows, std::string& error) {
  std::vector<std::vector<std::uint64_t>> ticks(engines.size());
  std::vector<update_counts> counts(engines.size());
  std::vector<double> cpu_ns(engines.size());
  for (auto& t : ticks) t.reserve(updates.size());
  for (std::size_t at = 0; at < updates.size(); at += block_size) {
    const auto block = updates.subspan(at, std::min(block_size, updates.size() - at));
    for (std::size_t i = 0; i < engines.size(); ++i) {
      const double start_ns = process_cpu_ns();
      engines[i]->apply_timed(block, counts[i], ticks[i]);
      cpu_ns[i] += process_cpu_ns() - start_ns;
    }
  }
  double baseline_ns = 0;
  const std::size_t first = rows.size();
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (report_failure(*engines[i], operation, counts[i], error)) return false;
    const double mean_ns = cpu_ns[i] / static_cast<double>(std::max<std::size_t>(updates.size(), 1));
    if (engines[i]->name() == baseline) baseline_ns = mean_ns;
    rows.push_back({engines[i]->name(), operation, mean_ns, summarise(ticks[i], 1 / ticks_per_ns()), 0});
  }
  for (std::size_t i = first; i < rows.size() && baseline_ns > 0; ++i) rows[i].ratio = rows[i].cpu_ns / baseline_ns;
  return true;
}

std::vector<update> with_kind(std::vector<update> updates, update_kind kind, random_source& random) {
  for (update& u : updates) u.kind = kind;
  shuffle(updates, random);
  return updates;
}

// All the updates as one, in ns.
double time_together(engine& rival, std::span<const update> updates, update_counts& counts) {
  const std::uint64_t start = ticks_fenced();
  rival.apply(updates, counts);
  return static_cast<double>(ticks_fenced() - start) / ticks_per_ns();
}

// The updates repeated, rivals in turn.
bool time_case(std::span<engine* const> engines, const std::string& baseline, const std::string& what,
               std::span<const update> updates, std::vector<worst_row>& rows, std::string& error) {
  std::vector<std::vector<double>> ns(engines.size());
  std::vector<update_counts> counts(engines.size());
  for (std::size_t n = 0; n < repetitions; ++n) {
    for (std::size_t i = 0; i < engines.size(); ++i) ns[i].push_back(time_together(*engines[i], updates, counts[i]));
  }
  double baseline_ns = 0;
  const std::size_t first = rows.size();
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (report_failure(*engines[i], what, counts[i], error)) return false;
    rows.push_back({engines[i]->name(), what, summarise(std::move(ns[i])), 0});
    if (engines[i]->name() == baseline) baseline_ns = rows.back().ns.p50;
  }
  for (std::size_t i = first; i < rows.size() && baseline_ns > 0; ++i) rows[i].ratio = rows[i].ns.p50 / baseline_ns;
  return true;
}

// Flap where the table has the route, pulse where not.
update flap_of(std::span<const io::table_route> routes, prefix4 prefix) {
  const auto same = [&](const io::table_route& r) { return r.route == prefix; };
  const auto found = std::find_if(routes.begin(), routes.end(), same);
  return found == routes.end() ? update{prefix, 1, update_kind::pulse}
                               : update{prefix, found->result, update_kind::flap};
}

// The short routes whose one flap took longest on the first rival, worst first.
std::vector<update> find_suspects(std::span<engine* const> engines, std::span<const io::table_route> routes) {
  std::vector<update> flaps;
  for (const io::table_route& r : routes) {
    if (r.route.plen <= longest_worst_plen) flaps.push_back({r.route, r.result, update_kind::flap});
  }
  std::vector<std::uint64_t> ticks, ignored;
  update_counts counts;
  engines[0]->apply_timed(flaps, counts, ticks);
  for (engine* rival : engines.subspan(1)) rival->apply_timed(flaps, counts, ignored);
  std::vector<std::size_t> order(flaps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(suspects, order.size()));
  std::partial_sort(order.begin(), middle, order.end(), [&](auto a, auto b) { return ticks[a] > ticks[b]; });
  order.erase(middle, order.end());
  std::vector<update> worst;
  for (const std::size_t i : order) worst.push_back(flaps[i]);
  return worst;
}

}  // namespace

bool bench_updates(std::span<engine* const> engines, const std::string& baseline,
                   std::span<const io::table_route> routes, std::size_t picks, std::uint64_t seed,
                   const step_function& step, std::vector<update_row>& rows, std::string& error) {
  random_source random(seed);
  std::vector<io::table_route> picked(routes.begin(), routes.end());
  shuffle(picked, random);
  picked.resize(std::min(picks, picked.size()));
  std::vector<update> same, changed;
  for (const io::table_route& r : picked)
    same.push_back({r.route, r.result}), changed.push_back({r.route, r.result + 1});

  struct operation {
    const char* name;
    const std::vector<update>& updates;
    update_kind kind;
  };
  const operation operations[] = {{"remove", same, update_kind::remove},
                                  {"add", same, update_kind::add},
                                  {"flap", same, update_kind::flap},
                                  {"replace", changed, update_kind::replace}};
  for (const operation& o : operations) {
    step(fmt::format("updates: {} of {} random prefixes", o.name, picked.size()));
    if (!time_operation(engines, baseline, o.name, with_kind(o.updates, o.kind, random), rows, error)) return false;
  }
  for (engine* rival : engines) {
    update_counts counts;
    rival->apply(same, counts);
    if (report_failure(*rival, "replacing back", counts, error)) return false;
  }
  return true;
}

bool bench_worst(std::span<engine* const> engines, const std::string& baseline, std::span<const io::table_route> routes,
                 const step_function& step, std::vector<worst_row>& rows, std::string& error) {
  step("updates: the worst prefixes");
  const update whole[] = {flap_of(routes, {0, 0})};
  const update halves[] = {flap_of(routes, {0, 1}), flap_of(routes, {key32{1} << 31, 1})};
  if (!time_case(engines, baseline, "0.0.0.0/0", whole, rows, error)) return false;
  if (!time_case(engines, baseline, "0.0.0.0/1 + 128.0.0.0/1", halves, rows, error)) return false;

  std::vector<worst_row> worst;
  for (const update& suspect : find_suspects(engines, routes)) {
    std::vector<worst_row> again;
    const std::string what = "worst route: " + to_text(suspect.route);
    if (!time_case(engines, baseline, what, {&suspect, 1}, again, error)) return false;
    if (worst.empty() || again[0].ns.p50 > worst[0].ns.p50) worst = std::move(again);
  }
  rows.insert(rows.end(), worst.begin(), worst.end());
  return true;
}

}  // namespace fibtrie::kbench
