#!/usr/bin/env python3
"""Measures the false alarms and the power of `postback rejects --signals`, and prints both as tables.

    Tests/Signals/measure.py [--program POSTBACK] [--days 200] [--seeds 50] [--minutes 40] [--jobs 2]

A clean day is a dump of one day of conversions of 20 campaigns of four networks and four apps, without fraud, forged lines and edited
lines; forwarders change 3 % of the values, as in all generated campaigns. It raises a false alarm if any test does.

Each fraud is added to 500 postbacks of one forwarder in a dump of two weeks: of the forwarder that sends the most postbacks which the
fraud can change, with more lines until there are enough of them. It is found if a test that is about it, see FRAUDS, raises an alarm
against that forwarder or its network; alarms against other parties are counted too. The frauds take turns, so that all have as many
dumps if the time is over. The exit status is 1 if more than 5 % of the clean days raise an alarm, or a fraud is found in less than 95 %
of the dumps.
"""

import argparse
import collections
import concurrent.futures
import functools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLEAN = ["--campaigns", "20", "--forged", "0", "--edited", "0", "--malformed", "0"]
# The tests that are about each fraud.
FRAUDS = {
    "inflate-fine": {"fine_values", "raised_values", "raised_revenue"},
    "inflate-coarse": {"coarse_values", "raised_values", "raised_revenue"},
    "flip-win": {"invalid_signatures"},
    "replay-late": {"late_copies"},
    "steal-signature": {"invalid_signatures"},
    "fabricate": {"invalid_signatures"},
    "change-country": {"countries", "changed_countries"},
    "self-conflict": {"self_conflicts"},
    "withhold": {"missing_forwarded"},
}
# The forwarders, with the networks whose postbacks they send.
FORWARDERS = {"network-1": "Network 1", "adjust": "Network 2", "appsflyer": "Network 3", "branch": "Network 4"}
# The wanted number of affected postbacks, the least number with which a dump counts, and the most lines of a dump.
POSTBACKS = 500
ENOUGH = 400
LINES = 20_000
MOST_LINES = 80_000
# Losses are rarer than others.
LINES_OF = {"flip-win": 80_000}
# The postbacks that a fraud can change; the other frauds can affect any.
CHANGED = {
    "inflate-fine": lambda body: body.get("conversion-value") in range(40),
    "inflate-coarse": lambda body: body.get("coarse-conversion-value") in ("low", "medium"),
    "flip-win": lambda body: body.get("did-win") is False,
    "change-country": lambda body: body.get("country-code") not in (None, "US"),
}


def generate(program, folder, seed, count, options):
    """Makes a dump with its keys and files in a folder."""
    dump, keys, files = (os.path.join(folder, name) for name in ("dump", "keys", "files"))
    call(program, "generate", "--count", str(count), "--seed", str(seed), "--reporting", files, "--out", dump, "--keys", keys,
         "--jobs", "1", "--quiet", *CLEAN, *options)


