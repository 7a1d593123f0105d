#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`fibtrie replay --print ip` and `json` against iproute2's own `ip route`, in a network namespace of its own."""
import json
import os
import shutil
import subprocess
import unittest

import tool

ROUTES = """
default via 198.18.1.9 dev d1
10.0.0.0/8 dev d0
10.1.0.0/16 via 198.18.0.9 dev d0 tos 0x10 metric 5 proto static src 198.18.0.1 mtu 1400 advmss 1300
10.2.0.0/16 nexthop via 198.18.0.9 dev d0 weight 3 nexthop dev d1
10.3.0.0/16 via 192.0.2.1 dev d3 onlink
10.4.0.0/16 proto zebra nexthop via 192.0.2.1 dev d3 onlink nexthop via 198.18.1.9 dev d1 weight 256
10.5.0.0/16 dev d2 scope host metric 1024 proto 77
blackhole 10.6.0.0/16
unreachable 10.7.0.0/16 metric 7
prohibit 10.8.0.1
throw 10.9.0.0/16 proto bgp
local 10.10.0.1 dev d0
broadcast 10.10.0.255 dev d0
multicast 224.0.0.0/4 dev d1
10.11.0.0/16 nhid 7
10.12.0.0/16 nhid 9 metric 100
10.13.0.0/16 nhid 10
10.14.0.0/16 dev d0 mtu lock 1200 window 5
10.15.0.0/16 dev d0 rtt 80 rttvar 6000 cwnd lock 5
10.16.0.0/16 dev d0 rtt 12000 hoplimit 3 quickack 1 initcwnd 10
10.17.0.0/16 dev d1 mtu lock 0 reordering 4 ssthresh 9 initrwnd 8 fastopen_no_cookie 1
10.18.0.0/16 dev d2
10.19.0.0/16 nexthop dev d2 nexthop dev d1
10.20.0.0/16 dev d1 proto keepalived scope 17
""".strip().splitlines()

NEXTHOPS = ["id 7 via 198.18.0.9 dev d0", "id 8 dev d1", "id 9 group 7,2/8", "id 10 blackhole"]


def in_kernel(routes):
    """Shell commands that build the world of operation lists and its routes, and list them in every form."""
    lines = ["set -e", "ip link set lo up"]
    for i in range(4):
        lines += [f"ip link add d{i} type veth peer name p{i}", f"ip addr add 198.18.{i}.1/24 dev d{i}",
                  f"ip link set p{i} up", f"ip link set d{i} up"]
    lines += [f"ip nexthop add {nexthop}" for nexthop in NEXTHOPS]
    lines += [f"ip route add table 100 {route}" for route in routes]
    lines += ["ip link set p0 down", "sleep 0.2", "ip link set d2 down"]
    lines += ["while ip link show d0 | grep -q LOWER_UP; do sleep 0.05; done"]
    lines += ["ip -o route show table 100", "echo ---", "ip -j -d route show table 100"]
    return "\n".join(lines)


def in_list(routes):
    lines = ["@link lo up"] + [f"@nexthop add {nexthop}" for nexthop in NEXTHOPS] + [f"add {route}" for route in routes]
    return "\n".join(lines + ["@link p0 down", "@link d2 down"]) + "\n"


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("ip") and shutil.which("unshare"), "no root, ip or unshare")
class ip_route(tool.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        done = subprocess.run(["unshare", "-n", "sh", "-c", in_kernel(ROUTES)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
        if done.returncode != 0 and b"unshare" in done.stderr:
            raise unittest.SkipTest("no network namespace: " + done.stderr.decode())
        assert done.returncode == 0, done.stderr
        cls.text, cls.json = done.stdout.decode().split("---\n")

    def ours(self, form):
        return self.good("replay", "--ops", self.write("ops.txt", in_list(ROUTES)), "--print", form).decode()

    def test_text(self):
        """In one line each, without the table that ip does not name when it is asked for that table alone."""
        kernels = [" ".join(line.replace("\\", " ").split()) for line in self.text.splitlines()]
        ours = [line.replace(" table 100", "") for line in self.ours("ip").splitlines()]
        self.assertEqual(ours, kernels)
        self.assertEqual(len(ours), len(ROUTES) - 2)  # two went with their interface

    def test_json(self):
        ours = json.loads(self.ours("json"))
        for route in ours:
            self.assertEqual(route.pop("table"), "100")
        kernels = json.loads(self.json)
        for route in kernels:
            route.pop("nh_info", None)  # a newer field, of the object
        self.assertEqual(ours, kernels)


tool.main()
