#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`fibtrie lookup` against a naive oracle, and what it says about bad input."""
import gzip
import random

import tool

TABLE = "0.0.0.0/1 gw-a\n10.0.0.0/8 gw-b\n10.1.0.0/16 gw-a # a comment\n10.1.2.3/32 gw-c\n"


class lookup(tool.TestCase):
    def answers(self, table, addresses):
        lines = []
        for address in addresses:
            found = tool.longest_match(table, address)
            text = f"{tool.prefix_text(found[0])} {found[1]}" if found else "none"
            lines.append(f"{tool.address_text(address)} {text}\n")
        return "".join(lines).encode()

    def test_arguments(self):
        routes = self.write("routes.txt", TABLE)
        text = self.good("lookup", "--routes", routes, "10.1.2.3", "10.1.2.4", "10.200.0.1", "127.0.0.1", "128.0.0.0")
        self.assertEqual(text.decode(), "10.1.2.3 10.1.2.3/32 gw-c\n10.1.2.4 10.1.0.0/16 gw-a\n"
                         "10.200.0.1 10.0.0.0/8 gw-b\n127.0.0.1 0.0.0.0/1 gw-a\n128.0.0.0 none\n")

    def test_a_million_addresses_against_the_oracle(self):
        chance = random.Random(1)
        table = {prefix: chance.randrange(2**32) for prefix in tool.random_prefixes(chance, 3000)}
        for key, plen in list(table):  # so that some addresses match nothing
            if plen < 8 and (plen == 0 or key >= 2**31):
                del table[key, plen]
        routes = self.write("routes.txt", "".join(f"{tool.prefix_text(p)} {r}\n" for p, r in table.items()))
        edges = [key + step & 0xffffffff for key, plen in table for step in (-1, 0, 2**(32 - plen) - 1, 2**(32 - plen))]
        addresses = edges + [chance.getrandbits(32) for _ in range(20_000 - len(edges))]
        expected = self.answers(table, addresses)
        self.assertGreater(expected.count(b" none\n"), 1000)
        asked = "".join(tool.address_text(a) + "\n" for a in addresses).encode()
        repeats = 50
        for flavour in ["memb", "qsbr"]:
            text = self.good("lookup", "--routes", routes, "--rcu", flavour, "-", input=asked * repeats)
            self.assertEqual(text.count(b"\n"), 1_000_000)
            self.assertTrue(text == expected * repeats, flavour)

    def test_standard_input_may_be_untidy(self):
        routes = self.write("routes.txt", TABLE)
        asked = b"# first\r\n\r\n 10.1.2.4\t# an address\r\n10.1.2.3"
        text = self.good("lookup", "--routes", routes, "-", input=asked)
        self.assertEqual(text, b"10.1.2.4 10.1.0.0/16 gw-a\n10.1.2.3 10.1.2.3/32 gw-c\n")
        self.assertEqual(self.good("lookup", "--routes", routes, "-", input=gzip.compress(asked)), text)
        self.assertEqual(self.good("lookup", "--routes", routes, "-", input=b""), b"")

    def test_bad_addresses(self):
        routes = self.write("routes.txt", TABLE)
        for address in ["10.1.2", "10.1.2.256", "10.1.2.3/32", "010.1.2.3", "::1", "host", ""]:
            with self.subTest(address):
                text = self.bad(2, f"address 2 ('{address}')", "lookup", "--routes", routes, "10.0.0.1", address)
                self.assertEqual(text, b"")
        for line in [b"10.1.2", b"10.1.2.3 10.1.2.4", b"\0", b"x" * 10_000]:
            with self.subTest(line):
                asked = b"10.0.0.1\n\n" + line + b"\n10.0.0.2\n"
                text = self.bad(2, "stdin:3: ", "lookup", "--routes", routes, "-", input=asked)
                self.assertEqual(text, b"10.0.0.1 10.0.0.0/8 gw-b\n")

    def test_bad_addresses_skipped(self):
        routes = self.write("routes.txt", TABLE)
        text = self.bad(0, "stdin: 2 bad lines skipped; the first: line 1:", "lookup", "--routes", routes, "--skip-bad",
                        "-", input=b"300.0.0.1\n10.0.0.1\nfoo\n")
        self.assertEqual(text, b"10.0.0.1 10.0.0.0/8 gw-b\n")

    def test_bad_arguments(self):
        routes = self.write("routes.txt", TABLE)
        self.bad(2, "--routes is required", "lookup", "10.0.0.1")
        self.bad(2, "ADDRESS is required", "lookup", "--routes", routes)
        self.bad(2, "('-')", "lookup", "--routes", routes, "-", "10.0.0.1")
        self.bad(2, "--rcu", "lookup", "--routes", routes, "--rcu", "none", "10.0.0.1")


tool.main()
