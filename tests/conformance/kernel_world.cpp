// SPDX-License-Identifier: MIT
// See kernel_world.hpp.
#include "tests/conformance/kernel_world.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sched.h>
#include <sys/utsname.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "io/route_text.hpp"
#include "io/route_words.hpp"
#include "tests/conformance/messages.hpp"

namespace fibtrie::conformance {

namespace {

// What NETLINK_FIB_LOOKUP takes and gives.
struct fib_question {
  std::uint32_t address = 0;  // network order
  std::uint32_t mark = 0;
  std::uint8_t tos = 0;
  std::uint8_t scope = 0;
  std::uint8_t table_asked = 0;
  std::uint8_t table = 0;
  std::uint8_t plen = 0;
  std::uint8_t nexthop_index = 0;
  std::uint8_t type = 0;
  std::uint8_t result_scope = 0;
  std::int32_t error = 0;
};

std::string name_of_errno(int code) {
  if (code == 0) return "0";
  const char* name = strerrorname_np(code);
  return code == EOPNOTSUPP ? "ENOTSUP" : name != nullptr ? name : std::to_string(code);
}

void enter_new_namespace() {
  if (unshare(CLONE_NEWNET) != 0) throw std::runtime_error(fmt::format("no namespace: {}", strerrorname_np(errno)));
}

// The calling thread's namespace has its own ones.
void set_sysctl(const std::string& name, const char* value) {
  std::ofstream file("/proc/sys/net/" + name);
  file << value;
  if (!file.flush()) throw std::runtime_error("cannot set " + name);
}

void must(int code, const char* what) {
  if (code != 0) throw std::runtime_error(fmt::format("{}: {}", what, name_of_errno(code)));
}

// veth: a pair whose one end is the device and whose other end holds its carrier.
netlink_message pair_request(unsigned k) {
  netlink_message m(RTM_NEWLINK, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL);
  auto& h = m.header<ifinfomsg>();
  h.ifi_index = static_cast<int>(k + 2);
  m.put_text(IFLA_IFNAME, fmt::format("d{}", k));
  nlattr* const info = m.begin_nest(IFLA_LINKINFO);
  m.put_text(IFLA_INFO_KIND, "veth");
  nlattr* const data = m.begin_nest(IFLA_INFO_DATA);
  nlattr* const peer = m.begin_nest(VETH_INFO_PEER);
  auto& p = m.append<ifinfomsg>();
  p.ifi_index = static_cast<int>(k + 1000);
  m.put_text(IFLA_IFNAME, fmt::format("p{}", k));
  m.end_nest(peer);
  m.end_nest(data);
  m.end_nest(info);
  return m;
}

}  // namespace

kernel_version running_kernel() {
  utsname name{};
  kernel_version version;
  if (uname(&name) == 0) std::sscanf(name.release, "%u.%u", &version.major, &version.minor);
  return version;
}

std::string kernel_world::unavailable() {
  std::string reason;
  std::thread probe([&] {
    try {
      io::list_settings one;
      one.devices = 1;
      const kernel_world world(one);
    } catch (const std::exception& error) {
      reason = error.what();
    }
  });
  probe.join();
  return reason;
}

kernel_world::kernel_world(const io::list_settings& settings, bool promote_secondaries)
    : settings_(settings),
      route_((enter_new_namespace(), NETLINK_ROUTE)),
      messages_(NETLINK_ROUTE, {RTNLGRP_IPV4_ROUTE}),
      lookup_(NETLINK_FIB_LOOKUP),
      up_(settings.devices + 2, false),
      carrier_(settings.devices + 2, true),
      gone_(settings.devices + 2, false) {
  make_interfaces(promote_secondaries);
  messages_.drain([](const nlmsghdr&) {});
}

void kernel_world::make_interfaces(bool promote_secondaries) {
  if (std::filesystem::exists("/proc/sys/net/ipv6")) set_sysctl("ipv6/conf/default/disable_ipv6", "1");
  for (const char* where : {"all", "default", "lo"}) {
    set_sysctl(fmt::format("ipv4/conf/{}/promote_secondaries", where), promote_secondaries ? "1" : "0");
    set_sysctl(fmt::format("ipv4/conf/{}/ignore_routes_with_linkdown", where), "0");
  }
  for (unsigned k = 0; k < settings_.devices; ++k) {
    netlink_message m = pair_request(k);
    must(route_.request(m), "veth");
    must(set_link(fmt::format("p{}", k), true), "link");
    must(set_link(fmt::format("d{}", k), true), "link");
    up_[k + 2] = true;
    settle(k + 2);
    if (!settings_.addresses) continue;
    address_spec address;
    address.local = ipv4(198, 18, static_cast<std::uint8_t>(k), 1);
    address.plen = 24;
    must(change_address(k + 2, address, true), "address");
  }
}

int kernel_world::set_link(const std::string& name, bool up) {
  netlink_message m(RTM_NEWLINK, NLM_F_ACK);
  auto& h = m.header<ifinfomsg>();
  h.ifi_change = IFF_UP;
  h.ifi_flags = up ? IFF_UP : 0;
  m.put_text(IFLA_IFNAME, name);
  return route_.request(m);
}

int kernel_world::change_address(std::uint32_t device, const address_spec& address, bool add) {
  netlink_message m(add ? RTM_NEWADDR : RTM_DELADDR,
                    static_cast<std::uint16_t>(NLM_F_ACK | (add ? NLM_F_CREATE | NLM_F_EXCL : 0)));
  auto& h = m.header<ifaddrmsg>();
  h.ifa_family = AF_INET;
  h.ifa_prefixlen = address.plen;
  h.ifa_index = device;
  h.ifa_scope = address.scope;
  m.put_address(IFA_LOCAL, address.local);
  m.put_address(IFA_ADDRESS, address.local);
  return route_.request(m);
}

void kernel_world::settle(std::uint32_t device) {
  const bool running = up_[device] && carrier_[device];
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    netlink_message m(RTM_GETLINK, 0);
    m.header<ifinfomsg>().ifi_index = static_cast<int>(device);
    bool is_running = false;
    bool is_operating = false;
    must(route_.request(m,
                        [&](const nlmsghdr& reply) {
                          const auto* h = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(&reply));
                          is_running = (h->ifi_flags & IFF_LOWER_UP) != 0 && (h->ifi_flags & IFF_UP) != 0;
                          is_operating = (h->ifi_flags & IFF_RUNNING) != 0;
                        }),
         "link state");
    if (is_running == running && is_operating == running) break;
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error("an interface does not settle");
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  // Whoever told the state held the lock that this takes, and told the routes under it.
  const std::string name = io::device_name(device);
  if (device >= 2) must(set_link(name, up_[device]), "link");
}

