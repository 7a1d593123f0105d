// SPDX-License-Identifier: MIT
// Traits of tries under test: somebody may look on after each visible store, refuse memory, or plant a fault.
//
// Thread safety: one thread.
// Invariants: 1. Each instance of the template has hooks of its own.
// Source: trie/traits.hpp.
#pragma once

#include <cstdint>

namespace fibtrie::testing {

enum class fault { none, free_at_once, no_hand_over, publish_incomplete };

class store_observer {
 public:
  virtual ~store_observer() = default;
  // A store that readers may see was made.
  virtual void stored() noexcept = 0;
};

template <unsigned TopBits, fault Planted = fault::none>
struct hooked_traits {
  static constexpr unsigned top_bits = TopBits;
  static constexpr fault planted = Planted;
  static constexpr bool fault_free_at_once = Planted == fault::free_at_once;
  static constexpr bool fault_no_hand_over = Planted == fault::no_hand_over;
  static constexpr bool fault_publish_incomplete = Planted == fault::publish_incomplete;

  static void stored() noexcept {
    if (observer != nullptr) observer->stored();
  }
  static bool may_allocate() noexcept {
    ++allocations;
    return allocations != refuse && (!refuse_all_later || allocations < refuse);
  }
  // Refuses the n-th allocation from now on (0: none), or it and all later ones.
  static void refuse_allocation(std::uint64_t n, bool all_later) noexcept {
    allocations = 0;
    refuse = n;
    refuse_all_later = n != 0 && all_later;
  }

  inline static store_observer* observer = nullptr;
  inline static std::uint64_t allocations = 0;
  inline static std::uint64_t refuse = 0;
  inline static bool refuse_all_later = false;
};

}  // namespace fibtrie::testing
