// SPDX-License-Identifier: MIT
#include <cstdio>
#include <memory>

#include "fibtrie/fib.h"
#include "fibtrie/rcu.h"

int main() {
  using namespace fibtrie;
  const rcu::thread_registration<rcu::memb> registered;  // every thread that reads or writes
  std::unique_ptr<fib> table;
  if (fib::create(rcu::memb::instance(), table) != status::ok) return 1;

  if (table->add({ipv4(10, 0, 0, 0), 8}, 1) != status::ok) return 1;  // one writer at a time
  if (table->add({ipv4(10, 1, 0, 0), 16}, 2) != status::ok) return 1;

  const rcu::read_section<rcu::memb> section;  // any number of readers, many lookups in each section
  const lookup_result hit = table->lookup(ipv4(10, 1, 2, 3));
  const lookup_result miss = table->lookup(ipv4(192, 0, 2, 1));
  std::printf("10.1.2.3 -> %u, 192.0.2.1 -> %s\n", hit.value, miss ? "a route" : "none");
}