int kernel_world::act(const io::operation& op) {
  using io::operation_kind;
  const auto send = [&](netlink_message m) { return route_.request(m); };
  switch (op.kind) {
    case operation_kind::insert: return send(route_request(op.spec, false, op.flags));
    case operation_kind::remove: return send(route_request(op.spec, true, 0));
    case operation_kind::add_nexthop: return send(nexthop_request(op.nexthop, false, op.flags));
    case operation_kind::remove_nexthop: return send(nexthop_request(op.nexthop, true, 0));
    case operation_kind::unmerge:
    case operation_kind::add_rule: return send(rule_request(op.rule, false, op.flags));
    case operation_kind::remove_rule: return send(rule_request(op.rule, true, 0));
    case operation_kind::add_address: return change_address(op.device, op.address, true);
    case operation_kind::remove_address: return change_address(op.device, op.address, false);
    case operation_kind::ignore_linkdown:
      if (gone_[op.device]) return ENODEV;
      set_sysctl(
          fmt::format("ipv4/conf/{}/ignore_routes_with_linkdown", op.device == 0 ? "all" : io::device_name(op.device)),
          op.state ? "1" : "0");
      return 0;
    case operation_kind::link:
    case operation_kind::carrier:
    case operation_kind::remove_device: break;
  }
  return change_link(op);
}

int kernel_world::change_link(const io::operation& op) {
  using io::operation_kind;
  if (gone_[op.device]) return ENODEV;
  if (op.kind == operation_kind::remove_device) {
    netlink_message m(RTM_DELLINK, NLM_F_ACK);
    m.header<ifinfomsg>().ifi_index = static_cast<int>(op.device);
    const int code = route_.request(m);
    gone_[op.device] = code == 0;
    return code;
  }
  const bool is_link = op.kind == operation_kind::link;
  const std::string name = is_link ? io::device_name(op.device) : fmt::format("p{}", op.device - 2);
  const int code = set_link(name, op.state);
  (is_link ? up_ : carrier_)[op.device] = op.state;
  if (code == 0) settle(op.device);
  return code;
}

