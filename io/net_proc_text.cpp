// SPDX-License-Identifier: MIT
// Writers of the kernel's texts about a namespace.
//
// Thread safety: one thread.
#include "io/net_proc_text.hpp"

#include <fmt/format.h>

#include "io/proc_text.hpp"
#include "io/route_text.hpp"
#include "io/route_words.hpp"

namespace fibtrie::io {

namespace {

class section_writer final : public table_shape_visitor {
 public:
  section_writer(text_sink& sink, std::string_view label) : sink_(sink), nodes_(sink, label) {}

  void tnode(unsigned depth, prefix4 node, unsigned bits, std::uint32_t full, std::uint32_t empty) override {
    nodes_.tnode(depth, node, bits, full, empty);
  }
  void leaf(unsigned depth, key32 key) override { nodes_.leaf(depth, key); }
  void alias(unsigned depth, std::uint8_t plen, std::uint8_t scope, route_type type, std::uint8_t tos) override {
    nodes_.route(depth, plen, proc_scope_name(scope), proc_type_name(type));
    if (tos != 0) sink_.put(" tos=").number(tos);
    sink_.put('\n');
  }

 private:
  text_sink& sink_;
  fib_trie_lines nodes_;
};

// A network-order word, read as a number by this machine, in eight hexadecimal digits.
std::uint32_t as_stored(key32 address) noexcept {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return __builtin_bswap32(address);
#else
  return address;
#endif
}

unsigned proc_flags(const route_report& r) noexcept {
  constexpr unsigned up = 1, gateway = 2, host = 4, reject = 0x200;
  unsigned flags = up;
  if (r.kept_type == route_type::unreachable || r.kept_type == route_type::prohibit) flags = reject;
  if (!r.nexthops.empty() && r.nexthops[0].gateway != 0) flags |= gateway;
  if (r.dst.plen == 32) flags |= host;
  return flags | up;
}

std::string proc_route_line(const route_report& r, const name_of_device& name, bool is_signed) {
  const bool has_hop = !r.nexthops.empty();
  const std::string metric_text =
      is_signed ? std::to_string(static_cast<std::int32_t>(r.priority)) : std::to_string(r.priority);
  const auto& m = r.metrics.value;
  return fmt::format("{}\t{:08X}\t{:08X}\t{:04X}\t{}\t{}\t{}\t{:08X}\t{}\t{}\t{}",
                     has_hop && r.nexthops[0].oif != 0 ? name(r.nexthops[0].oif) : "*", as_stored(r.dst.key),
                     as_stored(has_hop ? r.nexthops[0].gateway : 0), proc_flags(r), 0, 0, metric_text,
                     as_stored(prefix_mask<key32>(r.dst.plen)), m[metric::advmss] != 0 ? m[metric::advmss] + 40 : 0,
                     m[metric::window], m[metric::rtt] >> 3);
}

void put_padded(text_sink& sink, const std::string& line) {
  constexpr std::size_t width = 127;
  sink.put(line).blanks(line.size() < width ? width - line.size() : 0).put('\n');
}

}  // namespace

std::string table_label(std::uint32_t table) {
  if (table == table_id::main) return "Main:";
  if (table == table_id::local) return "Local:";
  return fmt::format("Id {}:", static_cast<std::int32_t>(table));
}

void write_fib_trie(text_sink& sink, const fib_net& net, std::uint32_t table) {
  const std::string label = table_label(table);
  section_writer writer(sink, label);
  net.visit_shape(table, writer);
}

void write_fib_triestat(text_sink& sink, const fib_net& net, std::uint32_t table) {
  write_fib_triestat(sink, table_label(table), net.stats(table));
}

void write_fib_trie(text_sink& sink, const fib_net& net) {
  for (const std::uint32_t table : net.tables()) write_fib_trie(sink, net, table);
}

void write_fib_triestat(text_sink& sink, const fib_net& net) {
  write_fib_triestat_head(sink);
  for (const std::uint32_t table : net.tables()) write_fib_triestat(sink, net, table);
}

void write_proc_route(text_sink& sink, const fib_net& net) {
  put_padded(sink, "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT");
  dump_cursor cursor;
  const auto name = names_in(net);
  net.dump(cursor, table_id::main, [&](const route_report& r) {
    if (r.kept_type != route_type::broadcast && r.kept_type != route_type::multicast) {
      put_padded(sink, proc_route_line(r, name, net.options().behaviour.signed_metric_text));
    }
    return true;
  });
}

}  // namespace fibtrie::io
