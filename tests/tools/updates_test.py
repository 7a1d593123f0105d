#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`fibtrie replay --updates`: its counts against a plain set, and bad update files."""
import random

import tool


def count(table, updates):
    """The words the tool must print, computed with a set."""
    table = set(table)
    start = low = high = len(table)
    replaced = added = withdrawn = missing = 0
    for kind, prefix in updates:
        if kind == "A":
            replaced += prefix in table
            added += prefix not in table
            table.add(prefix)
        else:
            withdrawn += prefix in table
            missing += prefix not in table
            table.discard(prefix)
        low, high = min(low, len(table)), max(high, len(table))
    return [f"updates    {len(updates)}", f"replaced   {replaced}", f"added      {added}", f"withdrawn  {withdrawn}",
            f"missing    {missing}", f"size       start {start}, min {low}, max {high}, end {len(table)}"]


class updates(tool.TestCase):
    def replay(self, table, stream, *more):
        routes = self.write("routes.txt", "".join(tool.prefix_text(p) + "\n" for p in table))
        changes = self.write("updates.txt", "".join(f"{kind} {tool.prefix_text(p)}\n" for kind, p in stream))
        return self.good("replay", "--routes", routes, "--updates", changes, *more).decode().splitlines()

    def test_counts(self):
        chance = random.Random(8)
        prefixes = tool.random_prefixes(chance, 3000)
        table = prefixes[:2000]
        stream = [(chance.choice("AAW"), chance.choice(prefixes)) for _ in range(30_000)]
        stream = [("W", p) for p in table[:500]] + stream  # the smallest size is not the first one
        expected = count(table, stream)
        for flavour in ["memb", "qsbr", "bp", "mb", "plain"]:
            lines = self.replay(table, stream, "--rcu", flavour)
            self.assertEqual(lines[:-1], expected)
            self.assertRegex(lines[-1], r"^rate       [1-9]\d* updates/s$")

    def test_no_updates(self):
        lines = self.replay([(0, 0)], [])
        self.assertEqual(lines[-2:], ["size       start 1, min 1, max 1, end 1", "rate       0 updates/s"])

    def test_down_to_nothing(self):
        prefixes = tool.random_prefixes(random.Random(9), 1000)
        stream = [("W", p) for p in prefixes] + [("A", p) for p in prefixes]
        self.assertEqual(self.replay(prefixes, stream)[5], "size       start 1000, min 0, max 1000, end 1000")

    def test_bad_updates(self):
        routes = self.write("routes.txt", "10.0.0.0/8\n")
        for line in ["X 10.0.0.0/8", "A 10.0.0.1/8", "A", "10.0.0.0/8", "W 10.0.0.0/40"]:
            with self.subTest(line):
                bad = self.write("bad.txt", f"A 10.0.0.0/8\n{line}\n")
                self.bad(2, "bad.txt:2: ", "replay", "--routes", routes, "--updates", bad)
                text = self.bad(0, "bad.txt: 1 bad line skipped", "replay", "--routes", routes, "--updates", bad,
                                "--skip-bad")
                self.assertIn(b"updates    1\n", text)
        good = self.write("good.txt", "A 10.0.0.0/8\n")
        self.bad(2, "good.txt:1: ", "replay", "--routes", good, "--updates", good)

    def test_arguments_that_do_not_go_together(self):
        for arguments in [[], ["--routes", "a"], ["--updates", "a"], ["--ops", "a", "--updates", "b", "--routes", "c"],
                          ["--ops", "a", "--routes", "b"], ["--routes", "a", "--updates", "b", "--print", "trie"],
                          ["--ops", "a", "--skip-bad"]]:
            with self.subTest(arguments):
                self.bad(2, "--", "replay", *arguments)


class day(tool.TestCase):
    def test_a_days_updates_on_the_real_table(self):
        folder = tool.SHARED / "routes"
        routes, changes = folder / "ipv4-full.txt.gz", folder / "updates/ris-as3333-20260511-v4.txt.gz"
        if not (routes.exists() and changes.exists()):
            self.skipTest(f"no real table in {folder} (set FIBTRIE_SHARED)")
        lines = self.good("replay", "--routes", routes, "--updates", changes).decode().splitlines()
        self.assertEqual(lines[:-1], [
            "updates    1393421", "replaced   1316742", "added      38826", "withdrawn  37759", "missing    94",
            "size       start 1042325, min 1040734, max 1043927, end 1043392"])


tool.main()
