// SPDX-License-Identifier: MIT
#include "trie/mem/object_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <string>

namespace fibtrie::mem {
namespace {

constexpr std::size_t line_bytes = 64;
// From here on strides have an odd number of lines, so that equal offsets of many objects do not meet in few sets of a
// cache; below, that would waste too much.
constexpr std::size_t odd_from_lines = 8;
constexpr std::size_t max_object_bytes = std::size_t{1} << 20;
constexpr std::size_t max_objects_per_node = std::size_t{1} << 27;
constexpr std::size_t max_header_bytes = 4096;

std::size_t round_up(std::size_t value, std::size_t unit) noexcept { return (value + unit - 1) / unit * unit; }

std::size_t stride_of(std::size_t bytes) noexcept {
  std::size_t lines = (bytes + line_bytes - 1) / line_bytes;
  if (lines >= odd_from_lines) lines |= 1;
  return lines * line_bytes;
}

bool is_valid(const pool_options& options) noexcept {
  if (options.classes.empty() || options.classes.size() > object_pool::max_classes) return false;
  if (options.header_bytes > max_header_bytes || options.header_bytes % 16 != 0) return false;
  std::size_t last = 0;
  for (const size_class& c : options.classes) {
    if (c.object_bytes <= last || c.object_bytes % 16 != 0 || c.object_bytes > max_object_bytes) return false;
    if (c.objects_per_node == 0 || c.objects_per_node > max_objects_per_node) return false;
    if (std::uint64_t{std::bit_ceil(c.objects_per_node)} * options.nodes.nodes() > UINT32_MAX) return false;
    last = c.object_bytes;
  }
  return options.initial.size() <= options.classes.front().object_bytes;
}

}  // namespace

object_pool::object_pool(const pool_options& options, std::size_t initial_lines) noexcept
    : header_bytes_(options.header_bytes),
      initial_lines_(initial_lines),
      borrow_(options.borrow),
      nodes_(options.nodes) {}

object_pool::~object_pool() {
  FIBTRIE_ASSERT(first_cache_ == nullptr);
  for (unsigned cls = 0; cls < class_count_; ++cls) unpoison(classes_[cls].memory.base(), classes_[cls].memory.size());
}

status object_pool::create(const pool_options& options, std::unique_ptr<object_pool>& out) noexcept {
  if (!is_valid(options)) return status::invalid;
  try {
    std::unique_ptr<object_pool> made(new object_pool(options, options.initial.size() / line_bytes));
    if (!made->open(options)) return status::no_memory;
    out = std::move(made);
    return status::ok;
  } catch (const std::bad_alloc&) {
    return status::no_memory;
  }
}

bool object_pool::open(const pool_options& options) {
  initial_rest_ = options.initial.size() % line_bytes;
  initial_ = std::make_unique<std::byte[]>(options.initial.size() + 1);
  std::copy(options.initial.begin(), options.initial.end(), initial_.get());
  stores_ = std::make_unique<depot[]>(options.classes.size() * nodes_.nodes());
  for (const size_class& c : options.classes) {
    if (!open_class(class_count_, c, options.huge_pages)) return false;
    ++class_count_;
  }
  return true;
}

bool object_pool::open_class(unsigned cls, const size_class& wanted, bool huge_pages) {
  class_state& c = classes_[cls];
  c.object_bytes = wanted.object_bytes;
  c.stride = stride_of(header_bytes_ + wanted.object_bytes);
  c.node_shift = static_cast<unsigned>(std::countr_zero(std::bit_ceil(wanted.objects_per_node)));
  // Each node's part begins where the ids of the node do; what lies between is never touched.
  const std::size_t part = c.stride << c.node_shift;
  if (!c.memory.reserve(part * nodes_.nodes() + line_bytes, false)) return false;
  const std::size_t used = round_up(wanted.objects_per_node * c.stride, 4096);
  for (unsigned node = 0; node < nodes_.nodes(); ++node) {
    std::byte* const from = c.memory.base() + node * part / 4096 * 4096;
    (void)nodes_.bind(from, used, node);
    if (huge_pages && used >= 2 * huge_page_bytes) (void)madvise(from, used, MADV_HUGEPAGE);  // a wish
    const auto first = (node << c.node_shift) + 1;
    if (!store(cls, node).open(first, static_cast<std::uint32_t>(wanted.objects_per_node))) return false;
  }
  c.base = c.memory.base() + header_bytes_ - c.stride;
  return true;
}

unsigned object_pool::class_for(std::size_t bytes) const noexcept {
  for (unsigned cls = 0; cls < class_count_; ++cls) {
    if (classes_[cls].object_bytes >= bytes) return cls;
  }
  return no_class;
}

std::size_t object_pool::take(unsigned cls, unsigned node, std::span<std::uint32_t> out) noexcept {
  depot& from = store(cls, node);
  depot::taken got;
  {
    const std::lock_guard guard(from.lock);
    got = from.take(out);
  }
  for (const std::uint32_t id : out.first(got.count).last(got.fresh)) {
    restore(object(cls, id));
    poison(object(cls, id), classes_[cls].object_bytes);
  }
  return got.count;
}

void object_pool::give(unsigned cls, unsigned node, std::span<const std::uint32_t> ids) noexcept {
  depot& to = store(cls, node);
  const std::lock_guard guard(to.lock);
  to.give(ids);
}

std::size_t object_pool::borrow(unsigned cls, unsigned node, std::span<std::uint32_t> out) noexcept {
  std::size_t count = 0;
  for (unsigned step = 1; borrow_ && step < nodes() && count < out.size(); ++step) {
    count += take(cls, (node + step) % nodes(), out.subspan(count));
  }
  borrowed_.fetch_add(count, std::memory_order_relaxed);
  return count;
}

// The last resort, while somebody has nothing: with all caches held, so that no object is on its way from one place to
// another, whatever the stores and caches have.
std::size_t object_pool::gather(const pool_cache& asking, unsigned cls, std::span<std::uint32_t> out) noexcept {
  std::size_t count = 0;
  std::size_t borrowed = 0;
  std::size_t stolen = 0;
  const std::lock_guard guard(registry_);
  for (pool_cache* c = first_cache_; c != nullptr; c = c->next_) c->lock_.lock();
  for (unsigned step = 0; step < (borrow_ ? nodes() : 1); ++step) {
    const unsigned node = (asking.node_ + step) % nodes();
    const std::size_t before = count;
    count += take(cls, node, out.subspan(count));
    for (pool_cache* c = first_cache_; c != nullptr && count < out.size(); c = c->next_) {
      const std::size_t n = c->take_from(c->stack_of(cls, node), out.subspan(count));
      count += n;
      stolen += c == &asking ? 0 : n;
    }
    borrowed += step == 0 ? 0 : count - before;
  }
  for (pool_cache* c = first_cache_; c != nullptr; c = c->next_) c->lock_.unlock();
  borrowed_.fetch_add(borrowed, std::memory_order_relaxed);
  stolen_.fetch_add(stolen, std::memory_order_relaxed);
  return count;
}

std::size_t object_pool::count_caches() const noexcept {
  std::size_t count = 0;
  for (const pool_cache* c = first_cache_; c != nullptr; c = c->next_) ++count;
  return count;
}

// Nothing is allocated while threads have to wait.
pool_stats object_pool::stats() const {
  pool_stats sum;
  sum.rows.resize(std::size_t{class_count_} * nodes());
  std::unique_lock guard(registry_);
  for (std::size_t caches = count_caches(), room = 0; room != caches; caches = count_caches()) {
    guard.unlock();
    for (pool_row& row : sum.rows) row.cached_per_thread.resize(caches);
    room = caches;
    guard.lock();
  }
  for (const pool_cache* c = first_cache_; c != nullptr; c = c->next_) c->lock_.lock();
  for (std::size_t i = 0; i < sum.rows.size(); ++i) {
    const auto cls = static_cast<unsigned>(i / nodes());
    count_row(cls, static_cast<unsigned>(i % nodes()), sum.rows[i], sum.memory_bytes);
  }
  for (const pool_cache* c = first_cache_; c != nullptr; c = c->next_) c->lock_.unlock();
  sum.borrowed = borrowed_.load(std::memory_order_relaxed);
  sum.stolen = stolen_.load(std::memory_order_relaxed);
  sum.refused = refused_.load(std::memory_order_relaxed);
  return sum;
}

void object_pool::count_row(unsigned cls, unsigned node, pool_row& row, std::size_t& memory) const noexcept {
  depot& from = store(cls, node);
  const std::lock_guard guard(from.lock);
  row.object_bytes = classes_[cls].object_bytes;
  row.node = node;
  row.total = from.capacity();
  row.available = from.free_count();
  std::size_t rank = 0;
  for (const pool_cache* c = first_cache_; c != nullptr; c = c->next_) {
    row.cached_per_thread[rank] = c->stack_of(cls, node).count;
    row.cached += row.cached_per_thread[rank++];
  }
  row.used = row.total - row.available - row.cached;
  memory += std::size_t{from.ever_used()} * classes_[cls].stride;
}

std::string object_pool::audit() const {
  const std::lock_guard guard(registry_);
  for (unsigned cls = 0; cls < class_count_; ++cls) {
    for (unsigned node = 0; node < nodes(); ++node) {
      std::vector<bool> seen(store(cls, node).ever_used());
      std::uint32_t wrong = find_wrong(cls, node, store(cls, node).returned(), seen);
      for (const pool_cache* c = first_cache_; c != nullptr && wrong == 0; c = c->next_) {
        const pool_cache::stack& s = c->stack_of(cls, node);
        wrong = find_wrong(cls, node, {s.ids, s.count}, seen);
      }
      if (wrong == 0) continue;
      return "class " + std::to_string(cls) + ", node " + std::to_string(node) + ": free object " +
             std::to_string(wrong) + " is not of this node, twice there, or was written to";
    }
  }
  return {};
}

// The first id that has no place here; 0: none.
std::uint32_t object_pool::find_wrong(unsigned cls, unsigned node, std::span<const std::uint32_t> ids,
                                      std::vector<bool>& seen) const {
  // A poisoned object cannot be looked at, nor written to unnoticed.
  const std::size_t looked_at = pool_cache::has_poison ? 0 : initial_lines_ * line_bytes + initial_rest_;
  for (const std::uint32_t id : ids) {
    const std::uint32_t rank = id - 1 - (node << classes_[cls].node_shift);
    if (id == 0 || rank >= seen.size() || seen[rank]) return std::max(id, 1u);
    if (std::memcmp(object(cls, id), initial_.get(), looked_at) != 0) return id;
    seen[rank] = true;
  }
  return 0;
}

status pool_cache::create(object_pool& pool, unsigned node, std::unique_ptr<pool_cache>& out) noexcept {
  if (node >= pool.nodes()) return status::invalid;
  std::unique_ptr<pool_cache> made(new (std::nothrow) pool_cache(pool, node));
  if (made == nullptr) return status::no_memory;
  made->stacks_.reset(new (std::nothrow) stack[std::size_t{pool.class_count()} * pool.nodes()]);
  if (made->stacks_ == nullptr) return status::no_memory;
  {
    const std::lock_guard guard(pool.registry_);
    pool_cache** last = &pool.first_cache_;
    while (*last != nullptr) last = &(*last)->next_;
    *last = made.get();
  }
  out = std::move(made);
  return status::ok;
}

pool_cache::~pool_cache() {
  if (stacks_ == nullptr) return;
  const std::lock_guard guard(pool_.registry_);
  flush();
  pool_cache** at = &pool_.first_cache_;
  while (*at != this && *at != nullptr) at = &(*at)->next_;
  if (*at == this) *at = next_;
}

void pool_cache::flush() noexcept {
  const std::lock_guard guard(lock_);
  for (unsigned cls = 0; cls < pool_.class_count(); ++cls) {
    for (unsigned node = 0; node < pool_.nodes(); ++node) {
      stack& s = stack_of(cls, node);
      pool_.give(cls, node, {s.ids, s.count});
      s.count = 0;
    }
  }
}

// First what the cache has, then the store's; a half cache more, so that the next calls need no store.
std::size_t pool_cache::refill(unsigned cls, stack& own, std::span<std::uint32_t> out) noexcept {
  std::size_t count = own.count;
  std::memcpy(out.data(), own.ids, count * sizeof(std::uint32_t));
  own.count = 0;
  if (out.size() - count < object_pool::exchange_size) {
    own.count = static_cast<std::uint32_t>(pool_.take(cls, node_, {own.ids, object_pool::exchange_size}));
    const auto more = static_cast<std::uint32_t>(std::min<std::size_t>(own.count, out.size() - count));
    own.count -= more;
    std::memcpy(&out[count], &own.ids[own.count], more * sizeof(std::uint32_t));
    return count + more;
  }
  return count + pool_.take(cls, node_, out.subspan(count));
}

std::size_t pool_cache::take_from(stack& has, std::span<std::uint32_t> out) noexcept {
  const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(has.count, out.size()));
  has.count -= n;
  std::memcpy(out.data(), &has.ids[has.count], n * sizeof(std::uint32_t));
  return n;
}

