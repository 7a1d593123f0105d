// SPDX-License-Identifier: MIT
// `fibtrie check`: loads a table and proves that it is what the file says.
//
// Thread safety: one thread.
#include <fmt/format.h>

#include "tools/commands.hpp"
#include "tools/output.hpp"
#include "tools/table.hpp"

namespace fibtrie::tools {
namespace {

// How many routes of the file the table does not know, or knows with another result.
std::size_t count_wrong(const table& t) {
  const read_section section(t.flavour());
  std::size_t wrong = 0;
  for (const io::table_route& r : t.loaded().routes) wrong += t->find(r.route) != lookup_result{r.result, true};
  return wrong;
}

}  // namespace

void check_command(const settings& wanted) {
  table t(wanted);
  t.load(wanted.routes_file, wanted.skip_bad);
  const std::string broken = t->verify_invariants();
  if (!broken.empty()) throw failure(exit_code::refused, "broken invariant: " + broken);
  const std::size_t routes = t.loaded().routes.size();
  if (const std::size_t wrong = count_wrong(t); wrong != 0 || t->size() != routes) {
    throw failure(exit_code::refused,
                  fmt::format("{} of {} routes are wrong, the table has {}", wrong, routes, t->size()));
  }
  output out;
  out.text().put(fmt::format("{} routes, every one found, all invariants hold\n", routes));
  out.finish();
}

}  // namespace fibtrie::tools
