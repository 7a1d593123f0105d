// SPDX-License-Identifier: MIT
#include "tests/torture/torture_run.hpp"

#include <functional>
#include <map>
#include <thread>

#include "tests/torture/readers.hpp"

namespace fibtrie::torture {
namespace {

using clock = std::chrono::steady_clock;
constexpr auto too_long = std::chrono::seconds(10);  // without a sign of progress

// A planted fault: nothing is waited for.
class hasty_domain final : public rcu::domain {
 public:
  void call(rcu::callback_head* head, void (*function)(rcu::callback_head*)) const noexcept override { function(head); }
  void synchronize() const noexcept override {}
  void barrier() const noexcept override {}
  bool in_read_section() const noexcept override { return false; }
  const char* name() const noexcept override { return "hasty"; }
};

template <class F>
class torture_run {
 public:
  torture_run(const torture_options& options, torture_report& out) : options_(options), out_(out) {}

  void run() {
    const rcu::thread_registration<F> registered;
    const hasty_domain hasty;
    const rcu::domain& of_objects = options_.canary ? static_cast<const rcu::domain&>(hasty) : F::instance();
    world_ = std::make_unique<shared_world>(F::instance(), of_objects, options_.table_size, options_.seed);
    world_->stalls = options_.stalls;
    out_.distinct_answers = world_->large.probes().distinct;
    const auto start = clock::now();
    {
      const rcu::offline_scope<F> watching;
      start_threads();
      watch(start);
      world_->stop.store(true, std::memory_order_relaxed);  // relaxed: see goes_on()
      for (std::thread& t : threads_) t.join();
    }
    out_.seconds = std::chrono::duration<double>(clock::now() - start).count();
    judge();
    const rcu::offline_scope<F> waiting;
    world_.reset();
  }

 private:
  template <class Body>
  void start(const char* kind, Body body) {
    member& me = roll_.enter(kind);
    threads_.emplace_back([body = std::move(body), &me] { body(me); });
  }

  void start_threads() {
    const std::uint64_t seed = options_.seed * 1000;
    for (unsigned i = 0; i < options_.readers; ++i) {
      start("bulk reader", [this, seed, i](member& me) { read_in_bulk<F>(*world_, me, seed + i); });
    }
    start("flap reader", [this, seed](member& me) { read_flapping<F>(*world_, me, seed + 100); });
    start("walker", [this](member& me) { walk<F>(*world_, me); });
    start("object reader",
          [this, seed](member& me) { read_objects<F>(*world_, me, seed + 200, out_.ages, out_.poison); });
    start("brief threads", [this, seed](member& me) { come_and_go<F>(*world_, me, seed + 300); });
    for (unsigned i = 0; i < options_.fake_writers; ++i) {
      start("fake writer", [this, seed, i](member& me) { retire_only(me, seed + 400 + i); });
    }
    start("table switcher", [this](member& me) { switch_tables(me); });
    start("writer", [this, seed](member& me) { write(me, seed + 500); });
  }

  void write(member& me, std::uint64_t seed) {
    const rcu::thread_registration<F> registered;
    testing::random_source random(seed);
    const auto start = clock::now();
    std::uint64_t paced = 0;
    while (world_->goes_on()) {
      unsigned done = 0;
      for (; done < 16; ++done) world_->small.churn(random);
      const auto due = options_.update_rate == 0
                           ? 16
                           : static_cast<std::uint64_t>(std::chrono::duration<double>(clock::now() - start).count() *
                                                        static_cast<double>(options_.update_rate)) -
                                 paced;
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(due, 256); ++i, ++paced, ++done) {
        world_->large.churn(random);
      }
      done += world_->objects.replace() ? 1 : 0;
      me.step(done);
      F::quiescent_state();
      if (options_.update_rate != 0) rest(me, std::chrono::microseconds(300));
    }
    out_.problem = world_->small.finish() + world_->large.finish();
  }

  // Grace periods of others' making, by callback and by waiting.
  void retire_only(member& me, std::uint64_t seed) {
    const rcu::thread_registration<F> registered;
    testing::random_source random(seed);
    while (world_->goes_on()) {
      if (random.one_in(4)) {
        F::synchronize();
      } else {
        auto* const head = new rcu::callback_head;
        F::call(head, [](rcu::callback_head* mine) { delete mine; });
      }
      me.step(1);
      rest(me, std::chrono::microseconds(random.below(400)));
    }
    const rcu::offline_scope<F> waiting;
    F::barrier();
  }

  void switch_tables(member& me) {
    const rcu::thread_registration<F> registered;
    while (world_->goes_on()) {
      world_->switched.replace();
      me.step(1);
      rest(me, std::chrono::microseconds(2000));
    }
  }

  void rest(member& me, std::chrono::microseconds time) {
    const rcu::offline_scope<F> resting;
    std::this_thread::sleep_for(time);
    me.rested();
  }

  // Until the time is over or enough was done; a thread that gets nowhere ends the process, since it cannot be joined.
  void watch(clock::time_point start) {
    std::map<const member*, std::pair<std::uint64_t, clock::time_point>> last;
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const auto now = clock::now();
      std::uint64_t bulk = 0;
      for (const member& m : roll_.members()) {
        auto& seen = last.try_emplace(&m, m.done(), now).first->second;
        if (seen.first != m.done()) seen = {m.done(), now};
        if (now - seen.second > too_long) {
          std::fprintf(stderr, "no progress in 10 s: %s\n", m.kind().c_str());
          std::abort();
        }
        if (m.kind() == "bulk reader") bulk += m.done();
      }
      if (options_.lookups != 0 ? bulk >= options_.lookups : now - start >= options_.duration) return;
    }
  }

  void judge() {
    for (const member& m : roll_.members()) {
      out_.members.push_back({m.kind(), m.done(), m.mistakes(), m.longest_gap_ms()});
      if (m.mistakes() != 0) out_.problem += " " + std::to_string(m.mistakes()) + " wrong answers: " + m.kind() + ";";
      if (m.done() == 0) out_.problem += " nothing done: " + m.kind() + ";";
    }
    for (unsigned age = 2; age < out_.ages.size(); ++age) {
      if (out_.ages[age] != 0) out_.problem += " an object outlived its grace period in a reader's hand;";
    }
    if (out_.poison != 0) out_.problem += " poison was read;";
    out_.grace_periods = world_->objects.grace_periods();
    out_.threads_started = world_->threads_started.load();
    if (out_.grace_periods == 0) out_.problem += " no grace period ended;";
    if (out_.distinct_answers < 10) out_.problem += " the probes have hardly any answers;";
  }

  const torture_options& options_;
  torture_report& out_;
  std::unique_ptr<shared_world> world_;
  roll roll_;
  std::vector<std::thread> threads_;
};

template <class F>
bool run_if(const torture_options& options, torture_report& out) {
  if (options.flavour != F::name) return false;
  torture_run<F>(options, out).run();
  return true;
}

}  // namespace

bool run_torture(const torture_options& options, torture_report& out) {
  return run_if<rcu::memb>(options, out) || run_if<rcu::qsbr>(options, out) || run_if<rcu::bp>(options, out) ||
         run_if<rcu::mb>(options, out) || run_if<rcu::plain>(options, out);
}

}  // namespace fibtrie::torture
