// SPDX-License-Identifier: MIT
// The reader of operation lists: what it takes, what it refuses and how it says so.
//
// Thread safety: one thread.
#include "io/ops.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/limits.hpp"
#include "tests/support/reference_trie.hpp"
#include "tests/support/route_interner.hpp"

namespace fibtrie::io {
namespace {

class ops_file : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  void write_gz(const std::string& text) {
    gzFile file = gzopen(path_.c_str(), "wb");
    ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    gzclose(file);
  }
  // The lines' texts, then the error without the file's name.
  std::vector<std::string> read() {
    ops_reader reader(path_);
    std::vector<std::string> seen;
    for (operation op; reader.next(op);) seen.push_back(std::to_string(op.line_number) + " " + op.text);
    if (!reader.error().empty()) seen.push_back(reader.error().substr(path_.size()));
    return seen;
  }

  const std::string path_ = ::testing::TempDir() + "fibtrie_ops_" + std::to_string(getpid()) + "_" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

using texts = std::vector<std::string>;

TEST_F(ops_file, comments_empty_lines_and_crlf_are_passed_over) {
  write("# first\r\n\r\n#! devices 4\nadd 10.0.0.0/8 dev d0\r\n  del 10.0.0.0/8");
  EXPECT_EQ(read(), (texts{"4 add 10.0.0.0/8 dev d0", "5   del 10.0.0.0/8"}));
}

TEST_F(ops_file, gzipped_lists_are_read) {
  write_gz("add 10.0.0.0/8 dev d0\nadd 10.0.0.0/9 dev d0\n");
  EXPECT_EQ(read(), (texts{"1 add 10.0.0.0/8 dev d0", "2 add 10.0.0.0/9 dev d0"}));
}

TEST_F(ops_file, a_cut_gzipped_list_is_an_error) {
  std::string text;
  for (unsigned i = 0; i < 50000; ++i) text += "add 10.0.0." + std::to_string(i * 2654435761u % 256) + " dev d0\n";
  write_gz(text);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  const auto seen = read();
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(seen.back().starts_with(": bad gzip data")) << seen.back();
}

TEST_F(ops_file, errors_name_the_line_and_end_the_list) {
  write("add 10.0.0.0/8 dev d0\nadd 10.0.0.0/33 dev d0\nadd 10.1.0.0/16 dev d0\n");
  EXPECT_EQ(read(), (texts{"1 add 10.0.0.0/8 dev d0", ":2: bad prefix '10.0.0.0/33'"}));
  write("#! table merged\nadd 10.0.0.0/8 dev d0\n");
  EXPECT_EQ(read(), (texts{"2 add 10.0.0.0/8 dev d0"}));
  write("#! table merged\n#! table 7\nadd 10.0.0.0/8 dev d0\n");
  EXPECT_EQ(read(), (texts{":2: unknown table '7'"}));
  write("#! devices 251\n");
  EXPECT_EQ(read(), (texts{":1: bad number '251'"}));
  write("#! addrs maybe\n");
  EXPECT_EQ(read(), (texts{":1: neither yes nor no: 'maybe'"}));
  write("#! moon full\n");
  EXPECT_EQ(read(), (texts{":1: unknown setting 'moon'"}));
  write(std::string(max_line_bytes + 1, 'x'));
  EXPECT_EQ(read(), (texts{":1: line too long"}));
}

TEST_F(ops_file, a_missing_file_is_an_error) { EXPECT_EQ(read(), (texts{": No such file or directory"})); }

struct line_case {
  const char* line;
  const char* error;
};

TEST(ops, what_is_wrong_is_named) {
  constexpr line_case cases[] = {
      {"add 10.0.0.0/8 dev d0 colour red", "unknown word 'colour'"},
      {"add 10.0.0.0/8 dev", "nothing after 'dev'"},
      {"add 10.0.0.0/8 dev d4", "no interface 'd4'"},
      {"add 10.0.0.0/8 dev eth0", "no interface 'eth0'"},
      {"add 10.0.0.0/8 via 192.0.2", "bad gateway '192.0.2'"},
      {"add 10.0.0.0/8 scope wide", "bad scope 'wide'"},
      {"add 10.0.0.0/8 metric -1", "bad metric '-1'"},
      {"add 10.0.0.0/8 tos 256", "bad tos '256'"},
      {"add 10.0.0.0/8 nexthop dev d0 weight 0", "bad weight '0'"},
      {"add 10.0.0.0/8 nexthop dev d0 weight 257", "bad weight '257'"},
      {"add 10.0.0.0/ dev d0", "bad prefix '10.0.0.0/'"},
      {"add 10.0.0.256 dev d0", "bad prefix '10.0.0.256'"},
      {"add 10.0.0.0.0 dev d0", "bad prefix '10.0.0.0.0'"},
      {"add -1.0.0.0 dev d0", "bad prefix '-1.0.0.0'"},
      {"add", "bad prefix ''"},
      {"fetch 10.0.0.0/8", "unknown verb 'fetch'"},
      {"@fetch d0", "unknown word '@fetch'"},
      {"@link d0 sideways", "neither up nor down: 'sideways'"},
      {"@link d9 up", "no interface 'd9'"},
      {"@link d0 up now", "unknown word 'now'"},
      {"@addr add 192.0.2.1/33 dev d0", "bad address '192.0.2.1/33'"},
      {"@addr add default dev d0", "bad address 'default'"},
      {"@addr add 192.0.2.1/24 d0", "no dev"},
      {"@addr move 192.0.2.1/24 dev d0", "unknown verb 'move'"},
      {"@nexthop add id 0 dev d0", "bad id"},
      {"@nexthop add 7 dev d0", "bad id"},
      {"@nexthop add id 7 group 1,0", "bad member '1,0'"},
      {"@nexthop add id 7 group 1,257", "bad member '1,257'"},
      {"@nexthop add id 7 group", "a group without members"},
      {"@nexthop add id 7 colour red", "unknown word 'colour'"},
      {"@sysctl net.ipv4.conf.d0.forwarding 1", "unknown setting 'net.ipv4.conf.d0.forwarding'"},
      {"@sysctl net.ipv4.conf..ignore_routes_with_linkdown 1",
       "unknown setting 'net.ipv4.conf..ignore_routes_with_linkdown'"},
      {"@sysctl net.ipv4.conf.d0.ignore_routes_with_linkdown 2", "neither 0 nor 1: '2'"},
  };
  for (const auto& c : cases) {
    operation op;
    EXPECT_EQ(parse_operation(c.line, {}, op), c.error) << c.line;
  }
}

operation parsed(const std::string& line) {
  operation op;
  EXPECT_EQ(parse_operation(line, {}, op), "") << line;
  return op;
}

TEST(ops, scopes_default_as_iproute2_has_them) {
  struct scope_case {
    const char* line;
    std::uint8_t expected;
  };
  constexpr scope_case cases[] = {
      {"add 10.0.0.0/8 dev d0", scope::link},
      {"add 10.0.0.0/8 via 192.0.2.1 dev d0", scope::universe},
      {"add 10.0.0.0/8 nexthop dev d0 nexthop dev d1", scope::universe},
      {"add 10.0.0.0/8 nhid 7", scope::universe},
      {"add local 10.0.0.1 dev d0", scope::host},
      {"add nat 10.0.0.1", scope::host},
      {"add broadcast 10.0.0.1 dev d0", scope::link},
      {"add multicast 224.0.0.0/4 dev d0", scope::link},
      {"add anycast 10.0.0.1 dev d0", scope::link},
      {"add blackhole 10.0.0.0/8", scope::universe},
      {"add 10.0.0.0/8 dev d0 scope host", scope::host},
      {"add 10.0.0.0/8 dev d0 scope 17", 17},
      {"del 10.0.0.0/8", scope::nowhere},
  };
  for (const auto& c : cases) EXPECT_EQ(parsed(c.line).spec.scope, c.expected) << c.line;
}

TEST(ops, a_route_line_is_taken_apart) {
  operation op = parsed(
      "replace unreachable 10.0.0.1/8 tos 0x10 metric 5 proto static src 198.18.0.1 table 7 mtu 1400 via 192.0.2.1 "
      "dev d3 onlink");
  route_spec spec;
  spec.dst = {ipv4(10, 0, 0, 1), 8};  // host bits are for the table to refuse
  spec.type = route_type::unreachable;
  spec.tos = 0x10;
  spec.priority = 5;
  spec.protocol = protocol::static_route;
  spec.prefsrc = ipv4(198, 18, 0, 1);
  spec.table = 7;
  spec.metrics.value[metric::mtu] = 1400;
  spec.hop = {ipv4(192, 0, 2, 1), 5, 1, nexthop_flag::onlink, 0};
  EXPECT_EQ(op.kind, operation_kind::insert);
  EXPECT_EQ(op.flags, insert_verb::replace);
  EXPECT_EQ(op.spec, spec);

  op = parsed("append 192.0.2.9 nexthop via 198.18.0.9 dev d0 weight 3 nexthop dev d1");
  EXPECT_EQ(op.flags, insert_verb::append);
  EXPECT_EQ(op.spec.dst, (prefix4{ipv4(192, 0, 2, 9), 32}));
  EXPECT_EQ(op.spec.multipath, (std::vector<nexthop_spec>{{ipv4(198, 18, 0, 9), 2, 3, 0, 0}, {0, 3, 1, 0, 0}}));

  op = parsed("del default");
  EXPECT_EQ(op.kind, operation_kind::remove);
  EXPECT_EQ(op.spec, delete_spec({}, 100));
}

TEST(ops, every_verb_has_its_flags) {
  EXPECT_EQ(parsed("add 10.0.0.0/8 dev d0").flags, insert_verb::add);
  EXPECT_EQ(parsed("append 10.0.0.0/8 dev d0").flags, insert_verb::append);
  EXPECT_EQ(parsed("prepend 10.0.0.0/8 dev d0").flags, insert_verb::prepend);
  EXPECT_EQ(parsed("replace 10.0.0.0/8 dev d0").flags, insert_verb::replace);
  EXPECT_EQ(parsed("change 10.0.0.0/8 dev d0").flags, insert_verb::change);
  EXPECT_EQ(parsed("test 10.0.0.0/8 dev d0").flags, insert_verb::test);
}

TEST(ops, events_are_taken_apart) {
  operation op = parsed("@link d2 down");
  EXPECT_EQ(op.kind, operation_kind::link);
  EXPECT_EQ(op.device, 4u);
  EXPECT_FALSE(op.state);
  op = parsed("@link p1 up");
  EXPECT_EQ(op.kind, operation_kind::carrier);
  EXPECT_EQ(op.device, 3u);
  EXPECT_TRUE(op.state);
  op = parsed("@addr del 192.0.2.1/24 dev lo");
  EXPECT_EQ(op.kind, operation_kind::remove_address);
  EXPECT_EQ(op.device, 1u);
  EXPECT_EQ(op.address.local, ipv4(192, 0, 2, 1));
  EXPECT_EQ(op.address.plen, 24);
  op = parsed("@nexthop replace id 7 group 1,2/3");
  EXPECT_EQ(op.kind, operation_kind::add_nexthop);
  EXPECT_EQ(op.flags, insert_verb::replace);
  EXPECT_EQ(op.nexthop.id, 7u);
  EXPECT_EQ(op.nexthop.group, (std::vector<nexthop_member>{{1, 2}, {3, 1}}));
  op = parsed("@nexthop add id 8 via 198.18.0.9 dev d0 onlink");
  EXPECT_EQ(op.nexthop.hop, (nexthop_spec{ipv4(198, 18, 0, 9), 2, 1, nexthop_flag::onlink, 0}));
  EXPECT_TRUE(parsed("@nexthop add id 9 blackhole").nexthop.blackhole);
  EXPECT_EQ(parsed("@nexthop del id 9").kind, operation_kind::remove_nexthop);
  op = parsed("@sysctl net.ipv4.conf.all.ignore_routes_with_linkdown 1");
  EXPECT_EQ(op.kind, operation_kind::ignore_linkdown);
  EXPECT_EQ(op.device, 0u);
  EXPECT_TRUE(op.state);
  EXPECT_EQ(parsed("@unmerge").kind, operation_kind::unmerge);
}

TEST(ops, results_are_errno_names) {
  testing::reference_trie table;
  testing::route_interner interner;
  const auto run = [&](const char* line) { return result_text(apply_plainly(table, interner, parsed(line))); };
  EXPECT_EQ(run("add 10.0.0.0/8 dev d0"), "0");
  EXPECT_EQ(run("add 10.0.0.0/8 dev d1"), "EEXIST");
  EXPECT_EQ(run("add 10.0.0.1/8 dev d1"), "EINVAL");
  EXPECT_EQ(run("replace 10.0.0.0/8 dev d2"), "0");
  EXPECT_EQ(interner.attributes_of(table.lookup(ipv4(10, 1, 1, 1)).value).dev, 4u);
  EXPECT_EQ(run("del 10.0.0.0/8"), "0");
  EXPECT_EQ(run("del 10.0.0.0/8"), "ESRCH");
}

TEST(route_interner, equal_attributes_have_equal_results) {
  testing::route_interner interner;
  const auto result_a = interner.result_of(parsed("add 10.0.0.0/8 dev d0").spec);
  const auto result_b = interner.result_of(parsed("add throw 10.0.0.0/8 scope 17").spec);
  EXPECT_NE(result_a, result_b);
  EXPECT_EQ(interner.result_of(parsed("add 11.0.0.0/8 dev d0").spec), result_a);
  EXPECT_EQ(interner.words_of(result_a).scope, "link");
  EXPECT_EQ(interner.words_of(result_a).type, "UNICAST");
  EXPECT_EQ(interner.words_of(result_b).scope, "scope=17");
  EXPECT_EQ(interner.words_of(result_b).type, "THROW");
}

}  // namespace
}  // namespace fibtrie::io
