// SPDX-License-Identifier: MIT
// `fibtrie replay`: a stream of updates, applied to the table of a file; START HERE for the other two kinds.
//
// Thread safety: one thread.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "io/update_file.hpp"
#include "tools/commands.hpp"
#include "tools/output.hpp"
#include "tools/replay_ops.hpp"
#include "tools/table.hpp"

namespace fibtrie::tools {
namespace {

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
  if (!wanted.cases.empty()) return check_cases(wanted);
  if (!wanted.ops_file.empty()) return replay_operations(wanted);
  replay_updates(wanted);
}

}  // namespace fibtrie::tools
