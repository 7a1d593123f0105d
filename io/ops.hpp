// SPDX-License-Identifier: MIT
// Lists of operations: routes in the words of `ip route`, and what happens to interfaces, addresses and next hops.
//
// A line is a route line (io/route_line.hpp), or
//   @link D up|down|del                       D = d0, d1, ..., lo; or p0, p1, ...: the other end, whose state is d's
//   carrier
//   @addr add|del A/L dev D
//   @nexthop add|replace id N [via G] [dev D] [onlink] | blackhole | group N[,W][/N[,W]]...
//   @nexthop del id N
//   @sysctl net.ipv4.conf.D.ignore_routes_with_linkdown 0|1     D may be `all`
//   @rule add|del WORDS                    a policy rule (io/rule_line.hpp)
//   @unmerge                               a policy rule parts local from main
// A list may begin with   #! devices N   #! addrs no   #! table merged   (see list_settings).  Other lines that start
// with
// `#`, and empty ones, say nothing.
//
// Thread safety: one thread.
// Invariants: 1. An operation that was handed out is complete; nothing unknown is passed over in silence.
//   2. Interfaces have fixed indexes: lo 1, dK K + 2.
// Source: the format of the recorded cases.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fibtrie/device.h"
#include "fibtrie/nexthop.h"
#include "fibtrie/rule.h"
#include "fibtrie/status.h"
#include "io/line_reader.hpp"
#include "io/route_line.hpp"

namespace fibtrie::io {

// What the list says of its world.
struct list_settings {
  unsigned devices = 4;   // d0, d1, ...
  bool addresses = true;  // dK has 198.18.K.1/24
  bool merged = false;    // routes go to main, not to table 100
  std::uint32_t table() const noexcept { return merged ? table_id::main : 100; }
};

// lo is 1, dK is K + 2; 0: no such one.
std::uint32_t device_index(std::string_view name, unsigned devices) noexcept;
std::string device_name(std::uint32_t index);

enum class operation_kind : std::uint8_t {
  insert,
  remove,
  link,     // device: up or down
  carrier,  // device: carrier or none
  remove_device,
  add_address,
  remove_address,
  add_nexthop,  // with flags
  remove_nexthop,
  ignore_linkdown,  // device (0: all), state
  add_rule,
  remove_rule,
  unmerge,  // as add_rule
};

struct operation {
  operation_kind kind = operation_kind::insert;
  std::uint16_t flags = 0;  // insert_flag bits
  route_spec spec;
  std::uint32_t device = 0;
  bool state = false;  // up, carrier, ignored
  address_spec address;
  nexthop_object nexthop;
  rule_spec rule;
  std::string text;  // the line
  std::uint64_t line_number = 0;
};

// Parses one line that is no comment.  Returns what is wrong with it, or an empty text.
std::string parse_operation(std::string_view line, const list_settings& settings, operation& out);

// Reads a list, gzipped or not, from its start to its end or its first error.
class ops_reader {
 public:
  explicit ops_reader(std::string path);

  // As the lines before the first operation say.
  const list_settings& settings() const noexcept { return settings_; }
  // False at the end and after an error.
  bool next(operation& out);
  // "FILE:LINE: what", or "FILE: what" when the file cannot be read; empty while all is well.
  const std::string& error() const noexcept { return error_; }

 private:
  bool next_line();
  std::string parse_setting(std::string_view line);

  const std::string path_;
  line_reader lines_;
  list_settings settings_;
  std::string_view line_;
  bool pending_ = false;  // line_ is the next operation
  std::string error_;
};

// How rtnetlink answers: "0", "EEXIST", "ESRCH", "EINVAL", ...
std::string_view result_text(status code) noexcept;

}  // namespace fibtrie::io
