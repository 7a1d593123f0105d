// SPDX-License-Identifier: MIT
// A flavour as a run-time object: each virtual function forwards to the static one.
//
// Thread safety, progress: the flavour's.
// Invariants: 1. It has no state.
// Source: none; a plain adaptor.
#pragma once

#include "rcu/flavour.hpp"

namespace fibtrie::rcu {

template <flavour F>
class flavour_domain final : public domain {
 public:
  void call(callback_head* head, void (*function)(callback_head*)) const noexcept override { F::call(head, function); }
  void synchronize() const noexcept override { F::synchronize(); }
  void barrier() const noexcept override { F::barrier(); }
  bool in_read_section() const noexcept override { return F::in_read_section(); }
  const char* name() const noexcept override { return F::name; }
};

}  // namespace fibtrie::rcu
