// SPDX-License-Identifier: MIT
// Parsing of operation lists.
//
// Thread safety: one thread.
#include "io/ops.hpp"

#include <fmt/format.h>

#include "io/address_text.hpp"
#include "io/rule_line.hpp"
#include "io/words.hpp"

namespace fibtrie::io {

namespace {

constexpr std::uint32_t loopback_index = 1;
constexpr std::uint32_t first_device = 2;

// The words after @NAME.
class event_parser {
 public:
  event_parser(std::string_view rest, const list_settings& settings, operation& out)
      : rest_(rest), settings_(settings), out_(out) {}

  std::string parse(std::string_view name) {
    std::string error = "unknown word " + quoted(name);
    if (name == "@link") error = link();
    if (name == "@addr") error = address();
    if (name == "@nexthop") error = nexthop();
    if (name == "@sysctl") error = setting();
    if (name == "@rule") error = rule();
    if (name == "@unmerge") error = unmerge();
    if (!error.empty()) return error;
    const auto more = take_word(rest_);
    return more.empty() ? std::string() : "unknown word " + quoted(more);
  }

 private:
  std::string device(std::string_view name) {
    out_.device = device_index(name, settings_.devices);
    return out_.device == 0 ? "no interface " + quoted(name) : std::string();
  }

  std::string link() {
    const auto name = take_word(rest_);
    const auto state = take_word(rest_);
    const bool peer = name.starts_with('p');
    out_.kind = peer ? operation_kind::carrier : operation_kind::link;
    out_.state = state == "up";
    if (!peer && state == "del") {
      out_.kind = operation_kind::remove_device;
      return device(name);
    }
    if (!out_.state && state != "down") return "neither up nor down: " + quoted(state);
    return device(peer ? fmt::format("d{}", name.substr(1)) : std::string(name));
  }

  std::string address() {
    const auto verb = take_word(rest_);
    if (verb != "add" && verb != "del") return "unknown verb " + quoted(verb);
    out_.kind = verb == "add" ? operation_kind::add_address : operation_kind::remove_address;
    const auto text = take_word(rest_);
    prefix4 route;
    if (text == "default" || !parse_route(text, route)) return "bad address " + quoted(text);
    out_.address.local = route.key;
    out_.address.plen = route.plen;
    if (take_word(rest_) != "dev") return "no dev";
    return device(take_word(rest_));
  }

  std::string nexthop() {
    const auto verb = take_word(rest_);
    out_.kind = verb == "del" ? operation_kind::remove_nexthop : operation_kind::add_nexthop;
    out_.flags = verb == "replace" ? insert_verb::replace : insert_verb::add;
    if (verb != "add" && verb != "replace" && verb != "del") return "unknown verb " + quoted(verb);
    if (take_word(rest_) != "id" || !parse_number(take_word(rest_), out_.nexthop.id) || out_.nexthop.id == 0) {
      return "bad id";
    }
    for (auto name = take_word(rest_); !name.empty(); name = take_word(rest_)) {
      if (auto error = nexthop_attribute(name); !error.empty()) return error;
    }
    return {};
  }

  std::string nexthop_attribute(std::string_view name) {
    if (name == "blackhole") {
      out_.nexthop.blackhole = true;
      return {};
    }
    if (name == "onlink") {
      out_.nexthop.hop.flags |= nexthop_flag::onlink;
      return {};
    }
    const auto value = take_word(rest_);
    if (name == "via") {
      const bool good = parse_address(value, out_.nexthop.hop.gateway) == address_error::none;
      return good ? std::string() : "bad gateway " + quoted(value);
    }
    if (name == "dev") {
      out_.nexthop.hop.oif = device_index(value, settings_.devices);
      return out_.nexthop.hop.oif == 0 ? "no interface " + quoted(value) : std::string();
    }
    return name == "group" ? group(value) : "unknown word " + quoted(name);
  }

  // 1,2/3 is 1 with weight 2, and 3.
  std::string group(std::string_view text) {
    while (!text.empty()) {
      auto member = text.substr(0, text.find('/'));
      text.remove_prefix(std::min(member.size() + 1, text.size()));
      const auto comma = member.find(',');
      nexthop_member m;
      const bool weighed = comma != std::string_view::npos;
      if (!parse_number(member.substr(0, comma), m.id) ||
          (weighed && !parse_number(member.substr(comma + 1), m.weight)) || m.weight < 1 || m.weight > 256) {
        return "bad member " + quoted(member);
      }
      out_.nexthop.group.push_back(m);
    }
    return out_.nexthop.group.empty() ? "a group without members" : std::string();
  }

