// SPDX-License-Identifier: MIT
// The ladder for namespaces: the n-th allocation of an operation is refused, for n = 1, 2, ... until it needs no more.
//
// Refused are operator new, malloc in the library's own files, and what tries take from their arenas.
//
// Thread safety: one thread.
// Invariants: 1. An operation that reports no memory has changed nothing (the removal of an interface: can be taken
// up).  2. One that reports success has done its
//   work; routes that died with it may be swept out by the next update.  3. Nothing leaks.  4. The shape of a trie is
//   what it was, but where routes of several prefixes were undone: they were there for a while.
// Source: docs/semantics.md.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "fibtrie/net.h"
#include "io/net_proc_text.hpp"
#include "io/net_world.hpp"
#include "io/route_text.hpp"
#include "tests/support/manual_domain.hpp"
#include "tests/support/parsed_line.hpp"
#include "tests/support/seed.hpp"
#include "trie/route/table.hpp"

namespace {

std::uint64_t asked = 0;
std::uint64_t refused_from = 0;  // 0: none
bool refuse_all_later = false;
std::int64_t live = 0;

bool may_allocate() noexcept {
  if (refused_from == 0) return true;
  ++asked;
  return refuse_all_later ? asked < refused_from : asked != refused_from;
}

void* allocate(std::size_t bytes) noexcept;
void give_back(void* place) noexcept;

}  // namespace

extern "C" {
void* __real_malloc(std::size_t bytes);
// For the library's own calls; operator new below goes past it.
void* __wrap_malloc(std::size_t bytes) { return may_allocate() ? __real_malloc(bytes) : nullptr; }
}

