// SPDX-License-Identifier: MIT
// All RCU flavours as the types of a typed test, and their names in its cases.
//
// Thread safety: types only.
// Source: none.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fibtrie/rcu.h"

namespace fibtrie::testing {

using flavours = ::testing::Types<rcu::memb, rcu::qsbr, rcu::bp, rcu::mb, rcu::plain>;

struct flavour_names {
  template <class F>
  static std::string GetName(int) {
    return F::name;
  }
};

}  // namespace fibtrie::testing
