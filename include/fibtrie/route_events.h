// SPDX-License-Identifier: MIT
// Notifications of a routing namespace: the messages that rtnetlink sends, and the events that offload drivers get.
//
// Thread safety: a listener is called by the thread that updates, inside the update: it must not update the same
//   namespace, and should be quick; it may look up.
// Invariants: 1. What is reported is valid during the call.  2. A listener sees every change since its subscription, in
// order.
// Source: section "Notifications" of the kernel's behaviour.
#pragma once

#include <cstdint>

#include "fibtrie/nexthop.h"
#include "fibtrie/route.h"
#include "fibtrie/rule.h"
#include "fibtrie/status.h"

namespace fibtrie {

// As RTM_NEWROUTE and RTM_DELROUTE.  flags: insert_flag bits that tell what happened, not what was asked.
struct route_message {
  enum class kind : std::uint8_t { added, removed };
  kind what = kind::added;
  std::uint16_t flags = 0;
  const route_report* route = nullptr;
};

// As the kernel's in-kernel FIB events.
struct fib_event {
  enum class kind : std::uint8_t {
    entry_replace,  // route: now the first of its prefix and table
    entry_append,   // only with kernel_behaviour::every_alias_announced
    entry_add,      // only with kernel_behaviour::every_alias_announced
    entry_del,      // route: was the only one (the first, with every_alias_announced) of its prefix and table
    rule_add,
    rule_del,
    nexthop_add,  // a leg of a route came back: route, leg
    nexthop_del,  // a leg of a route is not to be used any more
  };
  kind what = kind::entry_replace;
  const route_report* route = nullptr;
  const rule_spec* rule = nullptr;
  const nexthop_report* leg = nullptr;
};

class route_listener {
 public:
  virtual ~route_listener() = default;

  virtual void on_message(const route_message&) {}
  // Anything but ok vetoes an insert or a new rule, which is then undone and fails with that status; for other events
  // the answer does not count.
  virtual status on_event(const fib_event&) { return status::ok; }
};

}  // namespace fibtrie
