// SPDX-License-Identifier: MIT
// A namespace says what the kernel said, byte for byte, in all recorded cases.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "fibtrie/net.h"
#include "io/net_case.hpp"
#include "tests/golden/golden_cases.hpp"
#include "tests/support/manual_domain.hpp"

namespace fibtrie::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> all_cases() {
  std::vector<std::string> names = {"01-add-del-empty",
                                    "02-single-default",
                                    "03-one-leaf-nested",
                                    "04-nested-chain",
                                    "05-boundaries",
                                    "06-hosts-sequential",
                                    "07-tos-aliases",
                                    "08-metric-aliases",
                                    "09-nlflags-matrix",
                                    "10-types",
                                    "11-multipath",
                                    "12-delete-matching",
                                    "13-deep-powers",
                                    "14-slen-churn",
                                    "15-inflate-halve",
                                    "16-merged-local-main",
                                    "17-merged-then-unmerge",
                                    "18-device-down-flush",
                                    "19-dead-and-linkdown",
                                    "20-nexthop-objects",
                                    "21-random-1k",
                                    "22-random-10k",
                                    "23-real-10k",
                                    "24-churn-50k",
                                    "25-random-100k",
                                    "26-real-100k",
                                    "27-dense-hosts-100k",
                                    "28-order-sorted",
                                    "29-order-reversed",
                                    "30-order-shuffled",
                                    "31-fill-then-drain-20k",
                                    "32-full-table"};
  return names;
}

std::vector<std::string> all_own_cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(own_case_root())) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class net_golden : public ::testing::TestWithParam<std::string> {
 protected:
  // Grace periods end only when retired memory would exceed its limit: no case may depend on early reuse.
  void play(const fs::path& folder) {
    net_options options;
    options.table.backlog = on_backlog::wait;
    std::unique_ptr<fib_net> net;
    ASSERT_EQ(fib_net::create(domain_, options, net), status::ok);
    const io::case_report report = io::play_case(*net, folder);
    EXPECT_EQ(report.error, "");
    for (const io::case_check& check : report.checks) EXPECT_EQ(check.difference, "") << check.file;
    EXPECT_GE(report.checks.size(), 4u);
    EXPECT_GT(report.operations, 0u);
    EXPECT_GT(report.lookups, 0u);
    EXPECT_EQ(net->verify_invariants(), "");
  }

  manual_domain domain_;
};
class net_own : public net_golden {};

TEST_P(net_golden, says_what_the_kernel_said) {
  if (!fs::exists(kernel_case_root()))
    GTEST_SKIP() << "no golden cases at " << kernel_case_root() << " (set FIBTRIE_SHARED)";
  play(kernel_case_root() / GetParam());
}
TEST_P(net_own, says_what_is_written) { play(own_case_root() / GetParam()); }

INSTANTIATE_TEST_SUITE_P(kernel, net_golden, ::testing::ValuesIn(all_cases()), case_test_name);
INSTANTIATE_TEST_SUITE_P(own, net_own, ::testing::ValuesIn(all_own_cases()), case_test_name);

}  // namespace
}  // namespace fibtrie::testing
