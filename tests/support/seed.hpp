// SPDX-License-Identifier: MIT
// Seeds of random tests, printed and replayable, and how much a test may do in this build.
//
// Thread safety: none needed.
// Invariants: 1. The same FIBTRIE_TEST_SEED (a number; 1 if unset) gives the same run.
// Source: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace fibtrie::testing {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool under_thread_sanitizer = true;
#else
inline constexpr bool under_thread_sanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_address_sanitizer = true;
#else
inline constexpr bool under_address_sanitizer = false;
#endif
#if defined(FIBTRIE_ASSERTS)
inline constexpr bool with_asserts = true;
#else
inline constexpr bool with_asserts = false;
#endif

// A number of rounds, cut down where each costs more.
constexpr unsigned scaled(unsigned rounds) noexcept {
  const unsigned by = under_thread_sanitizer || under_address_sanitizer ? 16 : with_asserts ? 4 : 1;
  return std::max(rounds / by, 1u);
}

inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("FIBTRIE_TEST_SEED");
    const std::uint64_t chosen = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
    std::printf("seed %llu (FIBTRIE_TEST_SEED replays another)\n", static_cast<unsigned long long>(chosen));
    return chosen;
  }();
  return seed;
}

// Random numbers of their own for each user of a test program.
class random_source {
 public:
  explicit random_source(std::uint64_t stream) : engine_(test_seed() * 0x9e3779b97f4a7c15u + stream) {}

  std::uint64_t operator()() { return engine_(); }
  std::uint32_t below(std::uint64_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class Items>
  const typename Items::value_type& pick(const Items& items) {
    return items[below(items.size())];
  }

  using result_type = std::mt19937_64::result_type;
  static constexpr result_type min() { return std::mt19937_64::min(); }
  static constexpr result_type max() { return std::mt19937_64::max(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace fibtrie::testing
