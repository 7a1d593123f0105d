// SPDX-License-Identifier: MIT
// The library and the running kernel agree about random programs.
//
// FIBTRIE_CONFORMANCE_SEED (the first seed, default 1), FIBTRIE_CONFORMANCE_SEEDS (how many, 24) and
// FIBTRIE_CONFORMANCE_OPS (operations of each, 1500) make longer runs and replay failures.
//
// Thread safety: one run at a time, in a thread and a namespace of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/conformance/comparison.hpp"
#include "tests/conformance/kernel_world.hpp"
#include "tests/support/seed.hpp"

namespace fibtrie::conformance {
namespace {

constexpr std::size_t batch = 25;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Long texts are shown where they differ first.
std::string excerpt(const std::string& text, const std::string& other) {
  constexpr std::ptrdiff_t lines_shown = 12;
  const auto differ = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first;
  auto from = differ;
  for (std::ptrdiff_t lines = 0; from != text.begin(); --from) {
    if (*(from - 1) == '\n' && ++lines == 4) break;
  }
  auto to = from;
  for (std::ptrdiff_t lines = 0; to != text.end() && lines < lines_shown; ++to) lines += *to == '\n';
  return (from == text.begin() ? "" : "...\n") + std::string(from, to) + (to == text.end() ? "" : "...\n");
}

std::string report_of(std::uint64_t seed, const program& p, const difference& seen) {
  program small = shrink(p, batch, seen);
  run_counts counts;
  const auto again = compare(small, batch, counts);
  const difference& d = again ? *again : seen;
  return "seed " + std::to_string(seed) + ", operation " + std::to_string(seen.operation) + ", " + seen.what +
         "\nThe shortest program that was found to differ:\n" + list_text(small) + "There, " + d.what + "\nkernel:\n" +
         excerpt(d.kernel, d.library) + "\nlibrary:\n" + excerpt(d.library, d.kernel) + "\n";
}

TEST(conformance, random_programs_end_as_in_the_running_kernel) {
  const std::string missing = kernel_world::unavailable();
  if (!missing.empty()) GTEST_SKIP() << "no namespace of the kernel's to compare with: " << missing;
  const auto first = number_from("FIBTRIE_CONFORMANCE_SEED", 1);
  const auto seeds = number_from("FIBTRIE_CONFORMANCE_SEEDS", 24);
  const auto operations = number_from("FIBTRIE_CONFORMANCE_OPS", testing::scaled(1500));
  run_counts all;
  for (auto seed = first; seed < first + seeds; ++seed) {
    const program p = random_program(seed, operations);
    const auto seen = compare(p, batch, all);
    if (seen) FAIL() << report_of(seed, p, *seen);
  }
  std::printf(
      "seeds %llu to %llu: %zu operations (%zu done, others refused), %zu messages, %zu routes, %zu lookups (%zu "
      "found)\n",
      static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + seeds - 1), all.operations,
      all.succeeded, all.messages, all.routes, all.lookups, all.found);
  EXPECT_GT(all.succeeded, all.operations / 5);
  EXPECT_GT(all.found, all.lookups / 40);
}

}  // namespace
}  // namespace fibtrie::conformance
