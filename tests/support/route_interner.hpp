// SPDX-License-Identifier: MIT
// Routes of a list as 32-bit results of a plain table, for the cases that such a table can play.
//
// Thread safety: one thread.
// Invariants: 1. Equal attributes have equal results; results count up from 0 in order of first sight.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "fibtrie/status.h"
#include "io/ops.hpp"
#include "io/proc_text.hpp"

namespace fibtrie::testing {

struct route_attributes {
  route_type type = route_type::unicast;
  std::uint8_t scope = scope::universe;
  std::uint32_t via = 0;
  std::uint32_t dev = 0;

  friend auto operator<=>(const route_attributes&, const route_attributes&) = default;
};

class route_interner {
 public:
  route_interner() = default;
  route_interner(const route_interner&) = delete;
  route_interner& operator=(const route_interner&) = delete;

  std::uint32_t result_of(const route_spec& spec);
  // result must come from result_of().
  const route_attributes& attributes_of(std::uint32_t result) const { return records_.at(result).attributes; }
  // The words of /proc/net/fib_trie; they live as long as the interner.
  io::route_words words_of(std::uint32_t result) const;

 private:
  struct record {
    route_attributes attributes;
    std::string scope_word;
    std::string type_word;
  };

  std::map<route_attributes, std::uint32_t> results_;
  std::deque<record> records_;
};

// Applies an operation that a plain table can do (add, replace, del of a prefix alone) to it; anything else is
// unsupported.
template <class Table>
status apply_plainly(Table& table, route_interner& interner, const io::operation& op) {
  if (op.kind == io::operation_kind::remove) return table.remove(op.spec.dst);
  if (op.kind != io::operation_kind::insert) return status::unsupported;
  if (op.flags == insert_verb::add) return table.add(op.spec.dst, interner.result_of(op.spec));
  if (op.flags == insert_verb::replace) return table.replace(op.spec.dst, interner.result_of(op.spec));
  return status::unsupported;
}

// The table in netlink dump order, one route a line.
void write_routes(io::text_sink& sink, const io::shape_source& shape, const route_interner& interner);

}  // namespace fibtrie::testing
