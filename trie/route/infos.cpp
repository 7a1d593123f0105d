// SPDX-License-Identifier: MIT
// The table of shared parts.
//
// Thread safety: one writer.
#include "trie/route/infos.hpp"

#include <new>

namespace fibtrie::route {

namespace {

constexpr std::size_t first_buckets = 16;
constexpr std::size_t max_infos = std::size_t{1} << 26;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

bool same_leg(const fib_leg& a, const fib_leg& b) noexcept {
  return a.oif == b.oif && a.gateway == b.gateway && a.scope == b.scope && a.weight == b.weight && a.flow == b.flow &&
         a.request_flags == b.request_flags;
}

bool same_but_metrics(const fib_info& a, const fib_info& b) noexcept {
  if (a.leg_count != b.leg_count || a.nexthop != b.nexthop || a.protocol != b.protocol || a.scope != b.scope ||
      a.prefsrc != b.prefsrc || a.priority != b.priority || a.type != b.type || a.table != b.table) {
    return false;
  }
  for (std::uint32_t i = 0; i < a.leg_count; ++i) {
    if (!same_leg(a.legs[i], b.legs[i])) return false;
  }
  return true;
}

}  // namespace

bool same_info(const fib_info& a, const fib_info& b) noexcept {
  return same_but_metrics(a, b) && a.metrics == b.metrics;
}

// Without the metrics: find_like() looks for them.
std::uint64_t hash_info(const fib_info& info) noexcept {
  std::uint64_t hash = mix(info.table, std::uint64_t{info.priority} << 32 | info.prefsrc);
  hash = mix(hash, std::uint64_t{info.protocol} << 16 | std::uint64_t{info.scope} << 8 |
                       static_cast<std::uint64_t>(info.type));
  hash = mix(hash, reinterpret_cast<std::uintptr_t>(info.nexthop));
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    hash = mix(hash, std::uint64_t{info.legs[i].gateway} << 32 | info.legs[i].oif);
    hash = mix(hash, info.legs[i].weight);
  }
  return hash;
}

info_table::~info_table() {
  for (fib_info* info = oldest_; info != nullptr;) {
    fib_info* const next = info->newer;
    delete info;
    info = next;
  }
}

bool info_table::open() noexcept {
  for (std::size_t count = max_infos; count >= 1024; count /= 4) {
    if (slots_.reserve(count, false)) return true;
  }
  return false;
}

fib_info* info_table::find(const fib_info& info) const noexcept {
  if (bucket_count_ == 0) return nullptr;
  const std::uint64_t hash = hash_info(info);
  for (fib_info* at = buckets_[hash & (bucket_count_ - 1)]; at != nullptr; at = at->next) {
    if (at->hash == hash && same_info(*at, info)) return at;
  }
  return nullptr;
}

fib_info* info_table::find_like(const fib_info& info) const noexcept {
  if (bucket_count_ == 0) return nullptr;
  for (fib_info* at = buckets_[hash_info(info) & (bucket_count_ - 1)]; at != nullptr; at = at->next) {
    if (same_but_metrics(*at, info)) return at;
  }
  return nullptr;
}

bool info_table::grow() noexcept {
  const std::size_t count = bucket_count_ == 0 ? first_buckets : 2 * bucket_count_;
  std::unique_ptr<fib_info*[]> fresh(new (std::nothrow) fib_info*[count]());
  if (fresh == nullptr) return bucket_count_ != 0;  // longer chains will do
  for (fib_info* info = oldest_; info != nullptr; info = info->newer) {
    fib_info*& bucket = fresh[info->hash & (count - 1)];
    info->next = bucket;
    bucket = info;
  }
  buckets_ = std::move(fresh);
  bucket_count_ = count;
  return true;
}

bool info_table::adopt(std::unique_ptr<fib_info>& info) noexcept {
  if (size_ >= bucket_count_ && !grow()) return false;
  const std::uint32_t id = slots_.allocate();
  if (id == 0) return false;
  fib_info* const kept = info.release();
  kept->id = id;
  kept->hash = hash_info(*kept);
  fib_info*& bucket = buckets_[kept->hash & (bucket_count_ - 1)];
  kept->next = bucket;
  bucket = kept;
  kept->older = newest_;
  (newest_ != nullptr ? newest_->newer : oldest_) = kept;
  newest_ = kept;
  ++size_;
  info_bytes_ += bytes_of(*kept);
  slots_[id].info.store(kept, std::memory_order_release);  // release: the info is complete
  return true;
}

void info_table::drop(fib_info& info) noexcept {
  fib_info** link = &buckets_[info.hash & (bucket_count_ - 1)];
  while (*link != &info) link = &(*link)->next;
  *link = info.next;
  (info.newer != nullptr ? info.newer->older : newest_) = info.older;
  (info.older != nullptr ? info.older->newer : oldest_) = info.newer;
  --size_;
}

void info_table::reclaim(fib_info* info) noexcept {
  slots_.free(info->id);
  info_bytes_ -= bytes_of(*info);
  delete info;
}

}  // namespace fibtrie::route
