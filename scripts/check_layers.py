#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the rules of the source tree: which file may include which, and the form every file has.

    scripts/check_layers.py [TREE]       lists what is wrong; exit code 1 when anything is
    scripts/check_layers.py --self-test  plants every kind of mistake into a small tree and sees it found
"""
import fnmatch
import pathlib
import re
import sys
import tempfile

ANY = None  # sees its own layer and all layers below

# The layers, low to high: name, files (the longest pattern that fits counts), and what it may include.
LAYERS = [
    ("vocabulary", ["include/fibtrie/version.h", "include/fibtrie/status.h", "include/fibtrie/key.h",
                    "include/fibtrie/options.h", "include/fibtrie/stats.h", "include/fibtrie/shape.h",
                    "include/fibtrie/route.h", "include/fibtrie/flow.h", "include/fibtrie/device.h",
                    "include/fibtrie/nexthop.h", "include/fibtrie/rule.h", "include/fibtrie/route_events.h",
                    "trie/assert.hpp"], ANY),  # the assertion macros stand beside the trie, but rcu asserts, too
    ("rcu", ["rcu/*"], ANY),
    ("bits", ["trie/bits.hpp"], ANY),
    ("node", ["trie/node.hpp", "trie/slot.hpp"], ANY),
    ("mem", ["trie/mem/*"], ANY),
    ("trie", ["trie/*"], ANY),
    ("route", ["trie/route/*"], ANY),
    # trie/fib.cpp ties the trie to the public class, so it is the one file of trie/ that sees the facade.
    ("facade", ["include/fibtrie/*", "trie/fib.cpp", "trie/route/fib_net.cpp"], ["vocabulary"]),
    ("io", ["io/*"], ["vocabulary", "facade"]),
    ("tools", ["tools/*"], ["vocabulary", "facade", "io"]),
    ("examples", ["examples/*"], ["vocabulary", "facade"]),
    ("kbench and tests", ["kbench/*", "tests/*"], ANY),
]

# What goes beyond the table: including file, included file.
EXCEPTIONS = [
    ("include/fibtrie/fib.h", "rcu/domain.hpp"),   # the writer's side of a flavour
    ("include/fibtrie/fib.h", "trie/lookup.hpp"),  # so that lookups are inlined at the caller
    ("include/fibtrie/net.h", "rcu/domain.hpp"),
    ("include/fibtrie/net.h", "trie/route/flow_result.hpp"),  # so that plain lookups are inlined at the caller
    ("include/fibtrie/rcu.h", "rcu/*"),            # the public door to the flavours
    ("include/fibtrie/pool.h", "trie/mem/*"),      # the public door to pools
    ("trie/fib.cpp", "trie/*"),
    ("trie/fib.cpp", "rcu/*"),
    ("trie/route/*", "include/fibtrie/net.h"),  # options and visitors of the namespace
    ("trie/route/fib_net.cpp", "trie/*"),
    ("trie/route/fib_net.cpp", "rcu/*"),
]

FOLDERS = ["include", "rcu", "trie", "io", "kbench", "tools", "examples", "tests", "cmake", "scripts", ".ci"]
HEADERS = (".h", ".hpp")
CODE = HEADERS + (".cpp", ".c", ".ipp")
MAX_LINES = 800
SPDX = "SPDX-License-Identifier: MIT"


def source_files(tree):
    """All files under the rules, as paths relative to the tree; data files have a form of their own."""
    found = [path for path in tree.glob("CMakeLists.txt")]
    for folder in FOLDERS:
        found += [path for path in sorted((tree / folder).rglob("*")) if path.is_file()]
    relative = [path.relative_to(tree) for path in found]
    return [path for path in relative if path.parts[:2] != ("tests", "data")
            and "__pycache__" not in path.parts and path.suffix not in (".json", ".in", ".supp", ".md")]


def layer_of(path):
    """Index of the layer that a file belongs to, or None."""
    fitting = [(len(pattern), index) for index, (_, patterns, _) in enumerate(LAYERS) for pattern in patterns
               if fnmatch.fnmatch(path, pattern)]
    return max(fitting)[1] if fitting else None


def may_include(source, target):
    if any(fnmatch.fnmatch(source, a) and fnmatch.fnmatch(target, b) for a, b in EXCEPTIONS):
        return True
    above, below = layer_of(source), layer_of(target)
    if above is None or below is None or above == below:
        return above == below
    sees = LAYERS[above][2]
    return below < above if sees is ANY else LAYERS[below][0] in sees


def resolve(tree, source, name):
    """The file of this project that an #include means, or None for a foreign one."""
    for base in ("include", "", str(pathlib.PurePath(source).parent)):
        if (tree / base / name).is_file():
            return (pathlib.PurePath(base) / name).as_posix()
    return None


