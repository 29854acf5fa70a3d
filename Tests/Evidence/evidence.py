#!/usr/bin/env python3
"""Measures how far the signals and the modelled revenue of `postback` can be trusted, and prints Markdown tables.

    Tests/Evidence/evidence.py [--full] [--only WORLD|FRAUD …] [--seeds N] [--jobs N] [--binary POSTBACK] [--kept FILE]
                               [--page docs/analysts.md]

It generates traffic of all worlds of `postback generate --world` without a fraud, and with one fraud each, and compares what
`rejects --signals` and `daily` say with the truth. Without --full it takes one seed of each, about a minute, and fails only
if a bar is missed beyond chance by all worlds or all frauds together. --full takes 20 seeds of each world and 40 of each
fraud, about half an hour on two cores, and fails if any bar is missed. With --kept the results of sets are appended to a
file, and not measured again. --page puts the tables into a page, between its two comments. Temporary data is less than
100 MB at once.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import sets

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
# The worlds in which the model's intervals must hold the truth, and the one in which no data can tell.
AT_RANDOM = ["missing-at-random", "lognormal-revenue", "pareto-revenue", "rare-payers", "crowd-cells"]
NOT_AT_RANDOM = "missing-payers"
# The frauds: the world, the scenario of one forwarder, and the number of its postbacks with a copy of a device (pairs); none
# for 6000 lines. The party is the forwarder with the most of them, if none is named. Those with a bar are found in 90 % of sets.
FRAUDS = {
    "raised by 5 in 10 % of 300": dict(world="device-copies", fraud="inflate-fine,by=5,postbacks=30", pairs=300, bar=True),
    "40 values dropped": dict(world="device-copies", fraud="drop-low,postbacks=40", pairs=600, bar=True),
    "30 postbacks held back": dict(world="device-copies", fraud="hold-back,postbacks=30", bar=True),
    "30 held back, half of them with a device's copy": dict(world="plain", fraud="hold-back,postbacks=30"),
    "200 invented nulls": dict(world="plain", fraud="invent-nulls,postbacks=200", bar=True),
    "100 raised from a day on": dict(world="device-copies", fraud="inflate-fine,postbacks=100,since={since}", bar=True),
    "100 raised from a day on, no device's copies":
        dict(world="no-device-copies", fraud="inflate-fine,postbacks=100,since={since}"),
    "200 invented nulls, no device's copies": dict(world="no-device-copies", fraud="invent-nulls,postbacks=200"),
    "14 raised to the highest value": dict(world="device-copies", fraud="inflate-fine,by=63,postbacks=14", pairs=1000),
    "40 values set to 0": dict(world="device-copies", fraud="zero-values,postbacks=40", pairs=1000),
    "raised in one app": dict(world="device-copies", fraud="inflate-fine,app=525463029,share=0.5"),
    "raised in one campaign": dict(world="device-copies", fraud="inflate-fine,campaign={campaign},share=0.5"),
    "raised on one day": dict(world="device-copies", fraud="inflate-fine,since={since},until={until},share=1", pairs=4000),
    "one of two forwarders raises": dict(world="two-forwarders", fraud="inflate-fine,network=Network 1,share=0.33",
                                         forwarder="appsflyer", edits="0"),
    "two forwarders collude": dict(world="two-forwarders", fraud="inflate-fine,network=Network 1,share=0.33",
                                   forwarder="network-1+appsflyer"),
    "hidden by a forged copy": dict(world="device-copies", fraud="hide,share=0.2"),
    "framed by a forged copy": dict(world="device-copies", fraud="frame,share=1", framed=True),
    **{kind: dict(world="plain", fraud=f"{kind},postbacks=200") for kind in (
        "inflate-fine", "inflate-coarse", "steal-signature", "fabricate", "change-country", "self-conflict",
        "withhold")},
    "flip-win": dict(world="plain", fraud="flip-win,postbacks=60"),
    # Copies that change no number are listed as a difference, and accuse nobody.
    "replay-late, listed as a difference": dict(world="plain", fraud="replay-late,postbacks=200", difference="late_copies"),
}
CHANCES = [100, 1000, 10_000]


def wilson(count, total):
    """The ends of the 95 % interval of Wilson for a share."""
    if total == 0:
        return 0, 1
    z, share = 1.96, count / total
    middle, scale = share + z * z / (2 * total), 1 + z * z / total
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return max((middle - half) / scale, 0), min((middle + half) / scale, 1)


def shown(count, total):
    if total == 0:
        return "– | –"
    low, high = wilson(count, total)
    return f"{count} of {total} | {100 * low:.0f} to {100 * high:.0f} %"


# The tables that were printed.
printed = []


def table(title, head, rows):
    lines = [f"**{title}**", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    printed.append("\n".join(lines))
    print(f"\n{printed[-1]}", flush=True)


def put_tables(page, note):
    """Replaces what is between the comments of a page."""
    path = pathlib.Path(page)
    before, rest = path.read_text(encoding="utf-8").split("<!-- evidence -->\n", 1)
    after = rest[rest.index("<!-- /evidence -->"):]
    path.write_text(f"{before}<!-- evidence -->\n\n" + "\n\n".join([note, *printed]) + f"\n\n{after}", encoding="utf-8")


def most(texts):
    return ", ".join(f"{text} {count}" for text, count in collections.Counter(texts).most_common(4))


class Evidence:
    """The results of sets by kind, name and seed, and the bars that they miss."""

    def __init__(self, options):
        self.options, self.results, self.missed = options, {}, []
        if options.kept and os.path.exists(options.kept):
            with open(options.kept, encoding="utf-8") as file:
                self.results = {tuple(key): result for key, result in map(json.loads, file)}

    def measure(self, kind, names, seeds):
        """The results of each name for all seeds."""
        names = [name for name in names if not self.options.only or name in self.options.only]
        todo = [(kind, name, seed) for seed in range(1, seeds + 1) for name in names if (kind, name, seed) not in self.results]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            futures = {pool.submit(self.result, *job): job for job in todo}
            for future in concurrent.futures.as_completed(futures):
                self.results[futures[future]] = future.result()
                if self.options.kept:
                    with open(self.options.kept, "a", encoding="utf-8") as file:
                        file.write(json.dumps([futures[future], future.result()]) + "\n")
        return {name: [self.results[kind, name, seed] for seed in range(1, seeds + 1)] for name in names}

    def result(self, kind, name, seed):
        if kind == "fraud":
            return sets.fraud(self.options.binary, FRAUDS[name], seed)
        return {"clean": sets.clean, "modelled": sets.modelled}[kind](self.options.binary, name, seed)

    def hold(self, text, count, total, least=0.0, most_=1.0):
        """Notes a share that is not between two bars: with --full its value, else beyond chance. Rare ones are held to chance."""
        is_exact = self.options.full and total > 0 and most_ > 0.01
        low, high = (count / total,) * 2 if is_exact else wilson(count, total)
        if low > most_ or high < least:
            self.missed.append(f"{text}: {count} of {total}")

    def clean(self, worlds, seeds):
        found = self.measure("clean", worlds, seeds)
        rows, lists = [], []
        for world, results in found.items():
            suspicions = [[alarm for alarm in result["alarms"] if alarm["kind"] == "suspicion"] for result in results]
            lists += suspicions
            count = sum(map(bool, suspicions))
            differences = sum(any(alarm["kind"] == "difference" for alarm in result["alarms"]) for result in results)
            tests = most(name for one in suspicions for name in {alarm["test"] for alarm in one})
            rows.append([f"`{world}`", shown(count, len(results)), differences, tests])
            if self.options.full:
                self.hold(f"suspicions of {world}", count, len(results), most_=0.10)
        if not rows:
            return
        count = sum(map(bool, lists))
        tests = most(name for one in lists for name in {alarm["test"] for alarm in one})
        rows.append(["all", shown(count, len(lists)), "", tests])
        self.hold("suspicions of clean sets", count, len(lists), most_=0.05)
        table("Traffic without a fraud: sets with a suspicion", ["world", "sets", "95 %", "sets with a difference", "tests"], rows)
        rows = []
        for chance in CHANCES:
            said = sum(any(alarm["p"] is not None and alarm["p"] < 1 / chance for alarm in one) for one in lists)
            rows.append([f"fewer than 1 in {chance}", shown(said, len(lists))])
            self.hold(f"sentences fewer than 1 in {chance}", said, len(lists), most_=1 / chance)
        table("Sentences of suspicions in sets without a fraud", ["by chance", "sets", "95 %"], rows)
        rows = []
        for name in sets.ALONE.values():
            made = [(world, result["alone"][name]) for world, results in found.items() for result in results if name in result["alone"]]
            alarms = [world for world, value in made if value < 0.05]
            rows.append([name, shown(len(alarms), len(made)), most(f"`{world}`" for world in alarms)])
        table("Tests alone in sets without a fraud: sets in which one has a p-value below 5 %, corrected for those of its kind",
              ["test", "sets", "95 %", "most in"], rows)

    def frauds(self, seeds):
        found = self.measure("fraud", FRAUDS, seeds)
        rows, onsets, accused_sets, total, barred = [], [], 0, 0, []
        for name, results in found.items():
            # A set in which the fraud could affect less than half of what is wanted is no trial of it.
            wanted = int((re.search(r"postbacks=(\d+)", FRAUDS[name]["fraud"]) or [0, 2])[1])
            results = [result for result in results if result["rows"] >= wanted / 2]
            hits, accused = (sum(bool(result[key]) for result in results) for key in ("found", "accused"))
            mean = [sum(result[key] for result in results) // max(len(results), 1) for key in ("rows", "sent", "copied")]
            rows.append([name, *mean, shown(hits, len(results)), most(test for result in results for test in result["found"]),
                         accused, most(text for result in results for text in result["accused"])])
            onsets += [interval for result in results for interval in result["onsets"]]
            accused_sets, total = accused_sets + accused, total + len(results)
            if FRAUDS[name].get("bar"):
                barred += [bool(result["found"]) for result in results]
                if self.options.full:
                    self.hold(name, hits, len(results), least=0.9)
        if not rows:
            return
        table("Frauds of one forwarder", ["fraud", "lines of it", "postbacks sent", "with a device's copy", "found in", "95 %",
                                          "found by", "honest parties accused", "of"], rows)
        covered = sum(low <= day <= high for day, low, high in onsets)
        table("Others", ["figure", "sets", "95 %"],
              [["sets in which an honest party is accused", shown(accused_sets, total)],
               ["intervals of the first day that hold it", shown(covered, len(onsets))]])
        self.hold("frauds with a bar that are found", sum(barred), len(barred), least=0.9)
        self.hold("honest parties accused", accused_sets, total, most_=0.05)
        self.hold("intervals of the first day", covered, len(onsets), least=0.93)

    def modelled(self, seeds):
        found = self.measure("modelled", AT_RANDOM + [NOT_AT_RANDOM], seeds)
        rows = []
        for world, results in found.items():
            every = {scope: [one for result in results for one in result[scope]] for scope in ("strata", "totals")}
            with_nulls = [one for one in every["strata"] if one["nulls"] > 0]
            count = {key: sum(one[key] for one in every["totals"]) for key in ("all", "null", "bounds", "range")}
            true, estimate = (sum(one[key] for one in every["totals"]) for key in ("true", "estimate"))
            refused, whole = (sum(result[key] for result in results) for key in ("refused", "revenue"))
            reasons = collections.Counter()
            for result in results:
                reasons.update(result["reasons"])
            strata = sum(one["all"] for one in every["strata"])
            rows.append([
                f"`{world}`", shown(count["all"], len(every["totals"])), shown(strata, len(every["strata"])),
                f"{sum(one['null'] for one in with_nulls)} of {len(with_nulls)}", count["bounds"], count["range"],
                f"{estimate / true:.2f}" if true else "–", f"{100 * refused / whole:.0f} %" if whole else "–",
                ", ".join(f"{name.split(':')[-1]} {100 * part / whole:.0f} %" for name, part in reasons.most_common(2)),
            ])
            if world == NOT_AT_RANDOM:
                self.hold(f"sensitivity range in {world}", count["range"], len(every["totals"]), least=0.93)
            else:
                self.hold(f"intervals of totals in {world}", count["all"], len(every["totals"]), least=0.93)
                self.hold(f"intervals of strata in {world}", strata, len(every["strata"]), least=0.93)
                if self.options.full and refused > 0.2 * whole:
                    self.missed.append(f"refused strata in {world}: {100 * refused / whole:.0f} % of the revenue")
        if rows:
            table("Modelled revenue: intervals that hold the users' revenue",
                  ["world", "totals", "95 %", "strata", "95 %", "nulls of strata", "totals in their bounds",
                   "totals in the sensitivity range", "estimate / truth", "refused, by revenue", "reasons"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(PROJECT / ".build/release/postback"))
    parser.add_argument("--full", action="store_true", help="20 seeds of each world, and 40 of each fraud")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this world or fraud; may be repeated")
    parser.add_argument("--seeds", type=int, help="the number of seeds of each")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kept", metavar="FILE", help="a file of results, as JSON Lines")
    parser.add_argument("--page", metavar="FILE", help="a page whose tables are replaced")
    options = parser.parse_args()
    text = subprocess.run([options.binary, "generate", "--help"], capture_output=True, text=True, check=True).stdout
    worlds = re.findall(r"^ +([a-z0-9-]+): ", text, re.MULTILINE)
    for name in options.only or []:
        if name not in [*worlds, *FRAUDS]:
            sys.exit(f"There is no world and no fraud {name}. Worlds: {', '.join(worlds)}. Frauds: {', '.join(FRAUDS)}.")
    evidence = Evidence(options)
    evidence.clean(worlds, options.seeds or (20 if options.full else 1))
    evidence.frauds(options.seeds or (40 if options.full else 1))
    evidence.modelled(options.seeds or (20 if options.full else 1))
    if options.page:
        version = subprocess.run([options.binary, "--version"], capture_output=True, text=True, check=True).stdout.split(" (")[0]
        seeds = {kind: max([seed for one, _, seed in evidence.results if one == kind], default=0) for kind in ("clean", "fraud")}
        put_tables(options.page, f"Measured with {version}: {len(evidence.results)} sets, of the seeds 1 to {seeds['clean']}, "
                   f"with a fraud 1 to {seeds['fraud']}.")
    for text in evidence.missed:
        print(f"\nA bar is missed: {text}.")
    return 1 if evidence.missed else 0


if __name__ == "__main__":
    sys.exit(main())
