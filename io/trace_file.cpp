// SPDX-License-Identifier: MIT
// See trace_file.hpp.
#include "io/trace_file.hpp"

#include <new>
#include <string_view>

#include "io/address_text.hpp"

namespace fibtrie::io {

bool load_trace(const std::string& path, const load_options& options, loaded_trace& out) noexcept {
  const auto take = [&out](std::string_view record) -> const char* {
    key32 address = 0;
    const address_error error = parse_address(record, address);
    if (error != address_error::none) return to_text(error);
    out.addresses.push_back(address);
    return nullptr;
  };
  try {
    out = {};
    if (read_records(path, options, out.report, take)) return true;
  } catch (const std::bad_alloc&) {
    out.report.error = "out of memory";  // short enough to need no memory
  }
  out.addresses = {};
  return false;
}

}  // namespace fibtrie::io
