// SPDX-License-Identifier: MIT
// The public table on top of the IPv4 trie.
#include "fibtrie/fib.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <new>

#include "trie/batch.hpp"
#include "trie/lc_trie_impl.hpp"

namespace fibtrie {

fib::fib(std::unique_ptr<impl> trie) noexcept : impl_(std::move(trie)), reader_(&impl_->reader()) {}
fib::~fib() = default;

status fib::create(const rcu::domain& domain, const fib_options& options, std::unique_ptr<fib>& out) noexcept {
  std::unique_ptr<impl> trie(new (std::nothrow) impl(domain, options));
  if (trie == nullptr) return status::no_memory;
  const status code = trie->open();
  if (code != status::ok) return code;
  std::unique_ptr<fib> made(new (std::nothrow) fib(std::move(trie)));
  if (made == nullptr) return status::no_memory;
  out = std::move(made);
  return status::ok;
}

status fib::create(const rcu::domain& domain, std::unique_ptr<fib>& out) noexcept { return create(domain, {}, out); }

status fib::add(prefix4 route, std::uint32_t result) noexcept { return impl_->add(route, result); }
status fib::replace(prefix4 route, std::uint32_t result, bool* existed) noexcept {
  return impl_->replace(route, result, existed);
}
status fib::remove(prefix4 route) noexcept { return impl_->remove(route); }
status fib::compact(std::size_t max_slots, bool* more) noexcept { return impl_->compact(max_slots, more); }
status fib::settle() noexcept {
  for (int round = 0; round < 2; ++round) {  // the first one goes above all that is in use, the second one down again
    if (const status code = compact(); code != status::ok) return code;
    if (const status code = flush(); code != status::ok) return code;
  }
#if defined(__GLIBC__)
  malloc_trim(0);  // what a load took for its retired chunks would else stay with the allocator
#endif
  return status::ok;
}
status fib::flush() noexcept { return impl_->flush(); }

void fib::lookup_batch(const key32* addresses, std::size_t count, std::uint32_t* results,
                       std::uint64_t* found) const noexcept {
  trie::best_batch()(*reader_, addresses, count, results, found);
}
match_result<key32> fib::match(key32 address) const noexcept { return reader_->match(address); }
lookup_result fib::find(prefix4 route) const noexcept { return impl_->find(route); }

void fib::walk(walk_cursor& cursor, const std::function<bool(const route4&)>& visit) const {
  trie::cursor<key32> at{cursor.key, cursor.plen, cursor.done};
  impl_->walk(at, [&](prefix4 route, std::uint32_t result) { return visit(route4{route, result}); });
  cursor = {at.key, at.plen, at.done};
}

std::size_t fib::size() const noexcept { return impl_->size(); }
void fib::visit_shape(shape_visitor4& visitor) const { impl_->visit_shape(visitor); }
trie_stats fib::stats() const { return impl_->stats(); }
memory_stats fib::memory() const noexcept { return impl_->memory(); }
memory_report fib::report_memory() const { return impl_->report_memory(); }
backlog_stats fib::backlog() const noexcept { return impl_->backlog(); }
writer_stats fib::writer() const noexcept { return impl_->writer(); }
const fib_options& fib::options() const noexcept { return impl_->options(); }
std::string fib::verify_invariants() const { return impl_->verify_invariants(); }

}  // namespace fibtrie
