#!/usr/bin/env python3
"""Measures the false alarms and the power of `postback rejects --signals`, and prints both as tables.

    Tests/Signals/measure.py [--program POSTBACK] [--days 200] [--seeds 50] [--jobs 2]

A clean day is a dump of one day of conversions of 20 campaigns of four networks and four apps, without fraud, forged lines and edited
lines; forwarders change 3 % of the values, as in all generated campaigns. It raises a false alarm if any test does. Each fraud is
added to 500 postbacks of the forwarder of the first network in a dump of two weeks. It is found if a test that is about it, see FRAUDS,
raises an alarm against that party. The exit status is 1 if more than 5 % of the clean days raise an alarm, or a fraud is found in less
than 95 % of the dumps.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLEAN = ["--campaigns", "20", "--forged", "0", "--edited", "0", "--malformed", "0"]
# The tests that are about each fraud.
FRAUDS = {
    "inflate-fine": {"fine_values", "raised_values"},
    "inflate-coarse": {"coarse_values", "raised_values"},
    "flip-win": {"invalid_signatures"},
    "replay-late": {"late_copies"},
    "steal-signature": {"invalid_signatures"},
    "fabricate": {"invalid_signatures"},
    "change-country": {"countries", "changed_countries"},
    "self-conflict": {"self_conflicts"},
    "withhold": {"missing_forwarded"},
}
PARTIES = {("forwarder", "network-1"), ("network", "Network 1")}
# The wanted number of affected postbacks, and the lines of a dump in which so many of the party can be affected.
POSTBACKS = 500


def signals(program, seed, count, options):
    """The answer of the command about a dump, and the number of postbacks that its fraud affects."""
    folder = tempfile.mkdtemp(prefix="signals-")
    try:
        dump, keys, files, out = (os.path.join(folder, name) for name in ("dump", "keys", "files", "out"))

        def call(*words):
            done = subprocess.run([program, *words], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(words)}: {done.stderr}")
            return done.stdout

        call("generate", "--count", str(count), "--seed", str(seed), "--reporting", files, "--out", dump, "--keys", keys,
             "--jobs", "1", *CLEAN, *options)
        with open(keys, encoding="utf-8") as file:
            call("run", dump, *file.read().split(), "--models", f"{files}/models", "--out", out)
        call("enrich", out, "--lookups", f"{files}/lookups")
        call("settle", out, "--lookups", f"{files}/lookups", "--models", f"{files}/models")
        answer = json.loads(call("rejects", out, "--signals", "--json", "--jobs", "1"))["signals"]
        affected = 0
        if os.path.exists(f"{files}/truth_fraud.csv"):
            with open(f"{files}/truth_fraud.csv", encoding="utf-8") as file:
                affected = sum(1 for _ in file) - 1
        return answer, affected
    finally:
        shutil.rmtree(folder)


def clean_day(program, seed, count):
    return signals(program, seed, count, ["--days", "1"])[0]


def fraud(program, seed, count, kind):
    answer, affected = signals(program, seed, count, ["--days", "14", "--fraud", f"{kind},postbacks={POSTBACKS}"])
    found = [alarm for alarm in answer["alarms"]
             if alarm["test"] in FRAUDS[kind] and (alarm["party"], alarm["name"]) in PARTIES]
    return bool(found), affected, len(answer["alarms"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(PROJECT, ".build/release/postback"))
    parser.add_argument("--days", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--lines", type=int, default=4000, help="the lines of a clean day")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fraud", action="append", choices=sorted(FRAUDS), help="only these frauds")
    options = parser.parse_args()
    is_wrong = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.days:
            answers = list(pool.map(lambda seed: clean_day(options.program, seed, options.lines), range(1, options.days + 1)))
            raised = collections.Counter(name for answer in answers for name in {a["test"] for a in answer["alarms"]})
            alarms = sum(1 for answer in answers if answer["alarms"])
            tests = sorted(answer["tests"] for answer in answers)
            print(f"clean days with an alarm: {alarms} of {options.days} ({100 * alarms / options.days:.1f} %), "
                  f"{tests[len(tests) // 2]} tests a day")
            for name, days in raised.most_common():
                print(f"  {name}: {days}")
            is_wrong = alarms > 0.05 * options.days
        for kind in (options.fraud or FRAUDS) if options.seeds else []:
            # Losses and postbacks with a country are rarer than others.
            count = {"flip-win": 60_000, "change-country": 60_000}.get(kind, 20_000)
            results = list(pool.map(lambda seed: fraud(options.program, seed, count, kind), range(1, options.seeds + 1)))
            found = sum(1 for result in results if result[0])
            rows = sorted(result[1] for result in results)
            print(f"{kind}: found in {found} of {options.seeds}, {rows[0]} to {rows[-1]} rows in {count} lines", flush=True)
            is_wrong = is_wrong or found < 0.95 * options.seeds
    sys.exit(1 if is_wrong else 0)


if __name__ == "__main__":
    main()
