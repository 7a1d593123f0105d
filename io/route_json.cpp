// SPDX-License-Identifier: MIT
// Routes as iproute2 writes them in JSON.
//
// Thread safety: functions of their arguments.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/address_text.hpp"
#include "io/route_text.hpp"
#include "io/route_words.hpp"

namespace fibtrie::io {

namespace {

using json = nlohmann::ordered_json;

json flags_of(std::uint8_t flags) {
  json list = json::array();
  if ((flags & nexthop_flag::dead) != 0) list.push_back("dead");
  if ((flags & nexthop_flag::linkdown) != 0) list.push_back("linkdown");
  if ((flags & nexthop_flag::onlink) != 0) list.push_back("onlink");
  return list;
}

void put_hop(json& object, const nexthop_report& hop, const name_of_device& name) {
  if (hop.gateway != 0) object["gateway"] = address_text(hop.gateway);
  if (hop.oif != 0) object["dev"] = name(hop.oif);
}

json metrics_of(const route_metrics& metrics) {
  json object = json::object();
  for (unsigned i = metric::mtu; i < metrics.value.size(); ++i) {
    const std::uint32_t value = metrics.value[i];
    if (value == 0 && (metrics.value[metric::lock] >> i & 1) == 0) continue;
    if (i == metric::features) {
      if ((value & 1) != 0) object["ecn"] = nullptr;
      if ((value & ~1u) != 0) object["features"] = value & ~1u;
    } else {
      object[std::string(metric_name(i))] = is_time_metric(i) ? metric_ms(i, value) : value;
    }
  }
  return object;
}

}  // namespace

std::string ip_route_json(const route_report& r, const name_of_device& name) {
  json object;
  object["type"] = type_name(r.type);
  object["dst"] = r.dst.plen == 0    ? std::string("default")
                  : r.dst.plen == 32 ? address_text(r.dst.key)
                                     : prefix_text(r.dst);
  if (r.nexthop_id != 0) object["nhid"] = r.nexthop_id;
  if (r.tos != 0) object["tos"] = fmt::format("{:#04x}", r.tos);
  if (r.nexthops.size() == 1) put_hop(object, r.nexthops[0], name);
  if (r.table != table_id::main) {
    object["table"] = r.table == table_id::local ? std::string("local") : std::to_string(r.table);
  }
  object["protocol"] = protocol_name(r.protocol);
  object["scope"] = r.scope == scope::universe ? std::string("global") : scope_name(r.scope);
  if (r.prefsrc != 0) object["prefsrc"] = address_text(r.prefsrc);
  if (r.priority != 0) object["metric"] = r.priority;
  object["flags"] = r.nexthops.size() == 1 ? flags_of(r.nexthops[0].flags) : json::array();
  if (r.metrics.any()) object["metrics"] = json::array({metrics_of(r.metrics)});
  if (r.nexthops.size() > 1) {
    json& list = object["nexthops"] = json::array();
    for (const nexthop_report& hop : r.nexthops) {
      json& one = list.emplace_back(json::object());
      put_hop(one, hop, name);
      one["weight"] = hop.weight;
      one["flags"] = flags_of(hop.flags);
    }
  }
  return object.dump();
}

}  // namespace fibtrie::io