std::string kernel_world::apply(const io::operation& op) { return name_of_errno(act(op)); }

std::vector<std::string> kernel_world::take_messages() {
  std::vector<std::string> lines;
  messages_.drain([&](const nlmsghdr& m) {
    if (m.nlmsg_type != RTM_NEWROUTE && m.nlmsg_type != RTM_DELROUTE) return;
    const route_report report = parse_route_message(m);
    route_message message;
    message.what = m.nlmsg_type == RTM_NEWROUTE ? route_message::kind::added : route_message::kind::removed;
    message.flags = m.nlmsg_flags;
    message.route = &report;
    lines.push_back(io::message_text(message, io::device_name));
  });
  return lines;
}

std::vector<route_report> kernel_world::routes() {
  netlink_message m(RTM_GETROUTE, NLM_F_DUMP);
  m.header<rtmsg>().rtm_family = AF_INET;
  std::vector<route_report> all;
  must(route_.request(m,
                      [&](const nlmsghdr& reply) {
                        if (reply.nlmsg_type == RTM_NEWROUTE) all.push_back(parse_route_message(reply));
                      }),
       "dump");
  return all;
}

std::string kernel_world::proc_text(const char* name) const {
  std::ifstream file(std::string("/proc/thread-self/net/") + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string kernel_world::table_lookup(std::uint32_t table, const flow4& flow) {
  netlink_message m(NLMSG_MIN_TYPE, 0);
  auto& q = m.header<fib_question>();
  q.address = htonl(flow.daddr);
  q.mark = flow.mark;
  q.tos = flow.tos;
  q.scope = flow.scope;
  q.table_asked = static_cast<std::uint8_t>(table);
  fib_question answer;
  must(lookup_.request(
           m, [&](const nlmsghdr& reply) { std::memcpy(&answer, mnl_nlmsg_get_payload(&reply), sizeof(answer)); }),
       "table lookup");
  if (answer.error != 0) return "error " + name_of_errno(-answer.error);
  return fmt::format("{} /{} scope {} nhsel {}", io::type_name(static_cast<route_type>(answer.type)), answer.plen,
                     answer.result_scope, answer.nexthop_index);
}

int kernel_world::match(const flow4& flow, route_report& out) {
  netlink_message m(RTM_GETROUTE, 0);
  auto& h = m.header<rtmsg>();
  h.rtm_family = AF_INET;
  h.rtm_dst_len = 32;
  h.rtm_tos = flow.tos;
  h.rtm_flags = RTM_F_FIB_MATCH | RTM_F_LOOKUP_TABLE;
  if (flow.saddr != 0) h.rtm_src_len = 32;
  m.put_address(RTA_DST, flow.daddr);
  if (flow.saddr != 0) m.put_address(RTA_SRC, flow.saddr);
  if (flow.oif != 0) m.put_u32(RTA_OIF, flow.oif);
  if (flow.mark != 0) m.put_u32(RTA_MARK, flow.mark);
  if (flow.uid != UINT32_MAX) m.put_u32(RTA_UID, flow.uid);
  if (flow.ip_protocol != 0) m.put_u8(RTA_IP_PROTO, flow.ip_protocol);
  const auto put_port = [&](std::uint16_t type, std::uint16_t port) {
    const std::uint16_t wire = htons(port);
    if (port != 0) m.put(type, &wire, sizeof(wire));
  };
  put_port(RTA_SPORT, flow.sport);
  put_port(RTA_DPORT, flow.dport);
  return route_.request(m, [&](const nlmsghdr& reply) { out = parse_route_message(reply); });
}

std::string full_text(const route_report& r) {
  std::string text = io::route_text(r, io::device_name);
  for (unsigned i = 0; i < r.metrics.value.size(); ++i) {
    if (r.metrics.value[i] != 0) text += fmt::format(" {}={}", i, r.metrics.value[i]);
  }
  return text;
}

}  // namespace fibtrie::conformance
