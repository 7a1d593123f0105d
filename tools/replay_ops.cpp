// SPDX-License-Identifier: MIT
// See replay_ops.hpp.
#include "tools/replay_ops.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/list_player.hpp"
#include "io/net_case.hpp"
#include "io/net_proc_text.hpp"
#include "tools/output.hpp"
#include "tools/world.hpp"

namespace fibtrie::tools {
namespace {

void print(io::text_sink& sink, const std::string& what, const io::list_player& player, const fib_net& net) {
  if (what == "results") sink.put(player.results());
  if (what == "events") sink.put(player.events());
  if (what == "trie") sink.put(player.trie());
  if (what == "triestat") sink.put(player.triestat());
  if (what == "routes") sink.put(player.routes());
  if (what == "ip") sink.put(player.ip_routes());
  if (what == "json") sink.put(player.ip_json());
  if (what == "proc-route") io::write_proc_route(sink, net);
}

// Tells how each file compares; returns how many differ.
std::size_t tell(io::text_sink& sink, const std::filesystem::path& folder, const io::case_report& report) {
  std::size_t differing = 0;
  for (const io::case_check& check : report.checks) {
    const bool same = check.difference.empty();
    sink.put((folder / check.file).string()).put(same ? ": same" : ": differs, ").put(check.difference).put('\n');
    if (!same) ++differing;
  }
  return differing;
}

}  // namespace

void replay_operations(const settings& wanted) {
  world w(wanted);
  io::list_player player(*w);
  const std::string error = player.play(wanted.ops_file, false, [&] { w.quiescent_state(); });
  output out;
  // Of a list that is wrong somewhere, the results until there are all there is to tell.
  if (error.empty() || wanted.print == "results") print(out.text(), wanted.print, player, *w);
  out.finish();
  if (!error.empty()) throw failure(exit_code::bad_input, error);
}

void check_cases(const settings& wanted) {
  output out;
  std::size_t files = 0;
  std::size_t differing = 0;
  for (const std::string& folder : wanted.cases) {
    world w(wanted);
    const io::case_report report = io::play_case(*w, folder, [&] { w.quiescent_state(); });
    if (!report.error.empty()) throw failure(exit_code::bad_input, report.error);
    if (report.checks.empty()) throw failure(exit_code::bad_input, folder + ": nothing to compare with");
    files += report.checks.size();
    differing += tell(out.text(), folder, report);
    out.flush();
  }
  out.finish();
  if (differing != 0) throw failure(exit_code::refused, fmt::format("{} of {} files differ", differing, files));
}

}  // namespace fibtrie::tools
