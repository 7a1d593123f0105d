// SPDX-License-Identifier: MIT
// See comparison.hpp.
#include "tests/conformance/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <thread>

#include "io/address_text.hpp"
#include "io/net_proc_text.hpp"
#include "io/net_world.hpp"
#include "io/route_text.hpp"
#include "io/route_words.hpp"
#include "tests/conformance/kernel_world.hpp"
#include "tests/support/manual_domain.hpp"

namespace fibtrie::conformance {

namespace {

class recorder final : public route_listener {
 public:
  void on_message(const route_message& m) override { lines.push_back(io::message_text(m, io::device_name)); }
  std::vector<std::string> lines;
};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(line).append("\n");
  return text;
}

class player {
 public:
  player(const program& p, run_counts& counts)
      : program_(p), counts_(counts), kernel_(p.settings, p.promote_secondaries) {
    net_options options;
    const kernel_version version = running_kernel();
    options.behaviour = kernel_behaviour::of(version.major, version.minor);
    options.table.backlog = on_backlog::wait;
    options.promote_secondaries = p.promote_secondaries;
    if (fib_net::create(domain_, options, net_) != status::ok || io::make_world(*net_, p.settings) != status::ok ||
        net_->subscribe(recorder_) != status::ok) {
      throw std::runtime_error("cannot make a namespace");
    }
    recorder_.lines.clear();
  }
  ~player() { net_->unsubscribe(recorder_); }
  player(const player&) = delete;
  player& operator=(const player&) = delete;

  std::optional<difference> play(std::size_t batch) {
    for (const std::string& line : program_.lines) {
      ++counts_.operations;
      ++operation_;
      if (auto d = step(line)) return d;
      if (operation_ % batch == 0) {
        if (auto d = compare_all()) return d;
      }
    }
    return compare_all();
  }

 private:
  std::optional<difference> differ(std::string what, const std::string& kernel, const std::string& library) {
    if (kernel == library) return std::nullopt;
    return difference{operation_, std::move(what), kernel, library};
  }

  std::optional<difference> step(const std::string& line) {
    io::operation op;
    const std::string error = io::parse_operation(line, program_.settings, op);
    if (!error.empty()) throw std::logic_error(line + ": " + error);
    const std::string kernel = kernel_.apply(op);
    const std::string library(io::result_text(io::apply(*net_, op)));
    if (kernel == "0") ++counts_.succeeded;
    if (auto d = differ("result", kernel, library)) {
      d->kernel += " (" + kernel_.reason() + ")";
      return d;
    }
    const auto lines = kernel_.take_messages();
    counts_.messages += lines.size();
    return differ("messages", joined(lines), joined(std::exchange(recorder_.lines, {})));
  }

  template <class Write>
  static std::string text_of(Write&& write) {
    std::string text;
    {
      io::text_sink sink(text);
      write(sink);
    }
    return text;
  }

  std::optional<difference> compare_all() {
    if (auto d = differ("route dump", kernel_dump(), library_dump())) return d;
    if (auto d = differ("fib_trie", kernel_.proc_text("fib_trie"),
                        text_of([&](io::text_sink& s) { io::write_fib_trie(s, *net_); }))) {
      return d;
    }
    if (auto d = differ("fib_triestat", without_counters(kernel_.proc_text("fib_triestat")),
                        text_of([&](io::text_sink& s) { io::write_fib_triestat(s, *net_); }))) {
      return d;
    }
    if (auto d = differ("proc route", kernel_.proc_text("route"),
                        text_of([&](io::text_sink& s) { io::write_proc_route(s, *net_); }))) {
      return d;
    }
    if (auto d = differ("invariants", "", net_->verify_invariants())) return d;
    for (const flow4& flow : program_.questions) {
      if (auto d = compare_lookups(flow)) return d;
    }
    return std::nullopt;
  }

