// SPDX-License-Identifier: MIT
// Plays an operation list in a namespace and tells what there is to see afterwards, as text.
//
// Thread safety: one thread, which is the namespace's writer and in a read section where its flavour needs one.
// Invariants: 1. The texts are those of the recorded cases, byte for byte.
// Source: the format of the recorded cases.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "fibtrie/net.h"
#include "io/ops.hpp"

namespace fibtrie::io {

class list_player {
 public:
  // net: empty.
  explicit list_player(fib_net& net) : net_(net) {}
  list_player(const list_player&) = delete;
  list_player& operator=(const list_player&) = delete;

  // Plays the list.  Returns what is wrong with it, or an empty text; the texts tell of what was done before.
  // with_steps: the trie after each operation is kept.  between: called after each operation.
  std::string play(const std::string& path, bool with_steps, const std::function<void()>& between = {});

  const list_settings& settings() const noexcept { return settings_; }
  std::size_t operations() const noexcept { return operations_; }

  const std::string& results() const noexcept { return results_; }  // a line for each operation
  const std::string& steps() const noexcept { return steps_; }      // ... and the trie after it
  const std::string& events() const noexcept { return events_; }    // messages, by the rank of the operation
  std::string trie() const;
  std::string triestat() const;
  std::string routes() const;
  std::string ip_routes() const;  // as `ip route` lists them
  std::string ip_json() const;    // as `ip -j -d route`

 private:
  class recorder;

  std::string run(ops_reader& reader, bool with_steps, const std::function<void()>& between);
  template <class Visit>
  void for_each_table(Visit&& visit) const;
  // Visits the routes of the list's table, or of local and then main.
  void for_each_route(const std::function<void(const route_report&)>& visit) const;

  fib_net& net_;
  list_settings settings_;
  std::size_t operations_ = 0;
  std::string results_;
  std::string steps_;
  std::string events_;
};

}  // namespace fibtrie::io
