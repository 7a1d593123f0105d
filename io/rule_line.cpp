// SPDX-License-Identifier: MIT
// Parsing of `ip rule` lines.
//
// Thread safety: one thread.
#include "io/rule_line.hpp"

#include <array>
#include <utility>

#include "fibtrie/route.h"
#include "io/route_line.hpp"
#include "io/route_words.hpp"
#include "io/words.hpp"

namespace fibtrie::io {

namespace {

template <class T>
bool parse_range(std::string_view text, std::optional<inclusive_range<T>>& out) noexcept {
  const auto dash = text.find('-');
  inclusive_range<T> range;
  if (!parse_number(text.substr(0, dash), range.first)) return false;
  range.last = range.first;
  if (dash != std::string_view::npos && !parse_number(text.substr(dash + 1), range.last)) return false;
  out = range;
  return true;
}

bool parse_mark(std::string_view text, rule_spec& out) noexcept {
  const auto slash = text.find('/');
  out.mark_mask = UINT32_MAX;
  return parse_c_number(text.substr(0, slash), out.mark) &&
         (slash == std::string_view::npos || parse_c_number(text.substr(slash + 1), out.mark_mask));
}

template <class T>
bool parse_optional(std::string_view text, std::optional<T>& out) noexcept {
  T value{};
  if (!parse_c_number(text, value)) return false;
  out = value;
  return true;
}

bool parse_selector(std::string_view name, std::string_view value, rule_spec& out, bool& known) {
  known = true;
  if (name == "priority") return parse_optional(value, out.priority);
  if (name == "from") return parse_route(value, out.from);
  if (name == "to") return parse_route(value, out.to);
  if (name == "tos") return parse_c_number(value, out.tos);
  if (name == "dscp") return parse_optional(value, out.dscp);
  if (name == "fwmark") return parse_mark(value, out);
  if (name == "ipproto") return parse_number(value, out.ip_protocol);
  if (name == "sport") return parse_range(value, out.sport);
  if (name == "dport") return parse_range(value, out.dport);
  if (name == "uidrange") return parse_range(value, out.uid);
  if (name == "suppress_prefixlength") return parse_number(value, out.suppress_prefixlength);
  if (name == "table") return parse_table(value, out.table);
  known = name == "iif" || name == "oif";
  (name == "iif" ? out.iif : out.oif) = known ? value : std::string_view();
  return known;
}

bool parse_action(std::string_view word, rule_spec& out) noexcept {
  constexpr std::array<std::pair<std::string_view, rule_action>, 4> actions = {
      {{"nop", rule_action::nop},
       {"blackhole", rule_action::blackhole},
       {"unreachable", rule_action::unreachable},
       {"prohibit", rule_action::prohibit}}};
  for (const auto& [name, action] : actions) {
    if (name != word) continue;
    out.action = action;
    return true;
  }
  return false;
}

}  // namespace

std::string parse_rule_line(std::string_view words, bool remove, rule_spec& out) {
  out = {};
  if (remove) out.action = rule_action::unspec;
  for (auto word = take_word(words); !word.empty(); word = take_word(words)) {
    if (word == "not") {
      out.invert = true;
      continue;
    }
    if (parse_action(word, out)) continue;
    const auto value = take_word(words);
    if (word == "goto") {
      out.action = rule_action::go_to;
      if (!parse_number(value, out.target)) return "bad goto " + quoted(value);
      continue;
    }
    bool known = false;
    if (!parse_selector(word, value, out, known)) {
      return known ? "bad " + std::string(word) + ' ' + quoted(value) : "unknown word " + quoted(word);
    }
    if (value.empty()) return "nothing after " + quoted(word);
  }
  if (!remove && out.action == rule_action::to_table && out.table == 0) out.table = table_id::main;
  return {};
}

}  // namespace fibtrie::io
