// SPDX-License-Identifier: MIT
// See messages.hpp.
#include "tests/conformance/messages.hpp"

#include <arpa/inet.h>
#include <linux/fib_rules.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include <cstring>

namespace fibtrie::conformance {

namespace {

constexpr std::uint16_t fra_dscp = 25;  // newer than some systems' headers

void put_metrics(netlink_message& m, const route_metrics& metrics) {
  if (!metrics.any()) return;
  nlattr* const nest = m.begin_nest(RTA_METRICS);
  for (std::uint16_t i = 1; i < metrics.value.size(); ++i) {
    if (metrics.value[i] != 0) m.put_u32(i, metrics.value[i]);
  }
  m.end_nest(nest);
}

void put_multipath(netlink_message& m, const std::vector<nexthop_spec>& hops) {
  if (hops.empty()) return;
  nlattr* const nest = m.begin_nest(RTA_MULTIPATH);
  for (const nexthop_spec& hop : hops) {
    auto& entry = m.append<rtnexthop>();
    entry.rtnh_flags = hop.flags;
    entry.rtnh_hops = static_cast<unsigned char>(hop.weight - 1);
    entry.rtnh_ifindex = static_cast<int>(hop.oif);
    if (hop.gateway != 0) m.put_address(RTA_GATEWAY, hop.gateway);
    entry.rtnh_len = static_cast<unsigned short>(m.end() - reinterpret_cast<char*>(&entry));
  }
  m.end_nest(nest);
}

void put_ports(netlink_message& m, std::uint16_t type, const std::optional<inclusive_range<std::uint16_t>>& range) {
  if (!range) return;
  const fib_rule_port_range ports = {range->first, range->last};
  m.put(type, &ports, sizeof(ports));
}

key32 address_of(const nlattr* attr) { return ntohl(mnl_attr_get_u32(attr)); }

nexthop_report parse_hop(const rtnexthop& entry) {
  nexthop_report hop;
  hop.oif = static_cast<std::uint32_t>(entry.rtnh_ifindex);
  hop.weight = static_cast<std::uint16_t>(entry.rtnh_hops + 1);
  hop.flags = entry.rtnh_flags;
  for_each_attribute(&entry + 1, entry.rtnh_len - sizeof(entry), [&](const nlattr* attr) {
    if (mnl_attr_get_type(attr) == RTA_GATEWAY) hop.gateway = address_of(attr);
  });
  return hop;
}

std::vector<nexthop_report> parse_multipath(const nlattr* attr) {
  std::vector<nexthop_report> hops;
  const auto* at = static_cast<const char*>(mnl_attr_get_payload(attr));
  const char* const end = at + mnl_attr_get_payload_len(attr);
  while (at + sizeof(rtnexthop) <= end) {
    const auto* entry = reinterpret_cast<const rtnexthop*>(at);
    hops.push_back(parse_hop(*entry));
    at += RTNH_ALIGN(entry->rtnh_len);
  }
  return hops;
}

void parse_metrics(const nlattr* nest, route_metrics& out) {
  for_each_attribute(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), [&](const nlattr* attr) {
    const auto type = mnl_attr_get_type(attr);
    if (type < out.value.size() && mnl_attr_get_payload_len(attr) == 4) out.value[type] = mnl_attr_get_u32(attr);
  });
}

}  // namespace

netlink_message route_request(const route_spec& spec, bool remove, std::uint16_t flags) {
  netlink_message m(remove ? RTM_DELROUTE : RTM_NEWROUTE, static_cast<std::uint16_t>(NLM_F_ACK | flags));
  auto& h = m.header<rtmsg>();
  h.rtm_family = AF_INET;
  h.rtm_dst_len = spec.dst.plen;
  h.rtm_tos = spec.tos;
  h.rtm_table = spec.table < 256 ? static_cast<unsigned char>(spec.table) : static_cast<unsigned char>(RT_TABLE_UNSPEC);
  h.rtm_protocol = spec.protocol;
  h.rtm_scope = spec.scope;
  h.rtm_type = static_cast<unsigned char>(spec.type);
  h.rtm_flags = spec.hop.flags;
  if (spec.dst.plen != 0 || spec.dst.key != 0) m.put_address(RTA_DST, spec.dst.key);
  if (spec.table >= 256) m.put_u32(RTA_TABLE, spec.table);
  if (spec.priority != 0) m.put_u32(RTA_PRIORITY, spec.priority);
  if (spec.prefsrc != 0) m.put_address(RTA_PREFSRC, spec.prefsrc);
  if (spec.hop.gateway != 0) m.put_address(RTA_GATEWAY, spec.hop.gateway);
  if (spec.hop.oif != 0) m.put_u32(RTA_OIF, spec.hop.oif);
  if (spec.nexthop_id != 0) m.put_u32(RTA_NH_ID, spec.nexthop_id);
  put_metrics(m, spec.metrics);
  put_multipath(m, spec.multipath);
  return m;
}

