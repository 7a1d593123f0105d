#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`fibtrie stat`, `dump` and `check`, and what all commands say about bad route files and options."""
import gzip
import json
import random

import tool

SMALL = "10.1.0.0/16 gw-b\n0.0.0.0/0 gw-a\n10.0.0.0/8 gw-a\n"
SMALL_TRIE = """Main:
  +-- 0.0.0.0/4 2 0 2
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 10.0.0.0/15 2 0 2
        |-- 10.0.0.0
           /8 universe UNICAST
        |-- 10.1.0.0
           /16 universe UNICAST
"""
SMALL_TRIESTAT = """Basic info: size of leaf: 48 bytes, size of tnode: 40 bytes.
Main:
\tAver depth:     1.66
\tMax depth:      2
\tLeaves:         3
\tPrefixes:       3
\tInternal nodes: 2
\t  2: 2
\tPointers: 8
Null ptrs: 4
Total size: 1  kB
"""


def walk_order(prefix):
    return prefix[0], -prefix[1]


class dump(tool.TestCase):
    def test_text_is_the_table_in_walk_order(self):
        chance = random.Random(3)
        table = {prefix: chance.randrange(2**32) for prefix in tool.random_prefixes(chance, 10_000)}
        routes = self.write("routes.txt", "".join(f"{tool.prefix_text(p)} {r}\n" for p, r in table.items()))
        expected = "".join(f"{tool.prefix_text(p)} {table[p]}\n" for p in sorted(table, key=walk_order)).encode()
        self.assertTrue(self.good("dump", "--routes", routes) == expected)

    def test_text_loads_again(self):
        chance = random.Random(4)
        prefixes = tool.random_prefixes(chance, 5000)
        columns = {"names": lambda: f" gw-{chance.randrange(300)}", "numbers": lambda: f" {chance.randrange(2**32)}",
                   "no second column": lambda: ""}
        for name, column in columns.items():
            with self.subTest(name):
                first = self.write("first.txt", "".join(tool.prefix_text(p) + column() + "\n" for p in prefixes))
                once = self.good("dump", "--routes", first)
                again = self.good("dump", "--routes", self.write("again.txt", once), "--format", "text")
                self.assertEqual(once.count(b"\n"), len(prefixes))
                self.assertTrue(once == again)

    def test_kernel_text(self):
        routes = self.write("routes.txt", SMALL)
        self.assertEqual(self.good("dump", "--routes", routes, "--format", "trie").decode(), SMALL_TRIE)
        text = self.good("dump", "--routes", routes, "--format", "trie", "--table-label", "Id 9").decode()
        self.assertEqual(text, SMALL_TRIE.replace("Main:", "Id 9:"))

    def test_empty_table(self):
        routes = self.write("routes.txt", "# nothing\n")
        for text in ["text", "trie"]:
            self.assertEqual(self.good("dump", "--routes", routes, "--format", text), b"")


