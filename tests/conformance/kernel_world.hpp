// SPDX-License-Identifier: MIT
// The running kernel as the world of an operation list: a network namespace with the list's interfaces.
//
// Thread safety: one thread, which is in the new namespace from then on.
// Invariants: 1. An operation is done, with everything that follows from it, when apply() returns.
// Source: the format of the recorded cases; rtnetlink; NETLINK_FIB_LOOKUP.
#pragma once

#include <string>
#include <vector>

#include "fibtrie/net.h"
#include "io/ops.hpp"
#include "tests/conformance/netlink.hpp"

namespace fibtrie::conformance {

struct kernel_version {
  unsigned major = 0;
  unsigned minor = 0;
};
kernel_version running_kernel();

class kernel_world {
 public:
  // Why there can be none here (no right to make namespaces, no veth); empty: there can.
  static std::string unavailable();

  // Throws std::runtime_error.
  explicit kernel_world(const io::list_settings& settings, bool promote_secondaries = false);
  kernel_world(const kernel_world&) = delete;
  kernel_world& operator=(const kernel_world&) = delete;

  // "0" or the name of an errno.
  std::string apply(const io::operation& op);
  // What the kernel said beside its last errno; often nothing.
  const std::string& reason() const noexcept { return route_.reason(); }

  // Messages since the last call, as io::message_text() has them.
  std::vector<std::string> take_messages();
  std::vector<route_report> routes();
  std::string proc_text(const char* name) const;  // of /proc/net
  // NETLINK_FIB_LOOKUP in one table: "error EINVAL" or "unicast /8 scope link nhsel 0".
  std::string table_lookup(std::uint32_t table, const flow4& flow);
  // RTM_GETROUTE with FIB_MATCH, by the rules: an errno and the route.
  int match(const flow4& flow, route_report& out);

 private:
  void make_interfaces(bool promote_secondaries);
  int change_link(const io::operation& op);
  int set_link(const std::string& name, bool up);
  int change_address(std::uint32_t device, const address_spec& address, bool add);
  // Until the kernel has seen what became of the interface's carrier.
  void settle(std::uint32_t device);
  int act(const io::operation& op);

  const io::list_settings settings_;
  netlink_socket route_;
  netlink_socket messages_;
  netlink_socket lookup_;
  std::vector<bool> up_;
  std::vector<bool> carrier_;
  std::vector<bool> gone_;
};

// The route and its metrics.
std::string full_text(const route_report& route);

}  // namespace fibtrie::conformance
