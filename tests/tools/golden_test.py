#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`fibtrie replay --ops` says what the kernel said, byte for byte."""
import hashlib
import random

import tool

PRINTS = {"results": "results.txt", "trie": "fib_trie.txt", "triestat": "fib_triestat.txt", "routes": "routes.txt"}
KERNEL_CASES = """
    01-add-del-empty 02-single-default 03-one-leaf-nested 04-nested-chain 05-boundaries 06-hosts-sequential
    13-deep-powers 14-slen-churn 15-inflate-halve 21-random-1k 22-random-10k 23-real-10k 25-random-100k 26-real-100k
    27-dense-hosts-100k 28-order-sorted 29-order-reversed 30-order-shuffled 31-fill-then-drain-20k""".split()
# Cases whose first operation beyond this build is known: its line and its name.
REFUSED_CASES = {
    "07-tos-aliases": ":2: 'tos 0x10'", "08-metric-aliases": ":1: 'metric 100'", "09-nlflags-matrix": ":1: 'change'",
    "11-multipath": ":1: 'nexthop'", "16-merged-local-main": ":1: '#! table'", "18-device-down-flush": ":602: '@link'",
}


class golden(tool.TestCase):
    def replay(self, folder, what, *more):
        return self.good("replay", "--ops", tool.find_file(folder, "ops.txt"), "--print", what, *more)

    def check_case(self, folder):
        for what, name in PRINTS.items():
            path = tool.find_file(folder, name)
            self.assertIsNotNone(path, f"{folder} has no {name}")
            # no assertEqual: its text would be megabytes
            self.assertTrue(self.replay(folder, what) == tool.read_bytes(path), f"{folder.name}: {what} differs")


class recorded(golden):
    def setUp(self):
        super().setUp()
        self.root = tool.SHARED / "golden"
        if not self.root.exists():
            self.skipTest(f"no golden cases at {self.root} (set FIBTRIE_SHARED)")


class own_cases(golden):
    def test_own_cases(self):
        folders = sorted((tool.SOURCE_DIR / "tests/data/golden").iterdir())
        self.assertGreater(len(folders), 0)
        for folder in folders:
            with self.subTest(folder.name):
                self.check_case(folder)

    def test_results_is_what_is_printed_by_default(self):
        lines = ["add 10.0.0.0/8 dev d0", "add 10.0.0.0/8 dev d1", "del 11.0.0.0/8", "add 10.0.0.1/8 dev d0"]
        ops = self.write("ops.txt", "\n".join(lines))
        self.assertEqual(self.good("replay", "--ops", ops), b"0\nEEXIST\nESRCH\nEINVAL\n")

    def test_label(self):
        ops = self.write("ops.txt", "add blackhole 10.0.0.0/8\n")
        text = self.good("replay", "--ops", ops, "--print", "trie", "--table-label", "Local")
        self.assertEqual(text, b"Local:\n  |-- 10.0.0.0\n     /8 universe BLACKHOLE\n")
        text = self.good("replay", "--ops", ops, "--print", "triestat", "--table-label", "Id 7")
        self.assertEqual(text.splitlines()[1], b"Id 7:")

    def test_every_flavour_and_model_gives_the_same_routes(self):
        folder = tool.SOURCE_DIR / "tests/data/golden/own-grow-and-shrink"
        expected = tool.read_bytes(folder / "routes.txt")
        for option in ["--rcu memb", "--rcu qsbr", "--rcu bp", "--rcu mb", "--rcu plain", "--size-model kmalloc",
                       "--size-model arena", "--inflate 90 --halve 10"]:
            with self.subTest(option):
                self.assertEqual(self.replay(folder, "routes", *option.split()), expected)

    def test_every_policy_option_shapes_the_table_in_its_own_way(self):
        chance = random.Random(6)
        prefixes = tool.random_prefixes(chance, 3000) + [(10 << 24 | host, 32) for host in range(1024)]
        gone = chance.sample(prefixes[:3000], 2700) + prefixes[3100:]  # dense nodes become sparse, so that they halve
        ops = [f"add {tool.prefix_text(p)} dev d0\n" for p in prefixes] + [f"del {tool.prefix_text(p)}\n" for p in gone]
        path = self.write("ops.txt", "".join(ops))
        options = ["", "--inflate 90", "--halve 5", "--root-inflate 90", "--root-halve 1", "--size-model kmalloc",
                   "--size-model arena"]
        shapes = [self.good("replay", "--ops", path, "--print", "triestat", *option.split()) for option in options]
        self.assertEqual(len(set(shapes)), len(options))

    def test_what_is_not_built_is_refused_by_name(self):
        for line, name in [("append 10.0.0.0/8 dev d0", "'append'"), ("@link d0 down", "'@link'"),
                           ("add 10.0.0.0/8 tos 0x10 dev d0", "'tos 0x10'"), ("add 10.0.0.0/8 nhid 7", "'nhid'"),
                           ("#! table merged", "'#! table'"), ("del 10.0.0.0/8 dev d0", "a del with")]:
            with self.subTest(line):
                ops = self.write("ops.txt", f"add 9.0.0.0/8 dev d0\n\n{line}\nadd 11.0.0.0/8 dev d0\n")
                words = [f"ops.txt:3: {name}", "not supported yet"]
                self.assertEqual(self.bad(1, words, "replay", "--ops", ops), b"0\n")
                self.assertEqual(self.bad(1, words, "replay", "--ops", ops, "--print", "trie"), b"")

    def test_mistakes_are_bad_input(self):
        for line in ["ad 10.0.0.0/8", "add 10.0.0.0/33 dev d0", "add 10.0.0.0/8 via 1.2.3", "add 10.0.0.0/8 colour red",
                     "is not supported yet"]:
            with self.subTest(line):
                ops = self.write("ops.txt", f"# nothing\n{line}\n")
                self.bad(2, "ops.txt:2: ", "replay", "--ops", ops)
        self.bad(2, "nowhere.txt: No such file", "replay", "--ops", self.folder / "nowhere.txt")


class kernel_cases(recorded):
    def test_kernel_cases(self):
        for name in KERNEL_CASES:
            with self.subTest(name):
                self.check_case(self.root / name)

    def test_an_error_does_not_end_the_run(self):
        folder = self.root / "05-boundaries"
        results = self.replay(folder, "results").split()
        self.assertEqual(results[14:], [b"EINVAL", b"0", b"0"])

    def test_refused_cases(self):
        for name, words in REFUSED_CASES.items():
            with self.subTest(name):
                ops = tool.find_file(self.root / name, "ops.txt")
                self.bad(1, [words, "not supported yet"], "replay", "--ops", ops)


class full_table(recorded):
    def test_full_table(self):
        folder = self.root / "32-full-table"
        digest = hashlib.sha256(self.replay(folder, "trie")).hexdigest()
        self.assertEqual(f"{digest}  fib_trie.txt\n".encode(), tool.read_bytes(folder / "fib_trie.sha256"))
        for what, name in [("results", "results.txt"), ("triestat", "fib_triestat.txt")]:
            self.assertTrue(self.replay(folder, what) == tool.read_bytes(tool.find_file(folder, name)), what)


tool.main()
