// SPDX-License-Identifier: MIT
// See flavour.hpp.
#include "tools/flavour.hpp"

#include <algorithm>

#include "tools/failure.hpp"

namespace fibtrie::tools {
namespace {

template <rcu::flavour F>
constexpr rcu_functions functions_of() {
  return {F::name,       &F::instance,    &F::register_thread, &F::unregister_thread,
          &F::read_lock, &F::read_unlock, &F::quiescent_state};
}

}  // namespace

const std::vector<rcu_functions>& rcu_flavours() {
  static const std::vector<rcu_functions> all = {functions_of<rcu::memb>(), functions_of<rcu::qsbr>(),
                                                 functions_of<rcu::bp>(), functions_of<rcu::mb>(),
                                                 functions_of<rcu::plain>()};
  return all;
}

const rcu_functions& flavour_named(const std::string& name) {
  const auto& all = rcu_flavours();
  const auto found = std::find_if(all.begin(), all.end(), [&](const rcu_functions& f) { return f.name == name; });
  if (found == all.end()) throw failure(exit_code::bad_input, "no RCU flavour " + name);
  return *found;
}

}  // namespace fibtrie::tools
