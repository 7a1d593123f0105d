// SPDX-License-Identifier: MIT
// See update_file.hpp.
#include "io/update_file.hpp"

#include <new>
#include <string_view>

#include "io/address_text.hpp"
#include "io/words.hpp"

namespace fibtrie::io {

namespace {

const char* take_update(std::string_view record, std::vector<route_update>& updates) {
  const std::string_view kind = take_word(record);
  if (kind != "A" && kind != "W") return "an update starts with A or W";
  route_update update{{}, kind == "A"};
  const address_error error = parse_prefix(take_word(record), update.route);
  if (error != address_error::none) return to_text(error);
  if (!take_word(record).empty()) return "more than two columns";
  updates.push_back(update);
  return nullptr;
}

}  // namespace

bool load_updates(const std::string& path, const load_options& options, loaded_updates& out) noexcept {
  try {
    out = {};
    if (read_records(path, options, out.report,
                     [&](std::string_view record) { return take_update(record, out.updates); })) {
      return true;
    }
  } catch (const std::bad_alloc&) {
    out.report.error = "out of memory";  // short enough to need no memory
  }
  out.updates = {};
  return false;
}

}  // namespace fibtrie::io
