// SPDX-License-Identifier: MIT
// What a table refuses, and that a refused operation has changed nothing: bad arguments, a second writer, an update
// inside a read section, a full backlog, a full table.
//
// Thread safety: one thread.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "fibtrie/fib.h"
#include "tests/support/hooked_traits.hpp"
#include "tests/support/shape_text.hpp"
#include "tests/support/trie8.hpp"

namespace fibtrie::testing {
namespace {

fib_options options() { return trie8::small_options(); }

// All that is visible of a table.
std::string picture(const fib& table) {
  const memory_stats m = table.memory();
  return shape_text<key32>(table) + std::to_string(table.size()) + ' ' + std::to_string(m.slot_bytes) + ' ' +
         std::to_string(m.header_bytes) + ' ' + std::to_string(m.descriptor_bytes) + ' ' +
         std::to_string(m.entry_bytes);
}

class trie_limits : public ::testing::Test {
 protected:
  void open(const fib_options& o) {
    ASSERT_EQ(fib::create(domain_, o, table_), status::ok);
    for (key32 i = 0; i < 40; ++i) ASSERT_EQ(table_->add({i * i << 20, 12}, i), status::ok);
    ASSERT_EQ(table_->flush(), status::ok);
  }
  void expect_all_refused(status why) {
    const std::string before = picture(*table_);
    EXPECT_EQ(table_->add({ipv4(192, 0, 2, 0), 24}, 1), why);
    EXPECT_EQ(table_->replace({ipv4(192, 0, 2, 0), 24}, 1), why);
    EXPECT_EQ(table_->replace({0, 12}, 77), why);
    EXPECT_EQ(table_->remove({0, 12}), why);
    EXPECT_EQ(table_->compact(), why);
    EXPECT_EQ(picture(*table_), before);
    EXPECT_EQ(table_->verify_invariants(), "");
  }

  manual_domain domain_;
  std::unique_ptr<fib> table_;
};

TEST_F(trie_limits, options_out_of_range) {
  fib_options o = options();
  o.policy.halve_threshold = 90;
  EXPECT_EQ(fib::create(domain_, o, table_), status::invalid);
  o = options();
  o.policy.max_work = 0;
  EXPECT_EQ(fib::create(domain_, o, table_), status::invalid);
  o = options();
  o.reserve_prefixes = 0;
  EXPECT_EQ(fib::create(domain_, o, table_), status::invalid);
  EXPECT_EQ(table_, nullptr);
}

TEST_F(trie_limits, bad_prefixes) {
  ASSERT_NO_FATAL_FAILURE(open(options()));
  const std::string before = picture(*table_);
  for (const prefix4 bad : {prefix4{1, 31}, prefix4{0, 33}, prefix4{0, 255}, prefix4{1u << 31, 0}}) {
    EXPECT_EQ(table_->add(bad, 1), status::invalid);
    EXPECT_EQ(table_->replace(bad, 1), status::invalid);
    EXPECT_EQ(table_->remove(bad), status::invalid);
    EXPECT_FALSE(table_->find(bad).found);
  }
  EXPECT_EQ(table_->add({0, 12}, 1), status::exists);
  EXPECT_EQ(table_->remove({0, 13}), status::not_found);
  EXPECT_EQ(table_->remove({ipv4(192, 0, 2, 0), 24}), status::not_found);
  EXPECT_EQ(picture(*table_), before);
}

TEST_F(trie_limits, updates_inside_a_read_section) {
  ASSERT_NO_FATAL_FAILURE(open(options()));
  domain_.set_in_read_section(true);
  expect_all_refused(status::in_read_section);
  EXPECT_EQ(table_->flush(), status::in_read_section);
  domain_.set_in_read_section(false);
  EXPECT_EQ(table_->add({ipv4(192, 0, 2, 0), 24}, 1), status::ok);
}

// The writer's own hook stands for a second writer: it comes in the middle of an update.
class second_writer final : public store_observer {
 public:
  using trie_type = trie::lc_trie<key8, hooked_traits<2>>;
  explicit second_writer(trie_type& trie) : trie_(trie) {}
  void stored() noexcept override {
    codes.push_back(trie_.add({0x40, 4}, 9));
    codes.push_back(trie_.remove({0x80, 4}));
    codes.push_back(trie_.replace({0x80, 4}, 9, nullptr));
    codes.push_back(trie_.compact(1, nullptr));
    codes.push_back(trie_.flush());
  }
  std::vector<status> codes;

