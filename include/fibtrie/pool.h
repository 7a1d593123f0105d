// SPDX-License-Identifier: MIT
// Pools of fixed-size objects, by memory node and with a cache for each thread: packet buffers, nodes, records.
//
// The public door to trie/mem/object_pool.hpp and trie/mem/topology.hpp, which tell everything.
//
// Thread safety: each thread allocates and frees through a pool_cache of its own.
// Progress: no system call, and a lock that is nearly always free.
// Source: docs/memory.md, "pools".
#pragma once

#include "trie/mem/object_pool.hpp"

namespace fibtrie {

using mem::object_pool;
using mem::pool_cache;
using mem::pool_options;
using mem::pool_row;
using mem::pool_stats;
using mem::size_class;
using mem::topology;

}  // namespace fibtrie
