// SPDX-License-Identifier: MIT
// The state of a routing namespace and its operations, one file for each kind of them.
//
// Thread safety: as fibtrie::fib_net tells.
// Invariants: 1. Everything an operation may need is allocated, and room to retire is reserved, before the first change
// that a reader may see.  2. Operations are serialised by update_scope.
//   3. May throw std::bad_alloc where it is not noexcept: before any change, so that the caller turns it into
//   no_memory.
// Progress: waits for readers in flush(), at the end, when the first rule parts local from main, and where memory is so
// short that there is no room to retire.
// Source: docs/semantics.md.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fibtrie/net.h"
#include "rcu/retire.hpp"
#include "trie/route/devices.hpp"
#include "trie/route/flush.hpp"
#include "trie/route/journal.hpp"
#include "trie/route/nexthops.hpp"
#include "trie/route/rules.hpp"
#include "trie/route/store.hpp"
#include "trie/route/table.hpp"

namespace fibtrie::route {

class net {
 public:
  net(const rcu::domain& domain, const net_options& options) noexcept;
  ~net();
  net(const net&) = delete;
  net& operator=(const net&) = delete;
  status open();

  // ---- routes (net_insert.cpp, net_remove.cpp, net_apply.cpp, net_replace_all.cpp)
  status insert(const route_spec& spec, std::uint16_t flags);
  status remove(const route_spec& criteria);
  status apply(std::span<const route_operation> operations, std::size_t* failed);
  status replace_all(std::uint32_t id, std::span<const route_spec> routes, std::size_t* failed);

  // ---- interfaces (net_devices.cpp, net_addresses.cpp)
  status add_device(const device_spec& spec);
  status remove_device(std::uint32_t index);
  status set_up(std::uint32_t index, bool up);
  status set_carrier(std::uint32_t index, bool carrier);
  status set_ignore_linkdown(std::uint32_t index, bool ignore);
  status add_address(std::uint32_t index, const address_spec& address);
  status remove_address(std::uint32_t index, key32 local, std::uint8_t plen);
  const device_table& devices() const noexcept { return devices_; }

  // ---- next-hop objects (net_nexthops.cpp)
  status add_nexthop(const nexthop_object& object, std::uint16_t flags);
  status remove_nexthop(std::uint32_t id);
  const nexthop_table& nexthops() const noexcept { return nexthops_; }

  // ---- rules (net_rules.cpp)
  status add_rule(const rule_spec& rule, std::uint16_t flags);
  status remove_rule(const rule_spec& rule);
  const rule_book& rules() const noexcept { return rules_; }

  // ---- lookups (net_lookup.cpp)
  status lookup(const flow4& flow, unsigned flags, flow_result& out) const noexcept;
  status lookup_table(std::uint32_t id, const flow4& flow, unsigned flags, flow_result& out) const noexcept;
  void select_path(const flow4& flow, flow_result& result, const neighbour_callback* neighbours) const;
  plain_view plain(std::uint32_t id) const noexcept;

  // ---- reports (net_dump.cpp, report.cpp)
  void dump(dump_cursor& cursor, std::uint32_t id, const std::function<bool(const route_report&)>& visit) const;
  route_report report(const flow_result& result) const;
  std::vector<std::uint32_t> tables() const;
  void visit_shape(std::uint32_t id, table_shape_visitor& visitor) const;
  trie_stats stats(std::uint32_t id) const;
  memory_stats memory() const;
  memory_report report_memory() const;
  std::size_t shared_infos() const noexcept { return store_.infos().size(); }
  std::string verify_invariants() const;

  // ---- events (net_events.cpp)
  status subscribe(route_listener& listener);
  void unsubscribe(route_listener& listener) noexcept;

  status compact(std::uint32_t id) noexcept;
  status flush() noexcept;
  const net_options& options() const noexcept { return options_; }

 private:
  static constexpr std::size_t records_per_address = 16;  // what its routes may retire when they come or go
  static constexpr std::size_t spare_records = 64;        // what an operation on one prefix may retire, and more

  class update_scope;
  friend class update_scope;
  status begin_update() noexcept;
  void end_update() noexcept;
  void reclaim() noexcept;
  void reclaim_record(std::uint64_t record) noexcept;
  static std::size_t bytes_of(const trie_type& trie) noexcept;
  // Throws std::bad_alloc without room; spare_records can be retired even then.
  void reserve_retire(std::size_t records);

