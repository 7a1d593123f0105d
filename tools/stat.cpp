// SPDX-License-Identifier: MIT
// `fibtrie stat`: the shape of a table and the memory it takes.
//
// Thread safety: one thread.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/proc_text.hpp"
#include "tools/commands.hpp"
#include "tools/output.hpp"
#include "tools/table.hpp"

namespace fibtrie::tools {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

using named_bytes = std::pair<const char*, std::size_t>;

std::array<named_bytes, 4> live_memory(const memory_stats& m) {
  return {{{"slots", m.slot_bytes},
           {"headers", m.header_bytes},
           {"descriptors", m.descriptor_bytes},
           {"entries", m.entry_bytes}}};
}

std::size_t live_bytes(const memory_stats& m) {
  std::size_t sum = 0;
  for (const auto& [name, bytes] : live_memory(m)) sum += bytes;
  return sum;
}

std::string by_bits(const trie_stats& s) {
  std::string text;
  for (std::size_t bits = 0; bits < s.tnodes_by_bits.size(); ++bits) {
    if (s.tnodes_by_bits[bits] == 0) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", bits, s.tnodes_by_bits[bits]);
  }
  return text.empty() ? "none" : text;
}

void put_text(io::text_sink& sink, const table& t, const std::string& file, const trie_stats& s) {
  const memory_stats m = t->memory();
  const io::load_report& report = t.loaded().report;
  sink.put(fmt::format("{}: {} prefixes; {} duplicate lines, {} bad lines skipped\n", file, s.prefixes,
                       t.loaded().duplicates, report.skipped));
  sink.put("Shape\n");
  sink.put(fmt::format("  leaves          {}\n", s.leaves));
  sink.put(fmt::format("  tnodes          {}\n", s.tnodes()));
  sink.put(fmt::format("  tnodes by bits  {}\n", by_bits(s)));
  sink.put(fmt::format("  slots           {}, {} of them empty\n", s.pointers, s.null_pointers));
  sink.put(fmt::format("  depth           average {:.2f}, greatest {}\n", ratio(s.depth_sum, s.leaves), s.max_depth));
  sink.put("Memory                 bytes  bytes/prefix\n");
  const auto line = [&](const char* name, std::size_t bytes) {
    sink.put(fmt::format("  {:<12} {:>13} {:>13.1f}\n", name, bytes, ratio(bytes, s.prefixes)));
  };
  for (const auto& [name, bytes] : live_memory(m)) line(name, bytes);
  line("all of these", live_bytes(m));
  line("arena's top", m.arena_top_bytes);
  sink.put(fmt::format("  {} bytes of address space are reserved\n", m.reserved_bytes));
}

using json_rows = nlohmann::ordered_json;
json_rows memory_rows(const table& t) {
  json_rows rows = json_rows::array();
  for (const memory_row& r : t->report_memory().rows) {
    rows.push_back({{"kind", r.kind},
                    {"live", r.live},
                    {"retired", r.retired},
                    {"free", r.free},
                    {"resident", r.resident},
                    {"huge", r.huge}});
  }
  return rows;
}

void put_json(io::text_sink& sink, const table& t, const std::string& file, const trie_stats& s, bool by_kind) {
  const memory_stats m = t->memory();
  nlohmann::ordered_json bits = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < s.tnodes_by_bits.size(); ++i) {
    if (s.tnodes_by_bits[i] != 0) bits[std::to_string(i)] = s.tnodes_by_bits[i];
  }
  nlohmann::ordered_json memory = nlohmann::ordered_json::object();
  for (const auto& [name, bytes] : live_memory(m)) memory[name] = bytes;
  memory["live"] = live_bytes(m);
  memory["arena_top"] = m.arena_top_bytes;
  memory["backlog"] = m.backlog_bytes;
  memory["reserved"] = m.reserved_bytes;
  const writer_stats w = t->writer();
  nlohmann::ordered_json all = {
      {"file", file},
      {"rcu", t.flavour().name},
      {"lines", t.loaded().report.lines},
      {"duplicates", t.loaded().duplicates},
      {"skipped", t.loaded().report.skipped},
      {"shape",
       {{"prefixes", s.prefixes},
        {"leaves", s.leaves},
        {"tnodes", s.tnodes()},
        {"tnodes_by_bits", bits},
        {"slots", s.pointers},
        {"empty_slots", s.null_pointers},
        {"average_depth", ratio(s.depth_sum, s.leaves)},
        {"max_depth", s.max_depth}}},
      {"memory_bytes", memory},
      {"bytes_per_prefix", ratio(live_bytes(m), s.prefixes)},
      {"writer",
       {{"inflates", w.inflates},
        {"halves", w.halves},
        {"collapses", w.collapses},
        {"skipped_resizes", w.skipped_resizes}}},
  };
  if (by_kind) {
    all["memory"] = memory_rows(t);
    all["process_grew_by"] = t.grown_bytes();
  }
  // A file's name need not be UTF-8.
  sink.put(all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)).put('\n');
}

void put_memory(io::text_sink& sink, const table& t) {
  const memory_report report = t->report_memory();
  sink.put("Memory, bytes              live    retired       free  begun pages    resident  on 2 MB pages\n");
  const auto line = [&](const memory_row& r) {
    const auto pages =
        static_cast<std::ptrdiff_t>(r.resident) - static_cast<std::ptrdiff_t>(r.live + r.retired + r.free);
    sink.put(fmt::format("  {:<16} {:>13} {:>10} {:>10} {:>12} {:>11} {:>14}\n", r.kind, r.live, r.retired, r.free,
                         pages, r.resident, r.huge));
  };
  for (const memory_row& r : report.rows) line(r);
  const memory_row all = report.sum();
  line(all);
  sink.put(fmt::format("  {:.1f} bytes a prefix are live, {:.1f} resident; the process grew by {} while loading\n",
                       ratio(all.live, t->size()), ratio(all.resident, t->size()), t.grown_bytes()));
  if (all.huge == 0) sink.put("  the system granted no 2 MB pages\n");
}

}  // namespace

void stat_command(const settings& wanted) {
  table t(wanted);
  t.load(wanted.routes_file, wanted.skip_bad);
  trie_stats shape;
  {
    const read_section section(t.flavour());
    shape = t->stats();
  }
  output out;
  if (wanted.format == "triestat") {
    io::write_fib_triestat_head(out.text());
    io::write_fib_triestat(out.text(), wanted.label + ":", shape);
  } else if (wanted.format == "json") {
    put_json(out.text(), t, wanted.routes_file, shape, wanted.memory);
  } else {
    put_text(out.text(), t, wanted.routes_file, shape);
    if (wanted.memory) put_memory(out.text(), t);
  }
  out.finish();
}

}  // namespace fibtrie::tools
