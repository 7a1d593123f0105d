// SPDX-License-Identifier: MIT
// What an operation has done to the routes so far: enough to tell of it, to settle it, or to undo it.
//
// Thread safety: the writer's.
// Invariants: 1. What a step replaced (results, references) is kept until the journal is settled, so that undoing needs
//   no memory.  2. In a batch a prefix that loses its last route keeps an entry without aliases until the end.
// Source: docs/semantics.md.
#pragma once

#include <cstdint>
#include <vector>

#include "fibtrie/route_events.h"
#include "trie/route/alias.hpp"
#include "trie/route/table.hpp"

namespace fibtrie::route {

// One change of the routes of one prefix.
struct journal_step {
  table* where = nullptr;
  prefix4 dst{};
  std::uint32_t before = 0;  // the prefix's results; 0: no entry
  std::uint32_t after = 0;
  alias added{};              // info null: none
  alias removed{};            // info null: none
  std::uint16_t message = 0;  // flags of the message of an added one
  bool silent = false;        // no message
  bool event = false;         // this fib event, of this route
  fib_event::kind event_kind{};
  alias event_of{};
};

struct journal {
  std::vector<journal_step> steps;
  bool batch = false;  // more steps may follow that have to be undone together
};

}  // namespace fibtrie::route
