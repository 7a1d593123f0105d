// SPDX-License-Identifier: MIT
// Routes, notifications and answers of lookups as lines of text.
//
// Thread safety: functions of their arguments; a namespace is read by its rules.
// Source: the format of the recorded cases; `ip route` and `ip -j route` of iproute2.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fibtrie/net.h"

namespace fibtrie::io {

using name_of_device = std::function<std::string(std::uint32_t index)>;
name_of_device names_in(const fib_net& net);

// TYPE PREFIX/LEN [tos T] [table N] metric M proto P scope S [src A] [nhid N] [via G] [dev D]
//     [nexthop [via G] [dev D] weight W [dead] [linkdown]]... [dead] [linkdown]
// Without a newline.  own_table: the table that need not be named.
std::string route_text(const route_report& route, const name_of_device& name, std::uint32_t own_table = 0);

// "NEW flags excl,create ROUTE" or "DEL flags - ROUTE".
std::string message_text(const route_message& message, const name_of_device& name, std::uint32_t own_table = 0);

// "ADDRESS [tos T] [oif D]".  False: it is nothing like that.
bool parse_query(std::string_view text, const std::function<std::uint32_t(std::string_view)>& devices, flow4& out);
// What a lookup in one table says: "unicast 10.0.0.0/8 metric 0 scope link dev d0 nhsel 0", or "error EINVAL".
std::string answer_text(const fib_net& net, std::uint32_t table, const flow4& flow);

// " mtu 1400 window 7"; empty: none.
std::string metrics_text(const route_metrics& metrics);

// As `ip route` lists it: "10.0.0.0/8 via 192.0.2.1 dev d0 proto static metric 5".
std::string ip_route_text(const route_report& route, const name_of_device& name);
// As `ip -j -d route` lists it, one object.
std::string ip_route_json(const route_report& route, const name_of_device& name);

}  // namespace fibtrie::io
