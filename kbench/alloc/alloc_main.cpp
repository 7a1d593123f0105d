// SPDX-License-Identifier: MIT
#include "kbench/alloc/alloc_main.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kbench/alloc/alloc_bench.hpp"
#include "kbench/machine.hpp"

namespace fibtrie::kbench {
namespace {

constexpr std::size_t object_bytes = 64;
constexpr std::size_t packet_bytes = 2048 + 128;  // data and head room
constexpr std::size_t metadata_bytes = 64;        // of a packet buffer, as it is initialised
constexpr std::size_t objects = 8192;

struct group {
  std::string title;
  std::size_t bytes = 0;
  std::vector<std::unique_ptr<allocator>> rivals;
  std::vector<alloc_row> rows;
};

// jemalloc needs more of the room for thread-local variables than a process has by default; it is set at the start.
void start_with_room_for_jemalloc(int argc, char** argv) {
  constexpr const char* variable = "GLIBC_TUNABLES";
  if (std::getenv(variable) != nullptr) return;
  setenv(variable, "glibc.rtld.optional_static_tls=16384", 1);
  std::vector<char*> arguments = {const_cast<char*>("kbench")};
  arguments.insert(arguments.end(), argv, argv + argc);
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());  // comes back only if it cannot be done
}

void add(group& to, std::unique_ptr<allocator> rival, const char* name, const std::string& why) {
  if (rival != nullptr) {
    to.rivals.push_back(std::move(rival));
  } else {
    fmt::print("skipped: {}: {}\n", name, why);
  }
}

std::vector<group> make_groups() {
  std::vector<group> groups(2);
  std::string why;
  group& plain = groups[0];
  plain.title = fmt::format("Objects of {} bytes", object_bytes);
  plain.bytes = object_bytes;
  add(plain, make_pool_allocator(object_bytes, 0, objects), "pool", "no memory");
  add(plain, make_malloc_allocator(object_bytes), "malloc", "");
  add(plain, make_jemalloc_allocator(object_bytes, why), "jemalloc", why);
  add(plain, make_dpdk_objects(object_bytes, objects - 1, why), "rte_mempool", why);
  group& packets = groups[1];
  packets.title = fmt::format("Packet buffers: 2048 + 128 bytes of data, {} of them initialised", metadata_bytes);
  packets.bytes = packet_bytes;
  add(packets, make_pool_allocator(packet_bytes, metadata_bytes, objects), "pool", "no memory");
  add(packets, make_malloc_allocator(packet_bytes), "malloc", "");
  add(packets, make_jemalloc_allocator(packet_bytes, why), "jemalloc", why);
  add(packets, make_dpdk_packets(objects - 1, why), "rte_pktmbuf", why);
  return groups;
}

const alloc_row* find_row(const group& g, const std::string& name, const alloc_row& like) {
  for (const alloc_row& row : g.rows) {
    if (row.allocator == name && row.batch == like.batch && row.threads == like.threads) return &row;
  }
  return nullptr;
}

void print(const group& g) {
  fmt::print("\n{}: cycles of one allocation and its freeing, median (best)\n", g.title);
  fmt::print("  threads  batch");
  for (const auto& rival : g.rivals) fmt::print("  {:>18}", rival->name());
  fmt::print("\n");
  for (const alloc_row& row : g.rows) {
    if (row.allocator != g.rivals[0]->name()) continue;
    fmt::print("  {:>7}  {:>5}", row.threads, row.batch);
    for (const auto& rival : g.rivals) {
      const alloc_row& r = *find_row(g, rival->name(), row);
      fmt::print("  {:>9.1f} ({:>6.1f})", r.median(), r.best());
    }
    fmt::print("\n");
  }
}

// Not above a rival's, at the batches that packet programs use.
void judge(const group& g, const std::string& rival) {
  for (const alloc_row& row : g.rows) {
    if (row.allocator != "pool" || row.batch < 32) continue;
    const alloc_row* const other = find_row(g, rival, row);
    if (other == nullptr) continue;
    const double ratio = row.median() / other->median();
    fmt::print("  {:>7}  {:>5}  {:.2f} of {}{}\n", row.threads, row.batch, ratio, rival,
               ratio <= 1 ? "" : "  (more than it)");
  }
}

void write_json(const std::vector<group>& groups, std::ostream& out) {
  nlohmann::ordered_json all;
  const machine_info machine = describe_machine();
  all["context"] = {{"date", machine.date},     {"host_name", machine.host},  {"cpu", machine.cpu},
                    {"num_cpus", machine.cpus}, {"tsc_ghz", machine.tsc_ghz}, {"compiler", machine.compiler}};
  auto& list = all["benchmarks"] = nlohmann::ordered_json::array();
  for (const group& g : groups) {
    for (const alloc_row& row : g.rows) {
      list.push_back(
          {{"name", fmt::format("alloc/{}/{}/batch{}/threads:{}", row.allocator, g.bytes, row.batch, row.threads)},
           {"threads", row.threads},
           {"iterations", row.cycles.size()},
           {"cycles", row.median()},
           {"cycles_best", row.best()}});
    }
  }
  out << all.dump(1) << '\n';
}

}  // namespace

int alloc_main(int argc, char** argv) {
  constexpr int bad_arguments = 2;
  CLI::App app{"kbench alloc: pools against malloc, jemalloc and DPDK's mempool"};
  alloc_plan plan;
  std::string json;
  app.add_option("--rounds", plan.rounds, "Timed passes of each row")
      ->check(CLI::Range(3u, 1000u))
      ->capture_default_str();
  app.add_option("--batch", plan.batches, "Objects at once")->delimiter(',')->check(CLI::Range(1u, max_batch));
  app.add_option("--threads", plan.threads, "Numbers of threads")->delimiter(',')->check(CLI::Range(1u, 64u));
  app.add_option("--json", json, "Also write the results there");
  app.footer("Installed packages that are missing are said: libjemalloc2 at the start, libdpdk-dev at the build.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_arguments;
  }
  start_with_room_for_jemalloc(argc, argv);
  plan.cpus = allowed_cpus();
  std::vector<group> groups = make_groups();
  if (!plan.cpus.empty()) pin_to_cpu(plan.cpus.front());
  for (group& g : groups) {
    std::string error;
    g.rows = bench_alloc(g.rivals, plan, g.bytes, error);
    if (!error.empty()) {
      fmt::print(stderr, "kbench: {}\n", error);
      return 1;
    }
    print(g);
  }
  fmt::print("\nThe pool's cycles as a part of\n  threads  batch\n");
  judge(groups[0], "jemalloc");
  judge(groups[0], "rte_mempool");
  judge(groups[1], "jemalloc");
  judge(groups[1], "rte_pktmbuf");
  if (json.empty()) return 0;
  std::ofstream file(json);
  write_json(groups, file);
  file.flush();
  if (!file) fmt::print(stderr, "kbench: cannot write {}\n", json);
  return file ? 0 : bad_arguments;
}

}  // namespace fibtrie::kbench
