#!/usr/bin/env python3
"""Measures the load of skan_postbacks into a server on the same machine, as a ratio to psql's COPY of the same rows as CSV.

    Tests/PostgreSQL/speed.py [--binary POSTBACK] [--count N] [--rounds N] [--least ROWS]

psql copies into a table of the same columns with the same key. Lists of words are texts there, as CSV has them joined by
semicolons. The best round of each counts, and of the processor time of the server the median. With --least it fails if the loader is
slower than this number of rows a second.
"""

import argparse, os, shutil, statistics, subprocess, sys, tempfile, time
from pathlib import Path

from server import Server

PROJECT = Path(__file__).resolve().parent.parent.parent


def timed(work, server):
    """The elapsed time of the work, and the processor time of the connections that ended in it, in seconds."""
    def used():
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    before, start = used(), time.monotonic()
    work()
    elapsed = time.monotonic() - start
    # The server collects a process after its connection has ended.
    time.sleep(0.3)
    return elapsed, used() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=PROJECT / ".build/release/postback")
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=int, default=0)
    options = parser.parse_args()
    binary, work, server = os.path.abspath(options.binary), Path(tempfile.mkdtemp(prefix="load-")), Server()

    def postback(*arguments):
        return subprocess.run([binary, *map(str, arguments)], check=True, capture_output=True, text=True, cwd=work).stdout

    try:
        postback("generate", "--count", options.count, "--seed", "3", "--out", "dump", "--keys", "keys")
        postback("run", "dump", *(work / "keys").read_text().split(), "--out", "out", "--format", "both", "--quiet")
        (part,) = (work / "out/skan_postbacks").glob("part-*.csv")
        statements = postback("schema", "skan_postbacks", "--dialect", "postgresql").replace("text[]", "text")
        load = ["load", "postgres", "out", "--dsn", server.dsn, "--schema", "loaded", "--tables", "skan_postbacks"]
        copy = f"BEGIN;\n\\copy skan_postbacks FROM '{part}' CSV HEADER\nCOMMIT"
        ours, theirs = [], []
        for _ in range(options.rounds):
            for schema in ("loaded", "copied"):
                server.sql(f"SET client_min_messages TO error; DROP SCHEMA IF EXISTS {schema} CASCADE")
            server.sql(f"CREATE SCHEMA copied; SET search_path TO copied; {statements}")
            server.sql("CHECKPOINT")
            ours.append(timed(lambda: postback(*load), server))
            server.sql("CHECKPOINT")
            theirs.append(timed(lambda: server.sql(f"SET search_path TO copied; {copy}"), server))
        rows = int(server.sql("SELECT count(*) FROM loaded.skan_postbacks"))
        assert server.sql("SELECT count(*) FROM copied.skan_postbacks") == str(rows)
        rate, other = (rows / min(elapsed for elapsed, _ in times) for times in (ours, theirs))
        used = [statistics.median(seconds for _, seconds in times) for times in (ours, theirs)]
        print(f"{rows} rows of skan_postbacks: postback load {rate:.0f} a second, psql \\copy {other:.0f}, ratio {rate / other:.2f}")
        print(f"processor time of the server, median: postback load {used[0]:.2f} s, psql \\copy {used[1]:.2f} s")
        sys.exit(1 if rate < options.least else 0)
    finally:
        server.stop()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
