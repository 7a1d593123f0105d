// SPDX-License-Identifier: MIT
// The engine `kernel-walk`: the baseline, the trie as the kernel walks it.  It has no RCU, no read sections to pay for.
#include "kbench/engine_of.hpp"
#include "tests/support/reference_trie.hpp"

namespace fibtrie::kbench {
namespace {

struct no_rcu {
  struct section {
    section() noexcept {}  // not trivial: a scope object that is used by nobody
  };
  struct registration {};
  static void quiescent_state() noexcept {}
};

// The reference trie with the benchmark's replace().
class walk_table : public testing::reference_trie {
 public:
  status replace(prefix4 route, std::uint32_t result, bool* existed) {
    const std::size_t before = size();
    const status code = testing::reference_trie::replace(route, result);
    *existed = size() == before;
    return code;
  }
};

struct kernel_walk_rival {
  static constexpr const char* name = "kernel-walk";
  static constexpr bool has_batches = false;
  static constexpr bool reads_beside_writer = false;
  using rcu = no_rcu;
  using table_type = walk_table;
};

class kernel_walk_engine final : public engine_of<kernel_walk_rival> {
 public:
  bool can_compact() const noexcept override { return false; }
  bool compact() override { return false; }
  void settle() override {}
  bool memory(memory_stats&) const override { return false; }
  std::string verify() const override {
    table_.check_invariants();  // ends the program when something is wrong
    return {};
  }

 private:
  walk_table& table() noexcept override { return table_; }
  const walk_table& table() const noexcept override { return table_; }

  walk_table table_;
};

}  // namespace

std::unique_ptr<engine> make_kernel_walk() { return std::make_unique<kernel_walk_engine>(); }

const char* to_text(lookup_mode mode) noexcept {
  switch (mode) {
    case lookup_mode::scalar: return "scalar";
    case lookup_mode::dependent: return "dep";
    case lookup_mode::batch32: return "batch32";
    case lookup_mode::batch256: return "batch256";
  }
  return "?";
}

}  // namespace fibtrie::kbench
