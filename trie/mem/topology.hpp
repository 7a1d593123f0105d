// SPDX-License-Identifier: MIT
// Which memory nodes there are, which one a thread is near to, and putting memory on one.
//
// Thread safety: a value; its functions may be called from any thread.
// Invariants: 1. Nodes are numbered from 0 without gaps, whatever the system calls them.  2. There is at least one.
// Progress: current_node() is a vDSO call; binding is a system call.
// Source: /sys/devices/system/node, getcpu(2), mbind(2); called directly, so that no library is needed for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fibtrie::mem {

inline constexpr unsigned max_nodes = 16;

class topology {
 public:
  // One node.
  topology() = default;
  // The nodes that have memory; more than max_nodes are not used.
  static topology system() noexcept;
  // So many nodes that are all the same memory; the CPUs belong to them in turn.  For tests, and to see what a table
  // of copies costs.
  static topology simulated(unsigned nodes) noexcept;

  unsigned nodes() const noexcept { return nodes_; }
  bool is_simulated() const noexcept { return simulated_; }
  // Of the CPU that the calling thread runs on.
  unsigned current_node() const noexcept;
  // Asks that pages of the range, when they are first touched, come from that node, or from all in turn.  False: they
  // come from where the system likes (one node, a simulated one, or a system that refuses).
  bool bind(void* from, std::size_t bytes, unsigned node) const noexcept;
  bool interleave(void* from, std::size_t bytes) const noexcept;

 private:
  unsigned nodes_ = 1;
  bool simulated_ = false;
  std::array<std::uint16_t, max_nodes> system_id_{};
};

}  // namespace fibtrie::mem
