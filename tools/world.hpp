// SPDX-License-Identifier: MIT
// A routing namespace as the command line describes it: RCU flavour and policy of its tables.
//
// Thread safety: the thread that made it; that thread is registered with the flavour meanwhile.
// Invariants: 1. A new world has no interfaces and no routes.
#pragma once

#include <memory>

#include "fibtrie/net.h"
#include "tools/flavour.hpp"
#include "tools/settings.hpp"

namespace fibtrie::tools {

class world {
 public:
  // Throws failure.
  explicit world(const settings& wanted);

  fib_net& operator*() noexcept { return *net_; }
  fib_net* operator->() noexcept { return net_.get(); }

  // To be called between updates: nothing would be reclaimed under qsbr otherwise.
  void quiescent_state() const noexcept { flavour_.quiescent_state(); }

 private:
  const rcu_functions& flavour_;
  registration registration_;
  std::unique_ptr<fib_net> net_;
};

}  // namespace fibtrie::tools
