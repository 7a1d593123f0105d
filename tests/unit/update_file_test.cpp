// SPDX-License-Identifier: MIT
// Update and trace files: order, format, and errors.
#include "io/update_file.hpp"

#include <gtest/gtest.h>

#include "io/trace_file.hpp"
#include "tests/support/temporary_file.hpp"

namespace fibtrie::io {
namespace {

using test::gzip;
using test::temporary_file;

TEST(update_file, keeps_order_and_repetitions) {
  const std::string text = "A 10.0.0.0/8\r\nW\t10.0.0.0/8\n# pause\nA 10.0.0.0/8\nA 0.0.0.0/0";
  const prefix4 ten{ipv4(10, 0, 0, 0), 8};
  for (const std::string& content : {text, gzip(text)}) {
    const temporary_file file(content);
    loaded_updates out;
    ASSERT_TRUE(load_updates(file.path(), {}, out)) << out.report.error;
    EXPECT_EQ(out.updates, (std::vector<route_update>{{ten, true}, {ten, false}, {ten, true}, {{}, true}}));
  }
}

TEST(update_file, says_where_and_what_is_wrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"a 10.0.0.0/8", "an update starts with A or W"}, {"AW 10.0.0.0/8", "an update starts with A or W"},
      {"10.0.0.0/8", "an update starts with A or W"},   {"A", "not an IPv4 address"},
      {"A10.0.0.0/8", "an update starts with A or W"},  {"W 10.0.0.1/8", "host bits are set"},
      {"W 10.0.0.0/8 1", "more than two columns"},      {"A 10.0.0.0/40", "the prefix length is more than 32"}};
  for (const auto& [line, reason] : cases) {
    const temporary_file file(std::string("A 1.0.0.0/8\n") + line + "\nW 1.0.0.0/8\n");
    loaded_updates out;
    EXPECT_FALSE(load_updates(file.path(), {}, out));
    EXPECT_EQ(out.report.error, file.path() + ":2: " + reason);
    EXPECT_TRUE(out.updates.empty());
    load_options options;
    options.skip_bad = true;
    EXPECT_TRUE(load_updates(file.path(), options, out));
    EXPECT_EQ(out.updates.size(), 2u);
    EXPECT_EQ(out.report.skipped, 1u);
    EXPECT_EQ(out.report.bad_lines.at(0).reason, reason);
  }
}

TEST(update_file, every_truncation_of_a_gzip_file_is_an_error) {
  const std::string packed = gzip("A 10.0.0.0/8\nW 10.0.0.0/8\nA 10.128.0.0/9\n");
  for (std::size_t size = 2; size < packed.size(); ++size) {
    const temporary_file file(packed.substr(0, size));
    loaded_updates out;
    EXPECT_FALSE(load_updates(file.path(), {}, out)) << size;
    EXPECT_TRUE(out.updates.empty());
  }
}

TEST(trace_file, reads_one_address_a_line) {
  const temporary_file file(gzip("1.2.3.4\n\n1.2.3.4\r\n255.255.255.255"));
  loaded_trace out;
  ASSERT_TRUE(load_trace(file.path(), {}, out)) << out.report.error;
  EXPECT_EQ(out.addresses, (std::vector<key32>{ipv4(1, 2, 3, 4), ipv4(1, 2, 3, 4), 0xffffffff}));
}

TEST(trace_file, says_where_and_what_is_wrong) {
  for (const char* line : {"1.2.3", "1.2.3.4/32", "::1", "1.2.3.4 5"}) {
    const temporary_file file(std::string("1.1.1.1\n") + line + "\n");
    loaded_trace out;
    EXPECT_FALSE(load_trace(file.path(), {}, out));
    EXPECT_EQ(out.report.error.find(file.path() + ":2: "), 0u);
    EXPECT_TRUE(out.addresses.empty());
  }
}

}  // namespace
}  // namespace fibtrie::io
