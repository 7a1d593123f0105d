// SPDX-License-Identifier: MIT
// Rules in the words of `ip rule`.
//
// Thread safety: one thread.
// Source: io/rule_line.hpp; iproute2's words and defaults.
#include "io/rule_line.hpp"

#include <gtest/gtest.h>

#include "fibtrie/route.h"

namespace fibtrie::io {
namespace {

rule_spec parsed(const char* words, bool remove = false) {
  rule_spec rule;
  EXPECT_EQ(parse_rule_line(words, remove, rule), "") << words;
  return rule;
}

TEST(rule_line, every_word_is_taken) {
  rule_spec want;
  want.priority = 100;
  want.invert = true;
  want.from = {ipv4(10, 0, 0, 0), 8};
  want.to = {ipv4(192, 0, 2, 1), 32};
  want.tos = 0x10;
  want.mark = 0x1f;
  want.mark_mask = 0xff;
  want.iif = "d0";
  want.oif = want.iif;
  want.ip_protocol = 17;
  want.sport = {1, 65535};
  want.dport = {53, 53};
  want.uid = {0, 1000};
  want.suppress_prefixlength = 0;
  want.table = 7;
  EXPECT_EQ(parsed("not priority 100 from 10.0.0.0/8 to 192.0.2.1 tos 0x10 fwmark 0x1f/0xff iif d0 oif d0 ipproto 17 "
                   "sport 1-65535 dport 53 uidrange 0-1000 suppress_prefixlength 0 table 7"),
            want);
}

TEST(rule_line, what_is_not_said_has_its_default) {
  EXPECT_EQ(parsed("").table, table_id::main);
  EXPECT_EQ(parsed("").action, rule_action::to_table);
  EXPECT_FALSE(parsed("").priority);
  EXPECT_EQ(parsed("fwmark 7").mark_mask, UINT32_MAX);
  EXPECT_EQ(parsed("dscp 0").dscp, 0);
  EXPECT_FALSE(parsed("tos 0").dscp);
  EXPECT_EQ(parsed("table local").table, table_id::local);
  EXPECT_EQ(parsed("from default").from.plen, 0);
}

TEST(rule_line, actions_have_no_table) {
  EXPECT_EQ(parsed("nop").action, rule_action::nop);
  EXPECT_EQ(parsed("blackhole").action, rule_action::blackhole);
  EXPECT_EQ(parsed("unreachable priority 7").action, rule_action::unreachable);
  EXPECT_EQ(parsed("priority 7 prohibit").action, rule_action::prohibit);
  EXPECT_EQ(parsed("prohibit").table, 0u);
  const rule_spec jump = parsed("goto 500");
  EXPECT_EQ(jump.action, rule_action::go_to);
  EXPECT_EQ(jump.target, 500u);
  EXPECT_EQ(jump.table, 0u);
}

// What a delete does not name may be any.
TEST(rule_line, a_delete_names_what_it_names) {
  const rule_spec any = parsed("priority 100", true);
  EXPECT_EQ(any.action, rule_action::unspec);
  EXPECT_EQ(any.table, 0u);
  EXPECT_EQ(parsed("table 7", true).table, 7u);
  EXPECT_EQ(parsed("blackhole", true).action, rule_action::blackhole);
}

TEST(rule_line, what_is_wrong_is_named) {
  struct line_case {
    const char* words;
    const char* error;
  };
  constexpr line_case cases[] = {
      {"colour red", "unknown word 'colour'"},
      {"from", "bad from ''"},
      {"from 10.0.0.0/33", "bad from '10.0.0.0/33'"},
      {"to 10.0.0", "bad to '10.0.0'"},
      {"priority -1", "bad priority '-1'"},
      {"priority 4294967296", "bad priority '4294967296'"},
      {"tos 256", "bad tos '256'"},
      {"fwmark 1/", "bad fwmark '1/'"},
      {"fwmark /1", "bad fwmark '/1'"},
      {"sport 1-65536", "bad sport '1-65536'"},
      {"sport -5", "bad sport '-5'"},
      {"dport 1-", "bad dport '1-'"},
      {"uidrange x", "bad uidrange 'x'"},
      {"ipproto 256", "bad ipproto '256'"},
      {"table 0", "bad table '0'"},
      {"goto here", "bad goto 'here'"},
      {"iif", "nothing after 'iif'"},
      {"suppress_prefixlength 1 nop prohibition", "unknown word 'prohibition'"},
  };
  for (const auto& c : cases) {
    rule_spec rule;
    EXPECT_EQ(parse_rule_line(c.words, false, rule), c.error) << c.words;
  }
}

}  // namespace
}  // namespace fibtrie::io
