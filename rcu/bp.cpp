// SPDX-License-Identifier: MIT
// The bp flavour over liburcu-bp.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. _LGPL_SOURCE, which inlines liburcu's read side, is defined in this object only.
// Source: liburcu's API documentation.
#include "rcu/bp.hpp"

#include "rcu/annotate.hpp"

// The inlined read side would be instrumented and look like data races; the library's own is not.
// liburcu 0.13 aligns bp's reader records less than their type asks, which the inlined read side would report in the
// address + undefined behaviour build.
#if !defined(FIBTRIE_THREAD_SANITIZER) && !defined(__SANITIZE_ADDRESS__)
#define _LGPL_SOURCE
#endif
#define URCU_API_MAP
#include <urcu/urcu-bp.h>

#define FIBTRIE_FLAVOUR bp
#include "rcu/liburcu_writer.ipp"

namespace fibtrie::rcu {

bool bp::register_thread() noexcept {
  rcu_register_thread();  // nothing, if it is known already
  return false;           // liburcu takes it back when the thread ends
}

void bp::unregister_thread() noexcept {}

void bp::read_lock() noexcept { rcu_read_lock(); }

void bp::read_unlock() noexcept {
  annotate::section_ends();
  rcu_read_unlock();
}

bool bp::in_read_section() noexcept { return rcu_read_ongoing() != 0; }

}  // namespace fibtrie::rcu