class stat(tool.TestCase):
    def test_memory_by_kind(self):
        chance = random.Random(12)
        prefixes = tool.random_prefixes(chance, 30_000)
        routes = self.write("routes.txt", "".join(tool.prefix_text(p) + "\n" for p in prefixes))
        found = json.loads(self.good("stat", "--routes", routes, "--memory", "--format", "json"))
        rows = {row["kind"]: row for row in found["memory"]}
        self.assertEqual(rows["entries"]["live"], 16 * (len(prefixes) + 1))
        self.assertEqual(rows["headers"]["live"], 32 * (found["shape"]["tnodes"] + 1))
        self.assertEqual(rows["slots"]["live"], 8 * (found["shape"]["slots"] + 4096 + 2))
        self.assertEqual(sum(row["retired"] for row in rows.values()), 0)
        for row in rows.values():
            if row["kind"] not in ("block map", "links", "short prefixes"):  # their pages are touched where needed
                self.assertGreaterEqual(row["resident"], row["live"] + row["free"], row)
        resident = sum(row["resident"] for row in rows.values())
        self.assertGreater(found["process_grew_by"], resident / 2)
        text = self.good("stat", "--routes", routes, "--memory").decode()
        for kind in rows:
            self.assertIn(f"\n  {kind} ", text)

    def test_kernel_text(self):
        routes = self.write("routes.txt", SMALL)
        self.assertEqual(self.good("stat", "--routes", routes, "--format", "triestat").decode(), SMALL_TRIESTAT)

    def test_json_and_text_agree_with_the_kernels(self):
        prefixes = tool.random_prefixes(random.Random(5), 3000)
        routes = self.write("routes.txt", "".join(tool.prefix_text(p) + "\n" for p in prefixes))
        words = self.good("stat", "--routes", routes, "--format", "triestat").decode()
        found = json.loads(self.good("stat", "--routes", routes, "--format", "json"))
        shape, memory = found["shape"], found["memory_bytes"]
        self.assertEqual(shape["prefixes"], 3000)
        for line in [f"Max depth:      {shape['max_depth']}", f"Leaves:         {shape['leaves']}",
                     "Prefixes:       3000", f"Internal nodes: {shape['tnodes']}", f"Pointers: {shape['slots']}",
                     f"Null ptrs: {shape['empty_slots']}",
                     "  ".join(f"{bits}: {count}" for bits, count in shape["tnodes_by_bits"].items())]:
            self.assertIn(line + "\n", words)
        self.assertEqual(sum(shape["tnodes_by_bits"].values()), shape["tnodes"])
        self.assertEqual(sum(memory[kind] for kind in ["slots", "headers", "descriptors", "entries"]), memory["live"])
        self.assertAlmostEqual(found["bytes_per_prefix"], memory["live"] / 3000)
        self.assertEqual(memory["backlog"], 0)
        text = self.good("stat", "--routes", routes).decode()
        for number in [shape["leaves"], shape["tnodes"], shape["slots"], memory["slots"], memory["live"]]:
            self.assertRegex(text, rf"\b{number}\b")

    def test_duplicates_and_bad_lines_are_counted(self):
        routes = self.write("routes.txt", "10.0.0.0/8 1\nfoo\n10.0.0.0/8 2\n10.0.0.1/8\n")
        text = self.bad(0, "routes.txt: 2 bad lines skipped; the first: line 2: ", "stat", "--routes", routes,
                        "--skip-bad", "--format", "json")
        found = json.loads(text)
        self.assertEqual([found["lines"], found["duplicates"], found["skipped"]], [4, 1, 2])
        self.assertEqual(found["shape"]["prefixes"], 1)
        self.assertIn(b"1 prefixes; 1 duplicate lines, 2 bad lines skipped",
                      self.bad(0, "2 bad lines", "stat", "--routes", routes, "--skip-bad"))

    def test_empty_table(self):
        routes = self.write("routes.txt", "")
        self.assertIn("tnodes by bits  none", self.good("stat", "--routes", routes).decode())
        self.assertEqual(json.loads(self.good("stat", "--routes", routes, "--format", "json"))["bytes_per_prefix"], 0)

    def test_bad_policies(self):
        routes = self.write("routes.txt", SMALL)
        self.bad(2, "grow and shrink for ever", "stat", "--routes", routes, "--inflate", "30", "--halve", "60")
        self.bad(2, "--halve", "stat", "--routes", routes, "--halve", "-1")
        self.bad(2, "--size-model", "stat", "--routes", routes, "--size-model", "malloc")


class check(tool.TestCase):
    def test_good_tables(self):
        prefixes = tool.random_prefixes(random.Random(7), 2000)
        text = "".join(tool.prefix_text(p) + "\n" for p in prefixes).encode()
        plain, packed = self.write("routes.txt", text), self.write("routes.gz", gzip.compress(text))
        for flavour in ["memb", "qsbr", "bp", "mb", "plain"]:
            for routes in [plain, packed]:
                self.assertIn(b"2000 routes, every one found", self.good("check", "--routes", routes, "--rcu", flavour))


class bad_input(tool.TestCase):
    def test_bad_lines(self):
        for line in ["10.0.0.0", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "10.0.0.0/8 4294967296", "10.0.0.0/8 a b",
                     "foo"]:
            routes = self.write("routes.txt", f"# a table\n11.0.0.0/8 1\n{line}\n")
            for command in [["stat"], ["dump"], ["check"], ["lookup", "11.0.0.1"]]:
                with self.subTest(line=line, command=command):
                    self.assertEqual(self.bad(2, "routes.txt:3: ", *command, "--routes", routes), b"")

    def test_bad_files(self):
        self.bad(2, "nowhere.txt: No such file", "stat", "--routes", self.folder / "nowhere.txt")
        self.bad(2, "Is a directory", "stat", "--routes", self.folder)
        torn = self.write("torn.gz", gzip.compress(SMALL.encode())[:-4])
        self.bad(2, ["torn.gz: ", "gzip"], "stat", "--routes", torn, "--skip-bad")

    def test_bad_arguments(self):
        routes = self.write("routes.txt", SMALL)
        self.bad(2, "subcommand is required")
        self.bad(2, "subcommand is required", "fly")
        self.bad(2, "--format", "dump", "--routes", routes, "--format", "json")
        self.bad(2, "--nonsense", "check", "--routes", routes, "--nonsense")

    def test_help_and_version(self):
        self.assertRegex(self.good("--version"), rb"^fibtrie \d+\.\d+\.\d+\n$")
        self.assertIn(b"Examples:", self.good("--help"))
        for command in ["lookup", "stat", "dump", "replay", "check"]:
            text = self.good(command, "--help").decode()
            self.assertIn(f"  fibtrie {command} --", text)
            self.assertIn("--size-model", text)


tool.main()
