// SPDX-License-Identifier: MIT
// Lists of route operations in the words of `ip route`, and their application to a table.
//
// A line is   VERB [TYPE] PREFIX [scope S] [via G] [dev D]   with VERB add, replace or del; `default` is 0.0.0.0/0, no
// length is /32.  Lines that start with `#`, and empty ones, say nothing.  What a table cannot do yet (more verbs, tos,
// metric, multipath, next-hop objects, tables, conditions of a del, lines that start with `@`) is refused by its name.
//
// Thread safety: one thread.
// Invariants: 1. An operation that was handed out is complete; nothing unknown is passed over in silence.
// Source: iproute2's words and defaults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fibtrie/key.h"
#include "fibtrie/status.h"
#include "io/line_reader.hpp"
#include "io/route_attributes.hpp"

namespace fibtrie::io {

enum class operation_verb : std::uint8_t { add, replace, remove };

struct operation {
  operation_verb verb = operation_verb::add;
  prefix4 route;                // as written: host bits may be set
  route_attributes attributes;  // of add and replace, defaults filled in
  std::string text;             // the line
  std::uint64_t line_number = 0;
};

// "10.0.0.0/8", "10.0.0.1" (/32) or "default".  False for anything else; host bits are kept.
bool parse_route(std::string_view text, prefix4& out) noexcept;

// Parses one line that is no comment.  Returns what is wrong with it, or an empty text.
std::string parse_operation(std::string_view line, operation& out);

// Reads a list, gzipped or not, from its start to its end or its first error.
class ops_reader {
 public:
  explicit ops_reader(std::string path) : path_(std::move(path)), lines_(path_) {}

  // False at the end and after an error.
  bool next(operation& out);
  // "FILE:LINE: what", or "FILE: what" when the file cannot be read; empty while all is well.
  const std::string& error() const noexcept { return error_; }

 private:
  bool next_line(std::string_view& line);

  const std::string path_;
  line_reader lines_;
  std::string error_;
};

// How rtnetlink answers: "0", "EEXIST", "ESRCH", "EINVAL", ...
std::string_view result_text(status code) noexcept;

// Applies an operation to any table with add(prefix4, result), replace(prefix4, result) and remove(prefix4).  Prefixes
// with host bits set go to the table as they are: it is the table that refuses them.
template <class Table>
status apply(Table& table, route_interner& interner, const operation& op) {
  switch (op.verb) {
    case operation_verb::add: return table.add(op.route, interner.result_of(op.attributes));
    case operation_verb::replace: return table.replace(op.route, interner.result_of(op.attributes));
    case operation_verb::remove: return table.remove(op.route);
  }
  return status::invalid;
}

}  // namespace fibtrie::io
