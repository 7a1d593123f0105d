// SPDX-License-Identifier: MIT
// The library's table says what the kernel said, byte for byte.
//
// Thread safety: one thread.
#include <memory>

#include "fibtrie/fib.h"
#include "tests/golden/golden_cases.hpp"
#include "tests/support/manual_domain.hpp"

namespace fibtrie::testing {
namespace {

class fib_golden : public ::testing::TestWithParam<const char*> {
 protected:
  // Grace periods end only when retired memory would exceed its limit: no case may depend on early reuse.
  void SetUp() override {
    fib_options options;
    options.backlog = on_backlog::wait;
    ASSERT_EQ(fib::create(domain_, options, table_), status::ok);
  }
  void TearDown() override {
    if (table_ != nullptr) {
      EXPECT_EQ(table_->verify_invariants(), "");
    }
  }

  manual_domain domain_;
  std::unique_ptr<fib> table_;
};
class fib_own : public fib_golden {};

TEST_P(fib_golden, says_what_the_kernel_said) { run_kernel_case(*table_, GetParam()); }
TEST_P(fib_own, says_what_is_written) { run_own_case(*table_, GetParam()); }

INSTANTIATE_TEST_SUITE_P(kernel, fib_golden, ::testing::ValuesIn(kernel_cases), case_test_name);
INSTANTIATE_TEST_SUITE_P(full_table, fib_golden, ::testing::ValuesIn(full_table_case), case_test_name);
INSTANTIATE_TEST_SUITE_P(own, fib_own, ::testing::ValuesIn(own_cases), case_test_name);

}  // namespace
}  // namespace fibtrie::testing
