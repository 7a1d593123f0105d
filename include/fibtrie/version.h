// SPDX-License-Identifier: MIT
// The version of the library.  CMakeLists.txt reads it from here.
#pragma once

#define FIBTRIE_VERSION_MAJOR 0
#define FIBTRIE_VERSION_MINOR 1
#define FIBTRIE_VERSION_PATCH 0
