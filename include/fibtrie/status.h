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
    // ---- of routes with the kernel's semantics (fibtrie/net.h)
    no_entry,          // nothing there to be replaced, or no such object (ENOENT)
    no_device,         // no such interface (ENODEV)
    net_down,          // the interface is down (ENETDOWN)
    net_unreachable,   // no route (ENETUNREACH)
    host_unreachable,  // an unreachable route (EHOSTUNREACH)
    no_access,         // a prohibit route (EACCES)
    no_match,          // this table has no answer: the next rule is to be asked (EAGAIN)
    no_address,        // the interface has no such address (EADDRNOTAVAIL)
    no_buffers,        // no memory for a route's shared part; nothing was changed (ENOBUFS)
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
    case status::no_entry: return "no such entry";
    case status::no_device: return "no such interface";
    case status::net_down: return "the interface is down";
    case status::net_unreachable: return "no route to the network";
    case status::host_unreachable: return "the host is unreachable";
    case status::no_access: return "prohibited by a route or rule";
    case status::no_match: return "no match in this table";
    case status::no_address: return "no such address";
    case status::no_buffers: return "no memory for the route's shared part";
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
    case status::no_entry: return ENOENT;
    case status::no_device: return ENODEV;
    case status::net_down: return ENETDOWN;
    case status::net_unreachable: return ENETUNREACH;
    case status::host_unreachable: return EHOSTUNREACH;
    case status::no_access: return EACCES;
    case status::no_match: return EAGAIN;
    case status::no_address: return EADDRNOTAVAIL;
    case status::no_buffers: return ENOBUFS;
  }
  return EINVAL;
}

}  // namespace fibtrie