def check_form(path, lines):
    """Rules that need no other file."""
    first = lines[1] if lines and lines[0].startswith("#!") and len(lines) > 1 else lines[0] if lines else ""
    if not re.fullmatch(r"(//|#|/\*) " + SPDX + r"( \*/)?", first.strip()):
        yield 1, "the first line must say " + SPDX
    if len(lines) > MAX_LINES:
        yield len(lines), f"more than {MAX_LINES} lines"
    if path.endswith(HEADERS) and "#pragma once" not in (line.strip() for line in lines):
        yield 1, "a header without #pragma once"
    for number, line in enumerate(lines, 1):
        if path.endswith(CODE) and re.match(r'\s*#\s*include\s*[<"]urcu', line) and not re.match(r"rcu/.*\.cpp$", path):
            yield number, "liburcu is included in rcu/*.cpp only"
        if path.endswith(HEADERS) and re.match(r"\s*#.*\b_LGPL_SOURCE\b", line):
            yield number, "_LGPL_SOURCE in a header"


def check_includes(tree, path, lines):
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        target = match and resolve(tree, path, match.group(1))
        if target and not may_include(path, target):
            yield number, f"may not include {target}"


def check(tree):
    """All mistakes of a tree, as texts."""
    mistakes = []
    for relative in source_files(tree):
        path = relative.as_posix()
        lines = (tree / relative).read_text().splitlines()
        found = list(check_form(path, lines))
        if path.endswith(CODE):
            found += check_includes(tree, path, lines)
            if layer_of(path) is None:
                found.append((1, "belongs to no layer"))
        mistakes += [f"{path}:{number}: {text}" for number, text in found]
    return mistakes


