// SPDX-License-Identifier: MIT
// The library's pools, malloc, and jemalloc where it is installed.
#include <dlfcn.h>

#include <cstdlib>

#include "fibtrie/pool.h"
#include "kbench/alloc/allocator.hpp"

namespace fibtrie::kbench {
namespace {

// ---- object_pool

class pool_thread {
 public:
  using handle = std::uint32_t;
  explicit pool_thread(object_pool& pool) : pool_(pool) {
    if (pool_cache::create(pool, cache_) != status::ok) cache_ = nullptr;
  }
  bool is_ready() const noexcept { return cache_ != nullptr; }
  bool allocate(handle* out, unsigned n) noexcept { return cache_->allocate_all(0, {out, n}); }
  void free(const handle* ids, unsigned n) noexcept { cache_->free(0, {ids, n}); }
  void* address(handle id) const noexcept { return pool_.object(0, id); }

 private:
  object_pool& pool_;
  std::unique_ptr<pool_cache> cache_;
};

class pool_allocator final : public allocator {
 public:
  explicit pool_allocator(std::unique_ptr<object_pool> pool) : pool_(std::move(pool)) {}
  const std::string& name() const noexcept override { return name_; }
  std::unique_ptr<alloc_lane> make_lane() override { return std::make_unique<lane_of<pool_thread>>(*pool_); }
  std::size_t lost() const override {
    std::size_t used = 0;
    for (const pool_row& row : pool_->stats().rows) used += row.used;
    return pool_->audit().empty() ? used : SIZE_MAX;
  }

 private:
  std::string name_ = "pool";
  std::unique_ptr<object_pool> pool_;
};

// ---- malloc and its like

struct heap_functions {
  void* (*allocate)(std::size_t);
  void (*free)(void*);
};

class heap_thread {
 public:
  using handle = void*;
  heap_thread(heap_functions functions, std::size_t bytes) : functions_(functions), bytes_(bytes) {}
  bool allocate(handle* out, unsigned n) noexcept {
    for (unsigned i = 0; i < n; ++i) out[i] = functions_.allocate(bytes_);
    return out[n - 1] != nullptr;
  }
  void free(handle* objects, unsigned n) noexcept {
    for (unsigned i = 0; i < n; ++i) functions_.free(objects[i]);
  }
  void* address(handle object) const noexcept { return object; }

 private:
  heap_functions functions_;
  std::size_t bytes_;
};

class heap_allocator final : public allocator {
 public:
  heap_allocator(std::string name, heap_functions functions, std::size_t bytes)
      : name_(std::move(name)), functions_(functions), bytes_(bytes) {}
  const std::string& name() const noexcept override { return name_; }
  std::unique_ptr<alloc_lane> make_lane() override {
    return std::make_unique<lane_of<heap_thread>>(functions_, bytes_);
  }

 private:
  std::string name_;
  heap_functions functions_;
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<allocator> make_pool_allocator(std::size_t object_bytes, std::size_t initial, std::size_t objects) {
  pool_options options;
  options.classes = {{object_bytes, objects}};
  options.initial.resize(initial);
  options.huge_pages = false;  // nor have the others any
  std::unique_ptr<object_pool> pool;
  if (object_pool::create(options, pool) != status::ok) return nullptr;
  return std::make_unique<pool_allocator>(std::move(pool));
}

std::unique_ptr<allocator> make_malloc_allocator(std::size_t object_bytes) {
  return std::make_unique<heap_allocator>("malloc", heap_functions{std::malloc, std::free}, object_bytes);
}

// Loaded beside the C library's, whose names it has: nothing else of this process goes to it.
std::unique_ptr<allocator> make_jemalloc_allocator(std::size_t object_bytes, std::string& why) {
  void* const library = dlopen("libjemalloc.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) {
    why = dlerror();
    return nullptr;
  }
  heap_functions functions{};
  functions.allocate = reinterpret_cast<void* (*)(std::size_t)>(dlsym(library, "malloc"));
  functions.free = reinterpret_cast<void (*)(void*)>(dlsym(library, "free"));
  if (functions.allocate == nullptr || functions.free == nullptr || functions.allocate == std::malloc) {
    why = "no malloc of its own";
    return nullptr;
  }
  return std::make_unique<heap_allocator>("jemalloc", functions, object_bytes);
}

}  // namespace fibtrie::kbench
