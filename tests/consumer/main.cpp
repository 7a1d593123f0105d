// SPDX-License-Identifier: MIT
// A user's program: a table, some routes, and lookups in a read section, compared with the answers known beforehand.
#include <fibtrie/fib.h>
#include <fibtrie/rcu.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>

using fibtrie::ipv4;
using fibtrie::status;
using flavour = fibtrie::rcu::memb;

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++failures;
}

void check_lookups(const fibtrie::fib& table) {
  const fibtrie::rcu::read_section<flavour> section;
  expect(table.lookup(ipv4(10, 1, 2, 3)).value == 2, "the longest of two prefixes");
  expect(table.lookup(ipv4(10, 2, 2, 3)).value == 1, "the shorter prefix where the longer does not reach");
  expect(!table.lookup(ipv4(11, 0, 0, 1)).found, "no route, no answer");

  const std::array addresses{ipv4(10, 1, 255, 255), ipv4(11, 0, 0, 1), ipv4(192, 0, 2, 1)};
  std::array<std::uint32_t, 3> results{};
  std::uint64_t found = 0;
  table.lookup_batch(addresses.data(), addresses.size(), results.data(), &found);
  expect(found == 0b101 && results == std::array<std::uint32_t, 3>{2, 0, 0xffffffff}, "a batch");
}

}  // namespace

int main() {
  const fibtrie::rcu::thread_registration<flavour> registration;
  std::unique_ptr<fibtrie::fib> table;
  expect(fibtrie::fib::create(flavour::instance(), table) == status::ok, "create");
  if (!table) return 1;

  expect(table->add({ipv4(10, 0, 0, 0), 8}, 1) == status::ok, "add 10/8");
  expect(table->add({ipv4(10, 1, 0, 0), 16}, 2) == status::ok, "add 10.1/16");
  expect(table->add({ipv4(192, 0, 2, 1), 32}, 0xffffffff) == status::ok, "add 192.0.2.1/32");
  expect(table->add({ipv4(10, 0, 0, 0), 8}, 3) == status::exists, "add 10/8 again");
  check_lookups(*table);
  expect(table->remove({ipv4(10, 1, 0, 0), 16}) == status::ok, "remove 10.1/16");
  const fibtrie::rcu::read_section<flavour> section;
  expect(table->lookup(ipv4(10, 1, 2, 3)).value == 1, "the shorter prefix after the longer is gone");
  return failures == 0 ? 0 : 1;
}
