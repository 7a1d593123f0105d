// SPDX-License-Identifier: MIT
// kbench: the benchmark program.  START HERE: session.hpp for the order of things, engine_of.hpp for the loops.
#include <cstdio>
#include <fstream>
#include <string_view>

#include "kbench/alloc/alloc_main.hpp"
#include "kbench/backlog/backlog_main.hpp"
#include "kbench/report.hpp"
#include "kbench/session.hpp"

int main(int argc, char** argv) {
  using namespace fibtrie::kbench;
  if (argc > 1 && std::string_view(argv[1]) == "alloc") return alloc_main(argc - 1, argv + 1);
  if (argc > 1 && std::string_view(argv[1]) == "backlog") return backlog_main(argc - 1, argv + 1);
  options chosen;
  int exit_code = 0;
  if (!parse_options(argc, argv, chosen, exit_code)) return exit_code;

  const auto cannot_write = [&] {
    std::fprintf(stderr, "kbench: cannot write %s\n", chosen.json_file.c_str());
    return static_cast<int>(outcome::bad_input);
  };
  // Minutes of measuring are not to be lost to a misspelt name; what is there stays there until the run is over.
  if (!chosen.json_file.empty() && !std::ofstream(chosen.json_file, std::ios::app)) return cannot_write();

  session run(chosen);
  const outcome end = run.run();
  if (end != outcome::good) {
    std::fprintf(stderr, "kbench: %s\n", run.error().c_str());
    return static_cast<int>(end);
  }
  std::fputs(text_report(run.found()).c_str(), stdout);
  if (chosen.json_file.empty()) return 0;
  std::ofstream file(chosen.json_file);
  file << json_report(run.found(), argv[0]) << std::flush;
  return file ? 0 : cannot_write();
}
