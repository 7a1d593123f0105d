// SPDX-License-Identifier: MIT
// A routing namespace with the kernel's semantics: tables of routes, next hops, interfaces, policy rules, events.
//
// Thread safety: update functions exclude each other: a second writer gets status::busy.  Lookups and dumps may run
//   beside a writer; the calling thread must hold a read section of the namespace's RCU flavour (fibtrie/rcu.h), except
//   where no writer can run meanwhile.
// Invariants: 1. A lookup of one table answers from some state of the table between its start and its end, per prefix:
//   of one operation it sees the old or the new route, never none in between.  2. A failed update changes nothing but,
//   as in the kernel, that the table it names exists.
// Progress: lookups are wait-free: no lock, no store to shared memory, a bounded number of steps.
// Source: docs/semantics.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fibtrie/device.h"
#include "fibtrie/flow.h"
#include "fibtrie/nexthop.h"
#include "fibtrie/options.h"
#include "fibtrie/route.h"
#include "fibtrie/route_events.h"
#include "fibtrie/rule.h"
#include "fibtrie/shape.h"
#include "fibtrie/stats.h"
#include "fibtrie/status.h"
#include "rcu/domain.hpp"
#include "trie/route/flow_result.hpp"

namespace fibtrie {

namespace route {
class net;
}

// What the kernel changed over time and what this namespace does.  The defaults are those of 6.18.
struct kernel_behaviour {
  bool ecn_bits_refused = true;           // since 5.18: a tos with one of the two low bits is EINVAL
  bool source_prefers_leg = true;         // since 6.16: of several legs the one with the flow's source address
  bool every_alias_announced = false;     // before 5.6: fib events for all routes, not just the first of a prefix
  bool prefsrc_removal_announced = true;  // since 6.7: a message for each route whose preferred source vanished
  bool network_broadcast_route = false;   // before 5.14: an address also makes a broadcast route of its network address
  bool signed_metric_text = false;        // before 6.13: /proc/net/route prints metrics as signed numbers

  // What the kernel of that version does; 4.1 is the oldest one known here.
  static kernel_behaviour of(unsigned major, unsigned minor) noexcept;
};

struct net_options {
  fib_options table{};  // of every table
  kernel_behaviour behaviour{};
  bool address_routes = true;  // addresses make their own routes, as in the kernel; false: a feed delivers these, too
  bool multipath_uses_neighbours = false;  // fib_multipath_use_neigh
  bool promote_secondaries = false;        // the next address takes over when the primary one goes
};

// One step of a transaction.
struct route_operation {
  enum class kind : std::uint8_t { insert, remove };
  kind what = kind::insert;
  std::uint16_t flags = insert_verb::add;  // of an insert
  route_spec spec{};
};

// The place where a dump goes on.  A default-made cursor starts at the first route.
struct dump_cursor {
  std::uint32_t chain = 0;  // tables hang in 256 chains by their id's low byte
  std::uint32_t table = 0;  // in the chain; 0: its first one
  key32 key = 0;            // the prefix to go on with, in the order of walk_cursor (fibtrie/fib.h)
  std::uint8_t plen = 32;
  std::uint32_t skip = 0;  // routes of that prefix that are done
  bool done = false;
};

// Asked for the state of a gateway, where next hops are chosen by it.
enum class neighbour_state : std::uint8_t { none, incomplete, failed, stale, reachable };
using neighbour_callback = std::function<neighbour_state(key32 gateway, std::uint32_t oif)>;

// One alias of a leaf, for the text of /proc/net/fib_trie.
class table_shape_visitor {
 public:
  virtual ~table_shape_visitor() = default;
  virtual void tnode(unsigned depth, prefix4 node, unsigned bits, std::uint32_t full_children,
                     std::uint32_t empty_children) = 0;
  virtual void leaf(unsigned depth, key32 key) = 0;
  virtual void alias(unsigned depth, std::uint8_t plen, std::uint8_t scope, route_type type, std::uint8_t tos) = 0;
};

class fib_net {
 public:
  // Errors: invalid (options), no_memory.
  static status create(const rcu::domain& domain, const net_options& options, std::unique_ptr<fib_net>& out) noexcept;
  ~fib_net();  // no reader and no writer may be left
  fib_net(const fib_net&) = delete;
  fib_net& operator=(const fib_net&) = delete;

