#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Standard output that is closed, full, or no longer read is noticed."""
import os
import signal
import subprocess
import unittest

import tool


class output(tool.TestCase):
    def setUp(self):
        super().setUp()
        self.routes = self.write("routes.txt", "".join(f"10.{i >> 8}.{i & 255}.0/24\n" for i in range(20_000)))

    def commands(self):
        ops = self.write("ops.txt", "add 10.0.0.0/8 dev d0\n")
        changes = self.write("updates.txt", "A 10.0.0.0/8\n")
        return [["lookup", "--routes", self.routes, "10.0.0.1"], ["stat", "--routes", self.routes],
                ["dump", "--routes", self.routes], ["dump", "--routes", self.routes, "--format", "trie"],
                ["check", "--routes", self.routes], ["replay", "--ops", ops],
                ["replay", "--routes", self.routes, "--updates", changes]]

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        for command in self.commands():
            with self.subTest(command), open("/dev/full", "wb") as full:
                self.bad(1, "cannot write to standard output: No space left", *command, stdout=full)

    def test_closed(self):
        for command in self.commands():
            with self.subTest(command):
                done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", tool.TOOL, *map(str, command)],
                                      stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stderr), (1, b"fibtrie: standard output is closed\n"))

    def stop_reading(self, sigpipe):
        """Starts an endless question, reads a little of the answer, goes away; returns exit code and standard error."""
        def prepare():
            signal.signal(signal.SIGPIPE, sigpipe)

        with subprocess.Popen(["yes", "10.0.0.1"], stdout=subprocess.PIPE) as asker:
            with subprocess.Popen([tool.TOOL, "lookup", "--routes", self.routes, "-"], stdin=asker.stdout,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=prepare,
                                  restore_signals=False) as asked:
                asker.stdout.close()
                self.assertEqual(asked.stdout.readline(), b"10.0.0.1 10.0.0.0/24 " + self.result() + b"\n")
                asked.stdout.close()
                try:
                    asked.wait(timeout=60)
                    return asked.returncode, asked.stderr.read()
                finally:
                    asked.kill()
                    asker.kill()

    def result(self):
        return self.good("lookup", "--routes", self.routes, "10.0.0.1").split()[2]

    def test_reader_goes_away(self):
        self.assertEqual(self.stop_reading(signal.SIG_DFL), (-signal.SIGPIPE, b""))

    def test_reader_goes_away_with_the_signal_ignored(self):
        self.assertEqual(self.stop_reading(signal.SIG_IGN),
                         (1, b"fibtrie: cannot write to standard output: Broken pipe\n"))


tool.main()
