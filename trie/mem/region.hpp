// SPDX-License-Identifier: MIT
// A reserved range of addresses whose memory is taken as it is touched: arrays that grow without moving.
//
// Thread safety: one owner; readers may read memory that the owner published to them.
// Invariants: 1. base() is aligned to 2 MB where large pages were asked for and fit.  2. Untouched memory is zero.
// Source: mmap(2), madvise(2).
#pragma once

#include <cstddef>

namespace fibtrie::mem {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

class region {
 public:
  region() = default;
  ~region();
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  // Reserves `bytes`; what was reserved before is given up first.  False: the system refuses.
  bool reserve(std::size_t bytes, bool huge_pages) noexcept;

  std::byte* base() const noexcept { return base_; }
  std::size_t size() const noexcept { return size_; }

  // Tells that bytes [0, used) are in use, so that large regions can be given 2 MB pages.
  void used(std::size_t bytes) noexcept {
    if (bytes > advised_) advise(bytes);
  }
  // Bytes of [0, upto) that are in memory, and how many of the region's are on 2 MB pages; both ask the system.
  std::size_t resident_bytes(std::size_t upto) const noexcept;
  std::size_t huge_bytes() const noexcept;
  // Gives the whole pages (large ones, where it has asked for such) inside [from, from + bytes) back to the system;
  // they read as zero afterwards.
  void give_back(std::size_t from, std::size_t bytes) noexcept;

 private:
  void advise(std::size_t bytes) noexcept;
  void release() noexcept;

  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t advised_ = 0;  // below this nothing is to be advised any more
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  bool huge_pages_ = false;
};

// How much address space one more owner of regions should take, when `owners` are there already and as many again may
// come: a part of what the system's limits leave.
std::size_t address_share(std::size_t owners) noexcept;

}  // namespace fibtrie::mem
