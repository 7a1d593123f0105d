// SPDX-License-Identifier: MIT
// Route files: format, duplicates, errors with file and line, limits, and hostile bytes, plain and packed.
#include "io/route_file.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "io/progress.hpp"
#include "kbench/random.hpp"
#include "tests/support/temporary_file.hpp"

namespace fibtrie::io {
namespace {

using test::gzip;
using test::temporary_file;
using namespace std::string_literals;

struct outcome {
  bool ok = false;
  loaded_routes loaded;
  std::string path;
};

outcome load(std::string_view content, route_file_options options = {}) {
  const temporary_file file(content);
  outcome out;
  out.path = file.path();
  out.ok = load_routes(file.path(), options, out.loaded);
  return out;
}

outcome load_skipping(std::string_view content) {
  route_file_options options;
  options.skip_bad = true;
  return load(content, options);
}

void expect_error(std::string_view content, std::uint64_t line, std::string_view reason) {
  const outcome out = load(content);
  EXPECT_FALSE(out.ok) << content;
  EXPECT_TRUE(out.loaded.routes.empty() && out.loaded.next_hop_names.empty()) << "something was loaded";
  const std::string where = line == 0 ? ": " : ":" + std::to_string(line) + ": ";
  EXPECT_EQ(out.loaded.report.error, out.path + where + std::string(reason));
}

const std::vector<table_route> two_routes{{{ipv4(10, 0, 0, 0), 8}, 5}, {{ipv4(192, 168, 0, 0), 16}, 4294967295}};

TEST(route_file, reads_every_tolerated_form) {
  for (const std::string& text :
       {"10.0.0.0/8 5\n192.168.0.0/16 4294967295\n"s, "10.0.0.0/8\t5\r\n192.168.0.0/16\t4294967295\r\n"s,
        "# head\n\n  10.0.0.0/8 \t 5 # tail\n\t\n192.168.0.0/16 4294967295"s}) {
    const std::string halves = gzip(text.substr(0, 7)) + gzip(text.substr(7));
    for (const std::string& content : {text, gzip(text), halves}) {
      const outcome out = load(content);
      ASSERT_TRUE(out.ok) << out.loaded.report.error;
      EXPECT_EQ(out.loaded.routes, two_routes);
      EXPECT_EQ(out.loaded.duplicates, 0u);
      EXPECT_EQ(out.loaded.report.skipped, 0u);
    }
  }
}

TEST(route_file, empty_files_are_empty_tables) {
  for (const std::string& content : {""s, "\n"s, "# nothing\n"s, gzip(""), gzip("\n")}) {
    const outcome out = load(content);
    EXPECT_TRUE(out.ok) << out.loaded.report.error;
    EXPECT_TRUE(out.loaded.routes.empty());
  }
}

TEST(route_file, next_hops_are_numbered_in_order_of_appearance) {
  const outcome out = load("1.0.0.0/24 10.0.0.2\n1.0.1.0/24 2001:db8::1\n1.0.2.0/24 10.0.0.2\n1.0.3.0/24 blackhole\n");
  ASSERT_TRUE(out.ok) << out.loaded.report.error;
  EXPECT_EQ(out.loaded.next_hop_names, (std::vector{"10.0.0.2"s, "2001:db8::1"s, "blackhole"s}));
  EXPECT_EQ(out.loaded.first_name, 1u);
  const std::vector<std::uint32_t> expected{1, 2, 1, 3};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(out.loaded.routes[i].result, expected[i]);
}

TEST(route_file, names_beside_numbers_get_numbers_of_their_own) {
  // Unsorted and with a duplicate: the names' numbers must move with their routes.
  const outcome out = load("3.0.0.0/8 7\n1.0.0.0/8 a\n2.0.0.0/8 1\n1.0.0.0/8 b\n4.0.0.0/8 a\n5.0.0.0/8 2\n");
  ASSERT_TRUE(out.ok) << out.loaded.report.error;
  EXPECT_EQ(out.loaded.first_name, 8u);
  EXPECT_EQ(out.loaded.next_hop_names, (std::vector{"a"s, "b"s}));
  std::vector<std::uint32_t> results;
  for (const table_route& r : out.loaded.routes) results.push_back(r.result);
  EXPECT_EQ(results, (std::vector<std::uint32_t>{7, 9, 1, 8, 2}));

  const outcome implied = load("1.0.0.0/8\n2.0.0.0/8 a\n");
  ASSERT_TRUE(implied.ok);
  EXPECT_EQ(implied.loaded.first_name, implied.loaded.routes[0].result + 1);
  EXPECT_EQ(implied.loaded.routes[1].result, implied.loaded.first_name);

  const outcome full = load("1.0.0.0/8 4294967295\n2.0.0.0/8 a\n");
  EXPECT_FALSE(full.ok);
  EXPECT_TRUE(full.loaded.report.error.ends_with("the numbers leave none for the next hops' names"))
      << full.loaded.report.error;
  EXPECT_TRUE(full.loaded.routes.empty() && full.loaded.next_hop_names.empty());
  EXPECT_TRUE(load("1.0.0.0/8 4294967294\n2.0.0.0/8 a\n").ok);
}

TEST(route_file, a_missing_second_column_has_a_result_by_rule) {
  const std::string text = "1.0.0.0/24\n1.0.0.0/25\n1.0.1.0/24 9\n";
  outcome out = load(text);
  ASSERT_TRUE(out.ok);
  EXPECT_EQ(out.loaded.routes[0].result, implied_result({ipv4(1, 0, 0, 0), 24}));
  EXPECT_NE(out.loaded.routes[0].result, out.loaded.routes[1].result);
  EXPECT_EQ(out.loaded.routes[2].result, 9u);
  route_file_options options;
  options.default_result = 0;
  out = load(text, options);
  EXPECT_EQ(out.loaded.routes[0].result, 0u);
  EXPECT_EQ(out.loaded.routes[2].result, 9u);
  std::uint32_t low = ~0u, high = 0;
  for (key32 key = 0; key < 100'000; ++key) {
    low = std::min(low, implied_result({key << 8, 24}));
    high = std::max(high, implied_result({key << 8, 24}));
  }
  EXPECT_EQ(low, 1u);
  EXPECT_EQ(high, 250u);
}

TEST(route_file, the_last_duplicate_wins_at_the_place_of_the_first) {
  const outcome out = load("2.0.0.0/8 1\n1.0.0.0/8 2\n2.0.0.0/8 3\n1.0.0.0/9 4\n2.0.0.0/8 5\n");
  ASSERT_TRUE(out.ok);
  EXPECT_EQ(out.loaded.duplicates, 2u);
  EXPECT_EQ(
      out.loaded.routes,
      (std::vector<table_route>{{{ipv4(2, 0, 0, 0), 8}, 5}, {{ipv4(1, 0, 0, 0), 8}, 2}, {{ipv4(1, 0, 0, 0), 9}, 4}}));
}

TEST(route_file, says_where_and_what_is_wrong) {
  expect_error("1.0.0.0/8\n1.2.3.4/33\n", 2, "the prefix length is more than 32");
  expect_error("# a\n\n1.2.3/24\n", 3, "not an IPv4 address");
  expect_error("256.1.1.1/8", 1, "not an IPv4 address");
  expect_error("1.2.3.4/24\r\n", 1, "host bits are set");
  expect_error("1.2.3.0", 1, "the prefix length is missing");
  expect_error("1.2.3.0/24 1 2", 1, "more than two columns");
  expect_error("1.2.3.0/24 4294967296", 1, "the number is more than 32 bits");
  expect_error("1.2.3.0/24 a\x01z", 1, "unprintable bytes in the second column");
  expect_error("1.2.3.0/24 \0\n"s, 1, "unprintable bytes in the second column");
  expect_error("1.2.3.0/24\0\n"s, 1, "garbage after the address");
  expect_error("\0"s, 1, "not an IPv4 address");
  expect_error(
      "\xef\xbb\xbf"
      "1.0.0.0/8\n",
      1, "not an IPv4 address");
  expect_error("1.0.0.0/8\r1.1.0.0/16\n", 1, "garbage after the address");
  expect_error(std::string(4096, '#') + "\n" + std::string(4097, '#') + "\n", 2, "the line is too long");
}

TEST(route_file, missing_files_and_directories_are_errors) {
  loaded_routes out;
  EXPECT_FALSE(load_routes("/nonexistent/routes", {}, out));
  EXPECT_EQ(out.report.error, "/nonexistent/routes: No such file or directory");
  EXPECT_FALSE(load_routes("/tmp", {}, out));
  EXPECT_EQ(out.report.error, "/tmp: Is a directory");
}

TEST(route_file, skipped_lines_are_counted_and_the_first_kept) {
  std::string text = "1.0.0.0/8 1\n" + std::string(100'000, 'x') + "\n";  // much longer than a line may be
  for (int i = 0; i < 150; ++i) text += "1.2.3.4/24\n";
  text += "2.0.0.0/8 2";
  const outcome out = load_skipping(text);
  ASSERT_TRUE(out.ok) << out.loaded.report.error;
  EXPECT_EQ(out.loaded.routes.size(), 2u);
  EXPECT_EQ(out.loaded.report.skipped, 151u);
  EXPECT_EQ(out.loaded.report.lines, 153u);
  ASSERT_EQ(out.loaded.report.bad_lines.size(), max_kept_errors);
  EXPECT_EQ(out.loaded.report.bad_lines[0].line, 2u);
  EXPECT_EQ(out.loaded.report.bad_lines[0].reason, "the line is too long");
  EXPECT_EQ(out.loaded.report.bad_lines[99].line, 101u);
  EXPECT_EQ(out.loaded.report.bad_lines[99].reason, "host bits are set");
}

TEST(route_file, limits_hold_at_the_bound_and_one_past_it) {
  for (const std::string end : {"", "\n", "\r\n"}) {
    const std::string padding(max_line_bytes - 9, ' ');
    EXPECT_TRUE(load("1.0.0.0/8" + padding + end).ok);
    EXPECT_FALSE(load("1.0.0.0/8" + padding + " " + end).ok);
  }
  route_file_options options;
  options.max_records = 2;
  EXPECT_TRUE(load("1.0.0.0/8\n2.0.0.0/8\n#\n", options).ok);
  options.skip_bad = true;
  const outcome out = load("1.0.0.0/8\n2.0.0.0/8\n3.0.0.0/8\n", options);
  EXPECT_FALSE(out.ok);
  EXPECT_EQ(out.loaded.report.error, out.path + ":3: more than 2 records");
}

std::string sample() {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i * 3 + 1) + "." + std::to_string(i) + ".0.0/16 " + std::to_string(i * 77777) + "\n";
  return text;
}

TEST(route_file, every_truncation_of_a_gzip_file_is_an_error) {
  const std::string packed = gzip(sample());
  for (std::size_t size = 1; size < packed.size(); ++size) {
    const outcome out = load_skipping(packed.substr(0, size));
    if (size == 1) continue;  // one byte is not gzip yet, but a bad line
    EXPECT_FALSE(out.ok) << size;
    EXPECT_NE(out.loaded.report.error.find("bad gzip data near byte " + std::to_string(size)), std::string::npos)
        << out.loaded.report.error;
    EXPECT_TRUE(out.loaded.routes.empty());
  }
}

TEST(route_file, every_flipped_bit_of_a_gzip_file_is_noticed_or_harmless) {
  const std::string packed = gzip(sample());
  const auto expected = load(packed).loaded.routes;
  ASSERT_EQ(expected.size(), 60u);
  std::size_t noticed = 0;
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string damaged = packed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const outcome out = load(damaged);
    noticed += !out.ok;
    if (out.ok) {
      EXPECT_EQ(out.loaded.routes, expected) << bit;
    }
  }
  // Harmless are the header's unused fields, a few other encodings of the same text, and padding.
  EXPECT_GT(noticed, (packed.size() - 10) * 8 * 9 / 10);
  EXPECT_LT(noticed, packed.size() * 8);
}

TEST(route_file, bytes_behind_a_gzip_member_are_an_error) {
  const outcome out = load_skipping(gzip(sample()) + "1.0.0.0/8\n");
  EXPECT_FALSE(out.ok);
  EXPECT_NE(out.loaded.report.error.find("bad gzip data"), std::string::npos);
}

TEST(route_file, random_bytes_are_survived) {
  kbench::random_source random(5);
  const std::string alphabet = "0123456789./ \t\n\r#:a\0\xff"s;
  std::size_t loaded = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = round % 3 == 0 ? sample().substr(0, 300) : "";
    for (auto left = random.below(200); left > 0; --left)
      text.insert(text.begin() + static_cast<long>(random.below(text.size() + 1)),
                  alphabet[random.below(alphabet.size())]);
    const outcome out = load_skipping(text);
    EXPECT_TRUE(out.ok) << out.loaded.report.error;
    for (const table_route& route : out.loaded.routes) EXPECT_TRUE(is_valid(route.route));
    loaded += out.loaded.routes.size();
    const outcome strict = load(text);
    EXPECT_EQ(strict.ok, out.loaded.report.skipped == 0);
  }
  EXPECT_GT(loaded, 500u);
}

