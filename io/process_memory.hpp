// SPDX-License-Identifier: MIT
// The memory that this process takes.
//
// Thread safety: any thread.
// Source: /proc/self/statm.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace fibtrie::io {

// 0: the system does not tell.
inline std::size_t resident_bytes() noexcept {
  std::size_t whole = 0;
  std::size_t resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  const int fields = std::fscanf(file, "%zu %zu", &whole, &resident);
  std::fclose(file);
  return fields == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace fibtrie::io
