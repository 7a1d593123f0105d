// SPDX-License-Identifier: MIT
#include "trie/batch_avx512.hpp"

// Gathers are plain loads, which ThreadSanitizer would call races.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

// GCC 12 takes the undefined register that its own header starts from for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include "trie/slot.hpp"

// From here on for these processors; what is made of it stays in this file.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,bmi,bmi2")
#include "trie/batch_vector.hpp"

namespace fibtrie::trie {
namespace {

struct lanes_avx512 {
  using vector = __m512i;
  using mask = __mmask16;

  [[gnu::always_inline]] static vector load(const std::uint32_t* from) noexcept { return _mm512_loadu_si512(from); }
  [[gnu::always_inline]] static void store(std::uint32_t* to, vector a) noexcept { _mm512_storeu_si512(to, a); }
  [[gnu::always_inline]] static vector fill(std::uint32_t a) noexcept { return _mm512_set1_epi32(static_cast<int>(a)); }
  [[gnu::always_inline]] static vector add(vector a, vector b) noexcept { return _mm512_add_epi32(a, b); }
  [[gnu::always_inline]] static vector subtract(vector a, vector b) noexcept { return _mm512_sub_epi32(a, b); }
  [[gnu::always_inline]] static vector bit_and(vector a, vector b) noexcept { return _mm512_and_si512(a, b); }
  [[gnu::always_inline]] static vector bit_xor(vector a, vector b) noexcept { return _mm512_xor_si512(a, b); }
  [[gnu::always_inline]] static vector shift_right(vector a, unsigned count) noexcept {
    return _mm512_srl_epi32(a, _mm_cvtsi32_si128(static_cast<int>(count)));
  }
  [[gnu::always_inline]] static vector shift_right_each(vector a, vector count) noexcept {
    return _mm512_srlv_epi32(a, count);
  }
  [[gnu::always_inline]] static vector shift_left_each(vector a, vector count) noexcept {
    return _mm512_sllv_epi32(a, count);
  }
  [[gnu::always_inline]] static mask everyone() noexcept { return 0xffff; }
  [[gnu::always_inline]] static mask top_clear(vector a) noexcept {
    return static_cast<mask>(~_mm512_movepi32_mask(a));
  }
  [[gnu::always_inline]] static mask equal(vector a, vector b) noexcept { return _mm512_cmpeq_epi32_mask(a, b); }
  [[gnu::always_inline]] static mask both(mask a, mask b) noexcept { return a & b; }
  [[gnu::always_inline]] static std::uint32_t bits(mask a) noexcept { return a; }
  [[gnu::always_inline]] static vector select(mask chosen, vector yes, vector no) noexcept {
    return _mm512_mask_mov_epi32(no, chosen, yes);
  }
  [[gnu::always_inline]] static vector gather(vector old, mask chosen, vector index,
                                              const std::uint32_t* from) noexcept {
    return _mm512_mask_i32gather_epi32(old, chosen, index, from, 4);
  }
  [[gnu::always_inline]] static void prefetch(const std::uint32_t*, vector) noexcept {}
};

}  // namespace

void block_avx512(const std::uint32_t* slots, vector_root root, const std::uint32_t* addresses, std::uint32_t* results,
                  vector_block_result& out) noexcept {
  vector_block<lanes_avx512>(slots, root, addresses, results, out);
}

}  // namespace fibtrie::trie

#pragma GCC pop_options

namespace fibtrie::trie {

bool has_avx512() noexcept {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("bmi2");
  return has;
}

}  // namespace fibtrie::trie

#else

namespace fibtrie::trie {

bool has_avx512() noexcept { return false; }
void block_avx512(const std::uint32_t*, vector_root, const std::uint32_t*, std::uint32_t*,
                  vector_block_result&) noexcept {}

}  // namespace fibtrie::trie

#endif