# A tree without a mistake, and changes to it, each of which must be found: file, text, words of the message (None: it
# stays right).
HEADER = "// " + SPDX + "\n#pragma once\n"
SOURCE = "// " + SPDX + "\n"
GOOD_TREE = {
    "include/fibtrie/key.h": HEADER,
    "include/fibtrie/fib.h": HEADER + '#include "trie/lookup.hpp"\n#include "rcu/domain.hpp"\n',
    "rcu/domain.hpp": HEADER + "// built without _LGPL_SOURCE at the user's\n",
    "rcu/memb.cpp": SOURCE + '#define _LGPL_SOURCE\n#include <urcu/urcu-memb.h>\n#include "domain.hpp"\n',
    "trie/bits.hpp": HEADER,
    "trie/slot.hpp": HEADER + '#include "trie/bits.hpp"\n',
    "trie/mem/arena.hpp": HEADER + '#include "trie/slot.hpp"\n',
    "trie/lookup.hpp": HEADER + '#include "trie/mem/arena.hpp"\n#include "fibtrie/key.h"\n',
    "trie/fib.cpp": SOURCE + '#include "fibtrie/fib.h"\n#include "trie/lookup.hpp"\n',
    "io/text.hpp": HEADER + "#include <fibtrie/fib.h>\n",
    "tools/fibtrie.cpp": SOURCE + '#include "io/text.hpp"\n#include <vector>\n',
    "kbench/main.cpp": SOURCE + '#include "trie/lookup.hpp"\n#include "tests/support/reference.hpp"\n',
    "tests/support/reference.hpp": HEADER + '#include "trie/bits.hpp"\n',
    "scripts/run": "#!/bin/sh\n# " + SPDX + "\n",
}
CHANGES = [
    ("rcu/domain.hpp", HEADER + '#include "trie/bits.hpp"\n', "may not include trie/bits.hpp"),
    ("rcu/domain.hpp", HEADER + '#include "fibtrie/fib.h"\n', "may not include include/fibtrie/fib.h"),
    ("include/fibtrie/key.h", HEADER + '#include "fibtrie/fib.h"\n', "may not include include/fibtrie/fib.h"),
    ("include/fibtrie/fib.h", HEADER + '#include "trie/slot.hpp"\n', "may not include trie/slot.hpp"),
    ("trie/bits.hpp", HEADER + '#include "slot.hpp"\n', "may not include trie/slot.hpp"),
    ("trie/slot.hpp", HEADER + '#include "trie/mem/arena.hpp"\n', "may not include trie/mem/arena.hpp"),
    ("trie/mem/arena.hpp", HEADER + '#include "trie/lookup.hpp"\n', "may not include trie/lookup.hpp"),
    ("trie/lookup.hpp", HEADER + '#include "fibtrie/fib.h"\n', "may not include include/fibtrie/fib.h"),
    ("trie/lookup.hpp", HEADER + '#include "io/text.hpp"\n', "may not include io/text.hpp"),
    ("trie/fib.cpp", SOURCE + '#include "io/text.hpp"\n', "may not include io/text.hpp"),
    ("io/text.hpp", HEADER + '#include "trie/lookup.hpp"\n', "may not include trie/lookup.hpp"),
    ("io/text.hpp", HEADER + "#  include <rcu/domain.hpp>\n", "may not include rcu/domain.hpp"),
    ("tools/fibtrie.cpp", SOURCE + '#include "trie/lookup.hpp"\n', "may not include trie/lookup.hpp"),
    ("examples/small.cpp", SOURCE + '#include "io/text.hpp"\n', "may not include io/text.hpp"),
    ("stray/file.cpp", SOURCE, None),  # folders that are not ours are left alone
    ("include/other.h", HEADER, "belongs to no layer"),
    ("trie/bits.hpp", "#pragma once\n", "the first line must say"),
    ("scripts/run", "#!/bin/sh\n", "the first line must say"),
    ("cmake/install.cmake", "", "the first line must say"),
    ("trie/bits.hpp", HEADER + "\n" * MAX_LINES, "more than 800 lines"),
    ("trie/bits.hpp", SOURCE, "without #pragma once"),
    ("trie/fib.cpp", SOURCE + "#include <urcu/urcu-memb.h>\n", "liburcu is included in rcu/*.cpp only"),
    ("rcu/domain.hpp", HEADER + "#include <urcu.h>\n", "liburcu is included in rcu/*.cpp only"),
    ("rcu/domain.hpp", HEADER + "#ifndef _LGPL_SOURCE\n#endif\n", "_LGPL_SOURCE in a header"),
]


def mistakes_of(files):
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
        for path, text in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        return check(tree)


def self_test():
    failed = [f"the good tree: {mistake}" for mistake in mistakes_of(GOOD_TREE)]
    for path, text, words in CHANGES:
        mistakes = mistakes_of({**GOOD_TREE, path: text})
        if words is None:
            as_expected = not mistakes
        else:
            as_expected = len(mistakes) == 1 and mistakes[0].startswith(path) and words in mistakes[0]
        if not as_expected:
            failed.append(f"{path} with {text[:200]!r}: expected {words!r}, got {mistakes}")
    return failed


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        mistakes = self_test()
    else:
        tree = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
        if not (tree / "include/fibtrie").is_dir():
            mistakes = [f"{tree}: no include/fibtrie here"]
        else:
            mistakes = check(tree)
    print("\n".join(mistakes) if mistakes else "no mistake found")
    return 1 if mistakes else 0


sys.exit(main())
