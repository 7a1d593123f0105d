// SPDX-License-Identifier: MIT
// The shared part of routes: everything but prefix, tos and table position; and its next hops.
//
// Thread safety: plain fields are complete before the record is published and never change; atomic fields are stored by
// the one writer and loaded by readers; fields marked "writer" belong to the writer alone.
// Invariants: 1. Two infos in use are never equal (same_info, trie/route/infos.hpp).  2. An info has legs or a next-hop
// object; an info of an error type has one leg without device.
// Progress: wait-free for readers.
// Source: sections "fib_info" and "Multipath" of the kernel's behaviour.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "fibtrie/flow.h"
#include "fibtrie/route.h"

namespace fibtrie::route {

// An interface as readers need it; lives, once known, until readers are done with it.
struct device_record {
  std::uint32_t index = 0;
  std::atomic<std::uint32_t> group{0};
  // This interface's own setting or the one for all.
  std::atomic<bool> ignore_linkdown{false};
};

// One next hop.
struct fib_leg {
  std::uint32_t gateway = 0;
  std::uint32_t oif = 0;
  std::uint32_t flow = 0;
  std::uint16_t weight = 1;
  std::uint8_t scope = scope::nowhere;
  std::uint8_t request_flags = 0;  // nexthop_flag::onlink as asked
  const device_record* device = nullptr;
  std::atomic<std::uint8_t> flags{0};  // nexthop_flag::dead, ::linkdown
  std::atomic<std::int32_t> upper_bound{-1};
  std::atomic<std::uint32_t> source{0};  // the address that packets leave with; 0: none known

  // relaxed (all): each flag stands for itself; a lookup beside a change may see either
  bool is_dead() const noexcept { return (flags.load(std::memory_order_relaxed) & nexthop_flag::dead) != 0; }
  bool is_linkdown() const noexcept { return (flags.load(std::memory_order_relaxed) & nexthop_flag::linkdown) != 0; }
  bool is_ignored_for_linkdown() const noexcept {
    return is_linkdown() && device != nullptr && device->ignore_linkdown.load(std::memory_order_relaxed);
  }
  bool is_usable(std::uint32_t wanted_oif, unsigned lookup_flags) const noexcept {
    const std::uint8_t now = flags.load(std::memory_order_relaxed);
    if (now != 0) [[unlikely]] {
      if ((now & nexthop_flag::dead) != 0) return false;
      if ((lookup_flags & lookup_flag::ignore_linkstate) == 0 && is_ignored_for_linkdown()) return false;
    }
    return wanted_oif == 0 || wanted_oif == oif;
  }
};

struct nexthop_record;

struct fib_info {
  // What makes it the same as another, with the legs or the object.
  std::uint32_t table = 0;
  std::uint32_t priority = 0;
  std::uint32_t prefsrc = 0;
  route_type type = route_type::unicast;
  std::uint8_t protocol = 0;
  std::uint8_t scope = 0;

  std::atomic<std::uint8_t> flags{0};  // nexthop_flag::dead, ::linkdown
  std::uint32_t leg_count = 0;
  std::unique_ptr<fib_leg[]> legs;
  nexthop_record* nexthop = nullptr;  // instead of legs

  std::uint32_t id = 0;         // by which slot words name it
  std::uint32_t tree_refs = 0;  // writer: aliases that use it
  std::uint64_t hash = 0;       // writer
  fib_info* next = nullptr;     // writer: hash chain
  fib_info* newer = nullptr;    // writer: all infos, in the order of their making
  fib_info* older = nullptr;
  bool prefsrc_gone = false;  // writer: dead because its preferred source is
  bool announce = false;      // writer: its next-hop object changed
  route_metrics metrics{};

  bool is_dead() const noexcept {
    // relaxed: as for legs
    return (flags.load(std::memory_order_relaxed) & nexthop_flag::dead) != 0;
  }
};

// True for a type whose lookup ends with an error.
constexpr bool is_error_type(route_type type) noexcept {
  return type == route_type::blackhole || type == route_type::unreachable || type == route_type::prohibit ||
         type == route_type::throw_route || type == route_type::nat || type == route_type::xresolve;
}

}  // namespace fibtrie::route