 private:
  trie_type& trie_;
};

TEST_F(trie_limits, a_second_writer_is_told_to_wait) {
  opened_trie<key8, hooked_traits<2>> trie;
  ASSERT_EQ(trie->add({0x80, 4}, 1), status::ok);
  second_writer other(*trie);
  hooked_traits<2>::observer = &other;
  ASSERT_EQ(trie->add({0x90, 4}, 2), status::ok);
  hooked_traits<2>::observer = nullptr;
  EXPECT_GE(other.codes.size(), 5u);
  for (const status code : other.codes) EXPECT_EQ(code, status::busy);
  EXPECT_EQ(trie->size(), 2u);
  EXPECT_EQ(trie->verify_invariants(), "");
  EXPECT_EQ(trie->remove({0x80, 4}), status::ok) << "the first writer has left";
}

// With a tiny limit: flaps until the table says no; readers that leave make room again.
TEST_F(trie_limits, full_backlog_by_objects) {
  fib_options o = options();
  o.backlog_objects = 50;
  ASSERT_NO_FATAL_FAILURE(open(o));
  status code = status::ok;
  int flaps = 0;
  while (code == status::ok && ++flaps < 1000) {
    code = table_->remove({1u << 20, 12});
    if (code == status::ok) code = table_->add({1u << 20, 12}, 5);
  }
  ASSERT_EQ(code, status::backlog_full);
  EXPECT_GT(table_->memory().backlog_objects, 50u);
  EXPECT_LT(table_->memory().backlog_objects, 200u);
  expect_all_refused(status::backlog_full);
  domain_.advance();
  EXPECT_EQ(table_->replace({1u << 20, 12}, 6), status::ok);
  EXPECT_EQ(table_->memory().backlog_objects, 0u);
  EXPECT_EQ(table_->lookup(1u << 20).value, 6u);
}

TEST_F(trie_limits, full_backlog_by_bytes) {
  fib_options o = options();
  o.backlog_bytes = 20000;
  ASSERT_NO_FATAL_FAILURE(open(o));
  status code = status::ok;
  for (int flaps = 0; code == status::ok && flaps < 1000; ++flaps) {
    code = flaps % 2 == 0 ? table_->remove({1u << 20, 12}) : table_->add({1u << 20, 12}, 5);
  }
  ASSERT_EQ(code, status::backlog_full);
  EXPECT_GT(table_->memory().backlog_bytes, 20000u);
  expect_all_refused(status::backlog_full);
  EXPECT_EQ(table_->flush(), status::ok);
  EXPECT_EQ(table_->add({ipv4(198, 51, 100, 0), 24}, 1), status::ok);
  EXPECT_EQ(table_->verify_invariants(), "");
}

TEST_F(trie_limits, waits_for_readers_when_told_to) {
  fib_options o = options();
  o.backlog_objects = 50;
  o.backlog = on_backlog::wait;
  ASSERT_NO_FATAL_FAILURE(open(o));
  for (int flaps = 0; flaps < 500; ++flaps) {
    ASSERT_EQ(table_->remove({1u << 20, 12}), status::ok);
    ASSERT_EQ(table_->add({1u << 20, 12}, 5), status::ok);
    ASSERT_LT(table_->memory().backlog_objects, 200u);
  }
  bool more = true;
  for (int calls = 0; more && calls < 1000; ++calls) ASSERT_EQ(table_->compact(16, &more), status::ok);
  EXPECT_FALSE(more);
  EXPECT_EQ(table_->verify_invariants(), "");
}

// The n-th prefix finds room, the next is refused and nothing has changed; after a removal there is room for one again.
TEST_F(trie_limits, full_table) {
  fib_options o = options();
  o.reserve_prefixes = 1;  // the least
  ASSERT_NO_FATAL_FAILURE(open(o));
  key32 next = 0;
  status code = status::ok;
  while (code == status::ok && next < 100000) {
    code = table_->add({ipv4(10, 0, 0, 0) + next * 8, 32}, next);
    next += code == status::ok ? 1 : 0;
  }
  ASSERT_EQ(code, status::no_memory);
  EXPECT_GT(next, 1000u);
  const std::string before = picture(*table_);
  EXPECT_EQ(table_->add({ipv4(10, 0, 0, 0) + next * 8, 32}, 1), status::no_memory);
  EXPECT_EQ(table_->replace({ipv4(10, 0, 0, 0) + next * 8, 32}, 1), status::no_memory);
  EXPECT_EQ(picture(*table_), before);
  EXPECT_EQ(table_->verify_invariants(), "");
  for (int lap = 0; lap < 200; ++lap) {
    const key32 which = ipv4(10, 0, 0, 0) + static_cast<key32>(lap) % next * 8;
    ASSERT_EQ(table_->remove({which, 32}), status::ok);
    ASSERT_EQ(table_->flush(), status::ok);
    ASSERT_EQ(table_->add({which, 32}, 3), status::ok) << lap;
    ASSERT_EQ(table_->lookup(which).value, 3u);
  }
  EXPECT_EQ(table_->verify_invariants(), "");
}

}  // namespace
}  // namespace fibtrie::testing
