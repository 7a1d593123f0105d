// SPDX-License-Identifier: MIT
// See settings.hpp.
#include "tools/settings.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "fibtrie/version.h"
#include "tools/commands.hpp"
#include "tools/table.hpp"

namespace fibtrie::tools {
namespace {

using names = std::vector<std::string>;

constexpr const char* footer = R"(
Examples:
  fibtrie lookup --routes table.txt.gz 192.0.2.1 198.51.100.7
  fibtrie stat --routes table.txt.gz
  fibtrie COMMAND --help                 more about a command

Files may be gzipped.  Routes: "prefix/len [next hop or number]" a line; "#" starts a comment.
Exit code: 0; 1 when something differs, is not supported or cannot be written; 2 for bad arguments or files.)";

constexpr const char* lookup_footer = R"(
Prints "ADDRESS PREFIX/LEN RESULT" or "ADDRESS none" for each address.

Examples:
  fibtrie lookup --routes table.txt 192.0.2.1 198.51.100.7
  fibtrie lookup --routes table.txt - < addresses.txt)";

constexpr const char* stat_footer = R"(
Examples:
  fibtrie stat --routes table.txt
  fibtrie stat --routes table.txt --memory              every byte it takes, and what the process grew by
  fibtrie stat --routes table.txt --format triestat     as /proc/net/fib_triestat
  fibtrie stat --routes table.txt --format json --halve 20)";

constexpr const char* dump_footer = R"(
Examples:
  fibtrie dump --routes table.txt > sorted.txt          a route file again
  fibtrie dump --routes table.txt --format trie         as /proc/net/fib_trie)";

constexpr const char* replay_footer = R"(
Operations: "add|append|prepend|replace|change|test|del [TYPE] PREFIX ..." a line, in the words of ip route, and events
such as "@link d0 down"; interfaces d0 to d3 with addresses 198.18.0.1/24 to 198.18.3.1/24 are there at the start.
Updates: "A prefix/len" (announce) or "W prefix/len" (withdraw) a line.
Case: a folder with ops.txt and what is expected of it: results.txt, fib_trie.txt, routes.txt, lookups.txt, ...

Examples:
  fibtrie replay --ops ops.txt                          0, EEXIST, ESRCH, ... for each operation
  fibtrie replay --ops ops.txt --print trie             the table afterwards, as /proc/net/fib_trie
  fibtrie replay --ops ops.txt --print ip               ... as ip route lists it
  fibtrie replay --check CASE...                        what differs from what is expected
  fibtrie replay --routes table.txt.gz --updates day.txt.gz)";

constexpr const char* check_footer = R"(
Example:
  fibtrie check --routes table.txt.gz --rcu qsbr)";

size_model model_named(const std::string& name) {
  if (name == "kmalloc") return size_model::kmalloc;
  if (name == "arena") return size_model::arena;
  return size_model::exact;  // the names were checked
}

void add_table_options(CLI::App& command, settings& s) {
  names flavours;
  for (const rcu_functions& f : rcu_flavours()) flavours.emplace_back(f.name);
  const std::string group = "Table";
  const auto percentage = CLI::Range(0u, 1000u);
  command.add_option("--rcu", s.rcu, "RCU flavour")
      ->check(CLI::IsMember(flavours))
      ->capture_default_str()
      ->group(group);
  const auto threshold = [&](const char* name, unsigned& value, const char* what) {
    command.add_option(name, value, what)->check(percentage)->capture_default_str()->group(group);
  };
  threshold("--inflate", s.policy.inflate_threshold, "Double a node at this percentage of used slots");
  threshold("--halve", s.policy.halve_threshold, "Halve a node below this percentage of used slots");
  threshold("--root-inflate", s.policy.root_inflate_threshold, "The same for the top node");
  threshold("--root-halve", s.policy.root_halve_threshold, "The same for the top node");
  command
      .add_option_function<std::string>(
          "--size-model", [&s](const std::string& n) { s.policy.model = model_named(n); },
          "What a node is taken to cost [exact]")
      ->check(CLI::IsMember(names{"exact", "kmalloc", "arena"}))
      ->group(group);
}

CLI::Option* add_routes_option(CLI::App& command, settings& s) {
  CLI::Option* routes = command.add_option("--routes", s.routes_file, "File with the table");
  command.add_flag("--skip-bad", s.skip_bad, "Count and skip bad lines")->needs(routes);
  return routes;
}

