"""The files of a generated dump of campaigns, the tables that the commands make of it, and comparisons with the truth."""

import collections
import csv
import json
import subprocess
from decimal import ROUND_HALF_EVEN, Decimal

COUNTS = [
    "postbacks", "installs", "redownloads", "reengagements", "assists", "fine_values", "coarse_low", "coarse_medium",
    "coarse_high", "nulls", "ambiguous_zeros",
]
# The columns of a report, each with that of the truth.
REPORTED = {name: name for name in COUNTS + ["no_value_possible"]} | {"revenue": "observed_revenue"}

# The differences that were found, as sentences.
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
        self.call("daily", self.out, "--lookups", lookups, "--environment", "custom", "--reset", *options)
        report = objects(self.out, "skan_daily")
        for row in report:
            row["date_type"] = {"install": "estimated_install"}.get(row["date_type"], row["date_type"])
            row["app_id"] = str(row["app_id"])
            row["postback_sequence_index"] = str(row["postback_sequence_index"])
        return report

    def settle(self):
        self.call("settle", self.out, "--lookups", self.reporting / "lookups")
        return {row["postback_key"]: row for row in objects(self.out, "skan_settled")}

    def call(self, *arguments):
        subprocess.run([self.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


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


def number(value):
    return None if value is None else Decimal(str(value))


def ratio(one, other):
    return None if other == 0 else (one / Decimal(other)).quantize(Decimal("0.000001"), ROUND_HALF_EVEN)
