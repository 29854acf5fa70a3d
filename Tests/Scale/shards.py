#!/usr/bin/env python3
"""Runs all shards of a dump beside a run of the whole, and compares their tables.

    Tests/Scale/shards.py [--binary POSTBACK] [--count N] [--shards N]

The dump has forgeries, edited and broken lines, duplicates, and records without a key; it comes in two files, of which one is
read later. The rows of all shards together must be those of the run that is not sharded, in every column, and each row must be
in the shard that its key or raw_sha256 names. Prints the processor time of each run.
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ("skan_postbacks", "skan_events", "skan_rejects")


def rows(out):
    """The rows of an output by table, and how often each is there."""
    found = {}
    for table in TABLES:
        found[table] = collections.Counter()
        for part in (out / table).glob("part-*.jsonl"):
            found[table].update(part.read_text().splitlines())
    return found


def run(postback, inputs, out, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for path in inputs:
        subprocess.run([postback, "run", path, "--out", out, "--quiet", *options], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=PROJECT / ".build/release/postback")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--shards", type=int, default=4)
    options = parser.parse_args()
    postback = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="shards-") as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run(
            [postback, "generate", "--count", str(options.count), "--seed", "5", "--malformed", "0.05", "--duplicate", "0.1",
             "--out", folder / "dump", "--keys", folder / "keys", "--quiet"],
            check=True,
        )
        lines = (folder / "dump").read_bytes().splitlines(keepends=True)
        half = len(lines) // 2
        inputs = [folder / "first.jsonl", folder / "second.jsonl"]
        # Some lines of the first file come again in the second one, at any distance.
        inputs[0].write_bytes(b"".join(lines[:half]) + b'{"a":1}\nnot JSON\n')
        inputs[1].write_bytes(b"".join(lines[half:] + lines[:half:7]) + b'{"transaction-id":"')
        common = [*(folder / "keys").read_text().split(), "--models", PROJECT / "Fixtures/models"]
        seconds = run(postback, inputs, folder / "whole", common)
        print(f"whole: {seconds:.2f} s of processor time")
        whole, union = rows(folder / "whole"), {table: collections.Counter() for table in TABLES}
        for number in range(1, options.shards + 1):
            shard = folder / f"shard-{number}"
            seconds = run(postback, inputs, shard, [*common, "--shard", f"{number}/{options.shards}"])
            found = rows(shard)
            print(f"shard {number}/{options.shards}: {seconds:.2f} s, {sum(found['skan_postbacks'].values())} accepted, "
                  f"{sum(found['skan_rejects'].values())} rejected")
            for row in map(json.loads, found["skan_postbacks"]):
                if int(row["postback_key"], 16) % options.shards != number - 1:
                    sys.exit(f"shards: shard {number} has the key {row['postback_key']}")
            for row in map(json.loads, found["skan_rejects"]):
                if row["stage"] == "parse" and int(row["raw_sha256"], 16) % options.shards != number - 1:
                    sys.exit(f"shards: shard {number} has the record {row['raw_sha256']}")
            for table in TABLES:
                union[table] += found[table]
        for table in TABLES:
            if union[table] != whole[table] or not whole[table]:
                sys.exit(f"shards: {table} has {(union[table] - whole[table]).total()} rows too many and "
                         f"{(whole[table] - union[table]).total()} too few")
        print(f"shards: {sum(table.total() for table in whole.values())} rows of {options.shards} shards are those of one run")


if __name__ == "__main__":
    main()