// What this thread freed of other nodes' objects.
std::size_t pool_cache::take_foreign(unsigned cls, std::span<std::uint32_t> out) noexcept {
  std::size_t count = 0;
  const std::lock_guard guard(lock_);
  for (unsigned step = 1; step < pool_.nodes() && count < out.size(); ++step) {
    count += take_from(stack_of(cls, (node_ + step) % pool_.nodes()), out.subspan(count));
  }
  return count;
}

std::size_t pool_cache::search(unsigned cls, std::span<std::uint32_t> out) noexcept {
  std::size_t count = pool_.borrow_ ? take_foreign(cls, out) : 0;
  pool_.borrowed_.fetch_add(count, std::memory_order_relaxed);
  if (count < out.size()) count += pool_.borrow(cls, node_, out.subspan(count));
  if (count < out.size()) count += pool_.gather(*this, cls, out.subspan(count));
  if (count < out.size()) pool_.refused_.fetch_add(out.size() - count, std::memory_order_relaxed);
  return count;
}

void pool_cache::put_slowly(unsigned cls, std::span<const std::uint32_t> ids) noexcept {
  for (std::size_t i = 0; i < ids.size();) {
    const unsigned node = pool_.node_of(cls, ids[i]);
    std::size_t end = i + 1;
    while (end < ids.size() && pool_.node_of(cls, ids[end]) == node) ++end;
    push(cls, node, ids.subspan(i, end - i));
    i = end;
  }
}

