// SPDX-License-Identifier: MIT
// Names of types and scopes, the interner, and the route list.
//
// Thread safety: one thread.
#include "io/route_attributes.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "trie/assert.hpp"

namespace fibtrie::io {

namespace {

constexpr std::array<std::string_view, 12> type_names = {"unspec",   "unicast",   "local",     "broadcast",
                                                         "anycast",  "multicast", "blackhole", "unreachable",
                                                         "prohibit", "throw",     "nat",       "xresolve"};

struct named_scope {
  std::string_view name;
  std::uint8_t number;
};
constexpr std::array<named_scope, 5> scope_names = {{{"universe", scope::universe},
                                                     {"site", scope::site},
                                                     {"link", scope::link},
                                                     {"host", scope::host},
                                                     {"nowhere", scope::nowhere}}};

const named_scope* find_scope(std::uint8_t number) noexcept {
  const auto* found = std::find_if(scope_names.begin(), scope_names.end(), [&](auto& s) { return s.number == number; });
  return found == scope_names.end() ? nullptr : found;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (auto& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return upper;
}

class route_list_writer final : public shape_visitor4 {
 public:
  route_list_writer(text_sink& sink, const route_interner& interner) : sink_(sink), interner_(interner) {}

  void tnode(unsigned, prefix4, unsigned, std::uint32_t, std::uint32_t) override {}
  void leaf(unsigned, key32) override {}
  void route(unsigned, prefix4 route, std::uint32_t result) override {
    const auto& attributes = interner_.attributes_of(result);
    sink_.put(type_name(attributes.type)).put(' ').dotted(route.key).put('/').number(route.plen);
    sink_.put(" metric 0 proto 3 scope ").put(scope_name(attributes.scope));
    if (attributes.via != 0) sink_.put(" via ").dotted(attributes.via);
    if (!attributes.dev.empty()) sink_.put(" dev ").put(attributes.dev);
    sink_.put('\n');
  }

 private:
  text_sink& sink_;
  const route_interner& interner_;
};

}  // namespace

std::string_view type_name(route_type type) noexcept { return type_names[static_cast<std::size_t>(type)]; }

std::optional<route_type> type_from_name(std::string_view name) noexcept {
  const auto* found = std::find(type_names.begin() + 1, type_names.end(), name);  // nobody asks for unspec
  if (found == type_names.end()) return std::nullopt;
  return static_cast<route_type>(found - type_names.begin());
}

std::string scope_name(std::uint8_t scope) {
  const auto* known = find_scope(scope);
  return known != nullptr ? std::string(known->name) : std::to_string(scope);
}

std::optional<std::uint8_t> scope_from_name(std::string_view name) noexcept {
  for (const auto& s : scope_names) {
    if (s.name == name) return s.number;
  }
  std::uint8_t number = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (code != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::uint32_t route_interner::result_of(const route_attributes& attributes) {
  const auto [at, is_new] = results_.try_emplace(attributes, static_cast<std::uint32_t>(records_.size()));
  if (is_new) {
    const bool has_name = find_scope(attributes.scope) != nullptr;
    records_.push_back({&at->first, (has_name ? "" : "scope=") + scope_name(attributes.scope),
                        upper_case(type_name(attributes.type))});
  }
  return at->second;
}

const route_attributes& route_interner::attributes_of(std::uint32_t result) const {
  FIBTRIE_CHECK(result < records_.size());
  return *records_[result].attributes;
}

route_words route_interner::words_of(std::uint32_t result) const {
  FIBTRIE_CHECK(result < records_.size());
  return {records_[result].scope_word, records_[result].type_word};
}

void write_routes(text_sink& sink, const shape_source& shape, const route_interner& interner) {
  route_list_writer writer(sink, interner);
  shape(writer);
}

}  // namespace fibtrie::io
