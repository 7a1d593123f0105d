// SPDX-License-Identifier: MIT
// interleave: its writer, one operation after the other.
//
// Thread safety, invariants: interleave.hpp.
#pragma once

#include "tests/support/interleave.hpp"

namespace fibtrie::testing {

template <class Key, class Traits>
std::string interleave<Key, Traits>::run() {
  unsigned patience = 1;
  for (auto& h : lookups_) h.patience = 1 + patience++ % 5 * 3;
  for (auto& h : matches_) h.patience = 1 + patience++ % 5 * 3;
  // Spanning readers may mix states; with a route for everything present throughout none of them may find nothing.
  if (plan_.span_operations) {
    const prefix<Key> everything{0, 0};
    const std::uint32_t result = issue_result(everything);
    (void)after_.add(everything, result);
    perform(everything, [&](prefix<Key> p) { return trie_->add(p, result); });
  }
  Traits::observer = this;
  for (; now_ <= plan_.operations && failure_.empty(); ++now_) {
    operate();
    if (!plan_.span_operations || random_.one_in(16)) {
      finish_all();
      if (random_.one_in(3) && trie_->flush() != status::ok) fail("flush", 0, 0);
    }
  }
  finish_all();
  Traits::observer = nullptr;
  if (failure_.empty() && trie_->flush() != status::ok) fail("flush", 0, 0);
  return failure_;
}

template <class Key, class Traits>
void interleave<Key, Traits>::operate() {
  for (auto& h : lookups_) {
    if (!h.reading) begin(h);
    for (unsigned n = random_.below(4); n > 0; --n) advance(h);
  }
  for (auto& h : matches_) {
    if (!h.reading) begin(h);
    for (unsigned n = random_.below(4); n > 0; --n) advance(h);
  }
  const unsigned choice = random_.below(16);
  if (choice == 0) return compact_some();
  if (routes_.size() > 1 && (choice < 6 || routes_.size() > plan_.most_routes)) return remove_one();
  add_or_change();
}

template <class Key, class Traits>
void interleave<Key, Traits>::add_or_change() {
  const bool change = !routes_.empty() && random_.one_in(4);
  const prefix<Key> route = change ? random_.pick(routes_) : make_(random_);
  const bool there = after_.find(route).found;
  if (there && !change) return;
  if (there) withdraw(route);
  const std::uint32_t result = issue_result(route);
  (void)after_.replace(route, result);
  if (!there) routes_.push_back(route);
  perform(route, [&](prefix<Key> p) { return there ? trie_->replace(p, result, nullptr) : trie_->add(p, result); });
}

template <class Key, class Traits>
void interleave<Key, Traits>::remove_one() {
  const std::size_t at = random_.below(routes_.size());
  const prefix<Key> route = routes_[at];
  routes_[at] = routes_.back();
  routes_.pop_back();
  withdraw(route);
  (void)after_.remove(route);
  perform(route, [&](prefix<Key> p) { return trie_->remove(p); });
}

template <class Key, class Traits>
void interleave<Key, Traits>::compact_some() {
  perform(cut(some_address(), random_.below(key_width<Key> + 1)),
          [&](prefix<Key>) { return trie_->compact(1 + random_.below(16), nullptr); });
}

// Results tell their routes apart; some of them do not fit into a slot word.
template <class Key, class Traits>
std::uint32_t interleave<Key, Traits>::issue_result(prefix<Key> route) {
  issued_.push_back({route, now_, UINT64_MAX});
  const auto serial = static_cast<std::uint32_t>(issued_.size() - 1);
  return serial % 3 == 0 ? serial | 0xc0000000u : serial;
}

template <class Key, class Traits>
void interleave<Key, Traits>::withdraw(prefix<Key> route) {
  issued_[after_.find(route).value & 0x3fffffffu].until = now_;
}

template <class Key, class Traits>
template <class Update>
void interleave<Key, Traits>::perform(prefix<Key> route, Update update) {
  probes_.clear();
  for (int i = 0; i < 24; ++i) {
    const Key inside =
        static_cast<Key>(route.key | (static_cast<Key>(random_()) & static_cast<Key>(~prefix_mask<Key>(route.plen))));
    const Key address = i < 10   ? inside
                        : i < 14 ? static_cast<Key>(inside ^ Key{1} << random_.below(key_width<Key>))
                                 : some_address();
    probes_.push_back({address, before_.match(address), after_.match(address)});
  }
  const auto allow = [&](auto& readers) {
    for (auto& h : readers) {
      if (h.reading) h.allowed.push_back(after_.match(h.reader.address()));
    }
  };
  allow(lookups_);
  allow(matches_);
  if (!plan_.span_operations) {
    post_watchers(lookup_watchers_);
    post_watchers(match_watchers_);
  }
  operating_ = true;
  if (update(route) != status::ok) fail("status of an update", route.key, route.plen);
  operating_ = false;
  end_operation();
}

template <class Key, class Traits>
void interleave<Key, Traits>::end_operation() {
  for (const probe& p : probes_) {
    if (!is_right(whole<paused_lookup<Key>>(p.address), p.after))
      fail("lookup after an operation", p.address, p.after.value);
    if (!is_right(whole<paused_match<Key>>(p.address), p.after))
      fail("match after an operation", p.address, p.after.value);
  }
  probes_.clear();
  lookup_watchers_.clear();
  match_watchers_.clear();
  before_ = after_;
}

}  // namespace fibtrie::testing