// Keeps the warmest ones: the older half of a full cache goes to the store.
void pool_cache::push(unsigned cls, unsigned node, std::span<const std::uint32_t> ids) noexcept {
  stack& s = stack_of(cls, node);
  if (s.count + ids.size() > object_pool::cache_size) {
    const auto out = static_cast<std::uint32_t>(std::min<std::size_t>(s.count, object_pool::exchange_size));
    pool_.give(cls, node, {s.ids, out});
    s.count -= out;
    std::memmove(s.ids, s.ids + out, s.count * sizeof(std::uint32_t));
  }
  const std::size_t room = object_pool::cache_size - s.count;
  if (ids.size() > room) {
    pool_.give(cls, node, ids.first(ids.size() - room));
    ids = ids.last(room);
  }
  std::memcpy(&s.ids[s.count], ids.data(), ids.size_bytes());
  s.count += static_cast<std::uint32_t>(ids.size());
}

void pool_cache::give_back(unsigned cls, std::span<const std::uint32_t> ids) noexcept {
  if constexpr (has_poison) hide(cls, ids);
  const std::lock_guard guard(lock_);
  put_slowly(cls, ids);
}

void pool_cache::reveal(unsigned cls, std::span<const std::uint32_t> ids) const noexcept {
  for (const std::uint32_t id : ids) unpoison(pool_.object(cls, id), pool_.classes_[cls].object_bytes);
}
void pool_cache::hide(unsigned cls, std::span<const std::uint32_t> ids) const noexcept {
  for (const std::uint32_t id : ids) poison(pool_.object(cls, id), pool_.classes_[cls].object_bytes);
}

}  // namespace fibtrie::mem
