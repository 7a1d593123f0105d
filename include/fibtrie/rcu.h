// SPDX-License-Identifier: MIT
// The RCU flavours a table can work with, and the scopes a reader opens.
//
//   using flavour = fibtrie::rcu::memb;                        // one for a table's readers and its writer
//   std::unique_ptr<fibtrie::fib> table;
//   if (fibtrie::fib::create(flavour::instance(), table) != fibtrie::status::ok) return;
//
//   void reader() {                                            // any number of threads
//     fibtrie::rcu::thread_registration<flavour> registered;   // once a thread
//     fibtrie::rcu::read_section<flavour> section;             // once a packet, a burst, ...
//     auto hop = table->lookup(fibtrie::ipv4(192, 0, 2, 1));
//   }
//
// memb: the default.  qsbr: polling data planes.  bp: threads that cannot be registered.  mb: where sys_membarrier is
// missing.  plain: std::atomic only, for thread sanitizers and tests.  rcu/README.md tells more.
//
// Thread safety, progress: rcu/flavour.hpp.
// Invariants: 1. None of these headers includes a header of liburcu.
// Source: liburcu.
#pragma once

#include "rcu/bp.hpp"
#include "rcu/guard.hpp"
#include "rcu/mb.hpp"
#include "rcu/memb.hpp"
#include "rcu/plain.hpp"
#include "rcu/qsbr.hpp"
