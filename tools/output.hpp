// SPDX-License-Identifier: MIT
// Standard output whose failures are seen: a full disk, a reader that went away, a descriptor that was never open.
//
// Thread safety: one thread.
// Invariants: 1. After finish() all text is with the operating system.
#pragma once

#include "io/text_sink.hpp"

namespace fibtrie::tools {

class output {
 public:
  output();

  io::text_sink& text() noexcept { return sink_; }
  // Writes what is buffered.  False once a write has failed: more text is in vain.
  bool flush() noexcept { return sink_.flush(); }
  // Writes everything.  Throws failure when this, or a write before, failed.
  void finish();

 private:
  io::text_sink sink_;
};

}  // namespace fibtrie::tools