netlink_message nexthop_request(const nexthop_object& object, bool remove, std::uint16_t flags) {
  netlink_message m(remove ? RTM_DELNEXTHOP : RTM_NEWNEXTHOP, static_cast<std::uint16_t>(NLM_F_ACK | flags));
  auto& h = m.header<nhmsg>();
  h.nh_family = remove || !object.group.empty() ? AF_UNSPEC : AF_INET;
  h.nh_protocol = object.protocol;
  h.nh_flags = object.hop.flags;
  m.put_u32(NHA_ID, object.id);
  if (remove) return m;
  if (object.blackhole) m.put(NHA_BLACKHOLE, nullptr, 0);
  if (object.hop.oif != 0) m.put_u32(NHA_OIF, object.hop.oif);
  if (object.hop.gateway != 0) m.put_address(NHA_GATEWAY, object.hop.gateway);
  std::vector<nexthop_grp> group;
  for (const nexthop_member& member : object.group) {
    group.push_back({member.id, static_cast<std::uint8_t>(member.weight - 1), 0, 0});
  }
  if (!group.empty()) m.put(NHA_GROUP, group.data(), group.size() * sizeof(group[0]));
  return m;
}

netlink_message rule_request(const rule_spec& rule, bool remove, std::uint16_t flags) {
  netlink_message m(remove ? RTM_DELRULE : RTM_NEWRULE, static_cast<std::uint16_t>(NLM_F_ACK | flags));
  auto& h = m.header<fib_rule_hdr>();
  h.family = AF_INET;
  h.dst_len = rule.to.plen;
  h.src_len = rule.from.plen;
  h.tos = rule.tos;
  h.table = rule.table < 256 ? static_cast<std::uint8_t>(rule.table) : static_cast<std::uint8_t>(RT_TABLE_UNSPEC);
  h.action = static_cast<std::uint8_t>(rule.action);
  h.flags = rule.invert ? FIB_RULE_INVERT : 0;
  if (rule.to.plen != 0) m.put_address(FRA_DST, rule.to.key);
  if (rule.from.plen != 0) m.put_address(FRA_SRC, rule.from.key);
  if (rule.table >= 256) m.put_u32(FRA_TABLE, rule.table);
  if (rule.priority) m.put_u32(FRA_PRIORITY, *rule.priority);
  if (rule.action == rule_action::go_to) m.put_u32(FRA_GOTO, rule.target);
  if (rule.mark != 0) m.put_u32(FRA_FWMARK, rule.mark);
  if (rule.mark_mask != 0) m.put_u32(FRA_FWMASK, rule.mark_mask);
  if (!rule.iif.empty()) m.put_text(FRA_IIFNAME, rule.iif);
  if (!rule.oif.empty()) m.put_text(FRA_OIFNAME, rule.oif);
  if (rule.ip_protocol != 0) m.put_u8(FRA_IP_PROTO, rule.ip_protocol);
  put_ports(m, FRA_SPORT_RANGE, rule.sport);
  put_ports(m, FRA_DPORT_RANGE, rule.dport);
  if (rule.uid) {
    const fib_rule_uid_range uids = {rule.uid->first, rule.uid->last};
    m.put(FRA_UID_RANGE, &uids, sizeof(uids));
  }
  if (rule.suppress_prefixlength >= 0) {
    m.put_u32(FRA_SUPPRESS_PREFIXLEN, static_cast<std::uint32_t>(rule.suppress_prefixlength));
  }
  if (rule.dscp) m.put_u8(fra_dscp, *rule.dscp);
  return m;
}

route_report parse_route_message(const nlmsghdr& message) {
  const auto* h = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(&message));
  route_report r;
  r.dst.plen = h->rtm_dst_len;
  r.tos = h->rtm_tos;
  r.type = static_cast<route_type>(h->rtm_type);
  r.scope = h->rtm_scope;
  r.protocol = h->rtm_protocol;
  r.table = h->rtm_table;
  nexthop_report hop;
  // Flags of the route are those of its only next hop, as far as they are a next hop's.
  hop.flags = static_cast<std::uint8_t>(h->rtm_flags & 0xff);
  bool has_hop = false;
  for_each_attribute(message, sizeof(*h), [&](const nlattr* attr) {
    switch (mnl_attr_get_type(attr)) {
      case RTA_DST: r.dst.key = address_of(attr); break;
      case RTA_TABLE: r.table = mnl_attr_get_u32(attr); break;
      case RTA_PRIORITY: r.priority = mnl_attr_get_u32(attr); break;
      case RTA_PREFSRC: r.prefsrc = address_of(attr); break;
      case RTA_NH_ID: r.nexthop_id = mnl_attr_get_u32(attr); break;
      case RTA_METRICS: parse_metrics(attr, r.metrics); break;
      case RTA_MULTIPATH: r.nexthops = parse_multipath(attr); break;
      case RTA_GATEWAY:
        hop.gateway = address_of(attr);
        has_hop = true;
        break;
      case RTA_OIF:
        hop.oif = mnl_attr_get_u32(attr);
        has_hop = true;
        break;
      default: break;
    }
  });
  if (has_hop) r.nexthops = {hop};
  return r;
}

}  // namespace fibtrie::conformance
