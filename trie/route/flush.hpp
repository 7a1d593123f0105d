// SPDX-License-Identifier: MIT
// Plans of what a pass over a table's trie drops and changes, made before the first change.
//
// Thread safety: the writer's.
// Invariants: 1. Steps stand in the order of a walk.  2. A plan that was not carried out gives back what it made.
// Source: section "Flush" of the kernel's behaviour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "trie/route/store.hpp"
#include "trie/route/table.hpp"

namespace fibtrie::route {

struct sweep_step {
  prefix4 dst{};
  std::uint32_t before = 0;
  std::uint32_t after = 0;  // 0: nothing is left
  std::size_t first_gone = 0;
  std::size_t gone_count = 0;
};

struct swept_alias {
  alias route{};
  alias next{};        // the one behind it, whatever its table
  bool first = false;  // of its prefix and table
};

// One pass over the trie of one table.
struct sweep {
  table* where = nullptr;
  std::vector<sweep_step> steps;
  std::vector<swept_alias> gone;
  bool tell = true;
  bool drops_references = true;  // false: the routes live on elsewhere
};

struct sweep_plan {
  explicit sweep_plan(alias_store& s) noexcept : store(s) {}
  ~sweep_plan();
  sweep_plan(const sweep_plan&) = delete;
  sweep_plan& operator=(const sweep_plan&) = delete;

  alias_store& store;
  std::vector<sweep> passes;
  std::size_t records = 0;  // to retire
};

using is_swept = std::function<bool(const table&, const alias&)>;

// Notes in pass what is to be dropped from the table's trie.  earlier: a pass over the same trie that comes before, or
// null.  May throw std::bad_alloc.
void plan_sweep(const table& t, const is_swept& swept, const sweep* earlier, alias_store& store, sweep& pass);

}  // namespace fibtrie::route
