// SPDX-License-Identifier: MIT
#include "trie/mem/topology.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace fibtrie::mem {
namespace {

// linux/mempolicy.h, which not every system has installed.
constexpr int policy_preferred = 1;
constexpr int policy_interleave = 3;
constexpr unsigned max_system_id = 1023;

struct node_mask {
  std::array<unsigned long, (max_system_id + 1) / (8 * sizeof(unsigned long))> words{};
  void add(unsigned id) noexcept { words[id / (8 * sizeof(unsigned long))] |= 1ul << id % (8 * sizeof(unsigned long)); }
};

bool set_policy(void* from, std::size_t bytes, int policy, const node_mask& mask) noexcept {
  // The kernel takes one bit less than it is told.
  return syscall(SYS_mbind, from, bytes, policy, mask.words.data(), max_system_id + 2ul, 0u) == 0;
}

}  // namespace

// A list such as "0-1,4".
topology topology::system() noexcept {
  topology found;
  char text[256] = "";
  if (std::FILE* const file = std::fopen("/sys/devices/system/node/has_memory", "re")) {
    if (std::fgets(text, sizeof text, file) == nullptr) text[0] = '\0';
    std::fclose(file);
  }
  unsigned count = 0;
  for (const char* at = text; *at >= '0' && *at <= '9' && count < max_nodes;) {
    char* end = nullptr;
    const unsigned long first = std::strtoul(at, &end, 10);
    const unsigned long last = *end == '-' ? std::strtoul(end + 1, &end, 10) : first;
    for (unsigned long id = first; id <= std::min<unsigned long>(last, max_system_id) && count < max_nodes; ++id) {
      found.system_id_[count++] = static_cast<std::uint16_t>(id);
    }
    at = *end == ',' ? end + 1 : end;
  }
  found.nodes_ = std::max(count, 1u);
  return found;
}

topology topology::simulated(unsigned nodes) noexcept {
  topology made;
  made.nodes_ = std::clamp(nodes, 1u, max_nodes);
  made.simulated_ = true;
  return made;
}

unsigned topology::current_node() const noexcept {
  unsigned cpu = 0;
  unsigned id = 0;
  if (nodes_ == 1 || getcpu(&cpu, &id) != 0) return 0;
  if (simulated_) return cpu % nodes_;
  for (unsigned node = 0; node < nodes_; ++node) {
    if (system_id_[node] == id) return node;
  }
  return 0;  // a node without memory
}

bool topology::bind(void* from, std::size_t bytes, unsigned node) const noexcept {
  if (nodes_ == 1 || simulated_ || node >= nodes_) return false;
  node_mask mask;
  mask.add(system_id_[node]);
  return set_policy(from, bytes, policy_preferred, mask);
}

bool topology::interleave(void* from, std::size_t bytes) const noexcept {
  if (nodes_ == 1 || simulated_) return false;
  node_mask mask;
  for (unsigned node = 0; node < nodes_; ++node) mask.add(system_id_[node]);
  return set_policy(from, bytes, policy_interleave, mask);
}

}  // namespace fibtrie::mem