  std::string rule() {
    const auto verb = take_word(rest_);
    const bool remove = verb == "del";
    if (!remove && verb != "add") return "unknown verb " + quoted(verb);
    out_.kind = remove ? operation_kind::remove_rule : operation_kind::add_rule;
    out_.flags = insert_verb::add;
    return parse_rule_line(std::exchange(rest_, {}), remove, out_.rule);
  }

  // Nobody's source: the rule parts the tables and changes no lookup.
  std::string unmerge() {
    out_.kind = operation_kind::unmerge;
    out_.flags = insert_verb::add;
    return parse_rule_line("priority 30000 from 203.0.113.255 table main", false, out_.rule);
  }

  std::string setting() {
    const auto name = take_word(rest_);
    const auto value = take_word(rest_);
    constexpr std::string_view head = "net.ipv4.conf.";
    constexpr std::string_view tail = ".ignore_routes_with_linkdown";
    if (!name.starts_with(head) || !name.ends_with(tail) || name.size() <= head.size() + tail.size()) {
      return "unknown setting " + quoted(name);
    }
    if (value != "0" && value != "1") return "neither 0 nor 1: " + quoted(value);
    out_.kind = operation_kind::ignore_linkdown;
    out_.state = value == "1";
    const auto which = name.substr(head.size(), name.size() - head.size() - tail.size());
    if (which == "all") return {};
    return device(which);
  }

  std::string_view rest_;
  const list_settings& settings_;
  operation& out_;
};

}  // namespace

std::uint32_t device_index(std::string_view name, unsigned devices) noexcept {
  if (name == "lo") return loopback_index;
  unsigned number = 0;
  if (!name.starts_with('d') || !parse_number(name.substr(1), number) || number >= devices) return 0;
  return first_device + number;
}

std::string device_name(std::uint32_t index) {
  return index < first_device ? "lo" : fmt::format("d{}", index - first_device);
}

std::string parse_operation(std::string_view line, const list_settings& settings, operation& out) {
  out = {};
  out.text = line;
  auto rest = line;
  const auto first = take_word(rest);
  if (first.starts_with('@')) return event_parser(rest, settings, out).parse(first);
  route_line route;
  const auto devices = [&](std::string_view name) { return device_index(name, settings.devices); };
  if (auto error = parse_route_line(line, devices, settings.table(), route); !error.empty()) return error;
  out.kind = route.remove ? operation_kind::remove : operation_kind::insert;
  out.flags = route.flags;
  out.spec = std::move(route.spec);
  return {};
}

ops_reader::ops_reader(std::string path) : path_(std::move(path)), lines_(path_) { pending_ = next_line(); }

// Goes on to the next line with an operation; takes in settings on the way.
bool ops_reader::next_line() {
  while (error_.empty()) {
    switch (lines_.next(line_)) {
      case line_kind::line: break;
      case line_kind::too_long: error_ = path_ + ":" + std::to_string(lines_.line_number()) + ": line too long"; break;
      case line_kind::failed: error_ = path_ + ": " + lines_.source().error(); break;
      case line_kind::end: return false;
    }
    if (!error_.empty()) return false;
    auto rest = line_;
    const auto first = take_word(rest);
    if (first == "#!") {
      const auto wrong = parse_setting(rest);
      if (!wrong.empty()) error_ = path_ + ":" + std::to_string(lines_.line_number()) + ": " + wrong;
    } else if (!first.empty() && !first.starts_with('#')) {
      return true;
    }
  }
  return false;
}

std::string ops_reader::parse_setting(std::string_view line) {
  const auto name = take_word(line);
  const auto value = take_word(line);
  if (name == "devices") {
    constexpr unsigned most = 250;  // their subnets are 198.18.K.0/24
    if (!parse_number(value, settings_.devices) || settings_.devices > most) return "bad number " + quoted(value);
  } else if (name == "addrs") {
    if (value != "no" && value != "yes") return "neither yes nor no: " + quoted(value);
    settings_.addresses = value == "yes";
  } else if (name == "table") {
    if (value != "merged") return "unknown table " + quoted(value);
    settings_.merged = true;
  } else {
    return "unknown setting " + quoted(name);
  }
  return {};
}

bool ops_reader::next(operation& out) {
  if (!pending_ || !error_.empty()) return false;
  const auto error = parse_operation(line_, settings_, out);
  out.line_number = lines_.line_number();
  if (!error.empty()) {
    error_ = path_ + ":" + std::to_string(out.line_number) + ": " + error;
    return false;
  }
  pending_ = next_line();
  return true;
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
    case status::no_address: return "EADDRNOTAVAIL";
    case status::no_buffers: return "ENOBUFS";
  }
  return "EINVAL";
}

}  // namespace fibtrie::io
