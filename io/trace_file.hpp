// SPDX-License-Identifier: MIT
// Trace files: one IPv4 destination address a line, plain or gzip.
//
// Thread safety: one thread for each call.
// Invariants: 1. Addresses come in file order.  2. After an error nothing is loaded.  3. No exception leaves; running
//   out of memory is an error, too.
#pragma once

#include <string>
#include <vector>

#include "fibtrie/key.h"
#include "io/record_file.hpp"

namespace fibtrie::io {

struct loaded_trace {
  std::vector<key32> addresses;
  load_report report;
};

// Reads a trace file.  False: out.report.error says why.
bool load_trace(const std::string& path, const load_options& options, loaded_trace& out) noexcept;

}  // namespace fibtrie::io
