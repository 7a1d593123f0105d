// SPDX-License-Identifier: MIT
// The findings for people (text) and for programs (JSON in Google Benchmark's shape).
//
// Thread safety: one thread.
// Invariants: 1. JSON rows are named ENGINE/PATTERN/MODE; lookups come first.
// Source: the JSON that Google Benchmark 1.7 writes and its compare.py reads.
#pragma once

#include <string>

#include "kbench/findings.hpp"

namespace fibtrie::kbench {

std::string text_report(const findings& found);
std::string json_report(const findings& found, const std::string& program);

}  // namespace fibtrie::kbench
