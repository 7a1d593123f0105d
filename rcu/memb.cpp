// SPDX-License-Identifier: MIT
// The memb flavour over liburcu-memb.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. _LGPL_SOURCE, which inlines liburcu's read side, is defined in this object only.
// Source: liburcu's API documentation.
#include "rcu/memb.hpp"

#include "rcu/annotate.hpp"

// The inlined read side would be instrumented and look like data races; the library's own is not.
#ifndef FIBTRIE_THREAD_SANITIZER
#define _LGPL_SOURCE
#endif
#define URCU_API_MAP
#include <urcu/static/urcu-memb.h>  // the registered flag, also where nothing is inlined
#include <urcu/urcu-memb.h>

#define FIBTRIE_FLAVOUR memb
#include "rcu/liburcu_writer.ipp"

namespace fibtrie::rcu {

bool memb::register_thread() noexcept {
  // liburcu would link a thread twice, which breaks its list; the embedder may have registered it, too.
  if (URCU_TLS(urcu_memb_reader).registered) return false;
  rcu_register_thread();
  return true;
}

void memb::unregister_thread() noexcept {
  FIBTRIE_ASSERT(!in_read_section());
  annotate::section_ends();
  rcu_unregister_thread();
}

void memb::read_lock() noexcept {
  FIBTRIE_ASSERT(URCU_TLS(urcu_memb_reader).registered);
  rcu_read_lock();
}

void memb::read_unlock() noexcept {
  annotate::section_ends();
  rcu_read_unlock();
}

bool memb::in_read_section() noexcept { return rcu_read_ongoing() != 0; }

}  // namespace fibtrie::rcu
