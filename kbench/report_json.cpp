// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fibtrie/version.h"
#include "kbench/goals.hpp"
#include "kbench/report.hpp"

namespace fibtrie::kbench {
namespace {

using json = nlohmann::ordered_json;

#if defined(FIBTRIE_ASSERTS) || !defined(NDEBUG)
constexpr const char* build_type = "debug";
#else
constexpr const char* build_type = "release";
#endif

json shape_of(const findings& found) {
  const trie_stats& s = found.shape;
  json by_bits = json::object();
  for (std::size_t bits = 0; bits < s.tnodes_by_bits.size(); ++bits) {
    if (s.tnodes_by_bits[bits] != 0) by_bits[std::to_string(bits)] = s.tnodes_by_bits[bits];
  }
  return {{"source", found.table_source}, {"prefixes", s.prefixes},   {"leaves", s.leaves},
          {"tnodes", s.tnodes()},         {"pointers", s.pointers},   {"null_pointers", s.null_pointers},
          {"depth_sum", s.depth_sum},     {"max_depth", s.max_depth}, {"tnodes_by_bits", by_bits}};
}

json memory_of(const memory_figures& m) {
  return {{"loaded_bytes", m.loaded_bytes},
          {"compacted_bytes", m.compacted_bytes},
          {"replayed_bytes", m.replayed_bytes},
          {"huge_page_bytes", m.huge_bytes},
          {"bytes_per_prefix", m.bytes_per_prefix()},
          {"live_slot_bytes", m.kinds.slot_bytes},
          {"live_header_bytes", m.kinds.header_bytes},
          {"live_descriptor_bytes", m.kinds.descriptor_bytes},
          {"live_entry_bytes", m.kinds.entry_bytes},
          {"arena_top_bytes", m.kinds.arena_top_bytes}};
}

json context_of(const findings& found, const std::string& program) {
  const machine_info& m = found.machine;
  json caches = json::array();
  for (const cache_info& c : m.caches) {
    caches.push_back({{"type", c.type}, {"level", c.level}, {"size", c.size_bytes}, {"num_sharing", c.sharing_cpus}});
  }
  json context = {
      {"date", m.date},
      {"host_name", m.host},
      {"executable", program},
      {"num_cpus", m.cpus},
      {"mhz_per_cpu", static_cast<int>(m.tsc_ghz * 1000 + 0.5)},
      {"cpu_scaling_enabled", false},
      {"caches", caches},
      {"load_avg", m.load_average},
      {"library_build_type", build_type},
      {"library_version", fmt::format("{}.{}.{}", FIBTRIE_VERSION_MAJOR, FIBTRIE_VERSION_MINOR, FIBTRIE_VERSION_PATCH)},
      {"cpu", m.cpu},
      {"vectors", m.vectors},
      {"kernel", m.kernel},
      {"compiler", m.compiler},
      {"flags", m.flags},
      {"huge_pages", m.huge_pages_mode},
      {"pinned_cpu", m.pinned_cpu},
      {"rcu_flavour", found.flavour},
      {"table", shape_of(found)}};
  if (found.memory) context["memory"] = memory_of(*found.memory);
  json goals = json::array();
  for (const goal& g : judge_goals(found)) {
    goals.push_back({{"what", g.what},
                     {"figure", g.figure},
                     {"relation", g.at_least ? ">=" : "<="},
                     {"bound", g.bound},
                     {"unit", g.unit},
                     {"judged", is_full_table(found)},
                     {"holds", g.holds()}});
  }
  context["goals"] = goals;
  return context;
}

// What every row of Google Benchmark has.
json row_of(const std::string& name, std::size_t family, std::size_t iterations, double real_ns, double cpu_ns) {
  return {{"name", name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", 1},
          {"repetition_index", 0},
          {"threads", 1},
          {"iterations", iterations},
          {"real_time", real_ns},
          {"cpu_time", cpu_ns},
          {"time_unit", "ns"},
          {"items_per_second", cpu_ns > 0 ? 1e9 / cpu_ns : 0}};
}

void put_lookups(json& rows, const findings& found) {
  const double ghz = found.machine.tsc_ghz;
  for (const lookup_row& row : found.lookups) {
    json j = row_of(row.name(), rows.size(), row.lookups, row.median_wall_ns(), row.median_ns());
    j["rounds"] = row.passes.size();
    j["cycles"] = row.median_ns() * ghz;
    j["best_cycles"] = row.best_ns() * ghz;
    j["median_ns"] = row.median_ns();
    j["best_ns"] = row.best_ns();
    if (row.ratio > 0) j["ratio"] = row.ratio;
    if (row.is_scalar_loop) j["label"] = "its scalar loop";
    rows.push_back(std::move(j));
  }
}

void put_summary(json& j, const summary& s) {
  j["min"] = s.min;
  j["p50"] = s.p50;
  j["p90"] = s.p90;
  j["p95"] = s.p95;
  j["p99"] = s.p99;
  j["max"] = s.max;
  j["mad"] = s.mad;
}

void put_others(json& rows, const findings& found) {
  for (const single_row& row : found.singles) {
    const double ns = row.cycles.average / found.machine.tsc_ghz;
    json j = row_of(row.engine + "/" + row.pattern + "/single", rows.size(), row.cycles.count, ns, ns);
    j["cycles"] = row.cycles.average;
    put_summary(j, row.cycles);
    j["timer_cycles"] = found.timer_overhead_cycles;
    rows.push_back(std::move(j));
  }
  for (const load_row& row : found.loads) {
    const double ns = row.load.cpu_ns / static_cast<double>(std::max<std::size_t>(found.table_size, 1));
    json j = row_of(row.engine + "/update/load", rows.size(), found.table_size, ns, ns);
    j["max"] = row.load.longest_ns;
    if (row.compact_ns) j["compact_ns"] = *row.compact_ns;
    rows.push_back(std::move(j));
  }
  for (const update_row& row : found.updates) {
    json j = row_of(row.engine + "/update/" + row.operation, rows.size(), row.ns.count, row.ns.average, row.cpu_ns);
    put_summary(j, row.ns);
    if (row.ratio > 0) j["ratio"] = row.ratio;
    rows.push_back(std::move(j));
  }
  for (const worst_row& row : found.worst) {
    json j = row_of(row.engine + "/worst/" + row.what, rows.size(), row.ns.count, row.ns.p50, row.ns.p50);
    put_summary(j, row.ns);
    if (row.ratio > 0) j["ratio"] = row.ratio;
    rows.push_back(std::move(j));
  }
  for (const replay_row& row : found.replays) {
    json j = row_of(row.engine + "/update/replay", rows.size(), row.updates, row.wall_ns, row.cpu_ns);
    if (row.ratio > 0) j["ratio"] = row.ratio;
    rows.push_back(std::move(j));
  }
}

void put_threads(json& rows, const findings& found) {
  for (const thread_row& row : found.threads) {
    const std::string name = fmt::format("{}/{}/{}/threads:{}/writer:{}", row.engine, row.pattern, to_text(row.mode),
                                         row.lookups_per_s.size(), to_text(row.writer));
    const double ns = row.total() > 0 ? 1e9 / row.total() : 0;
    json j = row_of(name, rows.size(), 1, ns, ns);
    j["threads"] = row.lookups_per_s.size();
    j["per_thread"] = row.lookups_per_s;
    j["longest_gap_us"] = row.longest_gap_us;
    if (row.writer != writer_pace::idle) j["updates_per_second"] = row.updates_per_s;
    rows.push_back(std::move(j));
  }
}

json stream_of(const stream_info& info) {
  const prepared_stream& s = info.stream;
  return {{"source", info.source},
          {"updates", s.updates.size()},
          {"replaced", s.expected.replaced},
          {"new", s.expected.added},
          {"withdrawn", s.expected.removed},
          {"missing", s.expected.missing},
          {"start_size", s.start_size},
          {"min_size", s.smallest()},
          {"max_size", s.largest()},
          {"end_size", s.end_size()},
          {"touched", s.touched}};
}

}  // namespace

std::string json_report(const findings& found, const std::string& program) {
  json rows = json::array();
  put_lookups(rows, found);
  put_others(rows, found);
  put_threads(rows, found);
  json context = context_of(found, program);
  if (found.stream) context["stream"] = stream_of(*found.stream);
  return json{{"context", context}, {"benchmarks", rows}}.dump(2) + "\n";
}

}  // namespace fibtrie::kbench
