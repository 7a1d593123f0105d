// SPDX-License-Identifier: MIT
// The writer's half of a liburcu flavour, the same for all four: included by the flavour's .cpp, never installed.
//
// The includer has defined URCU_API_MAP and included its flavour's liburcu header, so that the short names used here
// mean the functions of that flavour, and has defined FIBTRIE_FLAVOUR as the name of the class.
//
// Thread safety, progress: as rcu/flavour.hpp says.
// Invariants: 1. No two flavours share a worker or a grace period.
// Source: liburcu's API documentation.

#include <pthread.h>
#include <sched.h>

#include <new>

#include "rcu/annotate.hpp"
#include "rcu/flavour_domain.hpp"
#include "trie/assert.hpp"

namespace fibtrie::rcu {

namespace {

static_assert(sizeof(rcu_head) <= sizeof(callback_head::opaque) && alignof(rcu_head) <= alignof(callback_head));

// liburcu's workers call this; the opaque part is the first member, so its address is the head's.
void run_callback(rcu_head* native) {
  annotate::grace_period_ended();
  auto* head = reinterpret_cast<callback_head*>(native);
  head->function(head);
  annotate::callback_done();
}

constexpr int any_cpu = -1;

bool bind_to_cpu(pthread_t thread, int cpu) noexcept {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  CPU_SET(cpu, &wanted);
  return pthread_setaffinity_np(thread, sizeof(wanted), &wanted) == 0;
}

}  // namespace

void FIBTRIE_FLAVOUR::synchronize() noexcept {
  FIBTRIE_CHECK(!in_read_section());
  // A registered qsbr caller is offline while it waits, which ends its earlier reads.
  annotate::section_ends();
  synchronize_rcu();
  annotate::grace_period_ended();
}

void FIBTRIE_FLAVOUR::barrier() noexcept {
  FIBTRIE_CHECK(!in_read_section());
  annotate::section_ends();
  rcu_barrier();
  annotate::grace_period_ended();
  annotate::callbacks_waited_for();
}

void FIBTRIE_FLAVOUR::call(callback_head* head, void (*function)(callback_head*)) noexcept {
  head->function = function;
  annotate::callback_given();
  call_rcu(::new (head->opaque) rcu_head, run_callback);
}

bool FIBTRIE_FLAVOUR::pin_callbacks(int cpu) noexcept {
  if (cpu < 0 || cpu >= CPU_SETSIZE) return false;
  unpin_callbacks();
  // liburcu's own affinity argument takes effect only every 256th grace period, so the thread is bound here.
  set_thread_call_rcu_data(create_call_rcu_data(0, any_cpu));
  if (bind_to_cpu(get_call_rcu_thread(get_thread_call_rcu_data()), cpu)) return true;
  unpin_callbacks();
  return false;
}

void FIBTRIE_FLAVOUR::unpin_callbacks() noexcept {
  call_rcu_data* const worker = get_thread_call_rcu_data();
  if (worker == nullptr) return;
  FIBTRIE_CHECK(!in_read_section());
  set_thread_call_rcu_data(nullptr);
  // liburcu waits for the worker to stop; a registered qsbr caller must not hold up the grace period it may be in.
  annotate::section_ends();
  const bool was_online = rcu_read_ongoing() != 0;  // outside read sections only qsbr says so
  if (was_online) thread_offline();
  call_rcu_data_free(worker);
  if (was_online) thread_online();
}

const domain& FIBTRIE_FLAVOUR::instance() noexcept {
  struct started final {
    // The default worker is made lazily by liburcu, which aborts when it cannot: let that happen when a table is
    // made, not in the middle of a removal.
    started() noexcept { static_cast<void>(get_default_call_rcu_data()); }
    flavour_domain<FIBTRIE_FLAVOUR> domain;
  };
  // Never destroyed: tables with static storage may outlive any order of destruction.
  static const started* const the_one = new started;
  return the_one->domain;
}

}  // namespace fibtrie::rcu
