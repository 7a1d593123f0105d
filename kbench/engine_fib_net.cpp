// SPDX-License-Identifier: MIT
// The engines `fib_net` and `fib_net-quick`: the full lookup in a table of a namespace, a flow in, a full result out;
// the quick one does not ask for the prefix that matched.  Both look into the same table.
#include "fibtrie/net.h"
#include "fibtrie/rcu.h"
#include "kbench/engine_of.hpp"

namespace fibtrie::kbench {
namespace {

constexpr std::uint32_t table_number = 100;
constexpr std::uint32_t device = 1;

// The routes' results are their metrics.
template <unsigned Flags>
class flow_table {
 public:
  explicit flow_table(std::shared_ptr<fib_net> net) noexcept : net_(std::move(net)) {}

  lookup_result lookup(key32 address) const noexcept {
    flow4 flow;
    flow.daddr = address;
    flow_result found;
    if (net_->lookup_table(table_number, flow, Flags, found) != status::ok) return {};
    return {found.priority() + (found.oif() - device), true};
  }
  status add(prefix4 route, std::uint32_t result) {
    route_spec spec;
    spec.dst = route;
    spec.table = table_number;
    spec.scope = scope::link;
    spec.hop.oif = device;
    spec.priority = result;
    return net_->insert(spec, insert_verb::add);
  }
  // The race is one of lookups alone.
  status remove(prefix4) noexcept { return status::unsupported; }
  status replace(prefix4, std::uint32_t, bool*) noexcept { return status::unsupported; }
  std::size_t size() const { return stats().prefixes; }
  trie_stats stats() const { return net_->stats(table_number); }
  // The routes alone.
  void visit_shape(shape_visitor4& visitor) const {
    dump_cursor cursor;
    net_->dump(cursor, table_number, [&](const route_report& r) {
      visitor.route(0, r.dst, r.priority);
      return true;
    });
  }

  fib_net& net() const noexcept { return *net_; }

 private:
  std::shared_ptr<fib_net> net_;
};

template <rcu::flavour F, unsigned Flags>
struct fib_net_rival {
  struct rcu {
    using section = fibtrie::rcu::read_section<F>;
    using registration = fibtrie::rcu::thread_registration<F>;
    static void quiescent_state() noexcept { F::quiescent_state(); }
  };
  static constexpr const char* name = Flags == 0 ? "fib_net" : "fib_net-quick";
  static constexpr bool has_batches = false;
  static constexpr bool reads_beside_writer = true;
  using table_type = flow_table<Flags>;
};

template <rcu::flavour F, unsigned Flags>
class fib_net_engine final : public engine_of<fib_net_rival<F, Flags>> {
 public:
  explicit fib_net_engine(std::shared_ptr<fib_net> net) : table_(std::move(net)) {}

  // The second of the two finds the routes there.
  load_figures load(std::span<const io::table_route> routes) override {
    if (table_.size() != 0) return {};
    return engine_of<fib_net_rival<F, Flags>>::load(routes);
  }
  bool can_compact() const noexcept override { return true; }
  bool compact() override { return table_.net().compact(table_number) == status::ok; }
  void settle() override { FIBTRIE_CHECK(table_.net().flush() == status::ok); }
  bool memory(memory_stats& out) const override {
    out = table_.net().memory();
    return true;
  }
  std::string verify() const override { return table_.net().verify_invariants(); }

 private:
  flow_table<Flags>& table() noexcept override { return table_; }
  const flow_table<Flags>& table() const noexcept override { return table_; }

  fibtrie::rcu::thread_registration<F> registration_;
  flow_table<Flags> table_;
};

template <rcu::flavour F>
bool make_both(std::vector<std::unique_ptr<engine>>& out, std::string& error) {
  net_options options;
  options.table.backlog = on_backlog::wait;
  std::unique_ptr<fib_net> made;
  status code = fib_net::create(F::instance(), options, made);
  device_spec dev;
  dev.index = device;
  dev.name = "d0";
  if (code == status::ok) code = made->add_device(dev);
  if (code != status::ok) {
    error = to_text(code);
    return false;
  }
  const std::shared_ptr<fib_net> shared = std::move(made);
  out.push_back(std::make_unique<fib_net_engine<F, 0>>(shared));
  out.push_back(std::make_unique<fib_net_engine<F, lookup_flag::without_prefix>>(shared));
  return true;
}

}  // namespace

bool make_fib_net(const std::string& flavour, std::vector<std::unique_ptr<engine>>& out, std::string& error) {
  if (flavour == "memb") return make_both<rcu::memb>(out, error);
  if (flavour == "qsbr") return make_both<rcu::qsbr>(out, error);
  if (flavour == "bp") return make_both<rcu::bp>(out, error);
  if (flavour == "mb") return make_both<rcu::mb>(out, error);
  error = "no RCU flavour " + flavour;
  return false;
}

}  // namespace fibtrie::kbench
