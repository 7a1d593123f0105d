#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`fibtrie lookup -` answers more than a million addresses in a second of processor time."""
import random
import resource

import tool


class lookup_rate(tool.TestCase):
    def seconds(self, routes, asked):
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        before = used()
        self.good("lookup", "--routes", routes, "-", input=asked)
        return used() - before

    def test_rate(self):
        chance = random.Random(2)
        prefixes = tool.random_prefixes(chance, 20_000)
        routes = self.write("routes.txt", "".join(tool.prefix_text(p) + "\n" for p in prefixes))
        asked = "".join(tool.address_text(chance.getrandbits(32)) + "\n" for _ in range(100_000)).encode() * 10
        # the best of a few: other programs may be in the way
        spent = min(self.seconds(routes, asked) for _ in range(3))
        self.assertLess(spent, 1)
        print(f"{1e-6 * 1_000_000 / spent:.1f} M addresses/s, loading included")


tool.main()
