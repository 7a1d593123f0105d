// SPDX-License-Identifier: MIT
// The engine `lc_trie`: the library's table, over the RCU flavour of one's choice.
#include "fibtrie/rcu.h"
#include "kbench/engine_of.hpp"

namespace fibtrie::kbench {
namespace {

template <rcu::flavour F>
struct scopes {
  using section = fibtrie::rcu::read_section<F>;
  using registration = fibtrie::rcu::thread_registration<F>;
  static void quiescent_state() noexcept { F::quiescent_state(); }
};

template <rcu::flavour F>
struct lc_trie_rival {
  static constexpr const char* name = "lc_trie";
  static constexpr bool has_batches = true;
  static constexpr bool reads_beside_writer = true;
  using rcu = scopes<F>;
  using table_type = fib;
};

template <rcu::flavour F>
class lc_trie_engine final : public engine_of<lc_trie_rival<F>> {
 public:
  static std::unique_ptr<engine> make(std::string& error) {
    auto made = std::make_unique<lc_trie_engine>();
    fib_options options;
    options.backlog = on_backlog::wait;  // a benchmark of updates must not fail for being fast
    const status code = fib::create(F::instance(), options, made->table_);
    if (code == status::ok) return made;
    error = to_text(code);
    return nullptr;
  }

  bool can_compact() const noexcept override { return true; }
  bool compact() override { return table_->settle() == status::ok; }
  void settle() override { FIBTRIE_CHECK(table_->flush() == status::ok); }
  bool memory(memory_stats& out) const override {
    out = table_->memory();
    return true;
  }
  std::string verify() const override { return table_->verify_invariants(); }

 private:
  fib& table() noexcept override { return *table_; }
  const fib& table() const noexcept override { return *table_; }

  fibtrie::rcu::thread_registration<F> registration_;
  std::unique_ptr<fib> table_;
};

}  // namespace

std::unique_ptr<engine> make_lc_trie(const std::string& flavour, std::string& error) {
  if (flavour == "memb") return lc_trie_engine<rcu::memb>::make(error);
  if (flavour == "qsbr") return lc_trie_engine<rcu::qsbr>::make(error);
  if (flavour == "bp") return lc_trie_engine<rcu::bp>::make(error);
  if (flavour == "mb") return lc_trie_engine<rcu::mb>::make(error);
  error = "no RCU flavour " + flavour;
  return nullptr;
}

}  // namespace fibtrie::kbench
