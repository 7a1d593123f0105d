#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example in README.md is examples/embed.cpp, to the letter (but for the licence line)."""
import pathlib
import sys

tree = pathlib.Path(sys.argv[1])
source = (tree / "examples/embed.cpp").read_text().split("\n", 1)[1]
if f"```cpp\n{source}```\n" not in (tree / "README.md").read_text():
    sys.exit("README.md does not show examples/embed.cpp as it is")
