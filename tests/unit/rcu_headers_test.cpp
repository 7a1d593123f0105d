// SPDX-License-Identifier: MIT
// No header a user may include brings in liburcu or its LGPL inline code.
//
// Thread safety: a program of its own.
// Invariants: 1. Only .cpp and .ipp files of rcu/ know liburcu.
// Source: rcu/README.md, "Inlining and licences".
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

bool knows_liburcu(const std::string& text) {
  return text.find("<urcu") != std::string::npos || text.find("define _LGPL_SOURCE") != std::string::npos;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(rcu_headers, keep_liburcu_inside) {
  const std::filesystem::path top = FIBTRIE_SOURCE_DIR;
  int headers = 0;
  int sources = 0;
  for (const char* folder : {"include", "rcu", "trie"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder)) {
      const auto kind = entry.path().extension();
      if (kind == ".h" || kind == ".hpp") {
        ++headers;
        EXPECT_FALSE(knows_liburcu(text_of(entry.path()))) << entry.path();
      } else if (kind == ".cpp") {
        sources += knows_liburcu(text_of(entry.path()));
      }
    }
  }
  EXPECT_GT(headers, 10);
  EXPECT_EQ(sources, 4) << "the search must find liburcu where it is: one source a flavour";
}

}  // namespace
