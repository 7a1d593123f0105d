// SPDX-License-Identifier: MIT
// Makes a case of an operation list: plays it in the running kernel and in the library, and writes down what both say.
//
//   record_case LIST FOLDER
//
// Nothing is written when they differ in anything.  Looked up are the first and the last address of every prefix of the
// list and those beside them, with all its TOS values and interfaces.
//
// Thread safety: one thread.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "io/address_text.hpp"
#include "io/list_player.hpp"
#include "io/route_text.hpp"
#include "tests/conformance/comparison.hpp"
#include "tests/support/manual_domain.hpp"

namespace fibtrie::conformance {
namespace {

namespace fs = std::filesystem;

int fail(const std::string& text) {
  std::fprintf(stderr, "record_case: %s\n", text.c_str());
  return 1;
}

// The queries, as lookups.txt has them.
class query_list {
 public:
  void add(const io::operation& op) {
    if (op.kind != io::operation_kind::insert) return;
    const key32 host_bits = ~prefix_mask<key32>(op.spec.dst.plen);
    const key32 first = op.spec.dst.key & ~host_bits;
    for (const key32 address : {first, first | host_bits, first - 1, (first | host_bits) + 1})
      addresses_.insert(address);
    tos_.insert(op.spec.tos);
    if (op.spec.hop.oif != 0) oifs_.insert(op.spec.hop.oif);
  }

  std::vector<flow4> flows() const {
    std::vector<flow4> all;
    for (const key32 address : addresses_) {
      for (const std::uint8_t tos : tos_) all.push_back(flow_of(address, tos, 0));
      if (!oifs_.empty()) all.push_back(flow_of(address, 0, *std::next(oifs_.begin(), all.size() % oifs_.size())));
    }
    return all;
  }

 private:
  static flow4 flow_of(key32 address, std::uint8_t tos, std::uint32_t oif) {
    flow4 flow;
    flow.daddr = address;
    flow.tos = tos;
    flow.oif = oif;
    return flow;
  }

  std::set<key32> addresses_;
  std::set<std::uint8_t> tos_{0};
  std::set<std::uint32_t> oifs_;
};

std::string query_text(const flow4& flow) {
  std::string text = io::address_text(flow.daddr);
  if (flow.tos != 0) text += fmt::format(" tos {:#x}", flow.tos);
  if (flow.oif != 0) text += " oif " + io::device_name(flow.oif);
  return text;
}

int record(const std::string& list, const fs::path& folder) {
  program p;
  query_list queries;
  {
    io::ops_reader reader(list);
    p.settings = reader.settings();
    for (io::operation op; reader.next(op);) {
      p.lines.push_back(op.text);
      queries.add(op);
    }
    if (!reader.error().empty()) return fail(reader.error());
  }
  p.questions = queries.flows();
  run_counts counts;
  if (const auto d = compare(p, 1, counts)) {
    return fail(
        fmt::format("operation {}, {}\nkernel:\n{}\nlibrary:\n{}", d->operation, d->what, d->kernel, d->library));
  }
  const testing::manual_domain domain;
  std::unique_ptr<fib_net> net;
  if (fib_net::create(domain, {}, net) != status::ok) return fail("no memory");
  io::list_player player(*net);
  if (const std::string error = player.play(list, true); !error.empty()) return fail(error);
  fs::create_directories(folder);
  fs::copy_file(list, folder / "ops.txt", fs::copy_options::overwrite_existing);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("results.txt", player.results());
  write("events.txt", player.events());
  write("fib_trie.txt", player.trie());
  write("fib_triestat.txt", player.triestat());
  write("routes.txt", player.routes());
  std::string lookups;
  for (const flow4& flow : p.questions) {
    lookups += query_text(flow) + " -> " + io::answer_text(*net, p.settings.table(), flow) + "\n";
  }
  write("lookups.txt", lookups);
  std::printf("%s: %zu operations, %zu lookups\n", folder.c_str(), counts.operations, p.questions.size());
  return 0;
}

}  // namespace
}  // namespace fibtrie::conformance

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: record_case LIST FOLDER\n");
    return 2;
  }
  return fibtrie::conformance::record(argv[1], argv[2]);
}
