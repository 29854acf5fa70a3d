#!/usr/bin/env python3
"""Compares the numbers of two outputs night after night, of which one removes old rows.

    Tests/Reporting/retained_nights.py [--program PATH] [--nights N] [--seed S]

Both take the same dumps, one for each day, with copies of devices and forwarders that decide on a later day, and make their
derived tables. `retain` then removes from one of them what is older than ten days, and rejects that are older than six. The numbers
by day of receipt have to stay those of the output that keeps everything. Those by install date are not compared: ten days are
too short for all windows.
"""

import argparse
import collections
import csv
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
METRICS = ["postbacks", "conversions", "installs", "values", "conflicts", "revenue", "revenue_min", "revenue_max"]
DAY = datetime.timedelta(days=1)


def call(*words):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {result.returncode}\n{result.stderr}")
    return result.stdout


def numbers(output):
    rows = {}
    for path in output.glob("skan_daily/part-*.jsonl"):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if row["date_type"] != "received":
                continue
            key = tuple(row.get(name) for name in ("date", "app_id", "network_name", "campaign_id", "country", "postback_sequence_index"))
            rows[key] = [row[name] for name in METRICS]
    return rows


def rows_of(output, table):
    return sum(path.read_bytes().count(b"\n") for path in output.glob(f"{table}/part-*.jsonl"))


def make(program, work, seed):
    """Makes a dump, and returns its lines by day. A day ends 20 minutes before the time that the clock shows, and `retain`
    removes up to the time that the clock shows: so a copy that comes more than 20 minutes after the end of a day is not as old
    as the first copy of that day."""
    call(program, "generate", "--count", 5000, "--seed", seed, "--campaigns", 12, "--days", 14, "--reporting", work / "made", "--out", work / "dump",
         "--keys", work / "keys", "--quiet")
    apps = work / "made/lookups/apps.csv"
    rows = list(csv.DictReader(apps.open()))
    for row in rows:
        row["direct_copies_since"] = "2026-01-01"
    with apps.open("w") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    now = datetime.datetime.now(datetime.timezone.utc)
    shift = datetime.timedelta(hours=now.hour, minutes=now.minute - 20)
    days = collections.defaultdict(list)
    for line in (work / "dump").read_bytes().splitlines(keepends=True):
        try:
            time = datetime.datetime.fromisoformat(json.loads(line)["received_at"].replace("Z", "+00:00"))
        except (ValueError, KeyError, TypeError, UnicodeDecodeError):
            continue
        days[(time - shift).date()].append(line)
    return now, shift, sorted(days.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / ".build" / "release" / "postback")
    parser.add_argument("--nights", default=26, type=int)
    parser.add_argument("--seed", default=11, type=int)
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    with tempfile.TemporaryDirectory() as folder:
        compare(program, pathlib.Path(folder), options)


def compare(program, work, options):
    now, shift, days = make(program, work, options.seed)
    keys = (work / "keys").read_text().split()
    whole, reduced = work / "whole", work / "reduced"
    removed = kept = 0
    for night, (day, lines) in enumerate(days[: options.nights]):
        for output in whole, reduced:
            dump = work / f"{output.name}-{day}.jsonl"
            dump.write_bytes(b"".join(lines))
            call(program, "run", dump, "--models", work / "made/models", "--out", output, "--quiet", *keys)
            for step in "settle", "enrich":
                call(program, step, output, "--lookups", work / "made/lookups", "--quiet")
            call(program, "daily", output, "--lookups", work / "made/lookups", "--environment", "custom", "--quiet")
        expected, found = numbers(whole), numbers(reduced)
        for key in sorted(expected.keys() | found.keys(), key=str):
            if expected.get(key) != found.get(key):
                sys.exit(f"night {day}, seed {options.seed}: {key} is {found.get(key)}, and {expected.get(key)} where all rows are kept")
        for age, tables in (6, "skan_rejects"), (10, "skan_postbacks,skan_events"):
            if night < age:
                continue
            end = datetime.datetime.combine(days[night - age][0] + DAY, datetime.time(), datetime.timezone.utc) + shift
            answer = json.loads(call(program, "retain", "--out", reduced, "--older-than", f"{(now - end) // DAY}d", "--tables", tables,
                                     "--yes-remove-all", "--trust-clock", "--json"))
            removed += answer["rows"]
            kept += answer["kept_rows"]
        if call(program, "state", "check", reduced) != "sound\n":
            sys.exit(f"night {day}: the state is not sound")
    left = [f"{rows_of(reduced, table)} of {rows_of(whole, table)} rows of {table}" for table in ("skan_postbacks", "skan_rejects")]
    print(f"{options.nights} nights: the same numbers after {removed} rows went; {kept} stayed because they count; left are {', '.join(left)}")
    if not removed or not kept:
        sys.exit("nothing was removed, or nothing had to stay")


if __name__ == "__main__":
    main()