  // ---- tables
  // relaxed: the writer's own store
  bool parted() const noexcept { return has_rules_.load(std::memory_order_relaxed); }
  table* table_for(std::uint32_t id);  // made when it is not there; may throw
  table* existing_table(std::uint32_t id) const noexcept;
  // The routes of a prefix in a table's trie; 0 is no result.
  std::uint32_t read_prefix(const table& t, prefix4 dst, alias_vector& out) const;

  // ---- making infos (make_info.cpp).  ok: out is complete, not yet in the store.
  status make_info(const route_spec& spec, std::unique_ptr<fib_info>& out) const;
  status check_legs(const route_spec& spec, fib_info& info) const;
  status check_leg(const route_spec& spec, fib_leg& leg) const;
  status check_gateway(std::uint32_t table, std::uint8_t scope, fib_leg& leg) const;
  status check_onlink(std::uint8_t scope, fib_leg& leg) const;
  status check_device_leg(fib_leg& leg) const;
  static status check_object(std::uint8_t route_scope, bool group, const fib_leg& leg) noexcept;
  bool is_local_source(const route_spec& spec) const;
  route_type address_type(std::uint32_t table, key32 address) const;
  void choose_sources(fib_info& info) const noexcept;
  // The info in use that is the same, or this one taken in; null: no memory.
  fib_info* adopt(std::unique_ptr<fib_info>& made, bool& fresh) noexcept;
  void abandon(fib_info* info) noexcept;  // a fresh one that was not used

  // ---- one prefix (net_insert.cpp, net_remove.cpp, net_apply.cpp)
  status check_request(const route_spec& spec) const noexcept;
  status insert_in(table& t, const route_spec& spec, std::uint16_t flags, journal& log);
  status remove_requested(const route_spec& criteria, journal& log);
  status remove_in(table& t, const route_spec& criteria, journal& log);
  status apply_one(const route_operation& operation, journal& log);
  status store_aliases(journal_step& step, const alias_vector& aliases) noexcept;
  void note_insert_event(journal_step& step, const alias_vector& aliases, const insert_plan& plan) const noexcept;
  void note_remove_event(journal_step& step, const alias_vector& left, std::size_t at) const noexcept;
  void settle(journal& log) noexcept;
  void undo(journal& log) noexcept;
  void remove_emptied(journal& log) noexcept;
  static void count_default(table& t, prefix4 dst, const journal_step& step) noexcept;

  // ---- a table as a whole (net_replace_all.cpp)
  struct draft;
  bool shares_trie(const table& t) const noexcept;
  void switch_tries(table& shown, draft& fresh);
  void tell_switch(const trie_type& now, const trie_type& old) noexcept;

  // ---- flush (flush.cpp)
  void plan_flush(sweep_plan& plan, const is_swept& swept);
  bool carry_out(sweep_plan& plan) noexcept;
  bool carry_out(sweep& pass) noexcept;
  void tell_swept(const sweep& pass, const sweep_step& step) noexcept;
  void flush_dead() noexcept;

  // ---- state of legs (sync.cpp)
  enum class down_reason : std::uint8_t { carrier, down, unregistered };
  bool sync_down(std::uint32_t index, down_reason why, bool force) noexcept;
  void sync_up(const device& dev, std::uint8_t flags) noexcept;
  bool sync_down_source(key32 address) noexcept;
  void refresh_sources() noexcept;

  // ---- interfaces and addresses
  status bring_up(device& dev);
  void bring_down(device& dev) noexcept;
  void retire_device(std::unique_ptr<device_record> record) noexcept;
  status add_address_routes(const device& dev, const interface_address& a, journal& log);
  status remove_address_routes(const device& dev, const interface_address& a, bool dying, journal& log);
  status drop_address(device& dev, std::size_t place, bool dying);
  // What becomes of one address, in a change of several.
  struct address_step {
    address_step() { log.batch = true; }
    std::size_t records() const noexcept { return 4 * log.steps.size(); }  // that settling the log may retire

