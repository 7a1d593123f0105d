// SPDX-License-Identifier: MIT
// See progress.hpp.
#include "io/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace fibtrie::io {

namespace {

constexpr std::chrono::milliseconds patience{500}, interval{100};
constexpr std::uint64_t bar_width = 30;
constexpr std::string_view erase_line = "\r\033[K";

}  // namespace

std::string progress_text(std::string_view what, std::uint64_t done_bytes, std::uint64_t total_bytes) {
  const double done = static_cast<double>(done_bytes) / 1e6;
  if (total_bytes == 0) return fmt::format("{}  {:.1f} MB", what, done);
  const double share = std::min(1.0, static_cast<double>(done_bytes) / static_cast<double>(total_bytes));
  const auto filled = static_cast<std::uint64_t>(share * static_cast<double>(bar_width));
  return fmt::format("{} [{:#<{}}{:-<{}}] {:3.0f} %  {:.1f} of {:.1f} MB", what, "", filled, "", bar_width - filled,
                     share * 100, done, static_cast<double>(total_bytes) / 1e6);
}

progress::progress(int descriptor, std::string_view what, std::uint64_t total_bytes)
    : descriptor_(descriptor),
      terminal_(isatty(descriptor) != 0),
      what_(what),
      total_bytes_(total_bytes),
      next_(clock::now() + patience) {}

progress::~progress() {
  if (shown_) write(erase_line);
}

void progress::update(std::uint64_t done_bytes) {
  if (!terminal_) return;
  const auto now = clock::now();
  if (now < next_) return;
  next_ = now + interval;
  shown_ = true;
  write(std::string(erase_line) + progress_text(what_, done_bytes, total_bytes_));
}

void progress::write(std::string_view text) const noexcept {
  // A terminal that takes no more is no reason to stop the work.
  [[maybe_unused]] const auto ignored = ::write(descriptor_, text.data(), text.size());
}

}  // namespace fibtrie::io
