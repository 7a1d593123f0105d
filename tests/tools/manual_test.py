#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of docs/fibtrie.md print what the page says.

A fenced block `text NAME` is a file; in a block `console` each line after "$ " is a command, the lines below it are
what it prints.  Sizes in bytes and rates differ between machines and versions: there, any number will do.
"""
import os
import pathlib
import re
import subprocess

import tool

PAGE = tool.SOURCE_DIR / "docs/fibtrie.md"
NUMBERS_MAY_DIFFER = re.compile(r"stat --routes \S+$|--updates")


def blocks(kind):
    """(rest of the opening line, text) of each fenced block."""
    return re.findall(rf"^```{kind}(?: (\S+))?\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def without_numbers(text):
    return re.sub(r" +", " ", re.sub(r"\d+(\.\d+)?", "N", text))


class manual(tool.TestCase):
    def shell(self, command):
        path = f"{pathlib.Path(tool.TOOL).parent}:{os.environ['PATH']}"
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env={**os.environ, "PATH": path}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout

    def test_examples(self):
        for name, text in blocks("text"):
            self.write(name, text)
        commands = [part for _, text in blocks("console") for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
        self.assertGreater(len(commands), 8)
        for part in commands:
            command, _, expected = part.partition("\n")
            with self.subTest(command):
                printed = self.shell(command)
                if NUMBERS_MAY_DIFFER.search(command):
                    printed, expected = without_numbers(printed), without_numbers(expected)
                self.assertEqual(printed, expected)

    def test_every_command_has_an_example(self):
        text = "".join(text for _, text in blocks("console"))
        for command in ["lookup", "stat", "dump", "replay --ops", "replay --routes", "check"]:
            self.assertIn(f"fibtrie {command} ", text)


tool.main()
