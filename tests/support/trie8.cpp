// SPDX-License-Identifier: MIT
// Comparing a trie over 8-bit keys with the truth, everywhere.
//
// Thread safety: one thread.
#include "tests/support/trie8.hpp"

#include <cstdio>

namespace fibtrie::testing {
namespace {

std::string told(const char* what, unsigned place) {
  char text[96];
  std::snprintf(text, sizeof text, "%s at %u", what, place);
  return text;
}

std::string address_difference(const trie::reader<key8>& reader, const world8& truth, key8 address) {
  const int number = truth.match(address);
  const lookup_result want =
      number < 0 ? lookup_result{} : lookup_result{truth.result(static_cast<unsigned>(number)), true};
  if (reader.lookup(address) != want) return told("lookup", address);
  // As a batch ends a lookup: from the first word on.
  const std::uint32_t first = trie::reader<key8>::root_step(reader.root(), address);
  if (reader.resolve(address, first, reader.load(first)) != want) return told("resolve", address);
  const auto match = reader.match(address);
  if (match.found != want.found || match.value != want.value) return told("match", address);
  if (match.found && match.route != all_prefixes8()[static_cast<unsigned>(number)])
    return told("matched prefix", address);
  return {};
}

}  // namespace

std::string difference8(const trie::lc_trie<key8, traits8>& trie, const world8& truth) {
  for (unsigned address = 0; address < 256; ++address) {
    const auto text = address_difference(trie.reader(), truth, static_cast<key8>(address));
    if (!text.empty()) return text;
  }
  for (unsigned n = 0; n < 511; ++n) {
    const lookup_result want = truth.has(n) ? lookup_result{truth.result(n), true} : lookup_result{};
    if (trie.find(all_prefixes8()[n]) != want) return told("find of prefix number", n);
  }
  if (trie.size() != truth.size()) return told("size", static_cast<unsigned>(trie.size()));
  return trie.verify_invariants();
}

}  // namespace fibtrie::testing
