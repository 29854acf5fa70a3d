#!/usr/bin/env python3
"""Holds the intervals of modelled revenue against users whose true revenue is known.

    Tests/Evidence/modelling.py [--program PATH] [--sets N] [--installs N] [--seed S] [--scenario NAME] [--jobs N]
    Tests/Evidence/modelling.py --simulations N [--program PATH] [--seed S] [--jobs N]

Draws users with their revenue, their conversion values by a model, and what Apple leaves of them by the size of their crowd.
Signs their postbacks with a key of its own, runs postback run and postback daily on them, and compares skan_modelled with the
revenue of the users. It shares no code with postback or with its generator.

A row holds the truth if the revenue of all users of the row is inside modelled_revenue_low and modelled_revenue_high; a row
without an upper end holds it from below, and is counted in the column "open". Refused is the share of the revenue of users in
strata without an estimate. In the scenarios where payers lose their values more often, which no data can show, the range that is
held is that of null_odds_low and null_odds_high.

--simulations draws N sets of each world of install dates, and 5 N of each world of payers, of docs/modelling.md, with the method
calculated a second time in modelling_method.py. It compares the totals of one set of each world, and of one more for each 100 of N,
with those of postback, and ends with 1 if one of them differs in six digits after the point.

Without options it makes a few small sets, for CI. --sets 200 --installs 20000 takes an hour and tells two digits. Ends with 1
if a scenario holds the truth so rarely that 93 in 100 is out of the question, or if more than 20 % of its revenue is refused.
"""

import argparse
import base64
import concurrent.futures
import datetime
import functools
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import modelling_simulation as simulation
from modelling_worlds import APP, NETWORKS, SCENARIOS, model, world

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BAR, MOST_REFUSED = 0.93, 0.20
COUNTRIES = ["AE", "AT", "BE", "BR", "CA", "DE", "ES", "FR", "JP", "US"]


def wilson(successes, trials):
    z = 1.959963984540054
    center, half = successes + z * z / 2, z * math.sqrt(successes * (trials - successes) / trials + z * z / 4)
    return max(0.0, (center - half) / (trials + z * z)), min(1.0, (center + half) / (trials + z * z))


START = 1_767_225_600  # 2026-01-01


def write_dump(path, users, key, random):
    """Writes the postbacks of users, each with an envelope, in random order."""
    with open(path, "w", encoding="utf-8") as file:
        def write(user, window, tier, received):
            digits = f"{users.source[user]:04d}"[(0 if tier > 1 else 2):]
            transaction = f"{random.integers(1 << 32):08x}-{user & 0xffff:04x}-4000-8000-{random.integers(1 << 48):012x}"
            fields = {
                "version": "4.0", "ad-network-id": NETWORKS[users.network[user]], "source-identifier": digits, "app-id": APP,
                "transaction-id": transaction, "redownload": False,
            }
            if tier == 3:
                fields["source-app-id"] = 1_000_000_000 + int(users.country[user])
            fields |= {"fidelity-type": 1, "did-win": True, "postback-sequence-index": window}
            text = "\u2063".join(str(value).lower() if isinstance(value, bool) else str(value) for value in fields.values())
            signature = key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))
            fields["attribution-signature"] = base64.b64encode(signature).decode()
            if tier > 1:
                fields["conversion-value"] = int(users.fine[user])
            elif tier == 1:
                fields["coarse-conversion-value"] = ["low", "medium", "high"][(users.later if window else users.coarse)[user]]
            if tier == 3:
                fields["country-code"] = COUNTRIES[users.country[user]]
            fields["seconds"] = int(START + received)
            file.write(json.dumps(fields) + "\n")

        for user in random.permutation(len(users.tier)):
            usual = 86400 * (users.day[user] + random.random()) + 3600 * (72 + 24 * random.random())
            write(user, 0, users.tier[user], usual if users.received is None else users.received[0][user])
            if users.later is not None and users.tier[user] > 0 and users.later[user] >= 0:
                write(user, 1, 1, users.received[1][user])


def measure(program, scenario, seed, installs):
    """Runs a set. Returns a list of (kind, is held, is open, refused revenue, revenue, estimate, truth of estimate)."""
    random = numpy.random.default_rng([seed, SCENARIOS.index(scenario)])
    users = world(random, scenario, installs)
    if scenario.rise:
        users = simulation.with_later(random, users)
    rows = modelled(program, users, random, *(["--as-of", "2026-04-01T00:00:00Z"] if scenario.rise else []))
    return [result for result in map(lambda row: judge(row, rows, users, scenario), rows) if result]


