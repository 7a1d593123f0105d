// SPDX-License-Identifier: MIT
#include "trie/batch.hpp"

#include <algorithm>
#include <bit>

#include "trie/assert.hpp"
#include "trie/batch_avx2.hpp"
#include "trie/batch_avx512.hpp"

namespace fibtrie::trie {
namespace {

constexpr unsigned block_lanes = 64;

// Fetches the descriptor or the entry that a word names, for the resolve() to come.
void prefetch_named(const reader<key32>& table, slot_word word) noexcept {
  const std::uint32_t id = word & id_mask;
  if (word >= escape_tag) {
    __builtin_prefetch(&table.descriptors()[id]);
  } else if (word >= entry_tag) {
    __builtin_prefetch(&table.entries()[id]);
  }
}

// First, middle and last address meet in one cache line of the top node: a scan, say.  There is nothing to wait for
// then, and one lookup after the other is faster.
bool is_local(root_word root, const key32* addresses, unsigned lanes) noexcept {
  constexpr std::uint32_t near = 16;
  const std::uint32_t first = reader<key32>::root_step(root, addresses[0]);
  const std::uint32_t middle = reader<key32>::root_step(root, addresses[lanes / 2]);
  const std::uint32_t last = reader<key32>::root_step(root, addresses[lanes - 1]);
  return first - middle + near <= 2 * near && first - last + near <= 2 * near;
}

// One lookup after the other: neighbours take the same way, so here branches are foreseen.  Bit i: lane i found a
// route.  Out of line: among its caller's many values the loop runs out of registers and is 5 % slower.
[[gnu::noinline]] std::uint64_t run_in_turn(const reader<key32>& table, root_word root,
                                            const key32* __restrict addresses, std::uint32_t* __restrict results,
                                            unsigned lanes) noexcept {
  const auto* const slots = table.slots();
  std::uint64_t hits = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const key32 address = addresses[lane];
    std::uint32_t slot = reader<key32>::root_step(root, address);
    slot_word word = slots[slot].load(std::memory_order_acquire);  // acquire (both): as reader::lookup_from
    while (is_tnode(word)) {
      slot = step(word, address);
      word = slots[slot].load(std::memory_order_acquire);
    }
    lookup_result answer = reader<key32>::terminal(word);
    if (is_check(word)) answer = table.resolve(address, slot, word);
    results[lane] = answer.value;
    hits = hits >> 1 | std::uint64_t{answer.found} << 63;
  }
  return hits >> (block_lanes - lanes);
}

// One block of at most 64 addresses, all in flight together: a pass over the lanes that still descend loads each one's
// word and prefetches where it leads, so that the next pass finds it in the cache.
class block {
 public:
  block(const reader<key32>& table, const key32* addresses, std::uint32_t* results, unsigned lanes) noexcept
      : table_(table), slots_(table.slots()), addresses_(addresses), results_(results), lanes_(lanes) {}

  // Bit i: lane i found a route.
  std::uint64_t run(root_word root) noexcept {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      slot_[lane] = reader<key32>::root_step(root, addresses_[lane]);
      __builtin_prefetch(&slots_[slot_[lane]]);
    }
    unsigned descending = 0;
    for (unsigned lane = 0; lane < lanes_; ++lane) visit(lane, descending);
    while (descending > 0) {
      const unsigned count = descending;
      descending = 0;
      for (unsigned i = 0; i < count; ++i) visit(descending_[i], descending);
    }
    check_lanes();
    return ~missed_ & (~std::uint64_t{0} >> (block_lanes - lanes_));
  }

 private:
  // Loads a lane's word and sorts the lane, without a branch: on to the next slot, to be checked, or done.
  void visit(unsigned lane, unsigned& descending) noexcept {
    const slot_word word = table_.load(slot_[lane]);
    results_[lane] = word & inline_result_mask;
    missed_ |= std::uint64_t{word == no_route_word} << lane;
    const std::uint32_t next = reader<key32>::step_unless_final(word, slot_[lane], addresses_[lane]);
    slot_[lane] = next;
    __builtin_prefetch(&slots_[next]);
    descending_[descending] = static_cast<std::uint8_t>(lane);
    descending += is_tnode(word) ? 1 : 0;
    check_[checks_] = static_cast<std::uint8_t>(lane);
    check_word_[checks_] = word;
    checks_ += is_check(word) ? 1 : 0;
  }

