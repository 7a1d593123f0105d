// SPDX-License-Identifier: MIT
// Update files: "A prefix/len" (announce) or "W prefix/len" (withdraw) a line, plain or gzip.
//
// Thread safety: one thread for each call.
// Invariants: 1. Updates come in file order.  2. After an error nothing is loaded.  3. No exception leaves; running out
//   of memory is an error, too.
#pragma once

#include <string>
#include <vector>

#include "fibtrie/key.h"
#include "io/record_file.hpp"

namespace fibtrie::io {

struct route_update {
  prefix4 route;
  bool announce = false;  // else withdraw

  friend constexpr bool operator==(const route_update&, const route_update&) noexcept = default;
};

struct loaded_updates {
  std::vector<route_update> updates;
  load_report report;
};

// Reads an update file.  False: out.report.error says why.
bool load_updates(const std::string& path, const load_options& options, loaded_updates& out) noexcept;

}  // namespace fibtrie::io
