// SPDX-License-Identifier: MIT
// A rival of the benchmark: a table behind one virtual call per pass, block of updates or load, never per lookup.
//
// Thread safety: run() from several threads that entered (enter_thread) beside one updating thread when
//   reads_beside_writer(); everything else from one thread.
// Invariants: 1. All engines run the same loops (engine_of.hpp).  2. A read section spans lookups_per_section lookups
// in
//   every mode.
// Source: docs/design.md, "Measuring".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fibtrie/fib.h"
#include "io/table_route.hpp"

namespace fibtrie::kbench {

enum class lookup_mode : std::uint8_t { scalar, dependent, batch32, batch256 };
const char* to_text(lookup_mode mode) noexcept;

inline constexpr std::size_t lookups_per_section = 4096;

// A flap is a removal and an addition; a pulse, an addition and a removal of a prefix that is not in the table.
enum class update_kind : std::uint8_t { add, remove, replace, flap, pulse };

struct update {
  prefix4 route;
  std::uint32_t result = 0;
  update_kind kind = update_kind::replace;
};

// What the updates of a run did, as the table answered.
struct update_counts {
  std::int64_t replaced = 0, added = 0, removed = 0, missing = 0;
  std::int64_t failed = 0;               // anything the table may not say: the run is void
  std::int64_t lowest = 0, highest = 0;  // of growth(), over the whole run
  std::int64_t growth() const noexcept { return added - removed; }
  void note_size() noexcept {
    if (growth() < lowest) lowest = growth();
    if (growth() > highest) highest = growth();
  }
  friend bool operator==(const update_counts&, const update_counts&) = default;
};

struct load_figures {
  double cpu_ns = 0;
  double longest_ns = 0;  // one insert
  std::size_t longest_index = 0;
  std::size_t failed = 0;
};

class engine {
 public:
  // Undoes enter_thread.
  class thread_scope {
   public:
    virtual ~thread_scope() = default;
  };

  virtual ~engine() = default;
  virtual std::string name() const = 0;
  virtual bool reads_beside_writer() const noexcept = 0;
  // Makes the calling thread known to the engine's RCU, if it has any.
  virtual std::unique_ptr<thread_scope> enter_thread() const = 0;

  // ---- lookups
  // True where the mode has a loop of its own; otherwise it is the scalar loop.
  virtual bool has_mode(lookup_mode mode) const noexcept = 0;
  // The loop that is timed.  Returns a checksum of all answers.
  virtual std::uint64_t run(lookup_mode mode, std::span<const key32> addresses) const = 0;
  // The same loop, answers kept.
  virtual void answer(lookup_mode mode, std::span<const key32> addresses,
                      std::vector<lookup_result>& answers) const = 0;
  // Each lookup timed alone, between fences.  Returns a checksum.
  virtual std::uint64_t time_each(std::span<const key32> addresses, std::vector<std::uint64_t>& ticks) const = 0;

  // ---- updates
  virtual load_figures load(std::span<const io::table_route> routes) = 0;
  // Goes on counting in counts.
  virtual void apply(std::span<const update> updates, update_counts& counts) = 0;
  // The same, each update timed between fences; ticks are appended.
  virtual void apply_timed(std::span<const update> updates, update_counts& counts,
                           std::vector<std::uint64_t>& ticks) = 0;
  virtual bool can_compact() const noexcept = 0;
  // Moves the table into lookup order; false when that failed.
  virtual bool compact() = 0;
  // Takes back all retired memory.
  virtual void settle() = 0;

  // ---- about the table
  virtual std::size_t size() const = 0;
  virtual trie_stats stats() const = 0;
  virtual std::vector<io::table_route> routes() const = 0;
  virtual bool memory(memory_stats& out) const = 0;  // false where the engine does not count it
  // A text that tells what is wrong; empty: nothing.
  virtual std::string verify() const = 0;
};

// flavour: memb, qsbr, bp or mb.  Null (and error set) when the name is unknown or there is no memory.
std::unique_ptr<engine> make_lc_trie(const std::string& flavour, std::string& error);
std::unique_ptr<engine> make_kernel_walk();
// Two engines over one table, for races of lookups alone: fib_net and fib_net-quick.  False: error says why.
bool make_fib_net(const std::string& flavour, std::vector<std::unique_ptr<engine>>& out, std::string& error);

}  // namespace fibtrie::kbench