    journal log;
    key32 local = 0;
    bool stray = false;  // it is nobody's any more: routes with this source go
  };
  struct departure {
    std::vector<address_step> steps;
    std::vector<interface_address> heirs;  // secondary addresses of the subnet
    bool promote = false;                  // the first of them takes over
    bool dying = false;                    // the interface itself goes
  };
  status take_address(device& dev, std::size_t place, bool comes_back, departure& leaving);
  status drop_address_routes(device& dev, std::size_t place, departure& leaving);
  status promote_addresses(device& dev, std::vector<interface_address>& heirs) noexcept;
  void forget_source(key32 local) noexcept;

  // ---- next-hop objects
  status make_nexthop_state(const nexthop_object& object, std::unique_ptr<nexthop_state>& out) const;
  status replace_nexthop(nexthop_record& record, const nexthop_object& object, std::unique_ptr<nexthop_state> state);
  status check_replacement(const nexthop_record& record, const nexthop_object& object,
                           const nexthop_state& state) const;
  void leave_groups(nexthop_record& record) noexcept;
  void publish_state(nexthop_record& record, std::unique_ptr<nexthop_state> state) noexcept;
  void announce_nexthop(const nexthop_record& record) noexcept;
  bool drop_nexthop(nexthop_record& record) noexcept;
  void drop_nexthops_of(std::uint32_t index, bool unregistered) noexcept;
  void drop_dead_nexthops() noexcept;
  std::unique_ptr<nexthop_state> without(const nexthop_record& group, const nexthop_record& member) const;
  void unlink_nexthop(nexthop_record& record) noexcept;
  bool kill_routes_by(const nexthop_record& record) noexcept;
  void retire_gone_nexthops() noexcept;

  // ---- rules
  device_lookup_function device_lookup() const;
  void publish_rules(std::unique_ptr<rule_list> next) noexcept;
  void publish_custom_rules(std::unique_ptr<rule_list> next);
  void resolve_rules();
  void sweep_local_out_of_main() noexcept;
  std::unique_ptr<trie_type> copy_of_local(const table& main);
  void copy_aliases(const table& main, trie_type& into, std::vector<std::uint32_t>& made);

  // ---- events
  bool has_listeners() const noexcept { return !listeners_.empty(); }
  void tell(route_message::kind what, std::uint16_t flags, const alias& of, prefix4 dst) noexcept;
  status tell_event(const fib_event& event);
  status tell_event(fib_event::kind what, const alias& of, prefix4 dst, const fib_leg* leg = nullptr) noexcept;
  status tell_events(const journal& log, bool may_veto) noexcept;
  status tell_rule(fib_event::kind what, const rule_spec& rule);
  void tell_leg(fib_event::kind what, fib_info& info, const fib_leg& leg) noexcept;
  status replay_routes(route_listener& listener) const;
  void fill_report(const fib_info& info, std::uint8_t tos, prefix4 dst, route_report& out) const;

  const rcu::domain& domain_;
  net_options options_;
  rcu::retire_queue retired_;
  std::atomic<bool> updating_{false};
  alias_store store_;
  table_map tables_;
  device_table devices_;
  nexthop_table nexthops_;
  nexthop_record* gone_nexthops_ = nullptr;  // not in the table, but dead routes may lead to them
  rule_book rules_;
  std::atomic<bool> has_rules_{false};  // a rule was ever added or removed: local and main are parted
  std::vector<route_listener*> listeners_;
  std::uint64_t lost_messages_ = 0;  // no memory to make them
  std::size_t pending_retires_ = 0;  // records that the running operation will retire after what it reserves for next
  bool objects_due_ = false;         // next-hop objects without an interface are still in the table
  bool flush_due_ = false;           // dead routes are still in the tables
  bool parting_due_ = false;         // routes of local are still in main's trie
  std::size_t waiting_trie_bytes_ = 0;  // of tables that were replaced as a whole
};

nexthop_report report_of(const fib_leg& leg) noexcept;

// Lets one writer in, and out at the end.
class net::update_scope {
 public:
  explicit update_scope(net& n) noexcept : net_(n), code_(n.begin_update()) {}
  ~update_scope() {
    if (code_ == status::ok) net_.end_update();
  }
  update_scope(const update_scope&) = delete;
  update_scope& operator=(const update_scope&) = delete;

  status code() const noexcept { return code_; }

 private:
  net& net_;
  status code_;
};

}  // namespace fibtrie::route
