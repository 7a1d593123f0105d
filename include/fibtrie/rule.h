// SPDX-License-Identifier: MIT
// Policy rules: which table a flow is looked up in.
//
// Thread safety: values only.
// Invariants: 1. Rules are tried by ascending priority, equal ones in the order of their creation.
// Source: section "Policy rules" of the kernel's behaviour; words of `ip rule`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fibtrie/key.h"

namespace fibtrie {

// Numbered as rtnetlink does (FR_ACT_*).
enum class rule_action : std::uint8_t {
  unspec = 0,  // in a delete: any
  to_table = 1,
  go_to = 2,
  nop = 3,
  blackhole = 6,
  unreachable = 7,
  prohibit = 8,
};

template <class T>
struct inclusive_range {
  T first{};
  T last{};

  friend bool operator==(const inclusive_range&, const inclusive_range&) = default;
};

struct rule_spec {
  std::optional<std::uint32_t> priority;  // none, when added: one below the first rule but the one of priority 0
  rule_action action = rule_action::to_table;
  std::uint32_t table = 0;   // of to_table
  std::uint32_t target = 0;  // of go_to: the priority to go on at
  bool invert = false;
  prefix4 from{};  // length 0: any
  prefix4 to{};
  std::uint8_t tos = 0;              // matched as a route's tos is; 0: any
  std::optional<std::uint8_t> dscp;  // 0..63: the whole DSCP; excludes tos
  std::uint32_t mark = 0;            // matches when (flow.mark ^ mark) & mark_mask is 0
  std::uint32_t mark_mask = 0;       // 0: any
  std::string iif;                   // interface names; empty: any
  std::string oif;
  std::uint8_t ip_protocol = 0;  // 0: any
  std::optional<inclusive_range<std::uint16_t>> sport;
  std::optional<inclusive_range<std::uint16_t>> dport;
  std::optional<inclusive_range<std::uint32_t>> uid;
  std::uint64_t tunnel_id = 0;     // 0: any
  int suppress_prefixlength = -1;  // a match of at most this length does not count; -1: all count
  int suppress_group = -1;         // nor one through an interface of this group
  std::uint8_t protocol = 0;

  friend bool operator==(const rule_spec&, const rule_spec&) = default;
};

}  // namespace fibtrie
