# SPDX-License-Identifier: MIT
"""What the tests of the command line tool share: running it, temporary files, the folder with foreign data."""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = os.environ["FIBTRIE_TOOL"]
SOURCE_DIR = pathlib.Path(os.environ["FIBTRIE_SOURCE_DIR"])
SHARED = pathlib.Path(os.environ.get("FIBTRIE_SHARED") or SOURCE_DIR / ".." / "shared")
NOTHING_TO_TEST = 77


def run(*arguments, **more):
    """Runs the tool; stdin is empty unless given."""
    if "input" not in more:
        more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([TOOL, *map(str, arguments)], stderr=subprocess.PIPE, check=False, **more)


def find_file(folder, name):
    """The file, or its gzipped form, or None."""
    for path in (folder / name, folder / (name + ".gz")):
        if path.exists():
            return path
    return None


def read_bytes(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def address_text(address):
    return ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))


def prefix_text(prefix):
    return f"{address_text(prefix[0])}/{prefix[1]}"


def mask(plen):
    return 0xffffffff << (32 - plen) & 0xffffffff


def random_prefixes(random, count):
    """Distinct prefixes of all lengths, many of them nested or neighbours."""
    found = {(0, 0), (0, 1), (0xffffffff, 32), (0, 32)}
    keys = [random.getrandbits(32) for _ in range(max(count // 20, 1))]
    while len(found) < count:
        plen = random.randint(0, 32)
        key = random.choice(keys) ^ (random.getrandbits(32) >> random.randint(0, 31))
        found.add((key & mask(plen), plen))
    ordered = sorted(found)
    random.shuffle(ordered)
    return ordered


def longest_match(table, address):
    """The oracle: tries all lengths in a dict of (key, plen)."""
    for plen in range(32, -1, -1):
        prefix = (address & mask(plen), plen)
        if prefix in table:
            return prefix, table[prefix]
    return None


class TestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def good(self, *arguments, **more):
        """Standard output of a run that must go well and say nothing on standard error."""
        done = run(*arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def bad(self, code, words, *arguments, **more):
        """Standard output of a run that must end with that code and say all those words."""
        done = run(*arguments, **more)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, done.stderr.decode())
        return done.stdout


def main():
    done = unittest.main(exit=False).result
    if not done.wasSuccessful():
        sys.exit(1)
    if done.testsRun == 0:
        sys.exit("no test was run")
    sys.exit(NOTHING_TO_TEST if len(done.skipped) == done.testsRun else 0)