  // Guards, and the few lanes that need an entry or a descriptor; those are prefetched together first.
  void check_lanes() noexcept {
    unsigned left = 0;
    for (unsigned i = 0; i < checks_; ++i) {
      const unsigned lane = check_[i];
      const slot_word word = check_word_[i];
      if (is_guard(word) && guard_matches(word, addresses_[lane])) {
        results_[lane] = guard_result(word);
        continue;
      }
      prefetch_named(table_, word);
      check_[left] = check_[i];
      check_word_[left++] = word;
    }
    for (unsigned i = 0; i < left; ++i) {
      const unsigned lane = check_[i];
      const lookup_result answer = table_.resolve(addresses_[lane], slot_[lane], check_word_[i]);
      results_[lane] = answer.value;
      missed_ |= std::uint64_t{!answer.found} << lane;
    }
  }

  const reader<key32>& table_;
  const std::atomic<std::uint32_t>* const slots_;
  const key32* const addresses_;
  std::uint32_t* const results_;
  const unsigned lanes_;
  std::uint64_t missed_ = 0;
  unsigned checks_ = 0;
  std::uint32_t slot_[block_lanes];
  slot_word check_word_[block_lanes + 1];
  std::uint8_t check_[block_lanes + 1];
  std::uint8_t descending_[block_lanes + 1];
};

// Finishes the lanes that the vector form left open.
std::uint64_t resolve_open(const reader<key32>& table, const key32* addresses, std::uint32_t* results,
                           const vector_block_result& lanes) noexcept {
  for (std::uint64_t open = lanes.open; open != 0; open &= open - 1) {
    const slot_word word = lanes.word[std::countr_zero(open)];
    prefetch_named(table, word);
  }
  std::uint64_t missed = lanes.missed;
  for (std::uint64_t open = lanes.open; open != 0; open &= open - 1) {
    const int lane = std::countr_zero(open);
    const lookup_result answer = table.resolve(addresses[lane], lanes.slot[lane], lanes.word[lane]);
    results[lane] = answer.value;
    missed |= std::uint64_t{!answer.found} << lane;
  }
  return ~missed;
}

// block_avx2 or block_avx512.
using vector_form = decltype(&block_avx2);

// A full block by a vector form.  Bit i: lane i found a route.
std::uint64_t run_by(vector_form form, const reader<key32>& table, root_word root, const key32* addresses,
                     std::uint32_t* results) noexcept {
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  const auto* slots = reinterpret_cast<const std::uint32_t*>(table.slots());
  const unsigned bits = root >> 8 & 63;
  const vector_root top{static_cast<std::uint32_t>(root >> 32), static_cast<std::uint32_t>(root & 31),
                        static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1)};
  vector_block_result lanes;
  form(slots, top, addresses, results, lanes);
  return resolve_open(table, addresses, results, lanes);
}

// A batch block by block, all from one load of the root word.  form: for full blocks, null where there is none.
void lookup_blocks(vector_form form, const reader<key32>& table, const key32* addresses, std::size_t count,
                   std::uint32_t* results, std::uint64_t* found) noexcept {
  const root_word root = table.root();
  for (std::size_t at = 0; at < count; at += block_lanes) {
    const auto lanes = static_cast<unsigned>(std::min<std::size_t>(count - at, block_lanes));
    std::uint64_t hits;
    if (is_local(root, addresses + at, lanes)) {
      hits = run_in_turn(table, root, addresses + at, results + at, lanes);
    } else if (form != nullptr && lanes == block_lanes) {
      hits = run_by(form, table, root, addresses + at, results + at);
    } else {
      hits = block(table, addresses + at, results + at, lanes).run(root);
    }
    if (found != nullptr) found[at / block_lanes] = hits;
  }
}

}  // namespace

void lookup_batch_interleaved(const reader<key32>& table, const key32* addresses, std::size_t count,
                              std::uint32_t* results, std::uint64_t* found) noexcept {
  lookup_blocks(nullptr, table, addresses, count, results, found);
}

void lookup_batch_avx512(const reader<key32>& table, const key32* addresses, std::size_t count, std::uint32_t* results,
                         std::uint64_t* found) noexcept {
  lookup_blocks(has_avx512() ? block_avx512 : nullptr, table, addresses, count, results, found);
}

void lookup_batch_avx2(const reader<key32>& table, const key32* addresses, std::size_t count, std::uint32_t* results,
                       std::uint64_t* found) noexcept {
  lookup_blocks(has_avx2() ? block_avx2 : nullptr, table, addresses, count, results, found);
}

batch_function best_batch() noexcept {
  static const batch_function best = has_avx512() ? lookup_batch_avx512
                                     : has_avx2() ? lookup_batch_avx2
                                                  : lookup_batch_interleaved;
  return best;
}

}  // namespace fibtrie::trie
