// SPDX-License-Identifier: MIT
// A table as the command line describes it: RCU flavour, policy, and the routes of a file.
//
// Thread safety: the thread that made it; that thread is registered with the flavour meanwhile.
// Invariants: 1. A loaded table holds every good line of the file.  2. No method leaves a read section open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fibtrie/fib.h"
#include "io/route_file.hpp"
#include "io/text_sink.hpp"
#include "tools/failure.hpp"
#include "tools/flavour.hpp"
#include "tools/settings.hpp"

namespace fibtrie::tools {

// What a table of the command line is made with.
fib_options table_options(const shape_policy& policy);
// Why a table or a namespace could not be made.
failure creation_failure(status code);

class table {
 public:
  // An empty table.  Throws failure.
  explicit table(const settings& wanted);

  // Adds the routes of a file and says on standard error what was skipped.  Throws failure, and then nothing is of use.
  void load(const std::string& file, bool skip_bad);

  fib& operator*() noexcept { return *fib_; }
  const fib& operator*() const noexcept { return *fib_; }
  fib* operator->() noexcept { return fib_.get(); }
  const fib* operator->() const noexcept { return fib_.get(); }

  // To be called between updates: nothing would be reclaimed under qsbr otherwise.
  void quiescent_state() const noexcept { flavour_.quiescent_state(); }
  const io::loaded_routes& loaded() const noexcept { return loaded_; }
  // By how much the process grew while load() added the routes, retired memory taken back.
  std::size_t grown_bytes() const noexcept { return grown_bytes_; }

  // Writes the next hop's name where the file had names, else the number.
  void put_result(io::text_sink& sink, std::uint32_t result) const;

  // For read sections.
  const rcu_functions& flavour() const noexcept { return flavour_; }

 private:
  const rcu_functions& flavour_;
  registration registration_;
  std::unique_ptr<fib> fib_;
  io::loaded_routes loaded_;
  std::size_t grown_bytes_ = 0;
};

// Prints how many bad lines of a file were skipped, and the first of them, to standard error.
void report_skipped(const std::string& file, const io::load_report& report);

}  // namespace fibtrie::tools
