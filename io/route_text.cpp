// SPDX-License-Identifier: MIT
// Lines of text about routes.
//
// Thread safety: functions of their arguments.
#include "io/route_text.hpp"

#include <fmt/format.h>

#include "io/address_text.hpp"
#include "io/ops.hpp"
#include "io/route_words.hpp"
#include "io/words.hpp"

namespace fibtrie::io {

namespace {

std::string flag_words(std::uint8_t flags) {
  std::string text;
  if ((flags & nexthop_flag::dead) != 0) text += " dead";
  if ((flags & nexthop_flag::linkdown) != 0) text += " linkdown";
  if ((flags & nexthop_flag::onlink) != 0) text += " onlink";
  return text;
}

std::string hop_text(const nexthop_report& hop, const name_of_device& name) {
  std::string text;
  if (hop.gateway != 0) text += " via " + address_text(hop.gateway);
  if (hop.oif != 0) text += " dev " + name(hop.oif);
  return text;
}

std::string hops_text(const std::vector<nexthop_report>& hops, const name_of_device& name) {
  if (hops.size() == 1) return hop_text(hops[0], name) + flag_words(hops[0].flags);
  std::string text;
  for (const nexthop_report& hop : hops) {
    text += " nexthop" + hop_text(hop, name) + fmt::format(" weight {}", hop.weight) + flag_words(hop.flags);
  }
  return text;
}

// Times in milliseconds or seconds; of the features only the first one has a name.
std::string metric_value_text(unsigned number, std::uint32_t value) {
  if (number == metric::features) {
    if (value == 1) return "ecn";
    return fmt::format("{}{:#x}", (value & 1) != 0 ? "ecn " : "", value & ~1u);
  }
  if (!is_time_metric(number)) return std::to_string(value);
  const std::uint32_t ms = metric_ms(number, value);
  return ms < 1000 ? fmt::format("{}ms", ms) : fmt::format("{:g}s", ms / 1e3);
}

}  // namespace

name_of_device names_in(const fib_net& net) {
  return [&net](std::uint32_t index) {
    const auto dev = net.device(index);
    return dev && !dev->name.empty() ? dev->name : fmt::format("if{}", index);
  };
}

std::string route_text(const route_report& r, const name_of_device& name, std::uint32_t own_table) {
  std::string text = fmt::format("{} {}", type_name(r.type), prefix_text(r.dst));
  if (r.tos != 0) text += fmt::format(" tos {}", r.tos);
  if (r.table != own_table) text += fmt::format(" table {}", r.table);
  text += fmt::format(" metric {} proto {} scope {}", r.priority, r.protocol, scope_name(r.scope));
  if (r.prefsrc != 0) text += " src " + address_text(r.prefsrc);
  if (r.nexthop_id != 0) text += fmt::format(" nhid {}", r.nexthop_id);
  return text + hops_text(r.nexthops, name);
}

std::string message_text(const route_message& m, const name_of_device& name, std::uint32_t own_table) {
  if (m.what == route_message::kind::removed) return "DEL flags - " + route_text(*m.route, name, own_table);
  std::string flags;
  const auto add = [&](std::uint16_t bit, const char* word) {
    if ((m.flags & bit) != 0) flags.append(flags.empty() ? "" : ",").append(word);
  };
  add(insert_flag::replace, "replace");
  add(insert_flag::exclusive, "excl");
  add(insert_flag::create, "create");
  add(insert_flag::append, "append");
  return fmt::format("NEW flags {} {}", flags.empty() ? "none" : flags, route_text(*m.route, name, own_table));
}

bool parse_query(std::string_view text, const std::function<std::uint32_t(std::string_view)>& devices, flow4& out) {
  out = {};
  if (parse_address(take_word(text), out.daddr) != address_error::none) return false;
  for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
    const auto value = take_word(text);
    if (word == "tos") {
      if (!parse_c_number(value, out.tos)) return false;
    } else if (word == "oif") {
      out.oif = devices(value);
      if (out.oif == 0) return false;
    } else {
      return false;
    }
  }
  return true;
}

std::string answer_text(const fib_net& net, std::uint32_t table, const flow4& flow) {
  flow_result found;
  const status code = net.lookup_table(table, flow, 0, found);
  if (code != status::ok) return fmt::format("error {}", result_text(code));
  const route_report r = net.report(found);
  const auto name = names_in(net);
  std::string text = fmt::format("{} {}", type_name(r.type), prefix_text(r.dst));
  if (r.tos != 0) text += fmt::format(" tos {}", r.tos);
  text += fmt::format(" metric {} scope {}", r.priority, scope_name(r.scope));
  if (r.prefsrc != 0) text += " src " + address_text(r.prefsrc);
  if (r.nexthop_id != 0) text += fmt::format(" nhid {}", r.nexthop_id);
  text += hops_text(r.nexthops, name);
  if (flow.oif == 0) text += fmt::format(" nhsel {}", found.nexthop_index);
  return text;
}

std::string metrics_text(const route_metrics& metrics) {
  std::string text;
  for (unsigned i = metric::mtu; i < metrics.value.size(); ++i) {
    const bool locked = (metrics.value[metric::lock] >> i & 1) != 0;
    if (metrics.value[i] == 0 && !locked) continue;
    text += fmt::format(" {} {}{}", metric_name(i), locked ? "lock " : "", metric_value_text(i, metrics.value[i]));
  }
  return text;
}

std::string ip_route_text(const route_report& r, const name_of_device& name) {
  std::string text;
  if (r.type != route_type::unicast) text += fmt::format("{} ", type_name(r.type));
  text += r.dst.plen == 0 ? "default" : r.dst.plen == 32 ? address_text(r.dst.key) : prefix_text(r.dst);
  if (r.nexthop_id != 0) text += fmt::format(" nhid {}", r.nexthop_id);
  if (r.tos != 0) text += fmt::format(" tos {:#04x}", r.tos);
  if (r.nexthops.size() == 1) text += hop_text(r.nexthops[0], name);
  if (r.table != table_id::main) {
    text += r.table == table_id::local ? " table local" : fmt::format(" table {}", r.table);
  }
  if (r.protocol != protocol::boot) text += " proto " + protocol_name(r.protocol);
  if (r.scope != scope::universe) text += " scope " + scope_name(r.scope);
  if (r.prefsrc != 0) text += " src " + address_text(r.prefsrc);
  if (r.priority != 0) text += fmt::format(" metric {}", r.priority);
  if (r.nexthops.size() == 1) text += flag_words(r.nexthops[0].flags);
  text += metrics_text(r.metrics);
  if (r.nexthops.size() > 1) text += hops_text(r.nexthops, name);
  return text;
}

}  // namespace fibtrie::io
