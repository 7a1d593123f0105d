// SPDX-License-Identifier: MIT
// `fibtrie replay`: applies a list of route operations, or a stream of updates to a table of a file.
//
// Thread safety: one thread.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "io/ops.hpp"
#include "io/proc_text.hpp"
#include "io/route_attributes.hpp"
#include "io/update_file.hpp"
#include "tools/commands.hpp"
#include "tools/output.hpp"
#include "tools/table.hpp"

namespace fibtrie::tools {
namespace {

// An operation this build has no means for is refused; anything else the reader dislikes is a mistake in the file.
exit_code code_of(const std::string& error) {
  return error.ends_with("not supported yet") ? exit_code::refused : exit_code::bad_input;
}

// Applies all operations and writes a line with each result when they are wanted.
void apply_all(const std::string& file, table& t, io::route_interner& interner, io::text_sink* results) {
  io::ops_reader reader(file);
  io::operation op;
  while (reader.next(op)) {
    const status code = io::apply(*t, interner, op);
    t.quiescent_state();
    if (results != nullptr) results->put(io::result_text(code)).put('\n');
  }
  if (!reader.error().empty()) throw failure(code_of(reader.error()), reader.error());
}

void replay_operations(const settings& wanted) {
  table t(wanted);
  io::route_interner interner;
  output out;
  apply_all(wanted.ops_file, t, interner, wanted.print == "results" ? &out.text() : nullptr);
  const table::reading section(t);
  const auto shape = [&](shape_visitor4& v) { t->visit_shape(v); };
  if (wanted.print == "trie") {
    const auto words = [&](prefix4, std::uint32_t result) { return interner.words_of(result); };
    io::write_fib_trie(out.text(), wanted.label + ":", shape, words);
  } else if (wanted.print == "triestat") {
    io::write_fib_triestat_head(out.text());
    io::write_fib_triestat(out.text(), wanted.label + ":", t->stats());
  } else if (wanted.print == "routes") {
    io::write_routes(out.text(), shape, interner);
  }
  out.finish();
}

struct replay_counts {
  std::uint64_t replaced = 0, added = 0, withdrawn = 0, missing = 0;
  std::size_t start_size = 0, min_size = 0, max_size = 0, end_size = 0;
  double seconds = 0;
};

void apply_one(table& t, const io::route_update& update, replay_counts& counts) {
  bool existed = false;
  const status code =
      update.announce ? t->replace(update.route, io::implied_result(update.route), &existed) : t->remove(update.route);
  if (code == status::ok) {
    ++(!update.announce ? counts.withdrawn : existed ? counts.replaced : counts.added);
  } else if (code == status::not_found) {
    ++counts.missing;
  } else {
    throw failure(exit_code::refused, std::string("an update failed: ") + to_text(code));
  }
}

replay_counts apply_updates(table& t, const std::vector<io::route_update>& updates) {
  replay_counts counts;
  counts.start_size = counts.min_size = counts.max_size = t->size();
  const auto start = std::chrono::steady_clock::now();
  for (const io::route_update& update : updates) {
    apply_one(t, update, counts);
    counts.min_size = std::min(counts.min_size, t->size());
    counts.max_size = std::max(counts.max_size, t->size());
    t.quiescent_state();
  }
  counts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  counts.end_size = t->size();
  return counts;
}

void replay_updates(const settings& wanted) {
  io::loaded_updates loaded;
  io::load_options options;
  options.skip_bad = wanted.skip_bad;
  options.show_progress = true;
  if (!io::load_updates(wanted.updates_file, options, loaded)) {
    throw failure(exit_code::bad_input, loaded.report.error);
  }
  report_skipped(wanted.updates_file, loaded.report);
  table t(wanted);
  t.load(wanted.routes_file, wanted.skip_bad);
  const replay_counts c = apply_updates(t, loaded.updates);
  const double rate = c.seconds > 0 ? static_cast<double>(loaded.updates.size()) / c.seconds : 0;
  output out;
  out.text().put(fmt::format("updates    {}\nreplaced   {}\nadded      {}\nwithdrawn  {}\nmissing    {}\n",
                             loaded.updates.size(), c.replaced, c.added, c.withdrawn, c.missing));
  out.text().put(
      fmt::format("size       start {}, min {}, max {}, end {}\n", c.start_size, c.min_size, c.max_size, c.end_size));
  out.text().put(fmt::format("rate       {:.0f} updates/s\n", rate));
  out.finish();
}

}  // namespace

void replay_command(const settings& wanted) {
  if (wanted.ops_file.empty()) {
    replay_updates(wanted);
  } else {
    replay_operations(wanted);
  }
}

}  // namespace fibtrie::tools
