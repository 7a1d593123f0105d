#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`fibtrie replay --ops` says what the kernel said, byte for byte."""
import json
import random
import shutil

import tool

PRINTS = {"results": "results.txt", "trie": "fib_trie.txt", "triestat": "fib_triestat.txt", "routes": "routes.txt",
          "events": "events.txt"}
KERNEL_CASES = 32


class golden(tool.TestCase):
    def replay(self, folder, what, *more):
        return self.good("replay", "--ops", tool.find_file(folder, "ops.txt"), "--print", what, *more)

    def check_case(self, folder):
        for what, name in PRINTS.items():
            path = tool.find_file(folder, name)
            if path is not None:
                # no assertEqual: its text would be megabytes
                self.assertTrue(self.replay(folder, what) == tool.read_bytes(path), f"{folder.name}: {what} differs")
        files = [path.name.removesuffix(".gz") for path in folder.iterdir()]
        compared = self.good("replay", "--check", folder).decode().splitlines()
        expected = {f"{folder}/{name}: same" for name in files if name not in ["ops.txt", "queries.txt", "README.md"]}
        self.assertEqual(set(compared), expected)


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

    def test_every_difference_is_told(self):
        folder = self.folder / "case"
        shutil.copytree(tool.SOURCE_DIR / "tests/data/golden/own-nested", folder)
        names = sorted(path.name for path in folder.iterdir() if path.name != "ops.txt")
        for name in names:
            with self.subTest(name):
                text = (folder / name).read_bytes()
                lines = text.split(b"\n")
                lines[len(lines) // 2] += b"x"
                for changed, line in [(b"\n".join(lines), len(lines) // 2 + 1), (text[:text[:-1].rindex(b"\n") + 1], None)]:
                    (folder / name).write_bytes(changed)
                    if name == "lookups.txt" and line is None:
                        continue  # fewer questions, fewer answers
                    compared = self.bad(1, "1 of ", "replay", "--check", folder).decode()
                    self.assertIn(f"{name}: differs, line {line or ''}", compared)
                    self.assertEqual(compared.count(": same\n"), len(names) - 1)
                (folder / name).write_bytes(text)

    def test_cases_that_are_none(self):
        self.bad(2, "no ops.txt", "replay", "--check", self.folder)
        self.write("ops.txt", "add 10.0.0.0/8 dev d0\n")
        self.bad(2, "nothing to compare with", "replay", "--check", self.folder)
        self.write("results.txt", "0\n")
        self.assertEqual(self.good("replay", "--check", self.folder).decode(), f"{self.folder}/results.txt: same\n")
        self.write("lookups.txt", "where to\n")
        self.bad(1, "1 of 2 files", "replay", "--check", self.folder)

    def test_all_prints(self):
        ops = self.write("ops.txt", "#! table merged\nadd 10.0.0.0/8 via 198.18.0.9 metric 5 mtu 1400\n"
                         "add 10.1.0.0/16 nexthop via 198.18.1.9 dev d1 weight 2 nexthop dev d2\n@link d2 down\n"
                         "@addr add 192.0.2.1/24 dev d1\n")
        text = self.good("replay", "--ops", ops, "--print", "ip").decode()
        self.assertIn("10.0.0.0/8 via 198.18.0.9 dev d0 metric 5 mtu 1400\n", text)
        self.assertIn("nexthop dev d2 weight 1 dead", text)
        routes = json.loads(self.good("replay", "--ops", ops, "--print", "json"))
        self.assertEqual([r["dst"] for r in routes if r["type"] == "unicast"],
                         ["10.0.0.0/8", "10.1.0.0/16", "192.0.2.0/24", "198.18.0.0/24", "198.18.1.0/24", "198.18.3.0/24"])
        text = self.good("replay", "--ops", ops, "--print", "proc-route").decode().splitlines()
        self.assertTrue(all(len(line) >= 127 for line in text))
        self.assertEqual(text[1].split()[:8], ["d0", "0000000A", "090012C6", "0003", "0", "0", "5", "000000FF"])
        text = self.good("replay", "--ops", ops, "--print", "events").decode()
        self.assertIn("4 NEW flags excl,create unicast 192.0.2.0/24 table 254 metric 0 proto 2 scope link src 192.0.2.1 dev d1", text)
        empty = self.write("empty.txt", "")
        self.assertEqual(self.good("replay", "--ops", empty, "--print", "json"), b"[]\n")

    def test_a_mistake_comes_after_the_results_before_it(self):
        ops = self.write("ops.txt", "add 9.0.0.0/8 dev d0\n\nappend 10.0.0.0/8 colour red\nadd 11.0.0.0/8 dev d0\n")
        self.assertEqual(self.bad(2, "ops.txt:3: ", "replay", "--ops", ops), b"0\n")
        self.assertEqual(self.bad(2, "ops.txt:3: ", "replay", "--ops", ops, "--print", "trie"), b"")

    def test_mistakes_are_bad_input(self):
        for line in ["ad 10.0.0.0/8", "add 10.0.0.0/33 dev d0", "add 10.0.0.0/8 via 1.2.3", "add 10.0.0.0/8 colour red",
                     "add 10.0.0.0/8 dev eth0"]:
            with self.subTest(line):
                ops = self.write("ops.txt", f"# nothing\n{line}\n")
                self.bad(2, "ops.txt:2: ", "replay", "--ops", ops)
        self.bad(2, "nowhere.txt: No such file", "replay", "--ops", self.folder / "nowhere.txt")


class kernel_cases(recorded):
    def test_kernel_cases(self):
        folders = sorted(path.parent for path in self.root.glob("*/ops.txt*"))
        self.assertEqual(len(folders), KERNEL_CASES)
        for folder in folders[:-1]:
            with self.subTest(folder.name):
                self.check_case(folder)


class full_table(recorded):
    def test_full_table(self):
        self.check_case(self.root / "32-full-table")


tool.main()
