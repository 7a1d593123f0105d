// SPDX-License-Identifier: MIT
// Playing and comparing recorded cases.
//
// Thread safety: one thread.
#include "io/net_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/list_player.hpp"
#include "io/route_text.hpp"
#include "io/sha256.hpp"

namespace fibtrie::io {

namespace {

class comparer {
 public:
  comparer(fib_net& net, const std::filesystem::path& folder, case_report& report)
      : net_(net), player_(net), folder_(folder), report_(report) {}

  void play(const std::function<void()>& between) {
    const auto path = find_case_file(folder_, "ops.txt");
    if (!path) {
      report_.error = folder_.string() + ": no ops.txt";
      return;
    }
    report_.error = player_.play(*path, find_case_file(folder_, "steps.txt").has_value(), between);
    report_.operations = player_.operations();
    if (!report_.error.empty()) return;
    compare("results.txt", player_.results());
    compare("steps.txt", player_.steps());
    compare("events.txt", player_.events());
    const std::string trie = player_.trie();
    compare("fib_trie.txt", trie);
    if (find_case_file(folder_, "fib_trie.sha256")) compare("fib_trie.sha256", sha256_hex(trie) + "  fib_trie.txt\n");
    compare("fib_triestat.txt", player_.triestat());
    compare("routes.txt", player_.routes());
    compare_lookups();
  }

 private:
  void compare(const std::string& name, const std::string& actual) {
    const auto path = find_case_file(folder_, name);
    if (!path) return;
    std::string expected;
    if (!read(*path, expected)) return;
    report_.checks.push_back({name, first_difference(expected, actual)});
  }

  bool read(const std::string& path, std::string& text) {
    line_reader lines(path);
    std::string_view line;
    line_kind kind;
    while ((kind = lines.next(line)) == line_kind::line) text.append(line).append("\n");
    if (kind != line_kind::end) report_.error = path + ": " + lines.source().error();
    return kind == line_kind::end;
  }

  void compare_lookups() {
    const auto path = find_case_file(folder_, "lookups.txt");
    std::string queries;
    if (!path || !read(*path, queries)) return;
    std::string_view rest = queries;
    std::string difference;
    while (difference.empty() && !rest.empty()) {
      const auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(line.size() + 1);
      difference = lookup_difference(line);
    }
    report_.checks.push_back({"lookups.txt", difference});
  }

  // line: "QUERY -> ANSWER".
  std::string lookup_difference(std::string_view line) {
    ++report_.lookups;
    const list_settings& settings = player_.settings();
    const auto devices = [&](std::string_view name) { return device_index(name, settings.devices); };
    const auto arrow = line.find(" -> ");
    flow4 flow;
    if (arrow == std::string_view::npos || !parse_query(line.substr(0, arrow), devices, flow)) {
      return fmt::format("line {}: no query: <{}>", report_.lookups, line);
    }
    const std::string answer = answer_text(net_, settings.table(), flow);
    if (answer == line.substr(arrow + 4)) return {};
    return fmt::format("line {}: expected <{}>, got <{}>", report_.lookups, line, answer);
  }

  fib_net& net_;
  list_player player_;
  const std::filesystem::path folder_;
  case_report& report_;
};

}  // namespace

std::string first_difference(std::string_view expected, std::string_view actual) {
  if (expected == actual) return {};
  const auto common = std::min(expected.size(), actual.size());
  std::size_t at = 0;
  while (at < common && expected[at] == actual[at]) ++at;
  const auto start = at == 0 ? 0 : expected.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
  const auto line_of = [&](std::string_view text) {
    return start < text.size() ? text.substr(start, text.find('\n', start) - start) : "the end";
  };
  const auto line = 1 + std::count(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return fmt::format("line {}: expected <{}>, got <{}>", line, line_of(expected), line_of(actual));
}

bool case_report::good() const noexcept {
  return error.empty() &&
         std::all_of(checks.begin(), checks.end(), [](const case_check& c) { return c.difference.empty(); });
}

std::optional<std::string> find_case_file(const std::filesystem::path& folder, const std::string& name) {
  for (const auto& path : {folder / name, folder / (name + ".gz")}) {
    if (std::filesystem::exists(path)) return path.string();
  }
  return std::nullopt;
}

case_report play_case(fib_net& net, const std::filesystem::path& folder, const std::function<void()>& between) {
  case_report report;
  comparer(net, folder, report).play(between);
  return report;
}

}  // namespace fibtrie::io