CLI::App& add_command(CLI::App& app, settings& s, const char* name, const char* what, const char* examples,
                      void (*run)(const settings&)) {
  CLI::App& command = *app.add_subcommand(name, what);
  command.footer(examples);
  command.callback([&s, run] { s.command = run; });
  return command;
}

void add_choice(CLI::App& command, const char* option, std::string& value, const char* what, const names& choices) {
  command.add_option(option, value, what + fmt::format(" [{}]", choices.front()))->check(CLI::IsMember(choices));
}

void add_label(CLI::App& command, settings& s) {
  command.add_option("--table-label", s.label, "Name of the table in the kernel's texts")->capture_default_str();
}

void add_replay(CLI::App& app, settings& s) {
  CLI::App& replay = add_command(app, s, "replay", "Apply a list of operations, or a stream of updates to a table",
                                 replay_footer, replay_command);
  auto* routes = add_routes_option(replay, s);
  auto* updates = replay.add_option("--updates", s.updates_file, "Updates to apply to the table of --routes");
  auto* ops = replay.add_option("--ops", s.ops_file, "Operations to apply to an empty table");
  add_choice(replay, "--print", s.print, "What to print after the operations",
             {"results", "trie", "triestat", "routes", "events", "proc-route", "ip", "json"});
  auto* cases = replay.add_option("CASE", s.cases, "Folders of cases to check");
  auto* check =
      replay.add_flag("--check", s.check, "Compare everything with what the cases expect; 1 when something differs");
  check->needs(cases);
  cases->needs(check);
  routes->needs(updates);
  updates->needs(routes)->excludes(ops);
  replay.get_option("--print")->needs(ops);
  for (auto* other : {routes, updates, ops}) cases->excludes(other);
  add_table_options(replay, s);
}

void add_commands(CLI::App& app, settings& s) {
  CLI::App& lookup = add_command(app, s, "lookup", "Longest match of addresses", lookup_footer, lookup_command);
  add_routes_option(lookup, s)->required();
  lookup.add_option("ADDRESS", s.addresses, "Addresses, or - for one a line from standard input")->required();
  add_table_options(lookup, s);

  CLI::App& stat = add_command(app, s, "stat", "Shape and memory of a table", stat_footer, stat_command);
  add_routes_option(stat, s)->required();
  add_choice(stat, "--format", s.format, "Format", {"text", "triestat", "json"});
  stat.add_flag("--memory", s.memory, "Every byte by kind, and what the process grew by");
  add_label(stat, s);
  add_table_options(stat, s);

  CLI::App& dump = add_command(app, s, "dump", "The routes of a table in walk order", dump_footer, dump_command);
  add_routes_option(dump, s)->required();
  add_choice(dump, "--format", s.format, "Format", {"text", "trie"});
  add_label(dump, s);
  add_table_options(dump, s);

  add_replay(app, s);

  CLI::App& check =
      add_command(app, s, "check", "Load a table and verify every invariant", check_footer, check_command);
  add_routes_option(check, s)->required();
  add_table_options(check, s);
}

// Options that commands share have their defaults by command.
void fill_defaults(settings& s) {
  if (s.format.empty()) s.format = "text";
  if (s.print.empty()) s.print = "results";
}

}  // namespace

bool parse_settings(int argc, char** argv, settings& out, exit_code& code) {
  CLI::App app{"fibtrie: the Linux kernel's LC-trie of routes on the command line", "fibtrie"};
  app.footer(footer);
  app.set_version_flag("--version", fmt::format("fibtrie {}.{}.{}", FIBTRIE_VERSION_MAJOR, FIBTRIE_VERSION_MINOR,
                                                FIBTRIE_VERSION_PATCH));
  app.require_subcommand(1, 1);
  add_commands(app, out);
  try {
    app.parse(argc, argv);
    if (out.command == replay_command && out.ops_file.empty() && out.updates_file.empty() && out.cases.empty()) {
      throw CLI::RequiredError("--ops, or --routes and --updates, or --check CASE");
    }
  } catch (const CLI::ParseError& error) {
    code = app.exit(error) == 0 ? exit_code::good : exit_code::bad_input;
    return false;
  }
  fill_defaults(out);
  return true;
}

}  // namespace fibtrie::tools
