// SPDX-License-Identifier: MIT
// See random_program.hpp.
#include "tests/conformance/random_program.hpp"

#include <fmt/format.h>

#include <array>
#include <random>
#include <string_view>

#include "fibtrie/key.h"
#include "io/address_text.hpp"
#include "io/route_line.hpp"

namespace fibtrie::conformance {

namespace {

using words = std::vector<std::string_view>;

// How often each kind of line comes in one program.
struct mix {
  unsigned insert = 60, remove = 25, link = 2, carrier = 2, address = 3, sysctl = 1, nexthop = 4, rule = 2;
};

class maker {
 public:
  maker(std::uint64_t seed, program& out) : random_(seed), out_(out) {
    out_.settings.merged = one_in(3);
    if (!one_in(3)) mix_.nexthop = 0;
    if (!one_in(3)) mix_.rule = 0;
    if (one_in(3)) mix_.link = mix_.carrier = 0;
    if (one_in(4)) mix_.link = mix_.carrier = mix_.address = 12;
    if (one_in(4)) mix_.insert = mix_.remove = 40;
    spread_ = 1 + below(3);
    out_.promote_secondaries = one_in(3);
  }

  void make(std::size_t operations) {
    for (std::size_t i = 0; i < operations; ++i) out_.lines.push_back(line());
    for (unsigned i = 0; i < 24; ++i) out_.questions.push_back(question());
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool one_in(unsigned n) { return below(n) == 0; }
  std::string_view pick(const words& all) { return all[below(static_cast<unsigned>(all.size()))]; }
  // TEXT once in n, else nothing.
  template <class Make>
  std::string once_in(unsigned n, Make&& make) {
    return one_in(n) ? make() : std::string();
  }

  std::string line() {
    const std::array<unsigned, 8> weights = {mix_.insert,  mix_.remove, mix_.link,    mix_.carrier,
                                             mix_.address, mix_.sysctl, mix_.nexthop, mix_.rule};
    unsigned total = 0;
    for (const unsigned w : weights) total += w;
    unsigned rest = below(total);
    unsigned kind = 0;
    while (rest >= weights[kind]) rest -= weights[kind++];
    switch (kind) {
      case 0: return insert();
      case 1: return remove();
      case 2:
        if (one_in(200)) return fmt::format("@link {} del", device());
        return fmt::format("@link {} {}", one_in(8) ? "lo" : device(), one_in(3) ? "down" : "up");
      case 3: return fmt::format("@link p{} {}", below(4), one_in(2) ? "down" : "up");
      case 4: return address();
      case 5:
        return fmt::format("@sysctl net.ipv4.conf.{}.ignore_routes_with_linkdown {}", one_in(3) ? "all" : device(),
                           below(2));
      case 6: return nexthop();
      default: return rule();
    }
  }

  std::string device() { return fmt::format("d{}", below(4)); }

  prefix4 prefix() {
    constexpr std::array<key32, 6> bases = {ipv4(10, 0, 0, 0),    ipv4(10, 1, 2, 0),   ipv4(10, 255, 255, 255),
                                            ipv4(172, 16, 5, 64), ipv4(198, 18, 1, 0), ipv4(224, 0, 0, 0)};
    constexpr std::array<std::uint8_t, 16> lengths = {0, 0, 1, 4, 7, 8, 8, 9, 15, 16, 16, 23, 24, 30, 31, 32};
    const std::uint8_t plen = lengths[below(lengths.size())];
    key32 key = bases[below(bases.size())];
    if (spread_ > 1 && one_in(2)) key += below(4) << below(24);
    const key32 mask = prefix_mask<key32>(plen);
    // Now and then with host bits, which is an error.
    return {one_in(100) ? key : key & mask, plen};
  }

  std::string gateway() {
    if (one_in(12)) {
      return std::string(pick({"203.0.113.1", "198.18.1.1", "10.0.0.1", "198.18.2.255", "198.18.0.0", "224.0.0.1",
                               "255.255.255.255", "127.0.0.1", "10.9.1.7"}));
    }
    return fmt::format("198.18.{}.{}", below(4), 2 + below(4));
  }

  std::string hop() {
    switch (below(5)) {
      case 0: return fmt::format(" via {}", gateway());
      case 1: return fmt::format(" via {} dev {}", gateway(), device());
      case 2: return fmt::format(" via {} dev {}{}", gateway(), device(), one_in(2) ? " onlink" : "");
      default: return fmt::format(" dev {}", one_in(20) ? "lo" : device());
    }
  }
  // A gateway that fits its device, so that lists are mostly good.
  std::string leg() {
    const unsigned k = below(4);
    if (one_in(8)) return one_in(2) ? hop() : fmt::format(" dev d{}", k);
    return fmt::format(" via 198.18.{}.{}{}", k, 2 + below(4), one_in(2) ? fmt::format(" dev d{}", k) : "");
  }

  std::string hops() {
    if (mix_.nexthop != 0 && one_in(4)) return fmt::format(" nhid {}", nexthop_id());
    if (!one_in(5)) return hop();
    std::string text;
    for (unsigned i = 1 + below(4); i > 0; --i) {
      text +=
          " nexthop" + leg() + once_in(2, [&] { return fmt::format(" weight {}", one_in(9) ? 256 : 1 + below(9)); });
    }
    return text;
  }

  std::string table() {
    return once_in(4, [&] {
      return fmt::format(" table {}", pick({"100", "101", "main", "local", "default", "356", "4294967295"}));
    });
  }

  std::string insert() {
    const auto verb = pick({"add", "add", "append", "append", "prepend", "replace", "replace", "change", "test"});
    std::string type = one_in(5) ? std::string(pick({"unicast ", "local ", "broadcast ", "anycast ", "multicast ",
                                                     "blackhole ", "unreachable ", "prohibit ", "throw ", "nat "}))
                                 : "";
    const bool is_error = type == "blackhole " || type == "unreachable " || type == "prohibit " || type == "throw ";
    std::string text = fmt::format("{} {}{}", verb, type, io::prefix_text(prefix()));
    const std::string where = !is_error || one_in(20) ? hops() : std::string();
    // Which of several shared parts of an object's routes a route takes depends on how the kernel's hash table grew.
    const bool by_object = where.starts_with(" nhid");
    text += tos() + metric() + attributes(!by_object) + table() + where;
    made_.push_back(text);
    return text;
  }

  std::string tos() {
    return once_in(4, [&] {
      return fmt::format(" tos {}", pick({"0x04", "0x08", "0x10", "0x10", "0x20", "0x1c", "0xb8", "0x03", "0x11"}));
    });
  }
  std::string metric() {
    return once_in(3, [&] { return fmt::format(" metric {}", pick({"1", "5", "5", "100", "4294967295"})); });
  }
  std::string attributes(bool metrics) {
    std::string text;
    text += once_in(6, [&] { return fmt::format(" proto {}", pick({"static", "kernel", "redirect", "186"})); });
    text += once_in(8, [&] {
      return fmt::format(" scope {}", pick({"universe", "site", "link", "host", "nowhere", "17"}));
    });
    text += once_in(6, [&] {
      return fmt::format(" src {}", pick({"198.18.0.1", "198.18.1.1", "198.18.2.7", "10.9.1.1", "203.0.113.9"}));
    });
    if (!metrics) return text;
    text += once_in(10, [&] { return fmt::format(" {}", pick({"mtu 1400", "advmss 1000", "mtu 1400 window 7"})); });
    return text;
  }

  // Mostly something that was made once, with some of its words.
  std::string remove() {
    if (made_.empty() || one_in(6)) return "del " + io::prefix_text(prefix()) + tos() + table();
    const std::string& line =
        made_[made_.size() - 1 - below(static_cast<unsigned>(std::min<std::size_t>(made_.size(), 60)))];
    auto rest = std::string_view(line);
    rest.remove_prefix(rest.find(' '));
    if (one_in(2)) return "del" + std::string(rest);
    return "del" + thinned(rest);
  }

  // Without some of the attributes, but with type, prefix, tos and table.
  std::string thinned(std::string_view rest) {
    const bool lists = rest.find(" nexthop") != std::string_view::npos;
    if (lists) rest = rest.substr(0, rest.find(" nexthop"));
    std::string text;
    bool past_prefix = false;
    for (std::size_t at = 0; at < rest.size();) {
      const auto end = std::min(rest.find(' ', at + 1), rest.size());
      const auto word = rest.substr(at, end - at);
      at = end;
      if (!past_prefix) {
        past_prefix = word.find('/') != std::string_view::npos;
        if (past_prefix || one_in(2)) text += word;
        continue;
      }
      if (word == " onlink") continue;
      const auto value_end = std::min(rest.find(' ', at + 1), rest.size());
      const auto value = rest.substr(at, value_end - at);
      at = value_end;
      if (word == " tos" || word == " table" || one_in(2)) text.append(word).append(value);
    }
    return text;
  }

  std::string address() {
    const std::string verb = one_in(3) ? "del" : "add";
    const unsigned k = below(4);
    const std::array<std::string, 10> all = {fmt::format("198.18.{}.1/24", k),
                                             fmt::format("198.18.{}.7/24", k),
                                             fmt::format("10.9.{}.1/24", k),
                                             fmt::format("10.9.{}.2/24", k),
                                             fmt::format("10.9.{}.1/16", k),
                                             "10.0.0.5/32",
                                             "10.8.0.1/31",
                                             "10.8.0.1/30",
                                             fmt::format("198.18.{}.1/32", below(4)),
                                             "127.0.0.5/8"};
    return fmt::format("@addr {} {} dev {}", verb, all[below(all.size())], one_in(12) ? "lo" : fmt::format("d{}", k));
  }

  unsigned nexthop_id() { return one_in(3) ? 11 + below(4) : 1 + below(7); }

  std::string nexthop() {
    if (one_in(4)) return fmt::format("@nexthop del id {}", nexthop_id());
    const auto verb = one_in(3) ? "replace" : "add";
    if (one_in(3)) {
      std::string group;
      for (unsigned i = 1 + below(3); i > 0; --i) {
        group += fmt::format("{}{}{}", group.empty() ? "" : "/", 1 + below(7),
                             once_in(3, [&] { return fmt::format(",{}", 1 + below(20)); }));
      }
      return fmt::format("@nexthop {} id {} group {}", verb, 11 + below(4), group);
    }
    const unsigned id = 1 + below(7);
    if (one_in(8)) return fmt::format("@nexthop {} id {} blackhole", verb, id);
    return fmt::format("@nexthop {} id {}{}", verb, id, one_in(3) ? hop() : leg());
  }

  std::string rule() {
    const bool del = one_in(3);
    std::string text = del ? "@rule del" : "@rule add";
    if (!del && one_in(8)) text += " not";
    if (!one_in(4)) text += fmt::format(" priority {}", 100 * (1 + below(8)));
    text += once_in(5, [&] { return fmt::format(" from 198.18.{}.0/24", below(4)); });
    text += once_in(3, [&] { return fmt::format(" to {}", pick({"10.0.0.0/8", "10.1.0.0/16", "172.16.0.0/12"})); });
    text += once_in(5, [&] { return fmt::format(" tos {}", pick({"0x08", "0x10", "0x04"})); });
    text += once_in(4, [&] { return fmt::format(" fwmark {}", pick({"1", "2", "0x10/0xf0"})); });
    text += once_in(8, [&] { return fmt::format(" oif {}", device()); });
    text += once_in(12, [&] { return fmt::format(" iif {}", pick({"lo", "d1", "nowhere0"})); });
    text += once_in(6, [&] { return fmt::format(" ipproto {}", pick({"6", "17"})); });
    text += once_in(6, [&] { return fmt::format(" dport {}", pick({"80", "53-443"})); });
    text += once_in(8, [&] { return fmt::format(" uidrange {}", pick({"0-0", "5-1000"})); });
    text += once_in(6, [&] { return fmt::format(" suppress_prefixlength {}", pick({"0", "8", "32"})); });
    if (one_in(8)) return text + fmt::format(" goto {}", 100 * (1 + below(9)));
    if (one_in(6)) return text + " " + std::string(pick({"blackhole", "unreachable", "prohibit", "nop"}));
    return text + fmt::format(" table {}", pick({"100", "101", "main", "local", "default", "356"}));
  }

  flow4 question() {
    flow4 flow;
    const prefix4 p = prefix();
    const key32 mask = prefix_mask<key32>(p.plen);
    flow.daddr = (p.key & mask) | (~mask & (one_in(3) ? 0u : one_in(2) ? UINT32_MAX : static_cast<key32>(random_())));
    if (one_in(3)) flow.tos = std::array<std::uint8_t, 6>{0x04, 0x08, 0x10, 0x20, 0xb8, 0x11}[below(6)];
    if (one_in(4)) flow.oif = 2 + below(4);
    if (one_in(4)) flow.saddr = ipv4(198, 18, static_cast<std::uint8_t>(below(4)), 1);
    if (one_in(3)) flow.mark = std::array<std::uint32_t, 3>{1, 2, 0x15}[below(3)];
    if (one_in(3)) flow.uid = below(8);
    if (one_in(3)) flow.ip_protocol = one_in(2) ? 6 : 17;
    if (flow.ip_protocol != 0 && one_in(2)) flow.dport = one_in(2) ? 80 : 443;
    if (one_in(5)) flow.scope = one_in(2) ? scope::link : scope::host;
    return flow;
  }

  std::mt19937_64 random_;
  program& out_;
  mix mix_;
  unsigned spread_ = 1;
  std::vector<std::string> made_;
};

}  // namespace

program random_program(std::uint64_t seed, std::size_t operations) {
  program p;
  maker(seed, p).make(operations);
  return p;
}

std::string list_text(const program& p) {
  std::string text = fmt::format("#! devices {}\n", p.settings.devices);
  if (!p.settings.addresses) text += "#! addrs no\n";
  if (p.settings.merged) text += "#! table merged\n";
  if (p.promote_secondaries) text += "# with promote_secondaries\n";
  for (const std::string& line : p.lines) text += line + "\n";
  return text;
}

}  // namespace fibtrie::conformance
