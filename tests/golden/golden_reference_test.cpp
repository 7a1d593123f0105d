// SPDX-License-Identifier: MIT
// The reference trie says what the kernel said, byte for byte.
//
// Thread safety: one thread.
#include "tests/golden/golden_cases.hpp"
#include "tests/support/reference_trie.hpp"

namespace fibtrie::testing {
namespace {

class reference_golden : public ::testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { table_.check_invariants(); }

  reference_trie table_;
};
class reference_own : public reference_golden {};

TEST_P(reference_golden, says_what_the_kernel_said) { run_kernel_case(table_, GetParam()); }
TEST_P(reference_own, says_what_is_written) { run_own_case(table_, GetParam()); }

INSTANTIATE_TEST_SUITE_P(kernel, reference_golden, ::testing::ValuesIn(kernel_cases), case_test_name);
INSTANTIATE_TEST_SUITE_P(full_table, reference_golden, ::testing::ValuesIn(full_table_case), case_test_name);
INSTANTIATE_TEST_SUITE_P(own, reference_own, ::testing::ValuesIn(own_cases), case_test_name);

}  // namespace
}  // namespace fibtrie::testing
