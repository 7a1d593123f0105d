// SPDX-License-Identifier: MIT
// Parsing of `ip route` lines.
//
// Thread safety: one thread.
#include "io/route_line.hpp"

#include <array>
#include <utility>

#include "io/address_text.hpp"
#include "io/route_words.hpp"
#include "io/words.hpp"

namespace fibtrie::io {

namespace {

constexpr std::array<std::pair<std::string_view, std::uint16_t>, 6> verbs = {{{"add", insert_verb::add},
                                                                              {"append", insert_verb::append},
                                                                              {"prepend", insert_verb::prepend},
                                                                              {"replace", insert_verb::replace},
                                                                              {"change", insert_verb::change},
                                                                              {"test", insert_verb::test}}};

class line_parser {
 public:
  line_parser(std::string_view rest, const device_names& devices, route_line& out)
      : rest_(rest), devices_(devices), out_(out) {}

  std::string parse(std::uint32_t table) {
    if (auto error = verb(); !error.empty()) return error;
    out_.spec = out_.remove ? delete_spec({}, table) : route_spec{};
    out_.spec.table = table;
    auto word = take_word(rest_);
    if (const auto type = type_from_name(word)) {
      out_.spec.type = *type;
      word = take_word(rest_);
    }
    if (!parse_route(word, out_.spec.dst)) return "bad prefix " + quoted(word);
    for (word = take_word(rest_); !word.empty(); word = take_word(rest_)) {
      if (auto error = attribute(word); !error.empty()) return error;
    }
    return finish();
  }

 private:
  std::string verb() {
    const auto word = take_word(rest_);
    out_ = {};
    out_.remove = word == "del";
    if (out_.remove) return {};
    for (const auto& [name, flags] : verbs) {
      if (name != word) continue;
      out_.flags = flags;
      return {};
    }
    return "unknown verb " + quoted(word);
  }

  nexthop_spec& hop() { return in_list_ ? out_.spec.multipath.back() : out_.spec.hop; }

  std::string attribute(std::string_view name) {
    if (name == "onlink") {
      hop().flags |= nexthop_flag::onlink;
      return {};
    }
    if (name == "nexthop") {
      out_.spec.multipath.emplace_back();
      in_list_ = true;
      return {};
    }
    auto value = take_word(rest_);
    const unsigned metric = metric_from_name(name);
    const bool locked = metric != 0 && value == "lock";
    if (locked) value = take_word(rest_);
    const bool known = name == "via" || name == "dev" || name == "weight" || name == "tos" || name == "metric" ||
                       name == "proto" || name == "scope" || name == "src" || name == "table" || name == "nhid" ||
                       metric != 0;
    if (!known) return "unknown word " + quoted(name);
    if (value.empty()) return "nothing after " + quoted(name);
    if (locked) out_.spec.metrics.value[metric::lock] |= 1u << metric;
    if (name == "via" || name == "dev" || name == "weight") return hop_attribute(name, value);
    return route_attribute(name, value);
  }

  std::string hop_attribute(std::string_view name, std::string_view value) {
    if (name == "via") {
      has_nexthops_ = true;
      if (parse_address(value, hop().gateway) != address_error::none) return "bad gateway " + quoted(value);
      if (hop().gateway == 0) has_nexthops_ = false;
    } else if (name == "dev") {
      hop().oif = devices_(value);
      if (hop().oif == 0) return "no interface " + quoted(value);
    } else {
      std::uint16_t weight = 0;
      if (!in_list_ || !parse_number(value, weight) || weight < 1 || weight > 256) return "bad weight " + quoted(value);
      hop().weight = weight;
    }
    return {};
  }

  std::string route_attribute(std::string_view name, std::string_view value) {
    route_spec& spec = out_.spec;
    bool good = true;
    if (name == "tos") {
      good = parse_c_number(value, spec.tos);
    } else if (name == "metric") {
      good = parse_c_number(value, spec.priority);
    } else if (name == "proto") {
      const auto protocol = protocol_from_name(value);
      good = protocol.has_value();
      if (good) spec.protocol = *protocol;
    } else if (name == "scope") {
      const auto scope = scope_from_name(value);
      good = has_scope_ = scope.has_value();
      if (good) spec.scope = *scope;
    } else if (name == "src") {
      good = parse_address(value, spec.prefsrc) == address_error::none;
    } else if (name == "table") {
      good = parse_table(value, spec.table);
    } else if (name == "nhid") {
      has_nexthops_ = true;
      good = parse_number(value, spec.nexthop_id);
    } else {
      good = parse_number(value, spec.metrics.value[metric_from_name(name)]);
    }
    return good ? std::string() : "bad " + std::string(name) + ' ' + quoted(value);
  }

  std::string finish() {
    route_spec& spec = out_.spec;
    const bool hop = spec.hop.gateway != 0 || spec.hop.oif != 0;
    if (hop && in_list_) return "via or dev beside a list of next hops";
    has_nexthops_ = has_nexthops_ || in_list_;
    if (!has_scope_ && !out_.remove) spec.scope = default_scope(spec.type, has_nexthops_);
    return {};
  }

  std::string_view rest_;
  const device_names& devices_;
  route_line& out_;
  bool in_list_ = false;
  bool has_scope_ = false;
  bool has_nexthops_ = false;
};

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

bool parse_table(std::string_view text, std::uint32_t& out) noexcept {
  if (text == "main") {
    out = table_id::main;
  } else if (text == "local") {
    out = table_id::local;
  } else if (text == "default") {
    out = table_id::standard;
  } else {
    return parse_number(text, out) && out != 0;
  }
  return true;
}

std::string parse_route_line(std::string_view line, const device_names& devices, std::uint32_t table, route_line& out) {
  return line_parser(line, devices, out).parse(table);
}

}  // namespace fibtrie::io
