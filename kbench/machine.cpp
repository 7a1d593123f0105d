// SPDX-License-Identifier: MIT
#include "kbench/machine.hpp"

#include <malloc.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "kbench/clock.hpp"

namespace fibtrie::kbench {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value of the first "name : value" line.
std::string field(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

// "32768K" in bytes.
std::size_t parse_size(const std::string& text) {
  char* end = nullptr;
  const std::size_t number = std::strtoull(text.c_str(), &end, 10);
  return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

// "0-1,4": 3.
int count_cpus(const std::string& list) {
  std::stringstream stream(list);
  int count = 0;
  for (std::string range; std::getline(stream, range, ',');) {
    const auto dash = range.find('-');
    count += dash == std::string::npos ? 1 : std::atoi(range.c_str() + dash + 1) - std::atoi(range.c_str()) + 1;
  }
  return count;
}

std::vector<cache_info> read_caches() {
  std::vector<cache_info> caches;
  for (int index = 0;; ++index) {
    const std::string base = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const std::string type = first_line(base + "type");
    if (type.empty()) return caches;
    caches.push_back({type, std::atoi(first_line(base + "level").c_str()), parse_size(first_line(base + "size")),
                      count_cpus(first_line(base + "shared_cpu_list"))});
  }
}

// The bracketed word of "always [madvise] never".
std::string chosen(const std::string& line) {
  const auto open = line.find('['), close = line.find(']');
  return open == std::string::npos || close == std::string::npos ? line : line.substr(open + 1, close - open - 1);
}

std::string vector_units() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "AVX-512";
  if (__builtin_cpu_supports("avx2")) return "AVX2";
#endif
  return "no AVX2";
}

}  // namespace

machine_info describe_machine() {
  machine_info m;
  utsname names{};
  if (uname(&names) == 0) {
    m.host = names.nodename;
    m.kernel = std::string(names.sysname) + " " + names.release;
  }
  m.cpu = field("/proc/cpuinfo", "model name");
  m.cpus = static_cast<unsigned>(allowed_cpus().size());
  m.tsc_ghz = ticks_per_ns();
  m.vectors = vector_units();
  m.caches = read_caches();
  m.load_average.resize(3);
  m.load_average.resize(static_cast<std::size_t>(std::max(0, getloadavg(m.load_average.data(), 3))));
  m.huge_pages_mode = chosen(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  m.date.assign(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &local));
  if (m.date.size() == 24) m.date = m.date.substr(0, 22) + ':' + m.date.substr(22);  // +0200 as +02:00
#if defined(__clang__)
  m.compiler = "clang " __clang_version__;
#else
  m.compiler = "g++ " __VERSION__;
#endif
  m.flags = FIBTRIE_BUILD_FLAGS;
  return m;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

bool pin_to_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

std::size_t huge_page_bytes() {
  return static_cast<std::size_t>(std::strtoull(field("/proc/self/smaps_rollup", "AnonHugePages").c_str(), nullptr, 10))
         << 10;
}

void trim_heap() { malloc_trim(0); }

}  // namespace fibtrie::kbench
