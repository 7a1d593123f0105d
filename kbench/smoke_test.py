#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs kbench on a small table and checks its text, its JSON and its exit codes.

    smoke_test.py KBENCH PLOT    exit code 0 when all is as it should be
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ENGINES = ["lc_trie", "kernel-walk"]
PATTERNS = ["cov", "uni", "zipf", "seq", "rep"]
MODES = ["scalar", "dep", "batch32", "batch256"]
GOOGLE_FIELDS = ["name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations",
                 "real_time", "cpu_time", "time_unit", "items_per_second"]


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)


def check(condition, what):
    if not condition:
        sys.exit(f"smoke test: {what}")


def check_rows(found, text):
    rows = {row["name"]: row for row in found["benchmarks"]}
    check(len(rows) == len(found["benchmarks"]), "two rows of one name")
    for row in rows.values():
        for field in GOOGLE_FIELDS:
            check(field in row, f"{row['name']} has no {field}")
        check(row["cpu_time"] > 0 and row["run_type"] == "iteration" and row["time_unit"] == "ns", row)
    for engine in ENGINES:
        for pattern in PATTERNS:
            for mode in MODES:
                name = f"{engine}/{pattern}/{mode}"
                check(name in rows and name in text, f"no row {name}")
                row = rows[name]
                check(row["rounds"] >= 5 and row["best_ns"] <= row["median_ns"], row)
                check(abs(row["items_per_second"] * row["median_ns"] / 1e9 - 1) < 1e-6, row)
                baseline = rows[f"kernel-walk/{pattern}/{mode}"]
                check(abs(row["ratio"] - baseline["median_ns"] / row["median_ns"]) < 1e-6, row)
        for operation in ["load", "remove", "add", "flap", "replace", "replay"]:
            check(f"{engine}/update/{operation}" in rows, f"no update row {operation} of {engine}")
    return rows


def check_latency(rows):
    """A lookup that needs the answer before it cannot overlap with it, so dep must take longer."""
    for engine in ENGINES:
        scalar, dependent = rows[f"{engine}/cov/scalar"], rows[f"{engine}/cov/dep"]
        check(dependent["median_ns"] > 1.1 * scalar["median_ns"],
              f"{engine}: dep takes {dependent['median_ns']:.1f} ns, scalar {scalar['median_ns']:.1f} ns")


def check_context(found):
    context = found["context"]
    for field in ["date", "host_name", "num_cpus", "mhz_per_cpu", "caches", "library_version", "table"]:
        check(field in context, f"no {field} in the context")
    check(context["table"]["prefixes"] == 20000, context["table"])
    stream = context["stream"]
    check(stream["updates"] == stream["replaced"] + stream["new"] + stream["withdrawn"] + stream["missing"], stream)
    check(stream["end_size"] == stream["start_size"] + stream["new"] - stream["withdrawn"], stream)


def check_readers(rows):
    for mode in ["scalar", "batch32", "batch256"]:
        for writer in ["idle", "paced", "busy"]:
            row = rows.get(f"lc_trie/cov/{mode}/threads:2/writer:{writer}")
            check(row is not None and len(row["per_thread"]) == 2 and min(row["per_thread"]) > 0, (mode, writer))
            check((row.get("updates_per_second", 0) > 0) == (writer != "idle"), row)
            check(row["longest_gap_us"] > 0, row)


def check_alloc(kbench, folder):
    out = folder / "alloc.json"
    done = run(kbench, "alloc", "--rounds", 3, "--batch", "1,32", "--threads", "1,2", "--json", out)
    check(done.returncode == 0, done.stderr)
    rows = {row["name"]: row for row in json.loads(out.read_text())["benchmarks"]}
    for name in ["pool/64", "malloc/64", "pool/2176", "malloc/2176"]:
        for batch in [1, 32]:
            for threads in [1, 2]:
                check(rows[f"alloc/{name}/batch{batch}/threads:{threads}"]["cycles"] > 0, name)
    for missing in ["jemalloc", "rte_mempool", "rte_pktmbuf"]:
        check(missing in done.stdout, f"nothing is said of {missing}")
    check(run(kbench, "alloc", "--batch", "257").returncode == 2, "a batch of 257 is accepted")


def check_backlog(kbench):
    done = run(kbench, "backlog", "--table-size", 30000, "--limits", "64,1024")
    check(done.returncode == 0, done.stderr)
    check("  64 kB " in done.stdout and "  1 MB " in done.stdout, done.stdout)
    check(run(kbench, "backlog", "--limits", "0").returncode == 2, "a limit of nothing is accepted")


def check_failures(kbench, folder):
    check(run(kbench, "--pattern", "nonsense").returncode == 2, "an unknown pattern is accepted")
    check(run(kbench, "--rounds", "4").returncode == 2, "fewer than 5 rounds are accepted")
    check(run(kbench, "--json", folder / "none" / "out.json").returncode == 2, "an unwritable result file is accepted")
    bad = folder / "bad.txt"
    bad.write_text("10.0.0.0/8\n10.0.0.1/8\n")
    refused = run(kbench, "--routes", bad)
    check(refused.returncode == 2 and "bad.txt:2" in refused.stderr, f"a bad route file: {refused}")


def main():
    kbench, plot = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = folder / "out.json"
        done = run(kbench, "--quick", "--table-size", 20000, "--threads", 2, "--json", out)
        check(done.returncode == 0, f"kbench failed: {done.stderr}")
        check(done.stderr == "", f"something on stderr, which is no terminal: {done.stderr}")
        found = json.loads(out.read_text())
        rows = check_rows(found, done.stdout)
        check_context(found)
        check_readers(rows)
        if found["context"]["library_build_type"] == "release":  # assertions and sanitizers hide latency
            check_latency(rows)
        drawn = run(sys.executable, plot, out, "-o", folder / "out.svg")
        check(drawn.returncode == 0, f"plot failed: {drawn.stderr}")
        picture = xml.etree.ElementTree.parse(folder / "out.svg")
        bars = [bar for bar in picture.iter("{http://www.w3.org/2000/svg}rect") if len(bar)]  # those with a title
        check(len(bars) == len(PATTERNS) * len(MODES), f"a plot of {len(bars)} bars")
        check_failures(kbench, folder)
        check_alloc(kbench, folder)
        check_backlog(kbench)
    print("all as it should be")


main()
