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
  EXPECT_EQ(read(), (texts{":1: '#! table' is not supported yet"}));
  write(std::string(max_line_bytes + 1, 'x'));
  EXPECT_EQ(read(), (texts{":1: line too long"}));
}

TEST_F(ops_file, a_missing_file_is_an_error) { EXPECT_EQ(read(), (texts{": No such file or directory"})); }

struct line_case {
  const char* line;
  const char* error;
};

TEST(ops, what_cannot_be_done_is_named) {
  constexpr line_case cases[] = {
      {"append 10.0.0.0/8 dev d0", "'append' is not supported yet"},
      {"prepend 10.0.0.0/8 dev d0", "'prepend' is not supported yet"},
      {"change 10.0.0.0/8 dev d0", "'change' is not supported yet"},
      {"test 10.0.0.0/8 dev d0", "'test' is not supported yet"},
      {"@link d0 down", "'@link' is not supported yet"},
      {"add 10.0.0.0/8 tos 0x10 dev d0", "'tos 0x10' is not supported yet"},
      {"add 10.0.0.0/8 metric 5 dev d0", "'metric 5' is not supported yet"},
      {"add 10.0.0.0/8 proto 4 dev d0", "'proto 4' is not supported yet"},
      {"add 10.0.0.0/8 nexthop via 192.0.2.1", "'nexthop' is not supported yet"},
      {"add 10.0.0.0/8 nhid 7", "'nhid' is not supported yet"},
      {"add 10.0.0.0/8 dev d0 src 192.0.2.1", "'src' is not supported yet"},
      {"add 10.0.0.0/8 dev d0 table main", "'table' is not supported yet"},
      {"del blackhole 10.0.0.0/8", "a del with type, scope, via or dev is not supported yet"},
      {"del 10.0.0.0/8 via 192.0.2.1", "a del with type, scope, via or dev is not supported yet"},
      {"add 10.0.0.0/8 dev d0 colour red", "unknown word 'colour'"},
      {"add 10.0.0.0/8 dev", "nothing after 'dev'"},
      {"add 10.0.0.0/8 via 192.0.2", "bad gateway '192.0.2'"},
      {"add 10.0.0.0/8 scope wide", "bad scope 'wide'"},
      {"add 10.0.0.0/ dev d0", "bad prefix '10.0.0.0/'"},
      {"add 10.0.0.256 dev d0", "bad prefix '10.0.0.256'"},
      {"add 10.0.0.0.0 dev d0", "bad prefix '10.0.0.0.0'"},
      {"add -1.0.0.0 dev d0", "bad prefix '-1.0.0.0'"},
      {"add", "bad prefix ''"},
      {"fetch 10.0.0.0/8", "unknown verb 'fetch'"},
  };
  for (const auto& c : cases) {
    operation op;
    EXPECT_EQ(parse_operation(c.line, op), c.error) << c.line;
  }
}

TEST(ops, scopes_default_as_iproute2_has_them) {
  struct scope_case {
    const char* line;
    std::uint8_t expected;
  };
  constexpr scope_case cases[] = {
      {"add 10.0.0.0/8 dev d0", scope::link},
      {"add 10.0.0.0/8 via 192.0.2.1 dev d0", scope::universe},
      {"add 10.0.0.0/8 via 0.0.0.0 dev d0", scope::link},
      {"add local 10.0.0.1 dev d0", scope::host},
      {"add nat 10.0.0.1", scope::host},
      {"add broadcast 10.0.0.1 dev d0", scope::link},
      {"add multicast 224.0.0.0/4 dev d0", scope::link},
      {"add anycast 10.0.0.1 dev d0", scope::link},
      {"add blackhole 10.0.0.0/8", scope::universe},
      {"add 10.0.0.0/8 dev d0 scope host", scope::host},
      {"add 10.0.0.0/8 dev d0 scope 17", 17},
  };
  for (const auto& c : cases) {
    operation op;
    ASSERT_EQ(parse_operation(c.line, op), "") << c.line;
    EXPECT_EQ(op.attributes.scope, c.expected) << c.line;
  }
}

TEST(ops, a_line_is_taken_apart) {
  operation op;
  ASSERT_EQ(parse_operation("replace unreachable 10.0.0.1/8 tos 0 metric 0 proto boot via 192.0.2.1 dev d3", op), "");
  EXPECT_EQ(op.verb, operation_verb::replace);
  EXPECT_EQ(op.route, (prefix4{ipv4(10, 0, 0, 1), 8}));  // host bits are for the table to refuse
  EXPECT_EQ(op.attributes, (route_attributes{route_type::unreachable, scope::universe, ipv4(192, 0, 2, 1), "d3"}));
  ASSERT_EQ(parse_operation("del default", op), "");
  EXPECT_EQ(op.verb, operation_verb::remove);
  EXPECT_EQ(op.route, prefix4{});
  ASSERT_EQ(parse_operation("add 192.0.2.9 dev d0", op), "");
  EXPECT_EQ(op.route, (prefix4{ipv4(192, 0, 2, 9), 32}));
}

TEST(ops, results_are_errno_names) {
  testing::reference_trie table;
  route_interner interner;
  const auto run = [&](const char* line) {
    operation op;
    EXPECT_EQ(parse_operation(line, op), "");
    return result_text(apply(table, interner, op));
  };
  EXPECT_EQ(run("add 10.0.0.0/8 dev d0"), "0");
  EXPECT_EQ(run("add 10.0.0.0/8 dev d1"), "EEXIST");
  EXPECT_EQ(run("add 10.0.0.1/8 dev d1"), "EINVAL");
  EXPECT_EQ(run("replace 10.0.0.0/8 dev d2"), "0");
  EXPECT_EQ(interner.attributes_of(table.lookup(ipv4(10, 1, 1, 1)).value).dev, "d2");
  EXPECT_EQ(run("del 10.0.0.0/8"), "0");
  EXPECT_EQ(run("del 10.0.0.0/8"), "ESRCH");
}

TEST(route_interner, equal_attributes_have_equal_results) {
  route_interner interner;
  const route_attributes a{route_type::unicast, scope::link, 0, "d0"};
  const route_attributes b{route_type::throw_route, 17, 0, ""};
  const auto result_a = interner.result_of(a);
  const auto result_b = interner.result_of(b);
  EXPECT_NE(result_a, result_b);
  EXPECT_EQ(interner.result_of(a), result_a);
  EXPECT_EQ(interner.attributes_of(result_b), b);
  EXPECT_EQ(interner.words_of(result_a).scope, "link");
  EXPECT_EQ(interner.words_of(result_a).type, "UNICAST");
  EXPECT_EQ(interner.words_of(result_b).scope, "scope=17");
  EXPECT_EQ(interner.words_of(result_b).type, "THROW");
}

}  // namespace
}  // namespace fibtrie::io
