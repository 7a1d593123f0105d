// SPDX-License-Identifier: MIT
#include "trie/batch_avx2.hpp"

// Gathers are plain loads, which ThreadSanitizer would call races.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

#include <immintrin.h>

#include "trie/slot.hpp"

// From here on for these processors; what is made of it stays in this file.
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2")
#include "trie/batch_vector.hpp"

namespace fibtrie::trie {
namespace {

struct lanes_avx2 {
  struct vector {
    __m256i low;
    __m256i high;
  };
  using mask = vector;  // all bits of a chosen lane

  [[gnu::always_inline]] static vector load(const std::uint32_t* from) noexcept {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 8))};
  }
  [[gnu::always_inline]] static void store(std::uint32_t* to, vector a) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), a.high);
  }
  [[gnu::always_inline]] static vector fill(std::uint32_t a) noexcept {
    const __m256i all = _mm256_set1_epi32(static_cast<int>(a));
    return {all, all};
  }
  [[gnu::always_inline]] static vector add(vector a, vector b) noexcept {
    return {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)};
  }
  [[gnu::always_inline]] static vector subtract(vector a, vector b) noexcept {
    return {_mm256_sub_epi32(a.low, b.low), _mm256_sub_epi32(a.high, b.high)};
  }
  [[gnu::always_inline]] static vector bit_and(vector a, vector b) noexcept {
    return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)};
  }
  [[gnu::always_inline]] static vector bit_xor(vector a, vector b) noexcept {
    return {_mm256_xor_si256(a.low, b.low), _mm256_xor_si256(a.high, b.high)};
  }
  [[gnu::always_inline]] static vector shift_right(vector a, unsigned count) noexcept {
    const __m128i by = _mm_cvtsi32_si128(static_cast<int>(count));
    return {_mm256_srl_epi32(a.low, by), _mm256_srl_epi32(a.high, by)};
  }
  [[gnu::always_inline]] static vector shift_right_each(vector a, vector count) noexcept {
    return {_mm256_srlv_epi32(a.low, count.low), _mm256_srlv_epi32(a.high, count.high)};
  }
  [[gnu::always_inline]] static vector shift_left_each(vector a, vector count) noexcept {
    return {_mm256_sllv_epi32(a.low, count.low), _mm256_sllv_epi32(a.high, count.high)};
  }
  [[gnu::always_inline]] static mask everyone() noexcept { return fill(~0u); }
  [[gnu::always_inline]] static mask top_clear(vector a) noexcept {
    const __m256i below = _mm256_set1_epi32(-1);
    return {_mm256_cmpgt_epi32(a.low, below), _mm256_cmpgt_epi32(a.high, below)};
  }
  [[gnu::always_inline]] static mask equal(vector a, vector b) noexcept {
    return {_mm256_cmpeq_epi32(a.low, b.low), _mm256_cmpeq_epi32(a.high, b.high)};
  }
  [[gnu::always_inline]] static mask both(mask a, mask b) noexcept { return bit_and(a, b); }
  [[gnu::always_inline]] static std::uint32_t bits(mask a) noexcept {
    const int low = _mm256_movemask_ps(_mm256_castsi256_ps(a.low));
    const int high = _mm256_movemask_ps(_mm256_castsi256_ps(a.high));
    return static_cast<std::uint32_t>(low | high << 8);
  }
  [[gnu::always_inline]] static vector select(mask chosen, vector yes, vector no) noexcept {
    return {_mm256_blendv_epi8(no.low, yes.low, chosen.low), _mm256_blendv_epi8(no.high, yes.high, chosen.high)};
  }
  [[gnu::always_inline]] static vector gather(vector old, mask chosen, vector index,
                                              const std::uint32_t* from) noexcept {
    const int* base = reinterpret_cast<const int*>(from);
    return {_mm256_mask_i32gather_epi32(old.low, base, index.low, chosen.low, 4),
            _mm256_mask_i32gather_epi32(old.high, base, index.high, chosen.high, 4)};
  }
  [[gnu::always_inline]] static void prefetch(const std::uint32_t* from, vector index) noexcept {
    alignas(32) std::uint32_t each[16];
    store(each, index);
    for (const std::uint32_t slot : each) __builtin_prefetch(from + slot);
  }
};

}  // namespace

void block_avx2(const std::uint32_t* slots, vector_root root, const std::uint32_t* addresses, std::uint32_t* results,
                vector_block_result& out) noexcept {
  vector_block<lanes_avx2>(slots, root, addresses, results, out);
}

}  // namespace fibtrie::trie

#pragma GCC pop_options

namespace fibtrie::trie {

bool has_avx2() noexcept {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  return has;
}

}  // namespace fibtrie::trie

#else

namespace fibtrie::trie {

bool has_avx2() noexcept { return false; }
void block_avx2(const std::uint32_t*, vector_root, const std::uint32_t*, std::uint32_t*,
                vector_block_result&) noexcept {}

}  // namespace fibtrie::trie

#endif
