// SPDX-License-Identifier: MIT
// A domain whose grace periods end when the test says so.
//
// Thread safety: one thread at a time.
// Invariants: 1. A callback runs in the first advance() after its call(), oldest first; one given by a running callback
//   waits for the next advance().
// Source: none.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "rcu/domain.hpp"

namespace fibtrie::testing {

class manual_domain : public rcu::domain {
 public:
  void call(rcu::callback_head* head, void (*function)(rcu::callback_head*)) const noexcept override {
    head->function = function;
    waiting_.push_back(head);
  }
  void synchronize() const noexcept override { advance(); }
  void barrier() const noexcept override { advance(); }
  bool in_read_section() const noexcept override { return in_read_section_; }
  const char* name() const noexcept override { return "manual"; }

  // Ends a grace period.
  void advance() const noexcept {
    for (rcu::callback_head* head : std::exchange(waiting_, {})) head->function(head);
  }
  std::size_t waiting() const noexcept { return waiting_.size(); }
  void set_in_read_section(bool inside) noexcept { in_read_section_ = inside; }

 private:
  mutable std::deque<rcu::callback_head*> waiting_;
  bool in_read_section_ = false;
};

}  // namespace fibtrie::testing
