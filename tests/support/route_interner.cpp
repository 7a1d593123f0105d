// SPDX-License-Identifier: MIT
// The interner and the route list of plain tables.
//
// Thread safety: one thread.
#include "tests/support/route_interner.hpp"

#include "io/route_words.hpp"

namespace fibtrie::testing {

namespace {

class route_list_writer final : public shape_visitor4 {
 public:
  route_list_writer(io::text_sink& sink, const route_interner& interner) : sink_(sink), interner_(interner) {}

  void tnode(unsigned, prefix4, unsigned, std::uint32_t, std::uint32_t) override {}
  void leaf(unsigned, key32) override {}
  void route(unsigned, prefix4 route, std::uint32_t result) override {
    const auto& attributes = interner_.attributes_of(result);
    sink_.put(io::type_name(attributes.type)).put(' ').dotted(route.key).put('/').number(route.plen);
    sink_.put(" metric 0 proto 3 scope ").put(io::scope_name(attributes.scope));
    if (attributes.via != 0) sink_.put(" via ").dotted(attributes.via);
    if (attributes.dev != 0) sink_.put(" dev ").put(io::device_name(attributes.dev));
    sink_.put('\n');
  }

 private:
  io::text_sink& sink_;
  const route_interner& interner_;
};

}  // namespace

std::uint32_t route_interner::result_of(const route_spec& spec) {
  const route_attributes attributes{spec.type, spec.scope, spec.hop.gateway, spec.hop.oif};
  const auto [at, is_new] = results_.try_emplace(attributes, static_cast<std::uint32_t>(records_.size()));
  if (is_new) {
    records_.push_back({attributes, io::proc_scope_name(spec.scope), std::string(io::proc_type_name(spec.type))});
  }
  return at->second;
}

io::route_words route_interner::words_of(std::uint32_t result) const {
  const record& r = records_.at(result);
  return {r.scope_word, r.type_word};
}

void write_routes(io::text_sink& sink, const io::shape_source& shape, const route_interner& interner) {
  route_list_writer writer(sink, interner);
  shape(writer);
}

}  // namespace fibtrie::testing
