// SPDX-License-Identifier: MIT
// See world.hpp.
#include "tools/world.hpp"

#include "tools/table.hpp"

namespace fibtrie::tools {
namespace {

std::unique_ptr<fib_net> make_net(const rcu_functions& flavour, const shape_policy& policy) {
  net_options options;
  options.table = table_options(policy);
  std::unique_ptr<fib_net> made;
  const status code = fib_net::create(flavour.instance(), options, made);
  if (code != status::ok) throw creation_failure(code);
  return made;
}

}  // namespace

world::world(const settings& wanted)
    : flavour_(flavour_named(wanted.rcu)), registration_(flavour_), net_(make_net(flavour_, wanted.policy)) {}

}  // namespace fibtrie::tools
