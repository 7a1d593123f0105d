// SPDX-License-Identifier: MIT
#include "kbench/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "kbench/findings.hpp"
#include "kbench/table_generator.hpp"

namespace fibtrie::kbench {
namespace {

constexpr int bad_arguments = 2;

constexpr const char* examples = R"(
Examples:
  kbench                                     a full-size generated table, everything
  kbench --routes table.txt.gz --updates day.txt.gz --json out.json
  kbench --quick                             a small table, a few seconds
  kbench --pattern cov,uni --mode scalar,batch256 --no-updates --threads 0
  kbench --table-size 100000 --threads 4     four reader threads beside a writer
  kbench alloc                               pools against malloc, jemalloc and DPDK's mempool
  kbench backlog                             inserts beside a reader, by the limit of retired memory

Files may be gzipped.  Routes: "prefix/len [next hop or number]" a line.  Updates: "A prefix/len" or "W prefix/len".
Trace: one address a line.  Exit code: 0, 1 when answers or tables were wrong, 2 for bad arguments or files.
kbench/README.md tells how things are measured.)";

struct names {
  std::vector<std::string> patterns{"cov", "uni", "zipf", "seq", "rep"};
  std::vector<std::string> modes{"scalar", "dep", "batch32", "batch256"};
  std::vector<std::string> engines{subject_name, baseline_name, flow_engine_name};
};

template <class T>
void drop_repeated(std::vector<T>& values) {
  std::vector<T> once;
  for (const T& value : values) {
    if (std::find(once.begin(), once.end(), value) == once.end()) once.push_back(value);
  }
  values = std::move(once);
}

lookup_mode mode_named(const std::string& name) {
  for (const lookup_mode mode : {lookup_mode::scalar, lookup_mode::dependent, lookup_mode::batch32}) {
    if (name == to_text(mode)) return mode;
  }
  return lookup_mode::batch256;  // the names were checked
}

void add_options(CLI::App& app, options& o, names& chosen) {
  const names known;
  auto* routes = app.add_option("--routes", o.routes_file, "Table to load (default: a generated one)");
  routes->check(CLI::ExistingFile);
  app.add_option("--table-size", o.table_size, "Routes of the generated table (default 1042325)")
      ->check(CLI::Range(std::size_t{1}, max_generated_routes))
      ->excludes(routes);
  app.add_option("--seed", o.seed, "Seed of everything random")->capture_default_str();
  app.add_option("--pattern", chosen.patterns, "Addresses: cov, uni, zipf, seq, rep")
      ->delimiter(',')
      ->check(CLI::IsMember(known.patterns))
      ->capture_default_str();
  app.add_option("--mode", chosen.modes, "Lookups: scalar, dep, batch32, batch256")
      ->delimiter(',')
      ->check(CLI::IsMember(known.modes))
      ->capture_default_str();
  app.add_option("--engine", chosen.engines, "Rivals: lc_trie, kernel-walk; fib_net for full lookups")
      ->delimiter(',')
      ->check(CLI::IsMember(known.engines))
      ->capture_default_str();
  app.add_option("--trace", o.trace_file, "Addresses to look up as one more pattern, over and over")
      ->check(CLI::ExistingFile);
  app.add_option("--updates", o.updates_file, "Stream to replay (default: a synthetic one)")->check(CLI::ExistingFile);
  app.add_option("--rounds", o.rounds, "Timed passes of each row, at least 5 (default 7)")
      ->check(CLI::Range(5u, 1000u));
  app.add_option("--threads", o.readers, "Reader threads beside the writer; 0 leaves that part out")
      ->check(CLI::Range(0u, 1024u))
      ->capture_default_str();
  app.add_option("--rate", o.rate, "Updates a second of a paced writer beside readers")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->capture_default_str();
  app.add_option("--rcu", o.flavour, "RCU flavour: memb, qsbr, bp, mb")
      ->check(CLI::IsMember(std::vector<std::string>{"memb", "qsbr", "bp", "mb"}))
      ->capture_default_str();
  app.add_option("--cpu", o.cpu, "CPU to pin to (default: the last one allowed)")->check(CLI::NonNegativeNumber);
  app.add_option("--json", o.json_file, "Also write the results there, in Google Benchmark's shape");
  app.add_flag("--no-updates", o.no_updates, "Leave out updates and replay");
  app.add_flag("--no-compact", o.no_compact, "Look up in the table as loading left it");
  app.add_flag("--skip-bad", o.skip_bad, "Count and skip bad lines of files");
  app.add_flag("--quick", o.quick, "For smoke tests: 100000 routes, 5 rounds, 2^20 addresses");
}

void fill_defaults(options& o) {
  if (o.table_size == 0) o.table_size = o.quick ? 100'000 : model_routes;
  if (o.rounds == 0) o.rounds = o.quick ? 5 : 7;
  o.addresses = o.quick ? std::size_t{1} << 20 : default_address_count;
  o.picks = o.quick ? 10'000 : 100'000;
  o.thread_ms = o.quick ? 200 : 2000;
}

}  // namespace

bool parse_options(int argc, char** argv, options& out, int& exit_code) {
  CLI::App app{"kbench: lookups and updates of the LC-trie against the kernel's walk of the same trie"};
  app.footer(examples);
  names chosen;
  add_options(app, out, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : bad_arguments;
    return false;
  }
  drop_repeated(chosen.patterns);
  drop_repeated(chosen.modes);
  drop_repeated(chosen.engines);
  for (const std::string& name : chosen.patterns) out.patterns.push_back(*parse_pattern(name));
  for (const std::string& name : chosen.modes) out.modes.push_back(mode_named(name));
  out.engines = std::move(chosen.engines);
  fill_defaults(out);
  return true;
}

}  // namespace fibtrie::kbench
