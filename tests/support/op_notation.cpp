// SPDX-License-Identifier: MIT
// Reading and running the notation.
//
// Thread safety: one thread.
#include "tests/support/op_notation.hpp"

#include <array>
#include <cstdio>
#include <sstream>

#include "trie/assert.hpp"

namespace fibtrie::testing {
namespace {

struct operation {
  char verb = 0;
  prefix4 route{};  // a question's address as a /32
  lookup_result value{};
};

operation parse(const std::string& word) {
  operation op;
  std::array<unsigned, 4> byte{};
  unsigned plen = 32;
  int read = 0;
  FIBTRIE_CHECK(std::sscanf(word.c_str(), "%c%u.%u.%u.%u%n", &op.verb, &byte[0], &byte[1], &byte[2], &byte[3], &read) ==
                5);
  std::size_t at = static_cast<std::size_t>(read);
  int more = 0;
  if (std::sscanf(word.c_str() + at, "/%u%n", &plen, &more) == 1) at += static_cast<std::size_t>(more);
  op.route = {byte[0] << 24 | byte[1] << 16 | byte[2] << 8 | byte[3], static_cast<std::uint8_t>(plen)};
  if (at == word.size()) return op;
  const std::string value = word.substr(at + 1);
  FIBTRIE_CHECK(word[at] == '=' && !value.empty());
  if (value != "none") {
    const bool letter = value[0] >= 'A' && value[0] <= 'Z';
    op.value = {letter ? static_cast<std::uint32_t>(value[0]) : static_cast<std::uint32_t>(std::stoul(value)), true};
  }
  return op;
}

bool batches_agree(const fib& table, key32 address, lookup_result want) {
  constexpr std::uint32_t mark = 0x5a5a5a5a;
  for (std::size_t size = 1; size <= 33; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      std::array<key32, 33> addresses{};
      std::array<std::uint32_t, 34> results{};
      for (std::size_t i = 0; i < size; ++i) addresses[i] = address ^ static_cast<key32>((i - place) * 0x01010101u);
      results[size] = mark;
      std::uint64_t found = 0;
      table.lookup_batch(addresses.data(), size, results.data(), &found);
      if (results[place] != want.value || (found >> place & 1) != (want.found ? 1u : 0u)) return false;
      if (results[size] != mark) return false;
    }
  }
  return true;
}

std::string ask(const fib& table, key32 address, lookup_result want) {
  if (table.lookup(address) != want) return "lookup gives " + std::to_string(table.lookup(address).value);
  const auto match = table.match(address);
  if (match.found != want.found || match.value != want.value) return "match gives " + std::to_string(match.value);
  return batches_agree(table, address, want) ? "" : "a batch differs";
}

}  // namespace

std::string run_notation(fib& table, const std::string& operations) {
  std::istringstream words(operations);
  for (std::string word; words >> word;) {
    const operation op = parse(word);
    std::string wrong;
    status code = status::ok;
    switch (op.verb) {
      case '+': code = table.add(op.route, op.value.value); break;
      case '~': code = table.replace(op.route, op.value.value); break;
      case '-': code = table.remove(op.route); break;
      case '?': wrong = ask(table, op.route.key, op.value); break;
      default: wrong = "unknown verb";
    }
    if (code != status::ok) wrong = to_text(code);
    if (wrong.empty()) wrong = table.verify_invariants();
    if (!wrong.empty()) return word + ": " + wrong;
  }
  return {};
}

}  // namespace fibtrie::testing
