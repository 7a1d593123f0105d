// SPDX-License-Identifier: MIT
// The qsbr flavour over liburcu-qsbr.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. _LGPL_SOURCE, which inlines liburcu's read side, is defined in this object only.
// Source: liburcu's API documentation.
#include "rcu/qsbr.hpp"

#include "rcu/annotate.hpp"

// The inlined read side would be instrumented and look like data races; the library's own is not.
#ifndef FIBTRIE_THREAD_SANITIZER
#define _LGPL_SOURCE
#endif
#define URCU_API_MAP
#include <urcu/static/urcu-qsbr.h>  // the registered flag, also where nothing is inlined
#include <urcu/urcu-qsbr.h>

#define FIBTRIE_FLAVOUR qsbr
#include "rcu/liburcu_writer.ipp"

namespace fibtrie::rcu {

namespace {

// liburcu knows only whether a thread is online.  An online thread may write, one inside a read section may not.
[[gnu::tls_model("initial-exec")]] constinit thread_local unsigned nesting = 0;

}  // namespace

bool qsbr::register_thread() noexcept {
  // liburcu would link a thread twice, which breaks its list; the embedder may have registered it, too.
  if (URCU_TLS(urcu_qsbr_reader).registered) return false;
  rcu_register_thread();
  return true;
}

void qsbr::unregister_thread() noexcept {
  FIBTRIE_ASSERT(!in_read_section());
  annotate::section_ends();
  rcu_unregister_thread();
}

void qsbr::read_lock() noexcept {
  FIBTRIE_ASSERT(rcu_read_ongoing());  // online
  ++nesting;
}

void qsbr::read_unlock() noexcept {
  FIBTRIE_ASSERT(nesting > 0);
  --nesting;
}

bool qsbr::in_read_section() noexcept { return nesting > 0; }

void qsbr::quiescent_state() noexcept {
  FIBTRIE_ASSERT(nesting == 0);
  annotate::section_ends();
  rcu_quiescent_state();
}

void qsbr::thread_offline() noexcept {
  FIBTRIE_ASSERT(nesting == 0);
  annotate::section_ends();
  rcu_thread_offline();
}

void qsbr::thread_online() noexcept { rcu_thread_online(); }

}  // namespace fibtrie::rcu
