// SPDX-License-Identifier: MIT
// Lines of operation lists as the operations they are.
//
// Thread safety: functions of their arguments.
// Source: none.
#pragma once

#include <string>

#include "fibtrie/net.h"
#include "io/ops.hpp"
#include "trie/assert.hpp"

namespace fibtrie::testing {

inline io::operation parsed_line(const std::string& line) {
  io::operation op;
  FIBTRIE_CHECK(io::parse_operation(line, {}, op).empty());
  return op;
}

// A step of a transaction, of a line that inserts or removes a route.
inline route_operation parsed_step(const std::string& line) {
  const io::operation op = parsed_line(line);
  const bool remove = op.kind == io::operation_kind::remove;
  return {remove ? route_operation::kind::remove : route_operation::kind::insert, op.flags, op.spec};
}

}  // namespace fibtrie::testing
