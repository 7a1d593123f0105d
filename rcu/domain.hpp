// SPDX-License-Identifier: MIT
// What a writer needs of an RCU flavour, as one run-time object: callbacks after a grace period, and waiting.
//
// Thread safety: every member may be called from any thread that the flavour allows to write (see rcu/flavour.hpp).
// Invariants: 1. A callback given to call() runs once, after every read section that was open at the call has ended.
// Progress: call() never waits for readers; synchronize() and barrier() do.
// Source: the interface of liburcu, reduced to what a table uses.
#pragma once

#include <cstddef>

namespace fibtrie::rcu {

// Memory a caller lends to call() until the callback runs.  What the flavour keeps in it is the flavour's business.
struct callback_head {
  alignas(void*) unsigned char opaque[2 * sizeof(void*)];
  void (*function)(callback_head*);
};

class domain {
 public:
  virtual ~domain() = default;

  // Runs function(head) after a grace period, from a thread of the flavour's own.  head must stay valid till then.
  virtual void call(callback_head* head, void (*function)(callback_head*)) const noexcept = 0;
  // Waits for a grace period.  Not from inside a read section.
  virtual void synchronize() const noexcept = 0;
  // Waits until every callback given before has run.  Neither from inside a read section nor from a callback.
  virtual void barrier() const noexcept = 0;
  // True when the calling thread is inside a read section.
  virtual bool in_read_section() const noexcept = 0;
  virtual const char* name() const noexcept = 0;
};

}  // namespace fibtrie::rcu
