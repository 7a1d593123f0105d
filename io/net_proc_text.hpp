// SPDX-License-Identifier: MIT
// The kernel's texts about a namespace: /proc/net/fib_trie, fib_triestat and route.
//
// Thread safety: one thread; the namespace is read by its rules.
// Invariants: 1. The texts are the kernel's, byte for byte.
// Source: section "Text of the /proc files" of the kernel's behaviour.
#pragma once

#include <cstdint>
#include <string>

#include "fibtrie/net.h"
#include "io/text_sink.hpp"

namespace fibtrie::io {

// "Main:", "Local:" or "Id 100:".
std::string table_label(std::uint32_t table);

// One table's section; nothing for an empty table.
void write_fib_trie(text_sink& sink, const fib_net& net, std::uint32_t table);
void write_fib_triestat(text_sink& sink, const fib_net& net, std::uint32_t table);
// The whole files.
void write_fib_trie(text_sink& sink, const fib_net& net);
void write_fib_triestat(text_sink& sink, const fib_net& net);
void write_proc_route(text_sink& sink, const fib_net& net);

}  // namespace fibtrie::io
