// SPDX-License-Identifier: MIT
// `fibtrie dump`: the routes of a table, as the kernel shows them or as a route file.
//
// Thread safety: one thread.
#include "io/proc_text.hpp"
#include "tools/commands.hpp"
#include "tools/output.hpp"
#include "tools/table.hpp"

namespace fibtrie::tools {
namespace {

constexpr std::size_t routes_per_section = 4096;

// A route file tells nothing about types and scopes: gateways are the rule.
void put_trie(output& out, const table& t, const std::string& label) {
  const read_section section(t.flavour());
  const auto words = [](prefix4, std::uint32_t) { return io::route_words{"universe", "UNICAST"}; };
  io::write_fib_trie(
      out.text(), label + ":", [&](shape_visitor4& v) { t->visit_shape(v); }, words);
}

void put_routes(output& out, const table& t) {
  walk_cursor cursor;
  while (!cursor.done && out.flush()) {
    std::size_t count = 0;
    const read_section section(t.flavour());
    t->walk(cursor, [&](const route4& r) {
      out.text().dotted(r.route.key).put('/').number(r.route.plen).put(' ');
      t.put_result(out.text(), r.result);
      out.text().put('\n');
      return ++count < routes_per_section;
    });
  }
}

}  // namespace

void dump_command(const settings& wanted) {
  table t(wanted);
  t.load(wanted.routes_file, wanted.skip_bad);
  output out;
  if (wanted.format == "trie") {
    put_trie(out, t, wanted.label);
  } else {
    put_routes(out, t);
  }
  out.finish();
}

}  // namespace fibtrie::tools
