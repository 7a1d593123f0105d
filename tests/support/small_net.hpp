// SPDX-License-Identifier: MIT
// A namespace with the interfaces of operation lists, spoken to in their words.
//
// Thread safety: one thread.
// Invariants: 1. d0 to d3 are up and have 198.18.0.1/24 to 198.18.3.1/24; routes go to table 100.
// Source: none.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fibtrie/net.h"
#include "io/address_text.hpp"
#include "io/net_world.hpp"
#include "io/route_text.hpp"
#include "tests/support/manual_domain.hpp"
#include "tests/support/parsed_line.hpp"

namespace fibtrie::testing {

class small_net {
 public:
  static constexpr std::uint32_t table = 100;

  explicit small_net(const net_options& options = {}) {
    EXPECT_EQ(fib_net::create(domain_, options, net_), status::ok);
    EXPECT_EQ(io::make_world(*net_, settings_), status::ok);
  }

  fib_net& operator*() noexcept { return *net_; }
  fib_net* operator->() noexcept { return net_.get(); }

  status play(const std::string& line) { return io::apply(*net_, parsed_line(line)); }
  void must(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) ASSERT_EQ(play(line), status::ok) << line;
  }

  static flow4 flow(const std::string& daddr) {
    flow4 f;
    EXPECT_EQ(io::parse_address(daddr, f.daddr), io::address_error::none) << daddr;
    return f;
  }
  // All routes of a table, as lines.
  std::vector<std::string> routes(std::uint32_t id = table) {
    std::vector<std::string> lines;
    dump_cursor cursor;
    net_->dump(cursor, id, [&](const route_report& r) {
      lines.push_back(io::route_text(r, io::device_name, id));
      return true;
    });
    return lines;
  }

 private:
  manual_domain domain_;
  const io::list_settings settings_;
  std::unique_ptr<fib_net> net_;
};

}  // namespace fibtrie::testing
