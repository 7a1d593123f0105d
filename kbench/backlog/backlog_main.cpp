// SPDX-License-Identifier: MIT
#include "kbench/backlog/backlog_main.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <thread>
#include <vector>

#include "fibtrie/fib.h"
#include "fibtrie/rcu.h"
#include "io/route_file.hpp"
#include "kbench/clock.hpp"
#include "kbench/machine.hpp"
#include "kbench/patterns.hpp"
#include "kbench/summary.hpp"
#include "kbench/table_generator.hpp"

namespace fibtrie::kbench {
namespace {

using flavour = rcu::memb;

struct backlog_options {
  std::string routes_file;
  std::size_t table_size = model_routes;
  std::vector<std::size_t> limits_kb{64, 256, 1024, 4096, 16384, 65536};
};

struct load_result {
  std::vector<std::uint64_t> ticks;  // of each add
  std::size_t most_bytes = 0;        // the greatest backlog seen, every thousand adds
  double oldest_ms = 0;              // the same of its age
  backlog_stats end;
  double lookups_per_s = 0;
  bool good = true;
};

// Looks up in read sections of 4096 lookups until told to stop.
void read(const fib& table, std::span<const key32> addresses, const std::atomic<bool>& stop, std::uint64_t& lookups) {
  const rcu::thread_registration<flavour> registered;
  std::uint64_t sum = 0;
  while (!stop.load(std::memory_order_relaxed)) {  // relaxed: a sign
    const rcu::read_section<flavour> section;
    const fib_view view = table.view();
    for (std::size_t i = 0; i < 4096; ++i) sum += view.lookup(addresses[(lookups + i) % addresses.size()]).value;
    lookups += 4096;
  }
  asm volatile("" : : "r"(sum));
}

load_result load(std::span<const io::table_route> routes, std::span<const key32> addresses, std::size_t limit_bytes,
                 const std::vector<int>& cpus) {
  load_result out;
  fib_options options;
  options.backlog_bytes = limit_bytes;
  options.backlog = on_backlog::wait;
  std::unique_ptr<fib> table;
  if (fib::create(flavour::instance(), options, table) != status::ok) return out.good = false, out;
  std::atomic<bool> stop{false};
  std::uint64_t lookups = 0;
  const auto start = std::chrono::steady_clock::now();
  std::thread reader([&] {
    if (cpus.size() > 1) pin_to_cpu(cpus[1]);
    read(*table, addresses, stop, lookups);
  });
  out.ticks.reserve(routes.size());
  for (const io::table_route& r : routes) {
    const std::uint64_t from = ticks_fenced();
    const status code = table->add(r.route, r.result);
    out.ticks.push_back(ticks_fenced() - from);
    out.good = out.good && code == status::ok;
    if (out.ticks.size() % 1000 != 0) continue;
    const backlog_stats now = table->backlog();
    out.most_bytes = std::max(out.most_bytes, now.bytes);
    out.oldest_ms = std::max(out.oldest_ms, now.oldest_ms);
  }
  out.end = table->backlog();
  stop.store(true, std::memory_order_relaxed);
  reader.join();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  out.lookups_per_s = static_cast<double>(lookups) / time.count();
  for (std::size_t i = 0; i < routes.size(); i += 997) {
    out.good = out.good && table->find(routes[i].route) == lookup_result{routes[i].result, true};
  }
  return out;
}

bool read_routes(const backlog_options& o, std::vector<io::table_route>& routes) {
  if (o.routes_file.empty()) {
    generator_options wanted;
    wanted.routes = o.table_size;
    return generate_table(wanted, routes);
  }
  io::loaded_routes loaded;
  if (!io::load_routes(o.routes_file, {}, loaded)) {
    fmt::print(stderr, "kbench: {}\n", loaded.report.error);
    return false;
  }
  routes = std::move(loaded.routes);
  return true;
}

std::string size_text(std::size_t kb) { return kb < 1024 ? fmt::format("{} kB", kb) : fmt::format("{} MB", kb / 1024); }

}  // namespace

int backlog_main(int argc, char** argv) {
  constexpr int bad_arguments = 2;
  CLI::App app{"kbench backlog: inserts beside a reader, by the limit of retired memory"};
  backlog_options o;
  auto* file = app.add_option("--routes", o.routes_file, "Table to load (default: a generated one)");
  file->check(CLI::ExistingFile);
  app.add_option("--table-size", o.table_size, "Routes of the generated table")
      ->excludes(file)
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, max_generated_routes));
  app.add_option("--limits", o.limits_kb, "Limits in kB")->delimiter(',')->check(CLI::Range(1u, 1u << 30));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_arguments;
  }
  std::vector<io::table_route> routes;
  if (!read_routes(o, routes)) return bad_arguments;
  const auto addresses = make_addresses(pattern::cov, routes, 1, std::size_t{1} << 20);
  const auto cpus = allowed_cpus();
  if (!cpus.empty()) pin_to_cpu(cpus.front());
  const rcu::thread_registration<flavour> registered;
  fmt::print("Adds of {} routes in file order beside a reader, in microseconds; at the limit the writer waits\n",
             routes.size());
  fmt::print("     limit      p50      p99    99.99        max    mean   most waiting   oldest ms   reader M/s\n");
  for (const std::size_t kb : o.limits_kb) {
    const load_result r = load(routes, addresses, kb * 1024, cpus);
    if (!r.good) {
      fmt::print(stderr, "kbench: an add failed, or its route was not found\n");
      return 1;
    }
    const double us = 1 / ticks_per_ns() / 1000;
    std::vector<double> sorted(r.ticks.begin(), r.ticks.end());
    double sum = 0;
    for (double& t : sorted) sum += t *= us;
    std::sort(sorted.begin(), sorted.end());
    fmt::print("  {:>8} {:>8.2f} {:>8.2f} {:>8.1f} {:>10.1f} {:>7.2f} {:>11} kB {:>11.1f} {:>12.1f}\n", size_text(kb),
               percentile(sorted, 50), percentile(sorted, 99), percentile(sorted, 99.99), sorted.back(),
               sum / static_cast<double>(sorted.size()), r.most_bytes / 1024, r.oldest_ms, r.lookups_per_s / 1e6);
  }
  return 0;
}

}  // namespace fibtrie::kbench
