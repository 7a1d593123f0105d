// SPDX-License-Identifier: MIT
// interleave: its readers, after every store and held in the middle.
//
// Thread safety, invariants: interleave.hpp.
#pragma once

#include "tests/support/interleave.hpp"

namespace fibtrie::testing {

template <class Key, class Traits>
Key interleave<Key, Traits>::some_address() {
  if (routes_.empty() || random_.one_in(8)) return static_cast<Key>(random_());
  const prefix<Key> p = random_.pick(routes_);
  const Key inside =
      static_cast<Key>(p.key | (static_cast<Key>(random_()) & static_cast<Key>(~prefix_mask<Key>(p.plen))));
  return random_.one_in(3) ? static_cast<Key>(inside ^ Key{1} << random_.below(key_width<Key>)) : inside;
}

template <class Key, class Traits>
void interleave<Key, Traits>::stored() noexcept {
  if (!failure_.empty() || !operating_) return;
  ++counts_.stores;
  for (probe& p : probes_) look(p);
  for (const auto& w : lookup_watchers_) watch(w);
  for (const auto& w : match_watchers_) watch(w);
  for (auto& h : lookups_) {
    if (random_.one_in(h.patience)) advance(h);
  }
  for (auto& h : matches_) {
    if (random_.one_in(h.patience)) advance(h);
  }
}

// A whole lookup and a whole match.
template <class Key, class Traits>
void interleave<Key, Traits>::look(probe& p) {
  const auto judge_one = [&](const auto& answer, bool& flipped, const char* what) {
    const bool is_new = is_right(answer, p.after);
    if (!is_new && (flipped || !is_right(answer, p.before))) return fail(what, p.address, answer.value);
    if (is_new && !flipped && !is_right(answer, p.before)) {
      flipped = true;
      ++counts_.flips;
    }
  };
  judge_one(whole<paused_lookup<Key>>(p.address), p.lookup_flipped, "lookup in the middle of an operation");
  judge_one(whole<paused_match<Key>>(p.address), p.match_flipped, "match in the middle of an operation");
}

// The library's own function; where a fault is planted its bounded double, since the function might not come to an end.
template <class Key, class Traits>
template <class Paused>
typename Paused::answer_type interleave<Key, Traits>::whole(Key address) {
  if constexpr (Traits::planted == fault::none) {
    if constexpr (std::is_same_v<Paused, paused_lookup<Key>>) {
      return trie_->reader().lookup(address);
    } else {
      return trie_->reader().match(address);
    }
  } else {
    Paused reader;
    reader.begin(trie_->reader(), address);
    pace p = pace::reading;
    while (p == pace::reading) p = reader.step();
    if (p == pace::lost) fail("a lookup that does not end", address, 0);
    return reader.answer();
  }
}

template <class Key, class Traits>
template <class Paused>
void interleave<Key, Traits>::begin(held<Paused>& h) {
  const Key address =
      operating_ && random_.one_in(2) && !probes_.empty() ? random_.pick(probes_).address : some_address();
  h.reader.begin(trie_->reader(), address);
  h.reading = true;
  h.born = now_;
  h.allowed = {before_.match(address)};
  if (operating_) h.allowed.push_back(after_.match(address));
}

template <class Key, class Traits>
template <class Paused>
void interleave<Key, Traits>::advance(held<Paused>& h) {
  if (!h.reading) return begin(h);
  const pace p = h.reader.step();
  if (p == pace::reading) return;
  h.reading = false;
  if (p == pace::lost) return fail("a held reader that does not end", h.reader.address(), 0);
  ++counts_.held;
  if (h.allowed.size() > 1) ++counts_.overlaps;
  judge(h);
}

template <class Key, class Traits>
template <class Paused>
void interleave<Key, Traits>::judge(const held<Paused>& h) {
  const auto& answer = h.reader.answer();
  bool right = false;
  if (plan_.span_operations) {
    right = was_there(h.reader.address(), answer.value, answer.found, h.born);
  } else {
    for (const auto& want : h.allowed) right = right || is_right(answer, want);
  }
  if (!right) fail("a held reader", h.reader.address(), answer.value);
}

// Readers that began before the operation, held after one, two, ... steps.
template <class Key, class Traits>
template <class Paused>
void interleave<Key, Traits>::post_watchers(std::vector<watcher<Paused>>& watchers) {
  constexpr unsigned most_steps = 4;
  watchers.clear();
  for (std::size_t i = 0; i < probes_.size(); i += 3) {
    watcher<Paused> w{{}, i};
    w.reader.begin(trie_->reader(), probes_[i].address);
    for (unsigned steps = 0; steps < most_steps && w.reader.step() == pace::reading; ++steps) watchers.push_back(w);
  }
}

// What a held reader would find if it went on now: with the new answer it has seen the address flip, and no lookup that
// begins later may give the old one.
template <class Key, class Traits>
template <class Paused>
void interleave<Key, Traits>::watch(const watcher<Paused>& w) {
  const probe& p = probes_[w.probe];
  Paused reader = w.reader;
  pace now = pace::reading;
  while (now == pace::reading) now = reader.step();
  if (now == pace::lost) return fail("a held reader that does not end", p.address, 0);
  const auto& answer = reader.answer();
  const bool is_new = is_right(answer, p.after);
  if (!is_new && !is_right(answer, p.before)) return fail("a held reader", p.address, answer.value);
  if (!is_new || is_right(answer, p.before)) return;
  ++counts_.watched;
  if (!is_right(whole<Paused>(p.address), p.after)) fail("an answer that came and went", p.address, answer.value);
}

template <class Key, class Traits>
bool interleave<Key, Traits>::is_right(const lookup_result& answer, const match_result<Key>& want) const {
  return answer.found == want.found && answer.value == want.value;
}
template <class Key, class Traits>
bool interleave<Key, Traits>::is_right(const match_result<Key>& answer, const match_result<Key>& want) const {
  return answer.found == want.found && answer.value == want.value && answer.route == want.route;
}

template <class Key, class Traits>
bool interleave<Key, Traits>::was_there(Key address, std::uint32_t value, bool found, std::uint64_t since) const {
  const std::uint32_t serial = value & 0x3fffffffu;
  if (!found || serial >= issued_.size()) return false;
  const issue& i = issued_[serial];
  return contains(i.route, address) && i.from <= now_ && i.until >= since;
}

// Ends all read sections.
template <class Key, class Traits>
void interleave<Key, Traits>::finish_all() {
  for (auto& h : lookups_) {
    while (h.reading) advance(h);
  }
  for (auto& h : matches_) {
    while (h.reading) advance(h);
  }
}

template <class Key, class Traits>
void interleave<Key, Traits>::fail(const char* what, Key address, std::uint32_t value) {
  if (!failure_.empty()) return;
  char text[160];
  std::snprintf(text, sizeof text, "%s: address %llx value %u, operation %llu of seed %llu", what,
                static_cast<unsigned long long>(address), value, static_cast<unsigned long long>(now_),
                static_cast<unsigned long long>(test_seed()));
  failure_ = text;
}

}  // namespace fibtrie::testing
