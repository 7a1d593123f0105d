// SPDX-License-Identifier: MIT
// What every operation of a namespace begins and ends with: one writer, memory taken back, tables by id.
//
// Thread safety: begin_update() lets one thread in.
#include "trie/route/net.hpp"

#include <new>

#include "trie/assert.hpp"
#include "trie/lc_trie_impl.hpp"

namespace fibtrie::route {

net::net(const rcu::domain& domain, const net_options& options) noexcept
    : domain_(domain),
      options_(options),
      retired_(domain, {options.table.backlog_bytes, options.table.backlog_objects}),
      store_(retired_) {}

net::~net() {
  retired_.barrier();
  reclaim();
  while (nexthop_record* const gone = gone_nexthops_) {
    gone_nexthops_ = gone->next_gone;
    delete gone;
  }
}

status net::open() {
  if (!store_.open()) return status::no_memory;
  rules_.open();
  // The options of tables are checked by making one.
  auto probe = std::unique_ptr<trie_type>(new (std::nothrow) trie_type(domain_, options_.table));
  return probe == nullptr ? status::no_memory : probe->open();
}

status net::begin_update() noexcept {
  if (domain_.in_read_section()) return status::in_read_section;
  // acquire: sees what the writer before has done
  if (updating_.exchange(true, std::memory_order_acquire)) return status::busy;
  reclaim();
  status code = status::ok;
  if (retired_.over_limit()) {
    if (options_.table.backlog == on_backlog::wait) {
      retired_.barrier();
      reclaim();
    } else {
      retired_.submit();  // what waits in the open chunk would else never come back
      code = status::backlog_full;
    }
  }
  if (code == status::ok && !retired_.reserve(spare_records)) code = status::no_memory;
  if (code != status::ok) {
    end_update();
    return code;
  }
  if (flush_due_) flush_dead();
  drop_dead_nexthops();
  retire_gone_nexthops();
  if (parting_due_) sweep_local_out_of_main();
  return code;
}

void net::end_update() noexcept {
  pending_retires_ = 0;
  updating_.store(false, std::memory_order_release);  // release: the next writer sees what this one has done
}

void net::reserve_retire(std::size_t records) {
  if (retired_.reserve(pending_retires_ + records + spare_records)) return;
  // What an operation may need to end, or to be undone, must be there: at worst it waits for readers once.
  const std::size_t kept = pending_retires_ + spare_records;
  if (!retired_.reserve(kept)) {
    retired_.barrier();
    reclaim();
    [[maybe_unused]] const bool enough = retired_.reserve(kept);
    FIBTRIE_ASSERT(enough);
  }
  throw std::bad_alloc();
}

void net::reclaim() noexcept {
  retired_.reclaim([this](std::uint64_t record) { reclaim_record(record); });
}

// What a whole trie takes, with what waits in its own queue.
std::size_t net::bytes_of(const trie_type& trie) noexcept {
  const memory_stats m = trie.memory();
  return sizeof(trie_type) + m.slot_bytes + m.header_bytes + m.descriptor_bytes + m.entry_bytes;
}

void net::reclaim_record(std::uint64_t record) noexcept {
  void* const what = reinterpret_cast<void*>(record & ((std::uint64_t{1} << 56) - 1));
  switch (static_cast<retired_kind>(record >> 56)) {
    case retired_kind::info: return store_.reclaim_info(static_cast<fib_info*>(what));
    case retired_kind::list: return store_.reclaim_list(static_cast<alias_list*>(what));
    case retired_kind::rules: delete static_cast<const rule_list*>(what); return;
    case retired_kind::nexthop_state: delete static_cast<nexthop_state*>(what); return;
    case retired_kind::nexthop: delete static_cast<nexthop_record*>(what); return;
    case retired_kind::device: delete static_cast<device_record*>(what); return;
    case retired_kind::trie:
      waiting_trie_bytes_ -= bytes_of(*static_cast<trie_type*>(what));
      delete static_cast<trie_type*>(what);
      return;
  }
}

status net::flush() noexcept {
  if (domain_.in_read_section()) return status::in_read_section;
  if (updating_.exchange(true, std::memory_order_acquire)) return status::busy;  // acquire: as in begin_update()
  retired_.barrier();
  reclaim();
  status code = status::ok;
  tables_.for_each([&](table& t) {
    if (t.own != nullptr && code == status::ok) code = t.own->flush();
  });
  end_update();
  return code;
}

// Twice: the second time into what the first has left free.
status net::compact(std::uint32_t id) noexcept {
  const update_scope scope(*this);
  if (scope.code() != status::ok) return scope.code();
  table* const t = existing_table(id);
  if (t == nullptr) return status::no_entry;
  for (int pass = 0; pass < 2; ++pass) {
    bool more = false;
    if (const status code = t->trie().compact(SIZE_MAX, &more); code != status::ok) return code;
    if (const status code = t->trie().flush(); code != status::ok) return code;
  }
  return status::ok;
}

table* net::existing_table(std::uint32_t id) const noexcept {
  return tables_.find(id == table_id::unspec ? table_id::main : id);
}

table* net::table_for(std::uint32_t id) {
  if (id == table_id::unspec) id = table_id::main;
  if (table* const there = tables_.find(id)) return there;
  table* shares = nullptr;
  if (id == table_id::local && !parted()) shares = table_for(table_id::main);
  auto fresh = std::make_unique<table>();
  fresh->id = id;
  if (shares == nullptr) {
    fresh->own = make_trie(domain_, options_.table);
    if (fresh->own == nullptr) throw std::bad_alloc();
  }
  // relaxed: the table is published as a whole
  fresh->shown.store(shares != nullptr ? shares->own.get() : fresh->own.get(), std::memory_order_relaxed);
  return tables_.add(std::move(fresh));
}

std::uint32_t net::read_prefix(const table& t, prefix4 dst, alias_vector& out) const {
  const lookup_result found = t.trie().find(dst);
  if (!found.found) return 0;
  store_.read(found.value, out);
  return found.value;
}

}  // namespace fibtrie::route
