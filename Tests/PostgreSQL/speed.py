#!/usr/bin/env python3
"""Measures the load of skan_postbacks into a server on the same machine, as a ratio to psql's COPY of the same rows as CSV.

    Tests/PostgreSQL/speed.py [--binary POSTBACK] [--count N] [--rounds N] [--least ROWS]

psql copies into a table of the same columns with the same key. Lists of words are texts there, as CSV has them joined by
semicolons. The best round of each counts. With --least it fails if the loader is slower than this number of rows a second.
"""

import argparse, os, shutil, subprocess, sys, tempfile, time
from pathlib import Path

from server import Server

PROJECT = Path(__file__).resolve().parent.parent.parent


def timed(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


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
            ours.append(timed(lambda: postback(*load)))
            server.sql("CHECKPOINT")
            theirs.append(timed(lambda: server.sql(f"SET search_path TO copied; {copy}")))
        rows = int(server.sql("SELECT count(*) FROM loaded.skan_postbacks"))
        assert server.sql("SELECT count(*) FROM copied.skan_postbacks") == str(rows)
        rate, other = rows / min(ours), rows / min(theirs)
        print(f"{rows} rows of skan_postbacks: postback load {rate:.0f} a second, psql \\copy {other:.0f}, ratio {rate / other:.2f}")
        sys.exit(1 if rate < options.least else 0)
    finally:
        server.stop()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
