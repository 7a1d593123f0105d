// SPDX-License-Identifier: MIT
// See table.hpp.
#include "tools/table.hpp"

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cstdio>

#include "io/address_text.hpp"
#include "io/process_memory.hpp"

namespace fibtrie::tools {
namespace {

std::unique_ptr<fib> make_fib(const rcu_functions& flavour, const shape_policy& policy) {
  std::unique_ptr<fib> made;
  const status code = fib::create(flavour.instance(), table_options(policy), made);
  if (code != status::ok) throw creation_failure(code);
  return made;
}

// Without memory that was freed and stays with the allocator.
std::size_t trimmed_bytes() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
  return io::resident_bytes();
}

}  // namespace

fib_options table_options(const shape_policy& policy) {
  fib_options options;
  options.policy = policy;
  options.backlog = on_backlog::wait;  // a command would rather take a little longer than fail
  return options;
}

failure creation_failure(status code) {
  if (code == status::invalid)
    return {exit_code::bad_input, "these thresholds would let a node grow and shrink for ever"};
  return {exit_code::refused, std::string("cannot make a table: ") + to_text(code)};
}

table::table(const settings& wanted)
    : flavour_(flavour_named(wanted.rcu)), registration_(flavour_), fib_(make_fib(flavour_, wanted.policy)) {}

void table::load(const std::string& file, bool skip_bad) {
  io::route_file_options options;
  options.skip_bad = skip_bad;
  options.show_progress = true;
  if (!io::load_routes(file, options, loaded_)) throw failure(exit_code::bad_input, loaded_.report.error);
  report_skipped(file, loaded_.report);
  const std::size_t before = trimmed_bytes();
  for (const io::table_route& r : loaded_.routes) {
    const status code = fib_->add(r.route, r.result);
    if (code != status::ok) {
      throw failure(exit_code::refused, fmt::format("cannot add {}: {}", io::prefix_text(r.route), to_text(code)));
    }
    quiescent_state();
  }
  const status code = fib_->flush();
  if (code != status::ok) throw failure(exit_code::refused, std::string("cannot tidy up: ") + to_text(code));
  const std::size_t after = trimmed_bytes();
  grown_bytes_ = after > before ? after - before : 0;
}

void table::put_result(io::text_sink& sink, std::uint32_t result) const {
  const auto& names = loaded_.next_hop_names;
  if (result >= loaded_.first_name && result - loaded_.first_name < names.size()) {
    sink.put(names[result - loaded_.first_name]);
  } else {
    sink.number(result);
  }
}

void report_skipped(const std::string& file, const io::load_report& report) {
  if (report.skipped == 0) return;
  const io::bad_line& first = report.bad_lines.front();
  const std::string text = fmt::format("fibtrie: {}: {} bad line{} skipped; the first: line {}: {}\n", file,
                                       report.skipped, report.skipped == 1 ? "" : "s", first.line, first.reason);
  std::fputs(text.c_str(), stderr);
}

}  // namespace fibtrie::tools
