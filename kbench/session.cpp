// SPDX-License-Identifier: MIT
#include "kbench/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/route_file.hpp"
#include "io/trace_file.hpp"
#include "io/update_file.hpp"
#include "kbench/clock.hpp"
#include "kbench/table_generator.hpp"
#include "kbench/text.hpp"

namespace fibtrie::kbench {
namespace {

constexpr double day_of_updates = 1.337;  // updates for each route of the table on a day of 2026
constexpr std::size_t single_lookups = 100'000;
constexpr std::size_t scan_lookups = 5'000;

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

template <class Options>
Options file_options(const options& chosen) {
  Options o;
  o.skip_bad = chosen.skip_bad;
  o.show_progress = true;
  return o;
}

bool same_shape(const trie_stats& a, const trie_stats& b) {
  return a.leaves == b.leaves && a.prefixes == b.prefixes && a.depth_sum == b.depth_sum && a.max_depth == b.max_depth &&
         a.pointers == b.pointers && a.null_pointers == b.null_pointers && a.tnodes_by_bits == b.tnodes_by_bits;
}

std::string skipped_text(const io::load_report& report) {
  return report.skipped == 0 ? "" : fmt::format(", {} bad lines skipped", report.skipped);
}

}  // namespace

outcome session::run() {
  if (const outcome inputs = read_inputs(); inputs != outcome::good) return inputs;
  cpus_ = allowed_cpus();
  const int cpu = options_.cpu < 0 ? cpus_.back() : options_.cpu;
  const bool pinned = pin_to_cpu(cpu);
  found_.machine = describe_machine();
  found_.machine.cpus = static_cast<unsigned>(cpus_.size());
  found_.machine.pinned_cpu = pinned ? cpu : -1;
  const bool good = measure_memory_alone() && make_engines() && compare_shapes() && bench_lookups() &&
                    bench_all_updates() && bench_readers();
  steps_.clear();
  return good ? outcome::good : outcome::wrong;
}

outcome session::read_inputs() {
  if (options_.routes_file.empty()) {
    steps_.say(fmt::format("generating {} routes", options_.table_size));
    if (!generate_table({.routes = options_.table_size, .seed = options_.seed}, routes_)) {
      error_ = "no such table can be generated";
      return outcome::bad_input;
    }
    found_.table_source = fmt::format("generated, seed {}", options_.seed);
  } else {
    io::loaded_routes loaded;
    if (!io::load_routes(options_.routes_file, file_options<io::route_file_options>(options_), loaded)) {
      error_ = loaded.report.error;
      return outcome::bad_input;
    }
    routes_ = std::move(loaded.routes);
    found_.table_source = file_name(options_.routes_file) + skipped_text(loaded.report);
    if (loaded.duplicates != 0) found_.table_source += fmt::format(", {} duplicates", loaded.duplicates);
  }
  if (routes_.empty()) {
    error_ = "the table has no routes";
    return outcome::bad_input;
  }
  found_.table_size = routes_.size();
  found_.flavour = options_.flavour;
  return make_address_sets() && prepare_stream_input() ? outcome::good : outcome::bad_input;
}

bool session::make_address_sets() {
  steps_.say("making addresses");
  for (const pattern which : options_.patterns) {
    found_.sets.push_back({to_text(which), make_addresses(which, routes_, options_.seed, options_.addresses), 0});
  }
  if (options_.trace_file.empty()) return true;
  io::loaded_trace trace;
  if (!io::load_trace(options_.trace_file, file_options<io::load_options>(options_), trace)) {
    error_ = trace.report.error;
    return false;
  }
  if (trace.addresses.empty()) {
    error_ = options_.trace_file + ": no address";
    return false;
  }
  address_set set{"trace", {}, 0};
  set.addresses.reserve(options_.addresses);
  for (std::size_t i = 0; i < options_.addresses; ++i) {
    set.addresses.push_back(trace.addresses[i % trace.addresses.size()]);
  }
  found_.sets.push_back(std::move(set));
  return true;
}

bool session::prepare_stream_input() {
  if (options_.no_updates) return true;
  steps_.say("preparing updates");
  if (options_.updates_file.empty()) {
    const auto count = static_cast<std::size_t>(static_cast<double>(routes_.size()) * day_of_updates);
    const auto stream = synthetic_stream(routes_, count, options_.seed);
    found_.stream = stream_info{fmt::format("synthetic, seed {}", options_.seed), prepare_stream(routes_, stream)};
    return true;
  }
  io::loaded_updates loaded;
  if (!io::load_updates(options_.updates_file, file_options<io::load_options>(options_), loaded)) {
    error_ = loaded.report.error;
    return false;
  }
  found_.stream = stream_info{file_name(options_.updates_file) + skipped_text(loaded.report),
                              prepare_stream(routes_, loaded.updates)};
  return true;
}

bool session::has_rival(const std::string& name) const {
  return std::find(options_.engines.begin(), options_.engines.end(), name) != options_.engines.end();
}

engine* session::find_engine(const std::string& name) const {
  const auto found = std::find_if(engines_.begin(), engines_.end(), [&](const auto& e) { return e->name() == name; });
  return found == engines_.end() ? nullptr : found->get();
}

bool session::measure_memory_alone() {
  if (!found_.stream || !has_rival(subject_name)) return true;
  steps_.say("memory: load and replay with a table of its own");
  found_.memory.emplace();
  const auto make = [this](std::string& error) { return make_lc_trie(options_.flavour, error); };
  return measure_memory(make, routes_, found_.stream->stream, *found_.memory, error_);
}

// kernel-walk is always there: where it does not race, it judges.
bool session::make_engines() {
  for (const char* name : {subject_name, baseline_name}) {
    const bool is_judge = std::string(name) == baseline_name;
    if (!is_judge && !has_rival(name)) continue;
    steps_.say(fmt::format("{}: loading", name));
    trim_heap();
    const std::size_t before = resident_bytes();
    engines_.push_back(is_judge ? make_kernel_walk() : make_lc_trie(options_.flavour, error_));
    if (engines_.back() == nullptr || !load_engine(*engines_.back())) return false;
    const std::size_t now = resident_bytes();
    found_.loads.back().resident_growth_bytes = now > before ? now - before : 0;
    if (has_rival(name)) rivals_.push_back(engines_.back().get());
  }
  judge_ = find_engine(baseline_name);
  return make_flow_engines();
}

bool session::make_flow_engines() {
  if (!has_rival(flow_engine_name)) return true;
  steps_.say(fmt::format("{}: loading", flow_engine_name));
  if (!make_fib_net(options_.flavour, flow_engines_, error_)) return false;
  for (const auto& rival : flow_engines_) {
    if (rival->load(routes_).failed != 0) {
      error_ = rival->name() + ": routes could not be added";
      return false;
    }
  }
  engine& first = *flow_engines_.front();
  first.settle();
  if (!options_.no_compact && !first.compact()) {
    error_ = first.name() + ": compact() failed";
    return false;
  }
  if (error_ = first.verify(); !error_.empty()) return false;
  if (same_shape(first.stats(), judge_->stats())) return true;
  error_ = fmt::format("the shapes of {} and {} differ", first.name(), judge_->name());
  return false;
}

bool session::load_engine(engine& rival) {
  load_row row{rival.name(), rival.load(routes_), {}, {}, {}, {}, 0};
  if (row.load.failed != 0) {
    error_ = fmt::format("{}: {} routes could not be added", row.engine, row.load.failed);
    return false;
  }
  row.longest_route = to_text(routes_[row.load.longest_index].route);
  rival.settle();
  const auto time_first_set = [&] {
    const engine* const alone[] = {&rival};
    const lookup_mode scalar[] = {lookup_mode::scalar};
    return race(alone, {}, scalar, found_.sets.front(), 3, [](const std::string&) {}).front().median_ns();
  };
  if (!options_.no_compact && rival.can_compact()) {
    row.scattered_ns = time_first_set();
    const double start_ns = process_cpu_ns();
    if (!rival.compact()) {
      error_ = row.engine + ": compact() failed";
      return false;
    }
    row.compact_ns = process_cpu_ns() - start_ns;
    rival.settle();
    row.compacted_ns = time_first_set();
  }
  found_.loads.push_back(std::move(row));
  return true;
}

bool session::compare_shapes() {
  found_.shape = engines_.front()->stats();
  for (const auto& rival : engines_) {
    steps_.say(rival->name() + ": checking invariants");
    if (const std::string broken = rival->verify(); !broken.empty()) {
      error_ = rival->name() + ": " + broken;
      return false;
    }
    if (same_shape(rival->stats(), found_.shape)) continue;
    error_ = fmt::format("the shapes of {} and {} differ", engines_.front()->name(), rival->name());
    return false;
  }
  found_.shapes_compared = engines_.size() > 1;
  return true;
}

bool session::bench_lookups() {
  auto rivals = readers_of_rivals();
  for (const auto& rival : flow_engines_) rivals.push_back(rival.get());
  for (address_set& set : found_.sets) {
    steps_.say("comparing answers, " + set.name);
    if (!compare_answers(*judge_, rivals, options_.modes, set, error_)) return false;
    found_.addresses_compared += set.addresses.size();
    const auto rows = race(rivals, baseline_name, options_.modes, set, options_.rounds, stepper());
    found_.lookups.insert(found_.lookups.end(), rows.begin(), rows.end());
  }
  flow_engines_.clear();  // their table would be in the way of what follows
  bench_singles();
  return true;
}

void session::bench_singles() {
  steps_.say("single lookups");
  found_.timer_overhead_cycles = timer_overhead_ticks();
  const std::vector<key32> scan = linear_scan(scan_lookups);
  for (const engine* rival : rivals_) {
    for (const address_set& set : found_.sets) {
      if (set.name != "cov" && set.name != "uni") continue;
      const std::span<const key32> addresses(set.addresses);
      const std::size_t count = std::min(single_lookups, addresses.size() / 2);
      found_.singles.push_back(time_singly(*rival, set.name, addresses.first(count), addresses.subspan(count, count)));
    }
    const std::span<const key32> warm_up(found_.sets.front().addresses);
    found_.singles.push_back(
        time_singly(*rival, "scan", warm_up.first(std::min(single_lookups, warm_up.size())), scan));
  }
}

bool session::bench_all_updates() {
  if (!found_.stream) return true;
  found_.picks = std::min(options_.picks, routes_.size());
  if (!bench_updates(rivals_, baseline_name, routes_, found_.picks, options_.seed, stepper(), found_.updates, error_) ||
      !bench_worst(rivals_, baseline_name, routes_, stepper(), found_.worst, error_) ||
      !race_replay(rivals_, baseline_name, found_.stream->stream, stepper(), found_.replays, error_)) {
    return false;
  }
  if (rivals_.size() < 2) return true;  // the judge did not take part: its table is the old one
  for (address_set& set : found_.sets) {
    steps_.say("comparing answers after the replay, " + set.name);
    address_set changed{set.name + " after the replay", set.addresses, 0};
    if (!compare_answers(*judge_, readers_of_rivals(), options_.modes, changed, error_)) return false;
    found_.addresses_compared += set.addresses.size();
  }
  if (same_shape(rivals_[0]->stats(), rivals_[1]->stats())) return true;
  error_ = "the shapes differ after the replay";
  return false;
}

bool session::bench_readers() {
  engine* subject = find_engine(subject_name);
  if (options_.readers == 0 || subject == nullptr) return true;
  thread_plan plan{options_.readers, std::chrono::milliseconds(options_.thread_ms), {}, options_.rate};
  // the writer's CPU first
  const auto own = std::find(cpus_.begin(), cpus_.end(), found_.machine.pinned_cpu);
  plan.cpus.assign(own, cpus_.end());
  plan.cpus.insert(plan.cpus.end(), cpus_.begin(), own);
  const std::span<const update> updates =
      found_.stream ? std::span<const update>(found_.stream->stream.updates) : std::span<const update>();
  for (const lookup_mode mode : options_.modes) {
    if (mode == lookup_mode::dependent) continue;
    steps_.say(fmt::format("{} reader threads, {}", plan.readers, to_text(mode)));
    const auto rows = bench_threads(*subject, found_.sets.front(), mode, plan, updates);
    found_.threads.insert(found_.threads.end(), rows.begin(), rows.end());
  }
  error_ = subject->verify();
  return error_.empty();
}

}  // namespace fibtrie::kbench