TEST(progress, the_text_shows_share_and_bytes) {
  EXPECT_EQ(progress_text("f", 0, 2'000'000), "f [------------------------------]   0 %  0.0 of 2.0 MB");
  EXPECT_EQ(progress_text("f", 1'000'000, 2'000'000), "f [###############---------------]  50 %  1.0 of 2.0 MB");
  EXPECT_EQ(progress_text("f", 9'000'000, 2'000'000), "f [##############################] 100 %  9.0 of 2.0 MB");
  EXPECT_EQ(progress_text("f", 1'500'000, 0), "f  1.5 MB");
}

TEST(progress, writes_late_and_only_to_a_terminal) {
  int pipe_ends[2], master = -1, terminal = -1;
  ASSERT_EQ(pipe(pipe_ends), 0);
  if (openpty(&master, &terminal, nullptr, nullptr, nullptr) != 0) GTEST_SKIP() << "no pseudo terminal here";
  {
    progress to_pipe(pipe_ends[1], "f", 100), to_terminal(terminal, "f", 100), quick(terminal, "QUICK", 100);
    quick.update(50);
    std::this_thread::sleep_for(std::chrono::milliseconds(520));
    to_pipe.update(50);
    to_terminal.update(50);
  }
  close(pipe_ends[1]);
  char buffer[1000];
  EXPECT_EQ(read(pipe_ends[0], buffer, sizeof buffer), 0);
  const auto got = read(master, buffer, sizeof buffer);
  ASSERT_GT(got, 0);
  const std::string shown(buffer, static_cast<std::size_t>(got));
  EXPECT_NE(shown.find(" 50 %"), std::string::npos);
  EXPECT_EQ(shown.find("QUICK"), std::string::npos);
  for (const int descriptor : {pipe_ends[0], master, terminal}) close(descriptor);
}

}  // namespace
}  // namespace fibtrie::io
