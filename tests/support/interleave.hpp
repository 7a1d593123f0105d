// SPDX-License-Identifier: MIT
// Readers between any two stores of a writer: whole lookups after every store, and lookups held in the middle.
//
// Thread safety: one thread plays all.
// Invariants: 1. Of one operation an address sees the old answer, then the new one; never another, never back.
//   2. A held reader that overlaps at most one operation ends with an answer that was right since it began; one that
//   overlaps several ends with a route that was there meanwhile.  3. Grace periods end only while no reader is held.
// Source: docs/design.md, "what a reader may see".
#pragma once

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/hooked_traits.hpp"
#include "tests/support/naive_table.hpp"
#include "tests/support/paused_reader.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/trie8.hpp"

namespace fibtrie::testing {

struct interleave_counts {
  std::uint64_t stores = 0;    // after which readers looked
  std::uint64_t flips = 0;     // addresses seen to change their answer in the middle of an operation
  std::uint64_t held = 0;      // held readers that came to an end
  std::uint64_t overlaps = 0;  // of these, the ones that overlapped an operation
  std::uint64_t watched = 0;   // readers that began before an operation and would have ended with its answer
};

struct interleave_plan {
  unsigned operations = 400;
  unsigned most_routes = 120;
  bool span_operations = false;  // held readers may overlap several operations
};

template <class Key, class Traits>
class interleave final : store_observer {
 public:
  using make_prefix = prefix<Key> (*)(random_source&);

  interleave(make_prefix make, interleave_plan plan, std::uint64_t stream)
      : make_(make), plan_(plan), random_(stream) {}
  ~interleave() override { Traits::observer = nullptr; }

  // What went wrong, or an empty text.
  std::string run();
  const interleave_counts& counts() const noexcept { return counts_; }

 private:
  struct probe {
    Key address;
    match_result<Key> before;
    match_result<Key> after;
    bool lookup_flipped = false;
    bool match_flipped = false;
  };
  template <class Paused>
  struct held {
    Paused reader;
    bool reading = false;
    unsigned patience = 1;  // steps are taken after one store in so many
    std::uint64_t born = 0;
    std::vector<match_result<Key>> allowed;
  };
  template <class Paused>
  struct watcher {
    Paused reader;
    std::size_t probe;
  };
  // A route with a result of its own, and the operations at which it came and went.
  struct issue {
    prefix<Key> route;
    std::uint64_t from;
    std::uint64_t until;
  };

  // ---- the writer
  void operate();
  void add_or_change();
  void remove_one();
  void compact_some();
  std::uint32_t issue_result(prefix<Key> route);
  void withdraw(prefix<Key> route);
  template <class Update>
  void perform(prefix<Key> route, Update update);
  void end_operation();

  // ---- the readers
  Key some_address();
  void stored() noexcept override;
  void look(probe& p);
  template <class Paused>
  void post_watchers(std::vector<watcher<Paused>>& watchers);
  template <class Paused>
  void watch(const watcher<Paused>& w);
  template <class Paused>
  void begin(held<Paused>& h);
  template <class Paused>
  void advance(held<Paused>& h);
  template <class Paused>
  void judge(const held<Paused>& h);
  bool is_right(const lookup_result& answer, const match_result<Key>& want) const;
  bool is_right(const match_result<Key>& answer, const match_result<Key>& want) const;
  bool was_there(Key address, std::uint32_t value, bool found, std::uint64_t since) const;
  template <class Paused>
  typename Paused::answer_type whole(Key address);
  void finish_all();
  void fail(const char* what, Key address, std::uint32_t value);

  make_prefix make_;
  interleave_plan plan_;
  random_source random_;
  opened_trie<Key, Traits> trie_;
  naive_table<Key> before_;
  naive_table<Key> after_;
  std::vector<prefix<Key>> routes_;
  std::vector<issue> issued_;
  std::vector<probe> probes_;
  std::vector<held<paused_lookup<Key>>> lookups_{12};
  std::vector<held<paused_match<Key>>> matches_{8};
  std::vector<watcher<paused_lookup<Key>>> lookup_watchers_;
  std::vector<watcher<paused_match<Key>>> match_watchers_;
  std::uint64_t now_ = 1;  // number of the operation
  bool operating_ = false;
  interleave_counts counts_;
  std::string failure_;
};

// Many runs; the first failure, and what was seen in sum.
template <class Key, class Traits>
std::string interleave_runs(typename interleave<Key, Traits>::make_prefix make, interleave_plan plan, unsigned rounds,
                            interleave_counts& sum) {
  for (unsigned round = 0; round < rounds; ++round) {
    interleave<Key, Traits> one(make, plan, 100 + round);
    const std::string text = one.run();
    sum.stores += one.counts().stores;
    sum.flips += one.counts().flips;
    sum.held += one.counts().held;
    sum.watched += one.counts().watched;
    sum.overlaps += one.counts().overlaps;
    if (!text.empty()) return text + ", round " + std::to_string(round);
  }
  return {};
}

}  // namespace fibtrie::testing

#include "tests/support/interleave_readers.hpp"
#include "tests/support/interleave_writer.hpp"
