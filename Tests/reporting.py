#!/usr/bin/env python3
"""Compares the reports of generated campaigns with the truth of the generator.

    Tests/reporting.py [--program PATH] [--count N] [--seed S]

Makes a dump with campaigns, runs all commands of reporting on it, and holds each number that can be exact against
the truth of each line and against truth_daily.csv.
"""

import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
from decimal import Decimal

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = [
    "postbacks", "installs", "redownloads", "reengagements", "assists", "fine_values", "coarse_low", "coarse_medium",
    "coarse_high", "nulls", "ambiguous_zeros",
]

wrong = []


def check(is_right, text):
    if not is_right:
        wrong.append(text)


def equal(found, expected, text):
    check(found == expected, f"{text}: {found}, expected {expected}")


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def objects(folder, table):
    result = []
    for part in sorted((folder / table).glob("part-*.jsonl")):
        result += [json.loads(line, parse_float=Decimal) for line in part.read_text().splitlines()]
    return result


class Site:
    """The files of one dump, and the tables of its run."""

    def __init__(self, program, folder, count, seed, options=()):
        self.program, self.folder, self.out = program, folder, folder / "out"
        self.reporting = folder / "reporting"
        self.call(
            "generate", "--count", count, "--seed", seed, "--out", folder / "dump", "--truth", folder / "truth",
            "--keys", folder / "keys", "--reporting", self.reporting, "--cost", *options,
        )
        keys = (folder / "keys").read_text().split()
        self.call("run", folder / "dump", *keys, "--models", self.reporting / "models", "--out", self.out)
        self.call("enrich", self.out, "--lookups", self.reporting / "lookups")
        self.truth = [json.loads(line, parse_float=Decimal) for line in (folder / "truth").read_text().splitlines()]
        self.daily_truth = rows(self.reporting / "truth_daily.csv")
        self.postbacks = objects(self.out, "skan_postbacks")
        self.enriched = objects(self.out, "skan_enriched")

    def daily(self, *options):
        """The rows of a new skan_daily; those of date_type install have that of the truth, which has another meaning."""
        lookups = self.reporting / "lookups"
        self.call("daily", self.out, "--lookups", lookups, "--environment", "custom", *options)
        report = objects(self.out, "skan_daily")
        for row in report:
            row["date_type"] = {"install": "estimated_install"}.get(row["date_type"], row["date_type"])
            row["app_id"] = str(row["app_id"])
            row["postback_sequence_index"] = str(row["postback_sequence_index"])
        return report

    def call(self, *arguments):
        subprocess.run([self.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check_lines(site):
    """Each line has the outcome and the values of the truth, and the tiers are those of Apple."""
    found = {row["source_line"]: row.get("reject_code") for table in ["skan_postbacks", "skan_rejects"]
             for row in objects(site.out, table)}
    accepted = {row["source_line"]: row for row in site.postbacks}
    for truth in site.truth:
        line = truth["line"]
        equal(found[line], truth["reject_code"], f"line {line}, reject code")
        if line not in accepted:
            continue
        row = accepted[line]
        for column in ["conversion_value", "coarse_conversion_value", "postback_sequence_index", "app_id"]:
            equal(row[column], truth[column], f"line {line}, {column}")
        if truth["kind"] == "valid":
            check_tier(line, row, truth)


def check_tier(line, row, truth):
    tier, window = truth["data_tier"], row["postback_sequence_index"]
    fine, coarse = row["conversion_value"], row["coarse_conversion_value"]
    if row["did_win"] is False or row["version"] == "1.0":
        equal((fine, coarse), (None, None), f"line {line}, value without a win")
    elif window is None:
        equal(fine, truth["true_conversion_value"] if tier >= 2 else None, f"line {line}, value in tier {tier}")
    else:
        check(tier > 0 or window == 0, f"line {line}: window {window} in tier 0")
        equal(fine, truth["true_conversion_value"] if tier >= 2 and window == 0 else None, f"line {line}, fine value")
        is_coarse = tier > 0 and (tier == 1 or window > 0)
        equal(coarse, truth["true_coarse_conversion_value"] if is_coarse else None, f"line {line}, coarse value")
        most = 2 if tier < 2 or window > 0 else 4
        check(2 <= len(row["source_identifier"]) <= most, f"line {line}: {row['source_identifier']} in tier {tier}")
        check(row["source_app_id"] is None or tier == 3, f"line {line}: source app in tier {tier}")
    if fine is not None and row["decode_status"] == "decoded":
        equal(Decimal(str(row["skan_revenue"])), Decimal(truth["true_revenue"]), f"line {line}, revenue")


def check_campaigns(site):
    """The campaign is the true one wherever the digits leave only one, and never another one."""
    truths = {truth["line"]: truth for truth in site.truth}
    keys = collections.defaultdict(list)
    for row in rows(site.reporting / "lookups" / "campaigns.csv"):
        keys[row["network_name"], row["app_id"], row["kind"]].append((row["campaign_key"], row["campaign_id"]))
    determined = 0
    for row, enriched in zip(site.postbacks, site.enriched):
        line = row["source_line"]
        truth = truths[line]
        text = f"line {line}, campaign"
        equal(enriched["postback_key"], row["postback_key"], f"line {line}, key")
        name = enriched["network_name"]
        if row["source_identifier"] is not None:
            fits = [c for key, c in keys[name, str(row["app_id"]), "source_identifier"]
                    if key.endswith(row["source_identifier"])]
        else:
            fits = [c for key, c in keys[name, str(row["app_id"]), "campaign_id"] if int(key) == row["campaign_id"]]
        check(truth["campaign_id"] in fits, f"{text}: the true one does not fit")
        if len(fits) == 1:
            determined += 1
            equal(enriched["enrich_status"], "exact", f"{text}, status")
        if len(fits) == 1 or enriched["campaign_id"] is not None:
            equal(enriched["campaign_id"], truth["campaign_id"], text)
        if enriched["country"] is not None:
            equal(enriched["country"], truth["country"], f"line {line}, country")
        check(enriched["enrich_conflict"] is False, f"{text}: conflict")
    check(determined * 2 > len(site.postbacks), "fewer than half of the campaigns are determined by their digits")


def totals(table, columns, where=lambda row: True):
    """Sums by the columns, of the truth."""
    sums = collections.defaultdict(lambda: collections.Counter())
    for row in table:
        if not where(row):
            continue
        group = sums[tuple(row[column] for column in columns)]
        for name in COUNTS + ["nulls_tier_0", "nulls_tier_1", "nulls_tier_2", "nulls_tier_3", "no_value_possible"]:
            group[name] += int(row[name])
        for name in ["revenue", "observed_revenue", "null_revenue", "unsent_revenue", "cost"]:
            group[name] += Decimal(row[name] or 0)
    return sums


def check_totals(site):
    """The totals of the truth are the sums over the truth of all postbacks, and those of the cost file."""
    accepted = [truth for truth in site.truth if truth["outcome"] == "accepted"]
    by_type = totals(site.daily_truth, ["date_type"])
    for date_type in ["install", "received", "estimated_install"]:
        sums = by_type[(date_type,)]
        equal(sums["postbacks"], len(accepted), f"{date_type}, postbacks")
        wins = [t for t in accepted if t["did_win"] is not False and not t["postback_sequence_index"]]
        for kind, name in [("install", "installs"), ("redownload", "redownloads"), ("re-engagement", "reengagements")]:
            equal(sums[name], sum(t["conversion"] == kind for t in wins), f"{date_type}, {name}")
        equal(sums["assists"], sum(t["did_win"] is False for t in accepted), f"{date_type}, assists")
        equal(sum(sums[f"nulls_tier_{tier}"] for tier in range(4)), sums["nulls"], f"{date_type}, nulls by tier")
        revenue = sum(Decimal(t["true_revenue"] or 0) for t in accepted if t["did_win"] is not False)
        unsent = sums["unsent_revenue"] if date_type == "install" else 0
        equal(sums["revenue"] - unsent, revenue, f"{date_type}, revenue")
        check(sums["null_revenue"] <= revenue, f"{date_type}: more revenue of nulls than of all")
        values = sums["fine_values"] + sums["nulls"] + sums["ambiguous_zeros"] + sums["no_value_possible"]
        coarse = sums["coarse_low"] + sums["coarse_medium"] + sums["coarse_high"]
        equal(values + coarse + sums["assists"], sums["postbacks"], f"{date_type}, values")
    cost = collections.Counter()
    for row in rows(site.reporting / "cost.csv"):
        cost[row["date"], row["campaign_id"], row["country"], row["currency"]] += Decimal(row["cost"])
    true_cost = collections.Counter()
    for row in site.daily_truth:
        if row["cost"]:
            true_cost[row["date"], row["campaign_id"], row["country"], row["cost_currency"]] += Decimal(row["cost"])
    equal(true_cost, cost, "cost")
    check(len(cost) > 0 and len(set(key[3] for key in cost)) > 1, "there is no cost in two currencies")


def check_observed_revenue(site):
    """What the accepted copies decode to is the observed revenue, where no copy of a device decides otherwise."""
    truths = {truth["line"]: truth for truth in site.truth}
    conflicts = {truth["of_line"] for truth in site.truth if truth["kind"] == "duplicate_conflict"}
    received = collections.Counter()
    for row in site.postbacks:
        truth = truths[row["source_line"]]
        if row["source_line"] in conflicts and truth["forwarder_edit"]:
            continue
        received[row["received_at"][:10]] += Decimal(str(row["skan_revenue"] or 0))
    true = {day: sums["observed_revenue"] for (day,), sums in
            totals(site.daily_truth, ["date"], lambda row: row["date_type"] == "received").items()}
    edited = {row["received_at"][:10] for row in site.postbacks
              if row["source_line"] in conflicts and truths[row["source_line"]]["forwarder_edit"]}
    for day, revenue in true.items():
        if day not in edited:
            equal(received[day], revenue, f"observed revenue of {day}")


REPORTED = {name: name for name in COUNTS + ["no_value_possible"]} | {"revenue": "observed_revenue"}


def summed(table, columns, names):
    """Sums of a report or of the truth by the columns, under the names of the report; groups without postbacks are left out."""
    sums = collections.defaultdict(collections.Counter)
    for row in table:
        for name, source in names.items():
            sums[tuple(row[column] for column in columns)][name] += Decimal(str(row[source] or 0))
    return {group: dict(counts) for group, counts in sums.items() if counts["postbacks"] > 0}


def compare(report, truth, columns, text):
    """Each sum of the report is that of the truth."""
    found = summed(report, columns, {name: name for name in REPORTED})
    expected = summed(truth, columns, REPORTED)
    for group in sorted(found.keys() | expected.keys(), key=str):
        for name in REPORTED:
            one, other = found.get(group, {}).get(name, 0), expected.get(group, {}).get(name, 0)
            equal(one, other, f"{text}, {' '.join(map(str, group))}, {name}")
    check(len(found) > 1, f"{text}: there are no groups")


def accepted_truth(site):
    """Rows like those of truth_daily.csv of what `run` accepted: the values of the first copies."""
    truths = {truth["line"]: truth for truth in site.truth}
    campaigns = {row["campaign_id"]: row for row in rows(site.reporting / "lookups" / "campaigns.csv")}
    zeros = {row["network_name"] for row in rows(site.reporting / "lookups" / "networks.csv")
             if row["null_as_zero"] == "true"}
    result = []
    for postback in site.postbacks:
        truth = truths[postback["source_line"]]
        campaign = campaigns[truth["campaign_id"]]
        window, won = truth["postback_sequence_index"] or 0, truth["did_win"] is not False
        fine, coarse = truth["conversion_value"], truth["coarse_conversion_value"]
        may_be_null = fine == 0 and window == 0 and (
            campaign["network_name"] in zeros or truth["kind"] == "zero_filled")
        has_value = won and truth["version"] != "1.0"
        row = dict.fromkeys(REPORTED.values(), 0) | {
            "postback_sequence_index": str(window), "app_id": campaign["app_id"],
            "network_name": campaign["network_name"], "campaign_id": truth["campaign_id"], "postbacks": 1,
            "assists": int(not won), "no_value_possible": int(won and truth["version"] == "1.0"),
            "fine_values": int(has_value and fine is not None and not may_be_null),
            "ambiguous_zeros": int(has_value and may_be_null),
            "nulls": int(has_value and fine is None and coarse is None),
            "observed_revenue": postback["skan_revenue"],
        }
        if has_value and fine is None and coarse is not None:
            row[f"coarse_{coarse}"] = 1
        if won and window == 0:
            row[{"install": "installs", "redownload": "redownloads"}.get(truth["conversion"], "reengagements")] = 1
        for date_type, column in [("received", "received_at"), ("estimated_install", "estimated_install_date")]:
            result.append(row | {"date_type": date_type, "date": postback[column][:10]})
    return result


def check_daily(site):
    """The daily report of the accepted copies has the true counts, by day, window, app and network, and by campaign for
    networks whose campaigns differ in their last two digits."""
    compare_daily(site.daily(), accepted_truth(site), site, "daily")


def compare_daily(report, truth, site, text):
    columns = ["date_type", "date", "postback_sequence_index", "app_id", "network_name"]
    compare(report, truth, columns, text)
    endings = collections.defaultdict(list)
    for row in rows(site.reporting / "lookups" / "campaigns.csv"):
        if row["kind"] == "source_identifier":
            endings[row["network_name"], row["app_id"]].append(row["campaign_key"][-2:])
    told = {network for network in {name for name, _ in endings}
            if all(len(set(keys)) == len(keys) for (name, _), keys in endings.items() if name == network)}
    check(len(told) > 1, f"{text}: no network tells its campaigns")
    of_told = lambda table: [row for row in table if row["network_name"] in told]
    compare(of_told(report), of_told(truth), columns + ["campaign_id"], text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / ".build" / "release" / "postback")
    parser.add_argument("--count", default=60000, type=int)
    parser.add_argument("--seed", default=4, type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--campaigns", 30, "--days", 21]
        site = Site(arguments.program, pathlib.Path(folder), arguments.count, arguments.seed, options)
        for part in [check_lines, check_campaigns, check_totals, check_observed_revenue, check_daily]:
            before = len(wrong)
            part(site)
            print(f"{part.__name__}: {len(wrong) - before} differences")
    for text in wrong[:30]:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
