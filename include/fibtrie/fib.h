// SPDX-License-Identifier: MIT
// START HERE.  An IPv4 forwarding table: one writer at a time changes it, any number of readers look up under RCU.
//
// Thread safety: update functions (add, replace, remove, compact, flush) exclude each other: a second writer gets
//   status::busy.  Readers (lookup, lookup_batch, match, find, walk, visit_shape, stats) may run beside a writer; the
//   calling thread must hold a read section of the table's RCU flavour (fibtrie/rcu.h), except where no writer can run
//   meanwhile.
// Invariants: 1. A lookup answers with the longest prefix of some state of the table between its start and its end;
//   of one operation it sees the old or the new answer, never none in between.  2. A failed update changes nothing.
// Progress: lookups are wait-free: no lock, no store to shared memory, a bounded number of steps.  Updates never wait
//   for readers unless fib_options::backlog says so.
// Source: docs/design.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fibtrie/key.h"
#include "fibtrie/options.h"
#include "fibtrie/shape.h"
#include "fibtrie/stats.h"
#include "fibtrie/status.h"
#include "rcu/domain.hpp"
#include "trie/lookup.hpp"

namespace fibtrie {

namespace trie {
template <class Key, class Traits>
class lc_trie;
struct default_traits;
}  // namespace trie

// Many lookups in one read section: the place of the top node is loaded once, which spares a few instructions each.
// What it answers may be as old as its making, so it is made inside the read section and ends with it.
class fib_view {
 public:
  lookup_result lookup(key32 address) const noexcept { return reader_->lookup_from(root_, address); }

 private:
  friend class fib;
  explicit fib_view(const trie::reader<key32>& reader) noexcept : reader_(&reader), root_(reader.root()) {}

  const trie::reader<key32>* reader_;
  trie::root_word root_;
};

// A route as walk() reports it.
struct route4 {
  prefix4 route;
  std::uint32_t result;
};

// The place where a walk goes on.  A default-made cursor starts at the first route; it stays good across updates.
// Order: key ascending, then the longer prefix first, as the kernel dumps a table.
struct walk_cursor {
  key32 key = 0;
  std::uint8_t plen = 32;  // the next route is the first at or after (key, plen) in walk order
  bool done = false;
};

class fib {
 public:
  // Makes an empty table whose memory is reclaimed through the given RCU flavour, e.g. rcu::memb::instance().
  // Errors: invalid (options), no_memory.
  static status create(const rcu::domain& domain, const fib_options& options, std::unique_ptr<fib>& out) noexcept;
  static status create(const rcu::domain& domain, std::unique_ptr<fib>& out) noexcept;
  ~fib();  // no reader and no writer may be left; waits for the table's own callbacks
  fib(const fib&) = delete;
  fib& operator=(const fib&) = delete;

  // ---- updates
  // Adds a route.  result: any 32-bit number.  Errors: exists, invalid, no_memory, backlog_full, busy, in_read_section.
  status add(prefix4 route, std::uint32_t result) noexcept;
  // Adds the route or changes its result.  *existed tells which.  Errors: as add, without exists.
  status replace(prefix4 route, std::uint32_t result, bool* existed = nullptr) noexcept;
  // Removes a route.  Errors: not_found, invalid, backlog_full, busy, in_read_section; no_memory only when there is no
  // room to note what is to be reclaimed (about 4 kB, kept from operation to operation).
  status remove(prefix4 route) noexcept;
  // Moves child arrays into walk order, which makes lookups faster after a bulk load.  At most max_slots slots are
  // moved; the next call goes on.  *more is false once the round is complete.  Errors: no_memory, backlog_full, busy,
  // in_read_section.
  status compact(std::size_t max_slots = SIZE_MAX, bool* more = nullptr) noexcept;
  // After a bulk load: compacts, waits for readers, and compacts into what became free, so that lookups are as fast and
  // memory as small as they get.  Errors: no_memory, backlog_full, busy, in_read_section.
  status settle() noexcept;
  // Waits for readers and takes back all retired memory.  Errors: busy, in_read_section.
  status flush() noexcept;

  // ---- lookups, in a read section
  // Longest match.
  lookup_result lookup(key32 address) const noexcept { return reader_->lookup(address); }
  // The same for many lookups of one read section.
  fib_view view() const noexcept { return fib_view(*reader_); }
  // Longest match for count addresses: results[i] is the result, or 0 without a match; bit i % 64 of found[i / 64]
  // tells which (found may be null; otherwise all (count + 63) / 64 words are written).
  void lookup_batch(const key32* addresses, std::size_t count, std::uint32_t* results,
                    std::uint64_t* found) const noexcept;
  // Longest match with the prefix that matched.
  match_result<key32> match(key32 address) const noexcept;
  // Exact match: the result of this very prefix.
  lookup_result find(prefix4 route) const noexcept;
  // Reports routes from the cursor on until visit returns false (that route counts as reported) or the table ends.
  void walk(walk_cursor& cursor, const std::function<bool(const route4&)>& visit) const;

  // ---- about the table
  std::size_t size() const noexcept;  // routes
  void visit_shape(shape_visitor4& visitor) const;
  trie_stats stats() const;
  // The writer's, or while it is at rest (writer(), too); from other threads: size() and backlog().
  memory_stats memory() const noexcept;
  // Every byte by kind, with what the system gave for it; the writer must be at rest.  May throw std::bad_alloc.
  memory_report report_memory() const;
  writer_stats writer() const noexcept;
  // From any thread.
  backlog_stats backlog() const noexcept;
  const fib_options& options() const noexcept;
  // Checks every invariant of the structure against a recount; the writer must be at rest.  An empty text means all is
  // well.
  std::string verify_invariants() const;

 private:
  using impl = trie::lc_trie<key32, trie::default_traits>;
  explicit fib(std::unique_ptr<impl> trie) noexcept;

  std::unique_ptr<impl> impl_;
  const trie::reader<key32>* reader_;  // inside *impl_: the hot path needs no further indirection
};

}  // namespace fibtrie
