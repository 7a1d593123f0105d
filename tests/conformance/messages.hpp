// SPDX-License-Identifier: MIT
// The kernel's messages about routes, next hops and rules, from and to the library's values.
//
// Thread safety: functions of their arguments.
// Source: rtnetlink.
#pragma once

#include "io/ops.hpp"
#include "tests/conformance/netlink.hpp"

namespace fibtrie::conformance {

// NLM_F_* of insert_flag bits, which are the same ones.
netlink_message route_request(const route_spec& spec, bool remove, std::uint16_t flags);
netlink_message nexthop_request(const nexthop_object& object, bool remove, std::uint16_t flags);
netlink_message rule_request(const rule_spec& rule, bool remove, std::uint16_t flags);
// Of RTM_NEWROUTE and RTM_DELROUTE.
route_report parse_route_message(const nlmsghdr& message);

}  // namespace fibtrie::conformance
