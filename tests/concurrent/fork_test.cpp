// SPDX-License-Identifier: MIT
// Processes that fork beside a writer: a child may read what it got, and may start another program.
//
// Thread safety: a program of its own.
// Invariants: 1. A child that only reads sees a table as it was at the fork, wherever the writer was.
// Source: docs/guarantees.md, "fork".
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "fibtrie/rcu.h"
#include "tests/support/flavour_types.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/tortured_table.hpp"

extern char** environ;

namespace fibtrie::testing {
namespace {

// In the child: nothing but lookups.  The exit code: 0, or 1 for a wrong answer.
template <class F>
int read_in_child(const tortured_table& shared, random_source& random) {
  for (int i = 0; i < 2000; ++i) {
    const rcu::read_section<F> section;
    for (int k = 0; k < 16; ++k) {
      if (!shared.constant_is_right(random)) return 1;
    }
  }
  return 0;
}

int result_of(pid_t child) {
  int end = 0;
  EXPECT_EQ(waitpid(child, &end, 0), child);
  return WIFEXITED(end) ? WEXITSTATUS(end) : 100 + WTERMSIG(end);
}

template <class F>
class fork_beside_writer : public ::testing::Test {};
TYPED_TEST_SUITE(fork_beside_writer, flavours, flavour_names);

TYPED_TEST(fork_beside_writer, children_read_and_start_programs) {
  using F = TypeParam;
  if (under_thread_sanitizer) GTEST_SKIP() << "the sanitizer does not follow a fork of a process with threads";
  const rcu::thread_registration<F> registered;
  tortured_table shared(F::instance());
  static_cast<void>(test_seed());  // its initialisation takes a lock, too
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    const rcu::thread_registration<F> writing;
    random_source random(1);
    while (!stop.load(std::memory_order_relaxed)) {  // relaxed: a flag
      for (int i = 0; i < 16; ++i) shared.churn(random);
      F::quiescent_state();
    }
    shared.finish();
  });
  for (unsigned n = 0; n < 25; ++n) {
    random_source random(n);  // the child takes no lock that another thread may have held at the fork
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(read_in_child<F>(shared, random));
    F::quiescent_state();
    EXPECT_EQ(result_of(child), 0) << "child " << n;
    F::quiescent_state();
  }
  const char* const arguments[] = {"true", nullptr};
  pid_t program = 0;
  ASSERT_EQ(posix_spawnp(&program, "true", nullptr, nullptr, const_cast<char**>(arguments), environ), 0);
  {
    const rcu::offline_scope<F> waiting;
    EXPECT_EQ(result_of(program), 0);
    stop.store(true, std::memory_order_relaxed);
    writer.join();
  }
  // The parent goes on as if nothing had happened.
  EXPECT_GT(shared.updates(), 1000u);
  EXPECT_EQ(shared.table().verify_invariants(), "");
}

}  // namespace
}  // namespace fibtrie::testing
