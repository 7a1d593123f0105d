// SPDX-License-Identifier: MIT
// A progress bar for work that takes long, on a terminal only.
//
// Thread safety: one thread.
// Invariants: 1. Nothing is written to what is not a terminal, nor within the first half second.  2. The destructor
//   removes the bar.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace fibtrie::io {

// "routes.gz [#####-----]  50 %  1.2 of 2.4 MB"; without a known total "routes.gz  1.2 MB".
std::string progress_text(std::string_view what, std::uint64_t done_bytes, std::uint64_t total_bytes);

class progress {
 public:
  // descriptor: usually 2, standard error.  total_bytes: 0 when unknown.
  progress(int descriptor, std::string_view what, std::uint64_t total_bytes);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void update(std::uint64_t done_bytes);

 private:
  using clock = std::chrono::steady_clock;
  void write(std::string_view text) const noexcept;

  int descriptor_;
  bool terminal_;
  bool shown_ = false;
  std::string what_;
  std::uint64_t total_bytes_;
  clock::time_point next_;
};

}  // namespace fibtrie::io
