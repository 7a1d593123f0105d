// SPDX-License-Identifier: MIT
// The vector form of a batch block: 64 addresses through three levels by gathers; what is left open is resolved one by
// one.
//
// Written over a type of 16 lanes, so that the same steps run with AVX-512 registers and, for tests, without.  It uses
// nothing but constants of other headers: it is compiled for processors that the rest of the library does not require.
//
// Thread safety: as trie/lookup.hpp; a gather is made of plain loads, which are atomic for each element on x86.
// Invariants: 1. A lane that is not open has its final answer.  2. An open lane's slot and word are those of one
// moment. Progress: wait-free. Source: docs/design.md, "batches".
#pragma once

#include <cstdint>

#include "trie/batch_avx512.hpp"
#include "trie/slot.hpp"

namespace fibtrie::trie {

// Lanes: 16 unsigned 32-bit lanes (vector), a choice of lanes (mask), and the functions used below; gather(old, mask,
// index, from) keeps old where a lane is not chosen; prefetch() may do nothing.
template <class Lanes>
[[gnu::always_inline]] inline void vector_block(const std::uint32_t* slots, vector_root root,
                                                const std::uint32_t* addresses, std::uint32_t* results,
                                                vector_block_result& out) noexcept {
  constexpr unsigned vectors = 4;
  constexpr unsigned width = 16;
  constexpr unsigned levels = 3;
  typename Lanes::vector key[vectors];
  typename Lanes::vector slot[vectors];
  typename Lanes::vector word[vectors];
  typename Lanes::mask descending[vectors];
  for (unsigned v = 0; v < vectors; ++v) {
    key[v] = Lanes::load(addresses + v * width);
    const auto field = Lanes::bit_and(Lanes::shift_right(key[v], root.pos), Lanes::fill(root.mask));
    slot[v] = Lanes::add(field, Lanes::fill(root.array));
    word[v] = slot[v];
    descending[v] = Lanes::everyone();
    Lanes::prefetch(slots, slot[v]);
  }
  for (unsigned level = 0; level < levels; ++level) {
    for (unsigned v = 0; v < vectors; ++v) {
      const auto w = Lanes::gather(word[v], descending[v], slot[v], slots);
      word[v] = w;
      if (level + 1 == levels) continue;
      descending[v] = Lanes::top_clear(w);
      const auto bits = Lanes::shift_right(w, 27);
      const auto field_mask = Lanes::subtract(Lanes::shift_left_each(Lanes::fill(1), bits), Lanes::fill(1));
      const auto shift = Lanes::bit_and(w, Lanes::fill(31));
      const auto field = Lanes::bit_and(Lanes::shift_right_each(key[v], shift), field_mask);
      const auto array = Lanes::shift_right(Lanes::bit_and(w, Lanes::fill(plain_array_mask)), 4);
      slot[v] = Lanes::select(descending[v], Lanes::add(array, field), slot[v]);
      Lanes::prefetch(slots, slot[v]);
    }
  }
  out.missed = 0;
  out.open = 0;
  for (unsigned v = 0; v < vectors; ++v) {
    const auto w = word[v];
    const auto final_lanes = Lanes::equal(Lanes::shift_right(w, 30), Lanes::fill(2));
    const auto guards = Lanes::equal(Lanes::shift_right(w, 29), Lanes::fill(6));
    const auto value = Lanes::shift_right_each(key[v], Lanes::bit_and(w, Lanes::fill(31)));
    const auto difference = Lanes::bit_and(Lanes::bit_xor(value, Lanes::shift_right(w, 5)), Lanes::fill(guard_mask));
    const auto passed = Lanes::both(guards, Lanes::equal(difference, Lanes::fill(0)));
    const auto guarded = Lanes::bit_and(Lanes::shift_right(w, guard_result_shift), Lanes::fill(max_guard_result));
    const auto plain = Lanes::bit_and(w, Lanes::fill(inline_result_mask));
    Lanes::store(results + v * width, Lanes::select(passed, guarded, plain));
    Lanes::store(out.slot + v * width, slot[v]);
    Lanes::store(out.word + v * width, w);
    const std::uint32_t missed = Lanes::bits(Lanes::equal(w, Lanes::fill(no_route_word)));
    const std::uint32_t done = Lanes::bits(final_lanes) | Lanes::bits(passed);
    out.missed |= std::uint64_t{missed} << (v * width);
    out.open |= std::uint64_t{~done & 0xffff} << (v * width);
  }
}

}  // namespace fibtrie::trie
