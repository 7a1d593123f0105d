// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "fibtrie/version.h"
#include "kbench/goals.hpp"
#include "kbench/report.hpp"

namespace fibtrie::kbench {
namespace {

constexpr double megabyte = 1024.0 * 1024.0;

// Text grows at its end.
class page {
 public:
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string ratio_text(double ratio) { return ratio > 0 ? fmt::format("{:.2f}x", ratio) : "-"; }

void put_machine(page& out, const findings& found) {
  const machine_info& m = found.machine;
  out.line("kbench of fibtrie {}.{}.{}, {}", FIBTRIE_VERSION_MAJOR, FIBTRIE_VERSION_MINOR, FIBTRIE_VERSION_PATCH,
           m.date);
  std::vector<std::string> caches;
  for (const cache_info& c : m.caches) {
    if (c.type != "Instruction") caches.push_back(fmt::format("L{} {} kB", c.level, c.size_bytes >> 10));
  }
  out.line("  machine   {}, {} CPUs, {}, TSC {:.3f} GHz, {}", m.cpu, m.cpus, m.vectors, m.tsc_ghz,
           fmt::join(caches, ", "));
  out.line("  system    {}; 2 MB pages: {}; {}; load {:.2f}", m.kernel, m.huge_pages_mode,
           m.pinned_cpu < 0 ? "not pinned" : fmt::format("pinned to CPU {}", m.pinned_cpu),
           fmt::join(m.load_average, " "));
  out.line("  compiler  {}, {}", m.compiler, m.flags);
}

void put_table(page& out, const findings& found) {
  const trie_stats& s = found.shape;
  out.line("\nTable: {} ({} prefixes), RCU flavour {}", found.table_source, grouped(found.table_size), found.flavour);
  out.line("  prefixes {}, leaves {}, tnodes {}, pointers {}, empty {}", grouped(s.prefixes), grouped(s.leaves),
           grouped(s.tnodes()), grouped(s.pointers), grouped(s.null_pointers));
  const double depth = s.leaves == 0 ? 0 : static_cast<double>(s.depth_sum) / static_cast<double>(s.leaves);
  out.line("  depth: average {:.2f}, greatest {}{}", depth, s.max_depth,
           found.shapes_compared ? "; the shapes of both engines are equal" : "");
  std::vector<std::string> by_bits;
  for (std::size_t bits = 0; bits < s.tnodes_by_bits.size(); ++bits) {
    if (s.tnodes_by_bits[bits] != 0) by_bits.push_back(fmt::format("{}: {}", bits, grouped(s.tnodes_by_bits[bits])));
  }
  out.line("  tnodes by bits: {}", fmt::join(by_bits, ", "));
}

void put_loads(page& out, const findings& found) {
  out.line("\nLoading, in the table's order      ms    longest insert  compact ms   memory MB  bytes/prefix");
  for (const load_row& row : found.loads) {
    const auto growth = static_cast<double>(row.resident_growth_bytes);
    out.line("  {:<28} {:>8.0f} {:>12.2f} ms {:>11} {:>11.1f} {:>13.1f}   (longest: {})", row.engine,
             row.load.cpu_ns / 1e6, row.load.longest_ns / 1e6,
             row.compact_ns ? fmt::format("{:.0f}", *row.compact_ns / 1e6) : "-", growth / megabyte,
             growth / static_cast<double>(std::max<std::size_t>(found.table_size, 1)), row.longest_route);
    if (row.scattered_ns && row.compacted_ns) {
      out.line("    {} scalar, Mlookups/s: {:.1f} before compact(), {:.1f} after", found.sets.front().name,
               1000 / *row.scattered_ns, 1000 / *row.compacted_ns);
    }
  }
}

void put_memory(page& out, const findings& found) {
  if (!found.memory) return;
  const memory_figures& m = *found.memory;
  const auto per = [](std::size_t bytes, std::size_t prefixes) {
    return fmt::format("{:.1f} MB ({:.1f} bytes/prefix)", static_cast<double>(bytes) / megabyte,
                       static_cast<double>(bytes) / static_cast<double>(std::max<std::size_t>(prefixes, 1)));
  };
  out.line("\nMemory of {}, by growth of the process", subject_name);
  out.line("  loaded {}; compacted {}; after the replay {}", per(m.loaded_bytes, m.loaded_prefixes),
           per(m.compacted_bytes, m.loaded_prefixes), per(m.replayed_bytes, m.end_prefixes));
  const memory_stats& k = m.kinds;
  out.line("  live then: slots {}, headers {}, descriptors {}, entries {}", per(k.slot_bytes, m.end_prefixes),
           per(k.header_bytes, m.end_prefixes), per(k.descriptor_bytes, m.end_prefixes),
           per(k.entry_bytes, m.end_prefixes));
  out.line("  arena up to its highest array {}; backlog {} objects; address space {:.0f} MB",
           per(k.arena_top_bytes, m.end_prefixes), grouped(k.backlog_objects),
           static_cast<double>(k.reserved_bytes) / megabyte);
  out.line("  on 2 MB pages (AnonHugePages of the process): {:.0f} MB{}", static_cast<double>(m.huge_bytes) / megabyte,
           m.huge_bytes == 0 ? ": not granted" : "");
}

void put_lookups(page& out, const findings& found) {
  if (found.lookups.empty()) return;
  out.line("\nLookups, independent of others unless dep   Mlookups/s          cycles         times");
  out.line("  {:<32} {:>9} {:>9} {:>8} {:>8} {:>13}", "engine/pattern/mode", "median", "best", "median", "best",
           baseline_name);
  std::string pattern;
  for (const lookup_row& row : found.lookups) {
    if (row.pattern != pattern && !pattern.empty()) out.line("");
    pattern = row.pattern;
    const double median = row.median_ns(), best = row.best_ns(), ghz = found.machine.tsc_ghz;
    out.line("  {:<32} {:>9.2f} {:>9.2f} {:>8.1f} {:>8.1f} {:>13}{}", row.name(), 1000 / median, 1000 / best,
             median * ghz, best * ghz, ratio_text(row.ratio), row.is_scalar_loop ? "  (its scalar loop)" : "");
  }
  out.line("");
  for (const address_set& set : found.sets) {
    out.line("  {}: {} addresses, {:.1f} % match a route", set.name, grouped(set.addresses.size()), set.hit_rate * 100);
  }
  out.line("  all answers compared: {}, no difference", grouped(found.addresses_compared));
}

void put_singles(page& out, const findings& found) {
  if (found.singles.empty()) return;
  out.line("\nSingle lookups, fenced, in cycles ({} of them the timer's own); warm-up of {} lookups",
           found.timer_overhead_cycles, grouped(found.singles.front().warm_up));
  for (const single_row& row : found.singles) {
    const summary& c = row.cycles;
    out.line(
        "  {:<20} min={:.0f} max={:.0f} count={} average={:.0f} 99th={:.0f} 95th={:.0f} 90th={:.0f} 50th={:.0f} "
        "mad={:.0f}",
        row.engine + "/" + row.pattern, c.min, c.max, c.count, c.average, c.p99, c.p95, c.p90, c.p50, c.mad);
  }
}

void put_updates(page& out, const findings& found) {
  if (!found.updates.empty()) {
    out.line("\nUpdates of {} random prefixes, ns        mean (CPU)      p50      p99        max  mean/{}",
             grouped(found.picks), baseline_name);
    for (const update_row& row : found.updates) {
      out.line("  {:<40} {:>9.0f} {:>9.0f} {:>8.0f} {:>10.0f} {:>9}", row.engine + "/" + row.operation, row.cpu_ns,
               row.ns.p50, row.ns.p99, row.ns.max, ratio_text(row.ratio));
    }
  }
  if (found.worst.empty()) return;
  out.line("\nFlaps of the worst prefixes, us                                median       max  median/{}",
           baseline_name);
  for (const worst_row& row : found.worst) {
    out.line("  {:<54} {:>11.2f} {:>9.2f} {:>9}", row.engine + ", " + row.what, row.ns.p50 / 1000, row.ns.max / 1000,
             ratio_text(row.ratio));
  }
}

void put_replay(page& out, const findings& found) {
  if (!found.stream) return;
  const prepared_stream& s = found.stream->stream;
  out.line("\nReplay of {} updates: {}", grouped(s.updates.size()), found.stream->source);
  out.line("  replaced {}, new {}, withdrawn {}, missing {}; prefixes touched {}", s.expected.replaced,
           s.expected.added, s.expected.removed, s.expected.missing, s.touched);
  out.line("  table size: start {}, min {}, max {}, end {}", s.start_size, s.smallest(), s.largest(), s.end_size());
  for (const replay_row& row : found.replays) {
    out.line(
        "  {:<14} {:>7.2f} M updates/s (by the wall clock {:.2f}), rate {} of {}; counts and end table as expected",
        row.engine, 1000 / row.cpu_ns, 1000 / row.wall_ns, ratio_text(row.ratio), baseline_name);
  }
}

void put_threads(page& out, const findings& found) {
  if (found.threads.empty()) return;
  out.line("\nReader threads                  writer  Mlookups/s  of each reader      longest gap us  updates/s");
  for (const thread_row& row : found.threads) {
    std::vector<std::string> each;
    for (const double rate : row.lookups_per_s) each.push_back(fmt::format("{:.1f}", rate / 1e6));
    out.line("  {:<28} {:>7} {:>11.1f}  {:<18} {:>15.0f} {:>10}",
             row.engine + "/" + row.pattern + "/" + to_text(row.mode), to_text(row.writer), row.total() / 1e6,
             fmt::format("{}", fmt::join(each, " ")), row.longest_gap_us,
             row.writer == writer_pace::idle ? "-" : fmt::format("{:.0f}", row.updates_per_s));
  }
}

void put_goals(page& out, const findings& found) {
  const auto goals = judge_goals(found);
  if (goals.empty()) return;
  const bool judged = is_full_table(found);
  out.line("\nGoals for a full table{:<39} {:>8} {:>9}", judged ? "" : " (this one is small)", "figure", "bound");
  for (const goal& g : goals) {
    out.line("  {:<52} {:>14.2f}  {} {:<5g} {:<16} {}", g.what, g.figure, g.at_least ? ">=" : "<=", g.bound, g.unit,
             !judged     ? "not judged"
             : g.holds() ? "holds"
                         : "does NOT hold");
  }
}

}  // namespace

std::string text_report(const findings& found) {
  page out;
  put_machine(out, found);
  put_table(out, found);
  put_loads(out, found);
  put_memory(out, found);
  put_lookups(out, found);
  put_singles(out, found);
  put_updates(out, found);
  put_replay(out, found);
  put_threads(out, found);
  put_goals(out, found);
  return out.take();
}

}  // namespace fibtrie::kbench
