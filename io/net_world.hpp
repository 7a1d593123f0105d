// SPDX-License-Identifier: MIT
// The world that an operation list speaks of, and the operations carried out in it.
//
// Thread safety: one thread, which is the namespace's writer.
// Source: the format of the recorded cases.
#pragma once

#include "fibtrie/net.h"
#include "io/ops.hpp"

namespace fibtrie::io {

// Interfaces lo (down) and d0, d1, ... (up, with carrier), each of these with 198.18.K.1/24 unless the list wants none.
status make_world(fib_net& net, const list_settings& settings);

status apply(fib_net& net, const operation& op);

}  // namespace fibtrie::io