  // Kernels that count lookups say so after each table.
  static std::string without_counters(const std::string& text) {
    std::string kept;
    bool counters = false;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size() - 1);
      const auto line = text.substr(at, end - at + 1);
      at = end + 1;
      if (line.starts_with("Counters:") || line == "\n") counters = true;
      if (line.ends_with(":\n") && !line.starts_with("Counters:")) counters = false;
      if (!counters) kept += line;
    }
    return kept;
  }

  std::string kernel_dump() {
    const auto routes = kernel_.routes();
    counts_.routes += routes.size();
    std::string text;
    for (const route_report& r : routes) text += full_text(r) + "\n";
    return text;
  }
  std::string library_dump() const {
    std::string text;
    dump_cursor cursor;
    net_->dump(cursor, 0, [&](const route_report& r) {
      text += full_text(r) + "\n";
      return true;
    });
    return text;
  }

  static std::string question_text(const flow4& f) {
    return fmt::format("{} tos {:#x} oif {} from {:#x} mark {:#x} uid {} proto {} dport {} scope {}",
                       io::address_text(f.daddr), f.tos, f.oif, f.saddr, f.mark, f.uid, f.ip_protocol, f.dport,
                       f.scope);
  }

  std::optional<difference> compare_lookups(const flow4& flow) {
    for (const std::uint32_t table : {100u, 101u, table_id::standard, table_id::main, table_id::local}) {
      ++counts_.lookups;
      const std::string kernel = kernel_.table_lookup(table, flow);
      if (!kernel.starts_with("error")) ++counts_.found;
      if (auto d = differ("lookup in a table", kernel, table_answer(table, flow))) {
        d->what += fmt::format(": {} of {}", table, question_text(flow));
        return d;
      }
    }
    return compare_match(flow);
  }

  std::string table_answer(std::uint32_t table, const flow4& asked) const {
    flow4 flow = asked;
    flow.oif = 0;
    flow.saddr = 0;
    flow_result found;
    const status code = net_->lookup_table(table, flow, 0, found);
    const auto tables = net_->tables();
    if (std::find(tables.begin(), tables.end(), table) == tables.end()) return "error ENOENT";
    if (code != status::ok) return fmt::format("error {}", io::result_text(code));
    return fmt::format("{} /{} scope {} nhsel {}", io::type_name(found.type), found.route.plen, found.scope(),
                       found.nexthop_index);
  }

  // By the rules, as the kernel's own packets go.  What its output path decides before it asks for a route is left out.
  std::optional<difference> compare_match(flow4 flow) {
    flow.scope = 0;
    flow.iif = io::device_index("lo", 0);
    if (flow.daddr == 0 || flow.daddr >= ipv4(224, 0, 0, 0) || (flow.daddr >> 24) == 0 || (flow.daddr >> 24) == 127) {
      return std::nullopt;
    }
    flow_result self;
    flow4 home;
    home.daddr = flow.saddr;
    const bool own = net_->lookup_table(table_id::local, home, 0, self) == status::ok && self.type == route_type::local;
    if (flow.uid == UINT32_MAX) flow.uid = 0;          // who asks
    if (flow.ip_protocol == 0) flow.ip_protocol = 17;  // what the kernel takes it to be
    if (!own) flow.saddr = 0;                          // nothing leaves from an address that is not this host's
    route_report report;
    const int code = kernel_.match(flow, report);
    const auto oif = flow.oif == 0 ? std::nullopt : net_->device(flow.oif);
    if (flow.oif != 0 && !(oif && oif->up)) return std::nullopt;
    ++counts_.lookups;
    // The kernel keeps one answer for each next hop of an object, with the type of whichever route asked first.
    const bool any_type = report.nexthop_id != 0;
    if (any_type) report.type = route_type::unspec;
    const std::string kernel = code == 0 ? full_text(report) : std::string(strerrorname_np(code));
    const std::string library = rules_answer(flow, any_type);
    if (code == EINVAL && flow.saddr == 0 && has_loopback_address()) return std::nullopt;
    auto d = differ("lookup by the rules", kernel, library);
    if (d) d->what += ": " + question_text(flow);
    return d;
  }

  // An address that packets may leave with through the loopback interface alone.
  bool has_loopback_address() const {
    for (std::uint32_t index = 1; index < program_.settings.devices + 2; ++index) {
      for (const address_spec& a : net_->addresses(index)) {
        if (a.local >> 24 == 127) return true;
      }
    }
    return false;
  }

  std::string rules_answer(const flow4& flow, bool any_type) const {
    flow_result found;
    const status code = net_->lookup(flow, 0, found);
    // With an interface given, the kernel takes the address to be on its link.
    if (code != status::ok) return flow.oif != 0 ? "EHOSTUNREACH" : std::string(io::result_text(code));
    const neighbour_callback nobody = [](key32, std::uint32_t) { return neighbour_state::none; };
    net_->select_path(flow, found, &nobody);
    route_report report = net_->report(found);
    report.table = found.table;  // the kernel shows the table that it asked, also while local's routes are main's
    if (any_type) report.type = route_type::unspec;
    return full_text(report);
  }

  const program& program_;
  run_counts& counts_;
  kernel_world kernel_;
  testing::manual_domain domain_;
  std::unique_ptr<fib_net> net_;
  recorder recorder_;
  std::size_t operation_ = 0;
};

std::string kind_of(const difference& d) { return d.what.substr(0, d.what.find(':')); }

}  // namespace

std::optional<difference> compare(const program& p, std::size_t batch, run_counts& counts) {
  std::optional<difference> found;
  std::thread run([&] {
    try {
      found = player(p, counts).play(batch);
    } catch (const std::exception& error) {
      found = difference{counts.operations, "the run itself", error.what(), ""};
    }
  });
  run.join();
  return found;
}

program shrink(const program& p, std::size_t batch, const difference& seen) {
  program best = p;
  best.lines.resize(std::min(best.lines.size(), seen.operation));
  for (std::size_t chunk = std::max<std::size_t>(best.lines.size() / 2, 1);; chunk /= 2) {
    for (std::size_t at = 0; at < best.lines.size();) {
      program tried = best;
      const auto from = tried.lines.begin() + static_cast<std::ptrdiff_t>(at);
      tried.lines.erase(from, from + static_cast<std::ptrdiff_t>(std::min(chunk, tried.lines.size() - at)));
      run_counts counts;
      const auto again = compare(tried, batch, counts);
      if (again && kind_of(*again) == kind_of(seen)) {
        tried.lines.resize(std::min(tried.lines.size(), again->operation));
        best = std::move(tried);
      } else {
        at += chunk;
      }
    }
    if (chunk <= 1) return best;
  }
}

}  // namespace fibtrie::conformance