def call(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def answer(program, folder):
    """The answer of the command about the dump in a folder."""
    dump, keys, files, out = (os.path.join(folder, name) for name in ("dump", "keys", "files", "out"))
    with open(keys, encoding="utf-8") as file:
        call(program, "run", dump, *file.read().split(), "--models", f"{files}/models", "--out", out)
    call(program, "enrich", out, "--lookups", f"{files}/lookups")
    call(program, "settle", out, "--lookups", f"{files}/lookups", "--models", f"{files}/models")
    return json.loads(call(program, "rejects", out, "--signals", "--json", "--jobs", "1"))["signals"]


def clean_day(program, seed, count):
    with tempfile.TemporaryDirectory(prefix="signals-") as folder:
        generate(program, folder, seed, count, ["--days", "1"])
        return answer(program, folder)


@functools.lru_cache(maxsize=8)
def culprits(program, seed):
    """The forwarder that sends the most postbacks which a fraud can change, for each fraud."""
    found = {kind: collections.Counter() for kind in FRAUDS}
    with tempfile.TemporaryDirectory(prefix="signals-") as folder:
        generate(program, folder, seed, LINES, ["--days", "14"])
        with open(os.path.join(folder, "dump"), encoding="utf-8") as file:
            for record in map(json.loads, file):
                for kind in FRAUDS if "forwarder" in record else []:
                    if kind not in CHANGED or CHANGED[kind](record.get("body", {})):
                        found[kind][record["forwarder"]] += 1
    return {kind: max(FORWARDERS, key=lambda name: (count[name], name)) for kind, count in found.items()}


def fraud(program, seed, kind):
    """Tells if the fraud is found, with the affected postbacks, the lines, and the alarms against other parties."""
    forwarder = culprits(program, seed)[kind]
    parties = {("forwarder", forwarder), ("network", FORWARDERS[forwarder])}
    count = LINES_OF.get(kind, LINES)
    while True:
        with tempfile.TemporaryDirectory(prefix="signals-") as folder:
            scenario = f"{kind},forwarder={forwarder},postbacks={POSTBACKS}"
            generate(program, folder, seed, count, ["--days", "14", "--fraud", scenario])
            with open(os.path.join(folder, "files", "truth_fraud.csv"), encoding="utf-8") as file:
                affected = sum(1 for _ in file) - 1
            if ENOUGH * count / MOST_LINES <= affected < ENOUGH:
                count *= 2
                continue
            # What is too small is not looked at.
            alarms = answer(program, folder)["alarms"] if affected >= ENOUGH else []
            own = [alarm for alarm in alarms if (alarm["party"], alarm["name"]) in parties]
            return {
                "kind": kind, "seed": seed, "forwarder": forwarder, "affected": affected, "lines": count,
                "found": sorted({alarm["test"] for alarm in own} & FRAUDS[kind]),
                "others": sorted({f"{a['test']} {a['party']} {a['name']}" for a in alarms if a not in own}),
            }


def wilson(found, total):
    """The 95 % interval of Wilson for a share, as text."""
    if total == 0:
        return "-"
    z, share = 1.96, found / total
    middle, scale = share + z * z / (2 * total), 1 + z * z / total
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return f"{100 * max((middle - half) / scale, 0):.0f} to {100 * min((middle + half) / scale, 1):.0f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(PROJECT, ".build/release/postback"))
    parser.add_argument("--days", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--lines", type=int, default=4000, help="the lines of a clean day")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fraud", action="append", choices=sorted(FRAUDS), help="only these frauds")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no dump with a fraud after these minutes")
    parser.add_argument("--kept", help="a file to which the result of each dump with a fraud is appended, as JSON Lines, and not measured again")
    options = parser.parse_args()
    is_wrong = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.days:
            answers = list(pool.map(lambda seed: clean_day(options.program, seed, options.lines), range(1, options.days + 1)))
            raised = collections.Counter(name for day in answers for name in {a["test"] for a in day["alarms"]})
            alarms = sum(1 for day in answers if day["alarms"])
            tests = sorted(day["tests"] for day in answers)
            print(f"clean days with an alarm: {alarms} of {options.days} ({wilson(alarms, options.days)}), "
                  f"{tests[len(tests) // 2]} tests a day", flush=True)
            for name, days in raised.most_common():
                print(f"  {name}: {days}")
            is_wrong = alarms > 0.05 * options.days
        end = time.monotonic() + 60 * options.minutes
        kinds = options.fraud or list(FRAUDS)
        results = collections.defaultdict(list)
        if options.kept and os.path.exists(options.kept):
            with open(options.kept, encoding="utf-8") as file:
                for result in map(json.loads, file):
                    results[result["kind"]].append(result)

        def measure(job):
            is_known = any(result["seed"] == job[0] for result in results[job[1]])
            if is_known or time.monotonic() > end:
                return
            result = fraud(options.program, *job)
            results[job[1]].append(result)
            if options.kept:
                with open(options.kept, "a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")

        list(pool.map(measure, [(seed, kind) for seed in range(1, options.seeds + 1) for kind in kinds]))
        for kind in kinds if options.seeds else []:
            usable = [result for result in results[kind] if result["affected"] >= ENOUGH]
            found = sum(1 for result in usable if result["found"])
            accused = sum(1 for result in usable if result["others"])
            tests = collections.Counter(name for result in usable for name in result["found"])
            print(f"{kind}: found in {found} of {len(usable)} ({wilson(found, len(usable))}), "
                  f"{len(results[kind]) - len(usable)} dumps are too small, others accused in {accused}; "
                  + ", ".join(f"{name} {number}" for name, number in tests.most_common()), flush=True)
            is_wrong = is_wrong or found < 0.95 * len(usable)
    sys.exit(1 if is_wrong else 0)


if __name__ == "__main__":
    main()