namespace {

void* allocate(std::size_t bytes) noexcept {
  void* const place = may_allocate() ? __real_malloc(bytes) : nullptr;
  if (place != nullptr) ++live;
  return place;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // operator new is malloc here
void give_back(void* place) noexcept {
  if (place != nullptr) --live;
  std::free(place);
}
#pragma GCC diagnostic pop

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* const place = allocate(bytes)) return place;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return ::operator new(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept { return ::operator new(bytes, tag); }
void operator delete(void* place) noexcept { give_back(place); }
void operator delete(void* place, std::size_t) noexcept { give_back(place); }
void operator delete[](void* place) noexcept { give_back(place); }
void operator delete[](void* place, std::size_t) noexcept { give_back(place); }
void operator delete(void* place, const std::nothrow_t&) noexcept { give_back(place); }
void operator delete[](void* place, const std::nothrow_t&) noexcept { give_back(place); }

namespace fibtrie::testing {
namespace {

using trie_hooks = hooked_traits<12>;

// Refuses the n-th allocation from now on, of whatever kind; counts arenas and the heap apart.
void refuse(std::uint64_t n, bool all_later, bool arenas) {
  asked = 0;
  refused_from = arenas ? 0 : n;
  refuse_all_later = all_later;
  trie_hooks::refuse_allocation(arenas ? n : 0, all_later);
}
bool was_met(std::uint64_t n, bool arenas) { return (arenas ? trie_hooks::allocations : asked) >= n; }

// The test's own memory is not refused.
class calm_domain final : public manual_domain {
 public:
  void call(rcu::callback_head* head, void (*function)(rcu::callback_head*)) const noexcept override {
    const std::uint64_t kept = std::exchange(refused_from, 0);
    manual_domain::call(head, function);
    refused_from = kept;
  }
  void synchronize() const noexcept override { finish(); }
  void barrier() const noexcept override { finish(); }

 private:
  void finish() const noexcept {
    const std::uint64_t kept = std::exchange(refused_from, 0);
    advance();
    refused_from = kept;
  }
};

class silent_listener final : public route_listener {
 public:
  status on_event(const fib_event& event) override {
    events += event.route != nullptr ? io::route_text(*event.route, io::device_name) + "\n" : "rule\n";
    return status::ok;
  }
  std::string events;
};

const std::vector<std::string>& setup() {
  static const std::vector<std::string> lines = {
      "@link lo up",
      "add 10.0.0.0/8 via 198.18.0.9",
      "append 10.0.0.0/8 dev d1",
      "add 10.0.0.0/8 tos 0x10 metric 5 dev d2",
      "add 10.1.0.0/16 nexthop via 198.18.1.9 weight 2 nexthop dev d2",
      "add 10.2.0.0/16 src 198.18.2.1 dev d1",
      "add 10.3.0.0/16 src 198.18.2.1 table main dev d1",
      "add default via 198.18.0.9",
      "add default metric 5 via 198.18.1.9",
      "add blackhole 172.16.0.0/12 src 198.18.2.1 table main",
      "@nexthop add id 1 via 198.18.1.9 dev d1",
      "@nexthop add id 2 dev d2",
      "@nexthop add id 3 blackhole",
      "@nexthop add id 11 group 1/2,3",
      "@nexthop add id 12 group 2",
      "add 10.4.0.0/16 nhid 1",
      "add 10.5.0.0/16 nhid 11",
      "add 10.6.0.0/16 metric 7 nhid 12",
      "add 10.7.0.0/16 nhid 3",
      "@addr add 198.18.2.7/24 dev d2",
      "@addr add 198.18.2.8/24 dev d2",
      "@addr add 10.9.0.1/24 dev d3",
      "add 10.10.0.0/16 table 7 dev d0",
      "@link d3 down",
  };
  return lines;
}

struct world {
  explicit world(bool parted, bool promote = false) {
    net_options options;
    options.promote_secondaries = promote;
    EXPECT_EQ(fib_net::create(domain, options, net), status::ok);
    EXPECT_EQ(io::make_world(*net, settings), status::ok);
    for (const std::string& line : setup()) EXPECT_EQ(play(line), status::ok) << line;
    for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(play("add 10.20.0." + std::to_string(i) + " dev d2"), status::ok);
    if (parted) {
      EXPECT_EQ(play("@rule add priority 100 to 10.0.0.0/8 table 100"), status::ok);
    }
    EXPECT_EQ(net->subscribe(listener), status::ok);
    EXPECT_EQ(net->flush(), status::ok);
  }
  ~world() { net->unsubscribe(listener); }

  status play(const std::string& line) { return io::apply(*net, parsed_line(line)); }

  // All there is to see; shape: the tries as well.
  std::string picture(bool shape) const {
    std::string text;
    dump_cursor cursor;
    net->dump(cursor, 0, [&](const route_report& r) {
      text += io::route_text(r, io::device_name) + "\n";
      return true;
    });
    for (const nexthop_object& o : net->nexthops()) {
      text += "nexthop " + std::to_string(o.id) + " of " + std::to_string(o.group.size()) + "\n";
    }
    text += std::to_string(net->rules().size()) + " rules, " + std::to_string(net->shared_infos()) + " infos\n";
    for (std::uint32_t index = 1; index < 7; ++index) {
      const auto dev = net->device(index);
      if (dev) text += dev->name + (dev->up ? " up" : " down") + (dev->carrier ? "" : " no carrier");
      for (const address_spec& a : net->addresses(index)) text += " " + std::to_string(a.local);
      text += "\n";
    }
    if (!shape) return text;
    io::text_sink sink(text);
    io::write_fib_trie(sink, *net);
    sink.flush();
    return text;
  }

  static inline const io::list_settings settings{};
  calm_domain domain;
  std::unique_ptr<fib_net> net;
  silent_listener listener;
};

using operate = std::function<status(fib_net&)>;

struct rung_counts {
  unsigned refused = 0;
  unsigned survived = 0;
};

class ladder {
 public:
  ladder(rung_counts& counts, bool parted, bool promote, bool shape)
      : counts_(counts), parted_(parted), promote_(promote), shape_(shape) {}

  void climb(const std::string& what, const operate& run) {
    SCOPED_TRACE(what);
    const std::string goal = reached(run);
    for (const bool arenas : {false, true}) {
      for (const bool all_later : {false, true}) {
        unsigned n = 1;
        while (rung(run, goal, n, all_later, arenas)) {
          if (::testing::Test::HasFatalFailure()) return;
          ASSERT_LT(n += under_thread_sanitizer ? 7 : 1, 3000u) << "never succeeds";
        }
      }
    }
  }
  // An operation that is done in part when it reports no memory, and is to be asked for again.
  void climb_in_parts(const std::string& line) {
    resumed_ = true;
    climb(line);
    resumed_ = false;
  }
  void climb(const std::string& line) {
    const io::operation op = parsed_line(line);
    climb(line, [&](fib_net& net) { return io::apply(net, op); });
  }

 private:
  // What there is to see when the operation has all it needs.
  std::string reached(const operate& run) const {
    world w(parted_, promote_);
    const std::string before = w.picture(false);
    EXPECT_EQ(run(*w.net), status::ok);
    EXPECT_EQ(settle(w), status::ok);
    const std::string after = w.picture(false);
    EXPECT_NE(after, before);
    return after;
  }
  // The next update does what could not be done at once.
  static status settle(world& w) { return w.net->set_carrier(2, true); }

  // False: the operation needed less than n allocations.
  bool rung(const operate& run, const std::string& goal, unsigned n, bool all_later, bool arenas) {
    SCOPED_TRACE((arenas ? "arena allocation " : "heap allocation ") + std::to_string(n) +
                 (all_later ? " and later" : ""));
    bool met = false;
    const std::int64_t live_before = live;
    {
      world w(parted_, promote_);
      const std::string before = w.picture(shape_);
      refuse(n, all_later, arenas);
      const status code = run(*w.net);
      met = was_met(n, arenas);
      refuse(0, false, false);
      if (resumed_ && code != status::ok) {
        ++counts_.refused;
        EXPECT_EQ(run(*w.net), status::ok);
      }
      check(w, resumed_ ? status::ok : code, before, goal);
      met = met && !::testing::Test::HasFatalFailure();
    }
    if (!::testing::Test::HasFailure()) {
      EXPECT_EQ(live, live_before);
    }
    return met;
  }

  void check(world& w, status code, const std::string& before, const std::string& goal) {
    if (code == status::no_memory || code == status::no_buffers) {
      ++counts_.refused;
      ASSERT_EQ(w.picture(shape_), before);
    } else {
      ++counts_.survived;
      ASSERT_EQ(code, status::ok);
      ASSERT_EQ(settle(w), status::ok);
      ASSERT_EQ(w.picture(false), goal);
    }
    ASSERT_EQ(w.net->flush(), status::ok);
    ASSERT_EQ(w.net->verify_invariants(), "");
  }

  rung_counts& counts_;
  const bool parted_;
  const bool promote_;
  const bool shape_;
  bool resumed_ = false;
};

class net_oom : public ::testing::TestWithParam<bool> {
 protected:
  void TearDown() override {
    EXPECT_GT(counts_.refused, 3u);
    EXPECT_GT(counts_.survived, 3u);
  }
  rung_counts counts_;
  ladder ladder_{counts_, GetParam(), false, true};
  ladder any_shape_{counts_, GetParam(), false, false};
};

TEST_P(net_oom, inserts) {
  for (const char* line :
       {"add 11.0.0.0/8 dev d0", "add 10.20.0.41 dev d2", "append 10.0.0.0/8 metric 9 via 198.18.0.9",
        "prepend 10.0.0.0/8 dev d2", "replace 10.0.0.0/8 via 198.18.0.7", "change 10.4.0.0/16 dev d2",
        "add 12.0.0.0/8 nexthop via 198.18.0.9 nexthop dev d2 weight 7", "add 12.0.0.0/8 nhid 11",
        "add 12.0.0.0/8 table 77 dev d0"}) {
    ladder_.climb(line);
  }
}

TEST_P(net_oom, removals) {
  for (const char* line : {"del 10.20.0.7", "del 10.0.0.0/8", "del 10.0.0.0/8 tos 0x10", "del default metric 5",
                           "del 10.1.0.0/16", "del 10.7.0.0/16"}) {
    ladder_.climb(line);
  }
}

TEST_P(net_oom, transactions) {
  const std::vector<route_operation> batch = {
      parsed_step("add 13.0.0.0/8 dev d0"),     parsed_step("del 10.20.0.7"),
      parsed_step("replace 10.0.0.0/8 dev d2"), parsed_step("append 13.0.0.0/8 metric 3 dev d2"),
      parsed_step("del 10.1.0.0/16"),           parsed_step("add 10.1.0.0/16 dev d0")};
  any_shape_.climb("apply", [&](fib_net& net) { return net.apply(batch, nullptr); });
}

TEST_P(net_oom, whole_tables) {
  std::vector<route_spec> routes;
  for (const char* line : {"add 10.0.0.0/8 dev d0", "add 10.0.0.0/8 metric 5 dev d2", "add 14.0.0.0/8 nhid 2",
                           "add 10.20.0.3 via 198.18.0.9", "add 10.20.0.9 dev d2"}) {
    routes.push_back(parsed_line(line).spec);
    routes.back().table = 100;
  }
  ladder_.climb("replace_all", [&](fib_net& net) { return net.replace_all(100, routes, nullptr); });
}

TEST_P(net_oom, interfaces) {
  for (const char* line : {"@link d2 down", "@link d3 up", "@link p1 down", "@link p2 down"}) {
    any_shape_.climb(line);
  }
  for (const char* line : {"@link d2 del", "@link d1 del"}) any_shape_.climb_in_parts(line);
  device_spec fresh;
  fresh.index = 6;
  fresh.name = "d4";
  any_shape_.climb("add_device", [&](fib_net& net) { return net.add_device(fresh); });
}

TEST_P(net_oom, addresses) {
  for (const char* line :
       {"@addr add 192.0.2.1/24 dev d0", "@addr add 198.18.0.3/24 dev d0", "@addr del 198.18.2.7/24 dev d2",
        "@addr del 198.18.2.1/24 dev d2", "@addr del 198.18.0.1/24 dev d0"}) {
    any_shape_.climb(line);
  }
}

// Without memory for their routes the heirs are gone with the primary address: the one change that can be done in part.
TEST_P(net_oom, promotion) {
  unsigned in_part = 0;
  const io::operation op = parsed_line("@addr del 198.18.2.1/24 dev d2");
  for (const bool arenas : {false, true}) {
    for (std::uint64_t n = 1;; ++n) {
      SCOPED_TRACE(n);
      world w(GetParam(), true);
      const std::string before = w.picture(true);
      refuse(n, false, arenas);
      const status code = io::apply(*w.net, op);
      const bool met = was_met(n, arenas);
      refuse(0, false, false);
      const std::size_t left = w.net->addresses(4).size();
      if (code == status::ok) {
        ASSERT_EQ(left, 2u);
        ++counts_.survived;
      } else {
        ASSERT_EQ(code, status::no_memory);
        ++counts_.refused;
        if (left == 3) {
          ASSERT_EQ(w.picture(true), before);
        } else {
          ASSERT_EQ(left, 0u);
          ++in_part;
        }
      }
      ASSERT_EQ(w.net->flush(), status::ok);
      ASSERT_EQ(w.net->verify_invariants(), "");
      if (!met) break;
    }
  }
  EXPECT_GT(in_part, 0u);
}

TEST_P(net_oom, nexthop_objects) {
  for (const char* line : {"@nexthop add id 4 via 198.18.0.9 dev d0", "@nexthop add id 13 group 1,7/2",
                           "@nexthop replace id 1 via 198.18.0.9 dev d0", "@nexthop replace id 11 group 2/1",
                           "@nexthop del id 1", "@nexthop del id 2", "@nexthop del id 11", "@nexthop del id 3"}) {
    ladder_.climb(line);
  }
}

TEST_P(net_oom, rules) {
  ladder_.climb("@rule add priority 200 from 198.18.0.0/24 iif d1 table 7");
  if (GetParam()) ladder_.climb("@rule del priority 100");
}

INSTANTIATE_TEST_SUITE_P(local_and_main, net_oom, ::testing::Bool(),
                         [](const auto& given) { return std::string(given.param ? "parted" : "shared"); });

}  // namespace
}  // namespace fibtrie::testing
