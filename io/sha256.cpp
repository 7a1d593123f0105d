// SPDX-License-Identifier: MIT
// SHA-256, one block after the other.
//
// Thread safety: pure functions.
#include "io/sha256.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace fibtrie::io {

namespace {

using words8 = std::array<std::uint32_t, 8>;
constexpr std::size_t block_bytes = 64;

// The standard's constants are the first 32 bits behind the point of square and cube roots of the first primes.
// Roots of numbers up to 311 in long double keep more than 32 bits behind the point.
struct constants {
  words8 start{};
  std::array<std::uint32_t, 64> rounds{};

  constants() {
    unsigned found = 0;
    for (unsigned n = 2; found < rounds.size(); ++n) {
      bool is_prime = true;
      for (unsigned d = 2; d * d <= n; ++d) is_prime = is_prime && n % d != 0;
      if (!is_prime) continue;
      if (found < start.size()) start[found] = fraction(std::sqrt(static_cast<long double>(n)));
      rounds[found++] = fraction(std::cbrt(static_cast<long double>(n)));
    }
  }

  static std::uint32_t fraction(long double x) {
    return static_cast<std::uint32_t>((x - std::floor(x)) * 4294967296.0L);
  }
};

std::uint32_t load_big_endian(const unsigned char* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

void add_block(words8& state, const unsigned char* block, const constants& c) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = load_big_endian(block + 4 * i);
  for (std::size_t i = 16; i < w.size(); ++i) {
    const auto near = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const auto far = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + near + w[i - 7] + far;
  }
  auto [a, b, cc, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto choice = (e & f) ^ (~e & g);
    const auto majority = (a & b) ^ (a & cc) ^ (b & cc);
    const auto t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice + c.rounds[i] + w[i];
    const auto t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g, g = f, f = e, e = d + t1, d = cc, cc = b, b = a, a = t1 + t2;
  }
  const words8 sum = {a, b, cc, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += sum[i];
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  static const constants c;
  words8 state = c.start;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const auto whole = text.size() / block_bytes * block_bytes;
  for (std::size_t at = 0; at < whole; at += block_bytes) add_block(state, bytes + at, c);
  std::array<unsigned char, 2 * block_bytes> tail{};
  const auto rest = text.size() - whole;
  if (rest > 0) std::memcpy(tail.data(), bytes + whole, rest);
  tail[rest] = 0x80;
  const auto tail_bytes = rest < block_bytes - 8 ? block_bytes : 2 * block_bytes;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[tail_bytes - 1 - i] = static_cast<unsigned char>(std::uint64_t{text.size()} * 8 >> 8 * i);
  }
  for (std::size_t at = 0; at < tail_bytes; at += block_bytes) add_block(state, tail.data() + at, c);
  std::string hex;
  for (const auto word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
  }
  return hex;
}

}  // namespace fibtrie::io
