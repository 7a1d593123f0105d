// SPDX-License-Identifier: MIT
// Status codes of every operation; no exception crosses the public interface.
//
// Thread safety: values only.
// Invariants: 1. status::ok is 0.  2. Every code has an errno (to_errno) and a text (to_text).
// Source: the errors are the kernel's where it has one (EEXIST, ESRCH, EINVAL, ENOMEM).
#pragma once

#include <cerrno>

namespace fibtrie {

enum class [[nodiscard]] status : int{
    ok = 0,
    exists,           // the prefix is in the table already
    not_found,        // the prefix is not in the table
    invalid,          // host bits set, prefix length too long, or an option out of range
    no_memory,        // nothing was changed
    backlog_full,     // too much retired memory waits for readers; nothing was changed
    busy,             // another thread is inside an update of the same table; nothing was changed
    in_read_section,  // the calling thread holds a read section; nothing was changed
    unsupported,      // needs what this build or this machine does not have
};

// A short English text without a final full stop.
constexpr const char* to_text(status code) noexcept {
  switch (code) {
    case status::ok: return "ok";
    case status::exists: return "the prefix exists already";
    case status::not_found: return "no such prefix";
    case status::invalid: return "invalid argument";
    case status::no_memory: return "out of memory";
    case status::backlog_full: return "too much retired memory waits for readers";
    case status::busy: return "another thread is updating the table";
    case status::in_read_section: return "an update from inside a read section";
    case status::unsupported: return "not supported here";
  }
  return "unknown status";
}

// The errno value the kernel (or the C library) would use; 0 for ok.
constexpr int to_errno(status code) noexcept {
  switch (code) {
    case status::ok: return 0;
    case status::exists: return EEXIST;
    case status::not_found: return ESRCH;
    case status::invalid: return EINVAL;
    case status::no_memory: return ENOMEM;
    case status::backlog_full: return EAGAIN;
    case status::busy: return EBUSY;
    case status::in_read_section: return EDEADLK;
    case status::unsupported: return ENOTSUP;
  }
  return EINVAL;
}

}  // namespace fibtrie