def modelled(program, users, random, *options):
    """The rows of skan_modelled of the postbacks of users."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_dump(folder / "dump.jsonl", users, key, random)
        (folder / "model.json").write_text(json.dumps(model(users)))

        def run(*arguments):
            subprocess.run([str(program), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

        run("run", folder / "dump.jsonl", "--trust-key", f"k={base64.b64encode(public).decode()}", "--received-at-field", "seconds",
            "--models", folder / "model.json", "--out", folder / "out", "--jobs", 1, "--quiet")
        run("daily", folder / "out", "--environment", "custom", "--dimensions", "app_id,network_name", *options)
        return [json.loads(line) for part in sorted((folder / "out/skan_modelled").glob("part-*.jsonl"))
                for line in open(part, encoding="utf-8")]


def judge(row, rows, users, scenario):
    def stratum(row):
        return NETWORKS.index(row["network_name"]), int(row["source_identifier"])

    window = 1 if scenario.rise else 0

    def revenue(strata):
        return sum((users.by_stratum if window == 0 else users.later_by_stratum).get(one, 0.0) for one in strata)

    if row["postback_sequence_index"] != window:
        return None
    if row["scope"] == "stratum":
        truth = revenue([stratum(row)])
    else:
        truth = revenue([stratum(one) for one in rows if one["scope"] == "stratum" and one["postback_sequence_index"] == window
                         and one["model_status"].startswith("not_") == row["model_status"].startswith("not_")
                         and (not row["model_status"].startswith("not_") or one["model_status"] == row["model_status"])])
    if row["modelled_revenue"] is None:
        return row["scope"], None, False, truth, truth, 0.0, row
    low, high = (row[name] for name in limits(row, scenario))
    held = (low is None or low <= truth + 1e-4) and (high is None or truth <= high + 1e-4)
    # Without a null and without any error there is nothing to hold.
    if row["scope"] == "stratum" and row["nulls"] == 0 and row.get("coarse_basis") is None:
        held = None
    return row["scope"], held, high is None, 0.0, truth, row["modelled_revenue"], row


def limits(row, scenario):
    """The columns of the range that is held."""
    of_odds = ("null_odds_low", "null_odds_high")
    return of_odds if scenario.odds != 1 and of_odds[0] in row else ("modelled_revenue_low", "modelled_revenue_high")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", "--binary", default=ROOT / ".build" / "release" / "postback", type=pathlib.Path)
    parser.add_argument("--sets", default=3, type=int, help="the number of sets of each scenario")
    parser.add_argument("--installs", default=3000, type=int, help="the number of installs of a set")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--scenario", action="append", help="only this one; may be repeated")
    parser.add_argument("--simulations", type=int, metavar="N", help="the simulations instead")
    parser.add_argument("--jobs", default=2, type=int)
    arguments = parser.parse_args()
    if arguments.simulations:
        sys.exit(0 if simulate(arguments) else 1)
    scenarios = [one for one in SCENARIOS if not arguments.scenario or one.name in arguments.scenario]
    print(f"{'scenario':34} {'sets':>4}  {'totals held':>22}  {'strata held':>22} {'open':>5} {'refused':>7} "
          f"{'low':>5} {'model':>5} {'high':>5}  of the truth")
    failed = False
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for scenario in scenarios:
            seeds = range(arguments.seed, arguments.seed + arguments.sets)
            jobs = [pool.submit(measure, arguments.program, scenario, seed, arguments.installs) for seed in seeds]
            failed |= report(scenario, [job.result() for job in jobs])
    sys.exit(1 if failed else 0)


def report(scenario, sets):
    """Prints the line of a scenario; tells if it misses the figures."""
    everything = [row for one in sets for row in one]
    shares, misses = [], False
    for scope in ("total", "stratum"):
        held = [row[1] for row in everything if row[0] == scope and row[1] is not None]
        low, high = wilson(sum(held), len(held)) if held else (0.0, 1.0)
        share = sum(held) / len(held) if held else math.nan
        shares.append(f"{share:6.3f} ({low:.3f} to {high:.3f})")
        misses |= high < BAR
    estimates = [row for row in everything if row[0] == "total" and row[6]["modelled_revenue"] is not None]
    strata = [row for row in everything if row[0] == "stratum"]
    refused = sum(row[3] for row in strata) / max(1e-9, sum(row[4] for row in strata))
    opened = sum(row[2] for row in estimates) / max(1, len(estimates))

    def mean(name):
        ratios = [row[6][name] / row[4] for row in estimates if row[6].get(name) is not None and row[4] > 0]
        return f"{numpy.median(ratios):5.2f}" if ratios else "     "

    names = limits(everything[0][6], scenario)
    print(f"{scenario.name:34} {len(sets):4}  {shares[0]:>22}  {shares[1]:>22} {opened:5.0%} {refused:7.1%} "
          f"{mean(names[0])} {mean('modelled_revenue')} {mean(names[1])}", flush=True)
    return scenario.is_held and (misses or refused > MOST_REFUSED)


def simulate(arguments):
    """Prints the tables of the simulations, and the totals that postback has too; tells if it has all of them."""
    seeds = range(arguments.seed, arguments.seed + arguments.simulations)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        print(f"{'world of payers':36} {'sets':>5} {'payers':>6}  {'held without step 12':>22}  {'with it':>22} width")
        for number, (name, *_) in enumerate(simulation.PAYERS):
            more = range(arguments.seed, arguments.seed + 5 * arguments.simulations)
            sets = [one for one in pool.map(functools.partial(payers_of, number), more, chunksize=20) if one[2]]
            width, before = (numpy.median([one[2][place] - one[2][2] for one in sets]) for place in (3, 4))
            shares = [share([one[2][2] - 1e-4 <= one[1] <= one[2][place] + 1e-4 for one in sets]) for place in (4, 3)]
            print(f"{name:36} {len(sets):5} {numpy.median([one[0] for one in sets]):6.0f}  {shares[0]}  {shares[1]} {width / before:5.2f}",
                  flush=True)
        worlds = range(len(simulation.DATES))
        found = [list(pool.map(functools.partial(dates_of, number), seeds, chunksize=5)) for number in worlds]
        print(f"\n{'final days':10} {'sets':>5}  estimate by truth  {'held without dates':>22} {'by world':>12}  "
              f"{'with them':>22} {'by world':>12}")
        for place, days in enumerate(simulation.FINAL_DAYS):
            sets = [[one[place] for one in found[number] if one[place][1] and one[place][2]] for number in worlds]
            sets = [world for world in sets if sum(one[0] for one in world) > 0]
            ratios = [sum(one[1][1] for one in world) / sum(one[0] for one in world) for world in sets]
            line = f"{days:10} {sum(map(len, sets)):5}  {min(ratios):7.2f} to {max(ratios):5.2f} "
            for which in (1, 2):
                held = [[one[which][2] - 1e-4 <= one[0] <= one[which][3] + 1e-4 for one in world] for world in sets]
                by_world = [sum(world) / len(world) for world in held]
                line += f"  {share(sum(held, []))} {min(by_world):.2f} to {max(by_world):.2f}"
            print(line)
        print("\nmissing in 30 days with an end if the app may lock the window and no user's was: "
              + ", ".join(f"{simulation.locked(window):.1%} in window {window}" for window in (1, 2)))
        jobs = [pool.submit(compare, arguments.program, kind, number, seed) for seed in seeds[:1 + len(seeds) // 100]
                for kind, count in [("payers", len(simulation.PAYERS)), ("dates", len(worlds))] for number in range(count)]
        totals = [total for job in jobs for total in job.result()]
    different = [(own, other) for own, other in totals
                 if other is None or max(abs(one - two) for one, two in zip(own, other)) > 1e-6]
    for own, other in different:
        print("differs:", [float(one) for one in own], other)
    print(f"\npostback has {len(totals) - len(different)} of {len(totals)} totals of these worlds, to six digits after the point")
    return not different


def share(held):
    low, high = wilson(sum(held), len(held))
    return f"{sum(held) / len(held):6.3f} ({low:.3f} to {high:.3f})"


def payers_of(number, seed):
    return simulation.payers_total(simulation.payers(number, seed))


def dates_of(number, seed):
    users = simulation.dated(number, seed)
    return [simulation.dated_total(users, 0, days - 1, simulation.DATES[number][1] == 0) for days in simulation.FINAL_DAYS]


def compare(program, kind, number, seed):
    """The totals of a set as pairs: observed and modelled revenue with its interval, and the same of postback."""
    users = getattr(simulation, "payers" if kind == "payers" else "dated")(number, seed)
    whole = kind == "payers" or simulation.DATES[number][1] == 0
    rows = modelled(program, users, numpy.random.default_rng(seed), "--model-period", "all" if whole else "week")
    names = ["observed_revenue", "modelled_revenue", "modelled_revenue_low", "modelled_revenue_high"]
    later = 0 if kind == "payers" else 1
    totals = {row["period_end"]: [row[name] for name in names] for row in rows if row["scope"] == "total"
              and row["postback_sequence_index"] == later and row["modelled_revenue"] is not None}
    if kind == "payers":
        own = simulation.payers_total(users)[2]
        return [(own[:4], next(iter(totals.values()), None))] if own else []
    # One set in a hundred has days that differ beyond chance by chance, which the second calculation does not do.
    has_factor = any(row["day_factor"] not in (None, 1) for row in rows if row["postback_sequence_index"] == later)
    pairs = []
    for first, last in simulation.ranges(users, whole):
        values, _, sent = simulation.dated_counts(users, first - 9 * whole, last)
        own = simulation.dated_total(users, first, last, whole)[2]
        # A week of which a campaign has more later postbacks than installs is compared with the weeks around it.
        if own and (sent.sum(1) <= values).all() and not has_factor:
            pairs.append((own[:4], totals.get(str(datetime.date(2026, 1, 1) + datetime.timedelta(days=int(last))))))
    return pairs


if __name__ == "__main__":
    main()
