// SPDX-License-Identifier: MIT
// torture: readers of every kind beside a writer that changes everything, for as long as one likes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tests/torture/torture_run.hpp"

namespace {

using namespace fibtrie::torture;

void print(const torture_options& options, const torture_report& report) {
  fmt::print("{}, seed {}, {} routes, {:.1f} s\n", options.flavour, options.seed, options.table_size, report.seconds);
  std::uint64_t lookups = 0;
  for (const member_report& m : report.members) {
    fmt::print("  {:<16}{:>16} done{:>10.2f} M/s{:>12} wrong   longest gap {:.2f} ms\n", m.kind, m.done,
               static_cast<double>(m.done) / report.seconds / 1e6, m.wrong, m.longest_gap_ms);
    if (m.kind == "bulk reader") lookups += m.done;
  }
  fmt::print("  bulk lookups {}, {} different answers; threads started {}; grace periods of objects {}\n", lookups,
             report.distinct_answers, report.threads_started, report.grace_periods);
  fmt::print("  ages seen by readers (0 in sight, 1 replaced, 2 and more a fault):");
  for (const std::uint64_t count : report.ages) fmt::print(" {}", count);
  fmt::print("\n{}\n", report.problem.empty() ? "SUCCESS" : "FAILURE:" + report.problem);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"torture: readers of every kind beside a writer that changes everything"};
  torture_options options;
  std::uint64_t seconds = 3;
  std::vector<std::string> flavours{"memb", "qsbr", "bp", "mb", "plain"};
  bool no_stalls = false;
  app.add_option("--rcu", flavours, "RCU flavours, one after the other")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>{"memb", "qsbr", "bp", "mb", "plain"}));
  app.add_option("--seconds", seconds, "How long each runs")->capture_default_str();
  app.add_option("--lookups", options.lookups, "Instead: until the bulk readers have done so many");
  app.add_option("--readers", options.readers, "Bulk readers; five other kinds come on top")
      ->capture_default_str()
      ->check(CLI::Range(1u, 256u));
  app.add_option("--fake-writers", options.fake_writers, "Threads that only retire")
      ->capture_default_str()
      ->check(CLI::Range(0u, 64u));
  app.add_option("--table-size", options.table_size, "Routes of the large table")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1000}, std::size_t{4'000'000}));
  app.add_option("--rate", options.update_rate, "Updates of the large table a second (default: as many as go)");
  app.add_option("--seed", options.seed, "Seed of everything random")->capture_default_str();
  app.add_flag("--no-stalls", no_stalls, "Readers sleep 20 us at most");
  app.add_flag("--canary", options.canary, "Plants a fault, objects without grace periods: must fail");
  app.footer("Exit code: 0, or 1 when anything was wrong.");
  CLI11_PARSE(app, argc, argv);
  options.duration = std::chrono::seconds(seconds);
  options.stalls = !no_stalls;
  bool good = true;
  for (const std::string& flavour : flavours) {
    options.flavour = flavour;
    torture_report report;
    run_torture(options, report);
    print(options, report);
    good = good && report.problem.empty();
  }
  return good ? 0 : 1;
}
