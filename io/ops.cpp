// SPDX-License-Identifier: MIT
// Parsing of operation lines.
//
// Thread safety: one thread.
#include "io/ops.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "io/address_text.hpp"

namespace fibtrie::io {

namespace {

constexpr std::string_view blanks = " \t";

// Cuts the next word off text; empty at the end.
std::string_view take_word(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const auto word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

template <class T>
bool parse_number(std::string_view text, T& out) noexcept {
  const auto* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, out);
  return code == std::errc{} && stop == end;
}

std::string quoted(std::string_view word) {
  std::string text = "'";
  return text.append(word).append("'");
}

std::string not_supported(std::string_view what) { return quoted(what) + " is not supported yet"; }

std::string parse_verb(std::string_view word, operation_verb& out) {
  if (word == "add") {
    out = operation_verb::add;
  } else if (word == "replace") {
    out = operation_verb::replace;
  } else if (word == "del") {
    out = operation_verb::remove;
  } else if (word == "append" || word == "prepend" || word == "change" || word == "test" || word.starts_with('@')) {
    return not_supported(word);
  } else {
    return "unknown verb " + quoted(word);
  }
  return {};
}

bool is_known_beyond_us(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 4> names = {"src", "nexthop", "nhid", "table"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// tos, metric and proto may be given with the one value that every route has here.
std::string parse_fixed(std::string_view name, std::string_view value) {
  const std::string_view only = name == "proto" ? "3" : "0";
  if (value == only || (name == "proto" && value == "boot")) return {};
  return not_supported(std::string(name) + ' ' + std::string(value));
}

struct given {
  bool type = false, scope = false, via = false, dev = false;
};

std::string parse_attribute(std::string_view name, std::string_view value, route_attributes& out, given& seen) {
  if (is_known_beyond_us(name)) return not_supported(name);
  if (value.empty()) return "nothing after " + quoted(name);
  if (name == "tos" || name == "metric" || name == "proto") return parse_fixed(name, value);
  if (name == "scope") {
    const auto scope = scope_from_name(value);
    if (!scope) return "bad scope " + quoted(value);
    out.scope = *scope;
    seen.scope = true;
  } else if (name == "via") {
    if (parse_address(value, out.via) != address_error::none) return "bad gateway " + quoted(value);
    seen.via = out.via != 0;
  } else if (name == "dev") {
    out.dev = value;
    seen.dev = true;
  } else {
    return "unknown word " + quoted(name);
  }
  return {};
}

std::uint8_t default_scope(route_type type, bool has_gateway) noexcept {
  switch (type) {
    case route_type::local:
    case route_type::nat: return scope::host;
    case route_type::broadcast:
    case route_type::multicast:
    case route_type::anycast: return scope::link;
    case route_type::unicast: return has_gateway ? scope::universe : scope::link;
    default: return scope::universe;
  }
}

}  // namespace

bool parse_route(std::string_view text, prefix4& out) noexcept {
  if (text == "default") {
    out = {};
    return true;
  }
  const auto slash = text.find('/');
  out.plen = 32;
  if (slash != std::string_view::npos && (!parse_number(text.substr(slash + 1), out.plen) || out.plen > 32)) {
    return false;
  }
  return parse_address(text.substr(0, slash), out.key) == address_error::none;
}

std::string parse_operation(std::string_view line, operation& out) {
  out.text = line;
  out.attributes = {};
  if (auto error = parse_verb(take_word(line), out.verb); !error.empty()) return error;
  given seen;
  auto word = take_word(line);
  if (const auto type = type_from_name(word)) {
    out.attributes.type = *type;
    seen.type = true;
    word = take_word(line);
  }
  if (!parse_route(word, out.route)) return "bad prefix " + quoted(word);
  for (auto name = take_word(line); !name.empty(); name = take_word(line)) {
    auto error = parse_attribute(name, take_word(line), out.attributes, seen);
    if (!error.empty()) return error;
  }
  if (out.verb == operation_verb::remove && (seen.type || seen.scope || seen.via || seen.dev)) {
    return "a del with type, scope, via or dev is not supported yet";
  }
  if (!seen.scope) out.attributes.scope = default_scope(out.attributes.type, seen.via);
  return {};
}

bool ops_reader::next_line(std::string_view& line) {
  if (!error_.empty()) return false;
  switch (lines_.next(line)) {
    case line_kind::line: return true;
    case line_kind::too_long: error_ = path_ + ":" + std::to_string(lines_.line_number()) + ": line too long"; break;
    case line_kind::failed: error_ = path_ + ": " + lines_.source().error(); break;
    case line_kind::end: break;
  }
  return false;
}

bool ops_reader::next(operation& out) {
  std::string_view line;
  while (next_line(line)) {
    auto rest = line;
    const auto first = take_word(rest);
    std::string error;
    if (first == "#!" && take_word(rest) == "table") {
      error = not_supported("#! table");
    } else if (first.empty() || first.starts_with('#')) {
      continue;
    } else {
      error = parse_operation(line, out);
    }
    out.line_number = lines_.line_number();
    if (error.empty()) return true;
    error_ = path_ + ":" + std::to_string(out.line_number) + ": " + error;
  }
  return false;
}

std::string_view result_text(status code) noexcept {
  switch (code) {
    case status::ok: return "0";
    case status::exists: return "EEXIST";
    case status::not_found: return "ESRCH";
    case status::invalid: return "EINVAL";
    case status::no_memory: return "ENOMEM";
    case status::backlog_full: return "EAGAIN";
    case status::busy: return "EBUSY";
    case status::in_read_section: return "EDEADLK";
    case status::unsupported: return "ENOTSUP";
    case status::no_entry: return "ENOENT";
    case status::no_device: return "ENODEV";
    case status::net_down: return "ENETDOWN";
    case status::net_unreachable: return "ENETUNREACH";
    case status::host_unreachable: return "EHOSTUNREACH";
    case status::no_access: return "EACCES";
    case status::no_match: return "EAGAIN";
    case status::no_buffers: return "ENOBUFS";
  }
  return "EINVAL";
}

}  // namespace fibtrie::io
