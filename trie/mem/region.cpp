// SPDX-License-Identifier: MIT
#include "trie/mem/region.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace fibtrie::mem {
namespace {

constexpr std::size_t small_page_bytes = 4096;
// From this size on a region asks for large pages: below, an empty table would pay 2 MB for a few routes.
constexpr std::size_t huge_from_bytes = std::size_t{1} << 20;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

// Of a process on a 64-bit system, less what others than us may take.
constexpr std::size_t address_space = std::size_t{100} << 40;

// relaxed (all uses): a sum that is nothing but a hint
std::atomic<std::size_t> reserved_by_all{0};

bool is_address_space_limited() noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

region::~region() { release(); }

void region::release() noexcept {
  if (mapping_ == nullptr) return;
  munmap(mapping_, mapping_bytes_);
  reserved_by_all.fetch_sub(mapping_bytes_, std::memory_order_relaxed);
  mapping_ = nullptr;
  base_ = nullptr;
  size_ = 0;
}

bool region::reserve(std::size_t bytes, bool huge_pages) noexcept {
  release();
  bytes = round_up(bytes, small_page_bytes);
  // Large pages need their alignment: so much more is asked for.  What lies around is given back where address space is
  // limited; elsewhere neighbouring regions should stay one mapping, since their number is limited, too.
  const bool aligned = huge_pages && bytes >= huge_page_bytes;
  const std::size_t whole = bytes + (aligned ? huge_page_bytes : 0);
  void* place = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(place);
  std::size_t mapped = whole;
  if (aligned) {
    base_ = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uintptr_t>(place), huge_page_bytes));
    const auto head = static_cast<std::size_t>(base_ - static_cast<std::byte*>(place));
    if (is_address_space_limited()) {
      if (head != 0) munmap(place, head);
      munmap(base_ + bytes, whole - head - bytes);
      place = base_;
      mapped = bytes;
    }
  }
  mapping_ = place;
  mapping_bytes_ = mapped;
  size_ = bytes;
  reserved_by_all.fetch_add(mapped, std::memory_order_relaxed);
  huge_pages_ = aligned;
  advised_ = aligned ? huge_from_bytes : bytes;
  return true;
}

void region::advise(std::size_t bytes) noexcept {
  // Both calls are wishes: a system without large pages refuses them and nothing is lost.  The first 2 MB hold small
  // pages already, so they are collapsed; later ranges are advised before they are touched.
  const bool first = advised_ == huge_from_bytes;
  const std::size_t from = first ? 0 : advised_;
  const std::size_t to = std::min(round_up(bytes, huge_page_bytes), size_ / huge_page_bytes * huge_page_bytes);
  advised_ = std::max(to, bytes);
  if (to <= from) return;
  (void)madvise(base_ + from, to - from, MADV_HUGEPAGE);
  if (first) (void)madvise(base_, huge_page_bytes, MADV_COLLAPSE);
}

std::size_t region::resident_bytes(std::size_t upto) const noexcept {
  constexpr std::size_t pages_at_once = 4096;
  unsigned char here[pages_at_once];
  std::size_t count = 0;
  const std::size_t end = round_up(std::min(upto, size_), small_page_bytes);
  for (std::size_t at = 0; at < end; at += pages_at_once * small_page_bytes) {
    const std::size_t bytes = std::min(end - at, pages_at_once * small_page_bytes);
    if (mincore(base_ + at, bytes, here) != 0) return 0;
    for (std::size_t page = 0; page < bytes / small_page_bytes; ++page) count += here[page] & 1u;
  }
  return count * small_page_bytes;
}

// A mapping of its own may be shown in several parts, and beside others that touch it.
std::size_t region::huge_bytes() const noexcept {
  if (!huge_pages_ || advised_ <= huge_from_bytes) return 0;  // it never asked for any
  std::FILE* const file = std::fopen("/proc/self/smaps", "re");
  if (file == nullptr) return 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(base_);
  std::size_t sum_kb = 0;
  bool mine = false;
  char line[512];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long from = 0;
    unsigned long to = 0;
    unsigned long kb = 0;
    if (std::sscanf(line, "%lx-%lx ", &from, &to) == 2) {
      mine = from < begin + size_ && to > begin;
    } else if (mine && (std::sscanf(line, "AnonHugePages: %lu", &kb) == 1 ||
                        std::sscanf(line, "Private_Hugetlb: %lu", &kb) == 1)) {
      sum_kb += kb;
    }
  }
  std::fclose(file);
  return sum_kb * 1024;
}

void region::give_back(std::size_t from, std::size_t bytes) noexcept {
  // Large pages go whole: half of one would leave the rest on small ones.
  const std::size_t unit = huge_pages_ && advised_ > huge_from_bytes ? huge_page_bytes : small_page_bytes;
  const std::size_t first = round_up(from, unit);
  const std::size_t end = (from + bytes) / unit * unit;
  if (end > first) (void)madvise(base_ + first, end - first, MADV_DONTNEED);
}

std::size_t address_share(std::size_t owners) noexcept {
  constexpr std::size_t least_parts = 8;
  const std::size_t reserved = reserved_by_all.load(std::memory_order_relaxed);
  std::size_t left = address_space - std::min(address_space, reserved);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    std::size_t pages = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
      if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    const std::size_t used = pages * small_page_bytes;
    left = std::min<std::size_t>(left, limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used));
  }
  return left / std::max(least_parts, 2 * owners);
}

}  // namespace fibtrie::mem
