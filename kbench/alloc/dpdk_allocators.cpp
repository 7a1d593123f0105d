// SPDX-License-Identifier: MIT
// DPDK's mempool and packet buffers, where libdpdk-dev was there at the build.
#include "kbench/alloc/allocator.hpp"

#ifdef FIBTRIE_HAVE_DPDK
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <array>
#endif

namespace fibtrie::kbench {

#ifdef FIBTRIE_HAVE_DPDK
namespace {

constexpr unsigned cache_size = RTE_MEMPOOL_CACHE_MAX_SIZE;  // 512, the largest it allows

// Once for the process; empty: it runs.  Without files, devices and large pages.
const std::string& start_dpdk() {
  static const std::string error = [] {
    std::array<const char*, 9> arguments = {"kbench",    "--no-huge",      "-m",          "256",
                                            "--no-pci",  "--no-telemetry", "--no-shconf", "--log-level=lib.*:error",
                                            "--lcores=0"};
    if (rte_eal_init(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data())) < 0) {
      return std::string("DPDK does not start: ") + rte_strerror(rte_errno);
    }
    return std::string();
  }();
  return error;
}

// Caches of a mempool belong to threads that DPDK knows.
class known_thread {
 public:
  known_thread() : mine_(rte_lcore_id() == LCORE_ID_ANY && rte_thread_register() == 0) {}
  ~known_thread() {
    if (mine_) rte_thread_unregister();
  }
  known_thread(const known_thread&) = delete;
  known_thread& operator=(const known_thread&) = delete;

 private:
  bool mine_;
};

class mempool_thread {
 public:
  using handle = void*;
  explicit mempool_thread(rte_mempool* pool) : pool_(pool) {}
  bool allocate(handle* out, unsigned n) noexcept { return rte_mempool_get_bulk(pool_, out, n) == 0; }
  void free(handle* objects, unsigned n) noexcept { rte_mempool_put_bulk(pool_, objects, n); }
  void* address(handle object) const noexcept { return object; }

 private:
  known_thread known_;
  rte_mempool* pool_;
};

class packet_thread {
 public:
  using handle = rte_mbuf*;
  explicit packet_thread(rte_mempool* pool) : pool_(pool) {}
  bool allocate(handle* out, unsigned n) noexcept { return rte_pktmbuf_alloc_bulk(pool_, out, n) == 0; }
  void free(handle* packets, unsigned n) noexcept { rte_pktmbuf_free_bulk(packets, n); }
  void* address(handle packet) const noexcept { return packet; }

 private:
  known_thread known_;
  rte_mempool* pool_;
};

template <class Thread>
class dpdk_allocator final : public allocator {
 public:
  dpdk_allocator(std::string name, rte_mempool* pool) : name_(std::move(name)), pool_(pool) {}
  ~dpdk_allocator() override { rte_mempool_free(pool_); }
  const std::string& name() const noexcept override { return name_; }
  std::unique_ptr<alloc_lane> make_lane() override { return std::make_unique<lane_of<Thread>>(pool_); }
  std::size_t lost() const override { return rte_mempool_in_use_count(pool_); }

 private:
  std::string name_;
  rte_mempool* pool_;
};

}  // namespace

std::unique_ptr<allocator> make_dpdk_objects(std::size_t object_bytes, std::size_t objects, std::string& why) {
  if (why = start_dpdk(); !why.empty()) return nullptr;
  rte_mempool* const pool =
      rte_mempool_create("objects", static_cast<unsigned>(objects), static_cast<unsigned>(object_bytes), cache_size, 0,
                         nullptr, nullptr, nullptr, nullptr, SOCKET_ID_ANY, 0);
  if (pool == nullptr) {
    why = rte_strerror(rte_errno);
    return nullptr;
  }
  return std::make_unique<dpdk_allocator<mempool_thread>>("rte_mempool", pool);
}

std::unique_ptr<allocator> make_dpdk_packets(std::size_t objects, std::string& why) {
  if (why = start_dpdk(); !why.empty()) return nullptr;
  rte_mempool* const pool = rte_pktmbuf_pool_create("packets", static_cast<unsigned>(objects), cache_size, 0,
                                                    RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
  if (pool == nullptr) {
    why = rte_strerror(rte_errno);
    return nullptr;
  }
  return std::make_unique<dpdk_allocator<packet_thread>>("rte_pktmbuf", pool);
}
#else
std::unique_ptr<allocator> make_dpdk_objects(std::size_t, std::size_t, std::string& why) {
  why = "libdpdk-dev was not there when kbench was built";
  return nullptr;
}
std::unique_ptr<allocator> make_dpdk_packets(std::size_t, std::string& why) {
  why = "libdpdk-dev was not there when kbench was built";
  return nullptr;
}
#endif

}  // namespace fibtrie::kbench