  // ---- routes
  // flags: insert_verb or insert_flag bits.  Errors, as the kernel's: invalid, exists, no_entry (REPLACE or plain
  // lookup without CREATE), no_device, net_down, net_unreachable and whatever else the look-up of the gateway says,
  // no_buffers, no_memory, a listener's veto; backlog_full, busy, in_read_section.
  status insert(const route_spec& spec, std::uint16_t flags) noexcept;
  // Removes the first route that fits the criteria.  Errors: not_found, invalid, ...
  status remove(const route_spec& criteria) noexcept;
  // All of the operations or, at the first error, none; *failed is then the rank of the one that cannot be done.
  // Readers may see the steps one by one.  Listeners are told at the end, and cannot veto.
  status apply(std::span<const route_operation> operations, std::size_t* failed = nullptr) noexcept;
  // Makes a table hold exactly these routes; readers see one switch.  Each is inserted as by `append`.  Not for local
  // and main while they share a trie.
  status replace_all(std::uint32_t table, std::span<const route_spec> routes, std::size_t* failed = nullptr) noexcept;

  // ---- interfaces and addresses
  status add_device(const device_spec& device) noexcept;  // exists, invalid
  status remove_device(std::uint32_t index) noexcept;     // with its addresses and all routes through it
  status set_up(std::uint32_t index, bool up) noexcept;
  status set_carrier(std::uint32_t index, bool carrier) noexcept;
  // index 0: for all (conf.all).
  status set_ignore_linkdown(std::uint32_t index, bool ignore) noexcept;
  status add_address(std::uint32_t index, const address_spec& address) noexcept;
  status remove_address(std::uint32_t index, key32 local, std::uint8_t plen) noexcept;
  std::optional<device_spec> device(std::uint32_t index) const;
  // In the kernel's order: primary addresses first, then the secondary ones of their subnets.
  std::vector<address_spec> addresses(std::uint32_t index) const;
  std::uint32_t device_index(const std::string& name) const noexcept;  // 0: no such device

  // ---- next-hop objects
  status add_nexthop(const nexthop_object& object, std::uint16_t flags) noexcept;  // insert_flag bits
  status remove_nexthop(std::uint32_t id) noexcept;
  std::vector<nexthop_object> nexthops() const;  // ascending ids

  // ---- policy rules.  The first one added or removed parts local from main for ever.
  status add_rule(const rule_spec& rule, std::uint16_t flags) noexcept;  // exists with insert_flag::exclusive
  status remove_rule(const rule_spec& rule) noexcept;                    // no_entry
  std::vector<rule_spec> rules() const;

  // ---- lookups, in a read section
  // Over the rules.  Errors: net_unreachable, invalid (blackhole), host_unreachable, no_access.
  status lookup(const flow4& flow, unsigned flags, flow_result& out) const noexcept;
  // In one table.  Errors: no_match (also of a throw route, and for a table that does not exist), else as lookup().
  status lookup_table(std::uint32_t table, const flow4& flow, unsigned flags, flow_result& out) const noexcept;
  // Chooses among the legs and among several default routes, as the kernel does after a lookup.  neighbours may be
  // null.
  void select_path(const flow4& flow, flow_result& result, const neighbour_callback* neighbours = nullptr) const;
  // The plain lookup: the id of the route's shared part, or a mark that the full lookup has to tell.
  plain_view plain(std::uint32_t table) const noexcept;

  // ---- dumps, in a read section
  // Reports routes from the cursor on until visit returns false.  table: 0 for all.
  void dump(dump_cursor& cursor, std::uint32_t table, const std::function<bool(const route_report&)>& visit) const;
  route_report report(const flow_result& result) const;  // the route a lookup found
  std::vector<std::uint32_t> tables() const;             // in the order of /proc: by chain
  void visit_shape(std::uint32_t table, table_shape_visitor& visitor) const;
  trie_stats stats(std::uint32_t table) const;
  memory_stats memory() const;  // the writer's, or while it is at rest
  // Every byte by kind, of all tables together; the writer must be at rest.
  memory_report report_memory() const;
  std::size_t shared_infos() const noexcept;  // distinct shared parts of routes
  std::string verify_invariants() const;      // the writer must be at rest; empty: all is well

  // ---- events
  // The listener gets, before anything else, events that tell of all rules and routes.  Errors: exists, no_memory.
  status subscribe(route_listener& listener) noexcept;
  void unsubscribe(route_listener& listener) noexcept;

  // After a bulk load: moves a table's memory into the order of lookups, so that they are as fast and the table as
  // small as can be.  Waits for readers.  Errors: no_entry (no such table), no_memory (right, but not all in order).
  status compact(std::uint32_t table) noexcept;
  // Waits for readers and takes back all retired memory.
  status flush() noexcept;
  const net_options& options() const noexcept;

 private:
  explicit fib_net(std::unique_ptr<route::net> net) noexcept;
  std::unique_ptr<route::net> net_;
};

}  // namespace fibtrie
