// SPDX-License-Identifier: MIT
// What a route is: the request that makes or removes one, and the report of one that a table holds.
//
// Thread safety: values only.
// Invariants: 1. All numbers are those of rtnetlink.  2. Addresses are in host order.
// Source: sections "Table operations", "fib_info" and "Front-end checks" of the kernel's behaviour.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fibtrie/key.h"

namespace fibtrie {

enum class route_type : std::uint8_t {
  unspec,  // in a delete: any
  unicast,
  local,
  broadcast,
  anycast,
  multicast,
  blackhole,
  unreachable,
  prohibit,
  throw_route,
  nat,
  xresolve,
};

namespace scope {
inline constexpr std::uint8_t universe = 0;
inline constexpr std::uint8_t site = 200;
inline constexpr std::uint8_t link = 253;
inline constexpr std::uint8_t host = 254;
inline constexpr std::uint8_t nowhere = 255;  // in a delete: any
}  // namespace scope

namespace protocol {
inline constexpr std::uint8_t unspec = 0;  // in a delete: any
inline constexpr std::uint8_t redirect = 1;
inline constexpr std::uint8_t kernel = 2;
inline constexpr std::uint8_t boot = 3;
inline constexpr std::uint8_t static_route = 4;
}  // namespace protocol

namespace table_id {
inline constexpr std::uint32_t unspec = 0;      // means main
inline constexpr std::uint32_t standard = 253;  // the table named "default"
inline constexpr std::uint32_t main = 254;
inline constexpr std::uint32_t local = 255;
}  // namespace table_id

// How an insert treats what is there already.
namespace insert_flag {
inline constexpr std::uint16_t replace = 0x100;
inline constexpr std::uint16_t exclusive = 0x200;
inline constexpr std::uint16_t create = 0x400;
inline constexpr std::uint16_t append = 0x800;
}  // namespace insert_flag

// The verbs of `ip route` in these flags.
namespace insert_verb {
inline constexpr std::uint16_t add = insert_flag::create | insert_flag::exclusive;
inline constexpr std::uint16_t append = insert_flag::create | insert_flag::append;
inline constexpr std::uint16_t prepend = insert_flag::create;
inline constexpr std::uint16_t replace = insert_flag::create | insert_flag::replace;
inline constexpr std::uint16_t change = insert_flag::replace;
inline constexpr std::uint16_t test = insert_flag::exclusive;
}  // namespace insert_verb

namespace nexthop_flag {
inline constexpr std::uint8_t dead = 1;       // device down: never used
inline constexpr std::uint8_t pervasive = 2;  // refused, as the kernel does
inline constexpr std::uint8_t onlink = 4;     // the gateway is on the link whatever the routes say
inline constexpr std::uint8_t linkdown = 16;  // no carrier
}  // namespace nexthop_flag

// Values by RTAX number (1..17), in the units of rtnetlink (rtt in 1/8 ms, rttvar in 1/4 ms); 0: not given.  Index 0 is
// unused, 1 is a mask of the locked ones.
struct route_metrics {
  std::array<std::uint32_t, 18> value{};

  bool any() const noexcept {
    for (const std::uint32_t v : value) {
      if (v != 0) return true;
    }
    return false;
  }
  friend bool operator==(const route_metrics&, const route_metrics&) = default;
};

namespace metric {
inline constexpr unsigned lock = 1, mtu = 2, window = 3, rtt = 4, rttvar = 5, ssthresh = 6, cwnd = 7, advmss = 8,
                          reordering = 9, hoplimit = 10, initcwnd = 11, features = 12, rto_min = 13, initrwnd = 14,
                          quickack = 15, cc_algo = 16, fastopen_no_cookie = 17;
}  // namespace metric

// Where packets go.  Zero: not given.
struct nexthop_spec {
  std::uint32_t gateway = 0;
  std::uint32_t oif = 0;     // interface index
  std::uint16_t weight = 1;  // 1..256; of lists only
  std::uint8_t flags = 0;    // nexthop_flag::onlink
  std::uint32_t flow = 0;    // class id (realm)

  friend bool operator==(const nexthop_spec&, const nexthop_spec&) = default;
};

// A route to be made or removed.  The defaults are those of a request that gives the prefix alone; which scope a verb
// of `ip route` fills in is default_scope() (io/route_words.hpp).
struct route_spec {
  prefix4 dst{};
  std::uint8_t tos = 0;
  route_type type = route_type::unicast;
  std::uint8_t scope = scope::universe;
  std::uint8_t protocol = protocol::boot;
  std::uint32_t priority = 0;
  std::uint32_t prefsrc = 0;
  std::uint32_t table = table_id::main;
  std::uint32_t nexthop_id = 0;         // a next-hop object instead of next hops
  nexthop_spec hop{};                   // device and gateway of a route with one next hop
  std::vector<nexthop_spec> multipath;  // a list of next hops; not empty: hop must not be given
  route_metrics metrics{};

  friend bool operator==(const route_spec&, const route_spec&) = default;
};

// The criteria of a delete that gives the prefix alone: anything else may be any.
inline route_spec delete_spec(prefix4 dst, std::uint32_t table = table_id::main) {
  route_spec spec;
  spec.dst = dst;
  spec.type = route_type::unspec;
  spec.scope = scope::nowhere;
  spec.protocol = protocol::unspec;
  spec.table = table;
  return spec;
}

// A next hop as it is reported.  flags: as rtnetlink shows them (a leg without carrier is shown dead, too, where its
// device says that such are to be ignored).
struct nexthop_report {
  std::uint32_t gateway = 0;
  std::uint32_t oif = 0;
  std::uint16_t weight = 1;
  std::uint8_t scope = scope::nowhere;
  std::uint8_t flags = 0;
  std::uint32_t flow = 0;

  friend bool operator==(const nexthop_report&, const nexthop_report&) = default;
};

// A route as tables, dumps and notifications report it.
struct route_report {
  prefix4 dst{};
  std::uint8_t tos = 0;
  route_type type = route_type::unicast;       // blackhole also for a route by a blackhole next-hop object
  route_type kept_type = route_type::unicast;  // as the route was made
  std::uint8_t scope = scope::universe;
  std::uint8_t protocol = protocol::unspec;
  std::uint32_t priority = 0;
  std::uint32_t prefsrc = 0;
  std::uint32_t table = 0;
  std::uint32_t nexthop_id = 0;
  route_metrics metrics{};
  std::vector<nexthop_report> nexthops;  // none: an error type

  friend bool operator==(const route_report&, const route_report&) = default;
};

}  // namespace fibtrie
