// SPDX-License-Identifier: MIT
// Next-hop objects and groups: records that routes refer to, whose content is replaced under readers.
//
// Thread safety: the writer's, but for nexthop_record::state and what it leads to, which readers follow.
// Invariants: 1. A state is complete before it is published; only flags and bounds change afterwards.  2. A group has
// members, none of them a group; a blackhole is alone in its group.
// Progress: wait-free for readers.
// Source: the kernel's next-hop objects.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "fibtrie/nexthop.h"
#include "fibtrie/status.h"
#include "trie/route/fib_info.hpp"

namespace fibtrie::route {

struct group_member {
  nexthop_record* record = nullptr;
  std::uint16_t weight = 1;
  std::int32_t upper_bound = -1;
};

struct nexthop_state {
  bool blackhole = false;
  fib_leg leg;                        // not of a group
  std::vector<group_member> members;  // a group's
};

struct nexthop_record {
  std::uint32_t id = 0;
  std::atomic<nexthop_state*> state{nullptr};
  nexthop_object object;                // writer: as asked for, members that went away left out
  std::vector<nexthop_record*> groups;  // writer: those it is a member of, the newest last
  nexthop_record* next_gone = nullptr;  // writer: of those that are not in the table any more

  nexthop_record() = default;
  nexthop_record(const nexthop_record&) = delete;
  nexthop_record& operator=(const nexthop_record&) = delete;
  ~nexthop_record() { delete state.load(std::memory_order_relaxed); }  // relaxed: nobody looks any more

  const nexthop_state& now() const noexcept {
    // acquire: the state was complete before it was published
    return *state.load(std::memory_order_acquire);
  }
  bool is_group() const noexcept { return !object.group.empty(); }
};

// The state that decides whether packets go nowhere: of a group of one, its member's.
bool is_blackhole(const nexthop_record& record) noexcept;

// The leg of that rank; null: there is none.
const fib_leg* leg_at(const nexthop_record& record, std::size_t rank) noexcept;
std::size_t leg_count(const nexthop_record& record) noexcept;

// The first usable leg and its rank; null: none.
const fib_leg* first_usable(const nexthop_record& record, std::uint32_t oif, unsigned flags,
                            std::uint16_t& rank) noexcept;

// Bounds by weight over all members.
void set_bounds(std::vector<group_member>& members) noexcept;

class nexthop_table {
 public:
  nexthop_record* find(std::uint32_t id) const noexcept;
  std::uint32_t free_id() const noexcept;
  // The record must be complete.  May throw std::bad_alloc.
  nexthop_record* add(std::unique_ptr<nexthop_record> record);
  std::unique_ptr<nexthop_record> remove(std::uint32_t id) noexcept;

  auto begin() const noexcept { return records_.begin(); }
  auto end() const noexcept { return records_.end(); }

 private:
  std::map<std::uint32_t, std::unique_ptr<nexthop_record>> records_;
};

}  // namespace fibtrie::route
