// SPDX-License-Identifier: MIT
// The RCU flavours by name, for what the command line chooses at run time.
//
// Thread safety: flavours are constants; a registration is the calling thread's.
// Invariants: 1. A thread is registered while any registration of it lives.
#pragma once

#include <string>
#include <vector>

#include "fibtrie/rcu.h"

namespace fibtrie::tools {

// The functions of one RCU flavour.
struct rcu_functions {
  const char* name;
  const rcu::domain& (*instance)() noexcept;
  bool (*register_thread)() noexcept;
  void (*unregister_thread)() noexcept;
  void (*read_lock)() noexcept;
  void (*read_unlock)() noexcept;
  void (*quiescent_state)() noexcept;
};

// The flavours by name, the default first.
const std::vector<rcu_functions>& rcu_flavours();
// Throws failure.
const rcu_functions& flavour_named(const std::string& name);

// The calling thread, known to the flavour.
class registration {
 public:
  explicit registration(const rcu_functions& flavour) : flavour_(flavour), mine_(flavour.register_thread()) {}
  ~registration() {
    if (mine_) flavour_.unregister_thread();
  }
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;

 private:
  const rcu_functions& flavour_;
  const bool mine_;
};

class [[nodiscard]] read_section {
 public:
  explicit read_section(const rcu_functions& flavour) noexcept : flavour_(flavour) { flavour_.read_lock(); }
  ~read_section() { flavour_.read_unlock(); }
  read_section(const read_section&) = delete;
  read_section& operator=(const read_section&) = delete;

 private:
  const rcu_functions& flavour_;
};

}  // namespace fibtrie::tools
