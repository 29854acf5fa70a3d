#!/usr/bin/env python3
"""Calculates skan_daily, skan_daily_events and skan_daily_values a second time, and compares them with those of an output.

    daily.py OUT [--environment LIST]

OUT has the tables of a run, and those that postback enrich and postback daily --histogram made of it with the same lookup
tables. networks.csv of --lookups tells which ad networks write a null as 0. Ends with 0 if all is the same, and with 1 if not.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import sys
from decimal import ROUND_HALF_EVEN, Decimal

DIMENSIONS = [
    "app_id", "network_name", "campaign_id", "adgroup_id", "creative_id", "source_app_id", "country", "framework",
    "version", "environment", "channel", "forwarder", "trust_level", "model_id", "model_version", "conversion_type",
    "fidelity_type", "ad_interaction_type", "marketplace_identifier", "source_identifier", "source_domain", "redownload",
]
ENRICHED = {"network_name", "campaign_id", "adgroup_id", "creative_id", "country"}
NAMES = {
    "app_name": "app_id", "network_status": "network_name", "campaign_name": "campaign_id", "adgroup_name": "adgroup_id",
    "creative_name": "creative_id", "source_app_name": "source_app_id",
}
SKAN_ONLY = {"installs", "redownloads", "reengagements", "conversions", "installs_click", "installs_view", "installs_interaction_unknown"}


def rows(folder, table):
    for part in sorted((folder / table).glob("part-*.jsonl")):
        with open(part, encoding="utf-8") as file:
            for line in file:
                yield json.loads(line, parse_float=Decimal)


def rounded(number):
    return number.quantize(Decimal("0.000001"), ROUND_HALF_EVEN)


def wilson(successes, trials):
    z = 1.959963984540054
    center = successes + z * z / 2
    half = z * math.sqrt(successes * (trials - successes) / trials + z * z / 4)
    low = 0 if successes == 0 else (center - half) / (trials + z * z)
    high = 1 if successes == trials else (center + half) / (trials + z * z)
    return low, high


def money(sums, prefix, values):
    single = len(values) == 1
    currency, total = next(iter(values.items())) if single else (None, None)
    sums["currency"] = currency
    sums["revenue"] = total["estimate"] if single else None
    sums["revenue_min"] = total["least"] if single else None
    sums["revenue_max"] = total["most"] if single and not total["open"] else None
    sums["revenue_by_currency"] = {name: value["estimate"] for name, value in values.items()} if len(values) > 1 else None
    if prefix == "daily":
        sums["revenue_max_open"] = sum(value["open"] for value in values.values())
        sums["revenue_max_closed"] = total["most"] if single else None
        for kind in ("iap", "admon", "all"):
            sums[f"revenue_{kind}"] = total[kind] if single else None


def add_money(values, row, estimate="skan_revenue"):
    if row["currency"] is None:
        return
    total = values.setdefault(row["currency"], collections.Counter())
    total["estimate"] += row[estimate]
    total["least"] += row["min_revenue"]
    if row["max_revenue"] is None:
        total["open"] += 1
    else:
        total["most"] += row["max_revenue"]


def calculate(folder, dimensions, environments, null_as_zero):
    groups = {}
    events = collections.defaultdict(list)
    for event in rows(folder, "skan_events"):
        events[event["postback_key"]].append(event)
    for row, enriched in zip(rows(folder, "skan_postbacks"), rows(folder, "skan_enriched"), strict=True):
        assert row["postback_key"] == enriched["postback_key"]
        if row["environment"] not in environments or enriched["environment"] == "forwarder_test":
            continue
        place = [
            ((enriched if name in ENRICHED else row).get(name) if name in dimensions else None) for name in DIMENSIONS
        ]
        names = {name: enriched[name] if dimension in dimensions else None for name, dimension in NAMES.items()}
        window = row["postback_sequence_index"] or 0
        for date_type, time in (("received", row["received_at"]), ("install", row["estimated_install_date"])):
            key = (date_type, time and time[:10], window, *place)
            group = groups.setdefault(key, new_group(window, names))
            add(group, row, enriched, names, events[row["postback_key"]], window, null_as_zero)
    return groups


def new_group(window, names):
    group = {"window": window, "names": dict(names), "counts": collections.Counter(), "values": collections.Counter()}
    return group | {"money": {}, "events": {}}


def add(group, row, enriched, names, events, window, null_as_zero):
    counts = group["counts"]
    for name, value in names.items():
        if group["names"][name] != value:
            group["names"][name] = None
    counts["postbacks"] += 1
    counts[row["decode_status"]] += 1
    counts["web"] += row["source_domain"] not in (None, "")
    if row["did_win"] is False:
        counts["assists"] += 1
        return
    counts["postbacks_won"] += 1
    kind = row["conversion_type"]
    if row["framework"] == "skadnetwork":
        kind = "redownload" if row["redownload"] else "download"
    kind = {"download": "installs", "redownload": "redownloads", "re-engagement": "reengagements"}.get(kind)
    if window == 0 and kind:
        counts[kind] += 1
        counts["conversions"] += 1
    if window == 0 and kind == "installs":
        click = row["fidelity_type"] == 1 or row["ad_interaction_type"] == "click"
        view = row["fidelity_type"] == 0 or row["ad_interaction_type"] == "view"
        counts["installs_click" if click else "installs_view" if view else "installs_interaction_unknown"] += 1
    if window > 0 or kind:
        may_be_null = enriched["network_name"] in null_as_zero or "zero_may_be_null" in (row["tier_flags"] or [])
        if row["version"] == "1.0":
            counts["no_value_possible"] += 1
        elif row["conversion_value"] == 0 and may_be_null:
            counts["ambiguous_zeros"] += 1
        elif row["conversion_value"] is not None:
            counts["fine_values"] += 1
            counts["cv_sum"] += row["conversion_value"]
            counts["cv_zero" if row["conversion_value"] == 0 else "cv_positive"] += 1
            group["values"][str(row["conversion_value"])] += 1
        elif row["coarse_conversion_value"] is not None:
            counts["coarse_" + row["coarse_conversion_value"]] += 1
            group["values"][row["coarse_conversion_value"]] += 1
        else:
            counts["nulls"] += 1
    if row["decode_status"] != "decoded":
        return
    add_money(group["money"], row)
    for event in events:
        sums = group["events"].setdefault(event["event_name"], {"counts": collections.Counter(), "money": {}})
        sums["counts"]["postbacks_with_event"] += event["min_event_count"] > 0
        sums["counts"]["event_count"] += event["event_count"]
        sums["counts"]["min_event_count"] += event["min_event_count"]
        if event["max_event_count"] is None:
            sums["counts"]["open"] += 1
        else:
            sums["counts"]["max_event_count"] += event["max_event_count"]
        add_money(sums["money"], event)
        if event["currency"] is not None:
            group["money"][event["currency"]][event["revenue_kind"]] += event["skan_revenue"]


def daily_row(group):
    counts = group["counts"]
    row = dict(group["names"])
    for name in (
        "postbacks postbacks_won installs redownloads reengagements conversions installs_click installs_view "
        "installs_interaction_unknown assists web fine_values coarse_low coarse_medium coarse_high nulls "
        "no_value_possible ambiguous_zeros cv_zero cv_positive cv_sum decoded unmapped no_model ambiguous"
    ).split():
        row[name] = None if group["window"] > 0 and name in SKAN_ONLY else counts[name]
    row["values"] = row["fine_values"] + row["coarse_low"] + row["coarse_medium"] + row["coarse_high"]
    row["undecoded"] = row["unmapped"] + row["no_model"] + row["ambiguous"]
    known = row["values"] + row["nulls"]
    row["null_rate"] = rounded(Decimal(row["nulls"]) / known) if known else None
    low, high = wilson(row["nulls"], known) if known else (None, None)
    row["null_rate_low"], row["null_rate_high"] = low, high
    money(row, "daily", group["money"])
    row["unconverted_rows"] = 0
    return row


def same(one, other):
    if isinstance(one, float):
        return other is not None and abs(one - float(other)) < 1e-6
    return one == other


def compare(folder, table, expected, columns):
    problems, found = 0, set()
    for row in rows(folder, table):
        key = tuple(row[name] for name in ["date_type", "date", "postback_sequence_index", *DIMENSIONS]) + tuple(
            row[name] for name in columns
        )
        if key in found or key not in expected:
            print(f"{table}: the row {key} is not expected", file=sys.stderr)
            problems += 1
            continue
        found.add(key)
        for name, value in expected[key].items():
            if name == "currency" and value is None and row.get("modelled_revenue") is not None:
                continue
            if not same(value, row[name]):
                print(f"{table}: {key}: {name} is {row[name]}, not {value}", file=sys.stderr)
                problems += 1
    for key in expected.keys() - found:
        print(f"{table}: the row {key} is missing", file=sys.stderr)
        problems += 1
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--environment", default="production")
    parser.add_argument("--lookups", type=pathlib.Path)
    options = parser.parse_args()
    summary = json.loads((options.out / "skan_daily" / "_summary.json").read_text())
    null_as_zero = set()
    if options.lookups:
        with open(options.lookups / "networks.csv", encoding="utf-8") as file:
            null_as_zero = {row["network_name"] for row in csv.DictReader(file) if row.get("null_as_zero") == "true"}
    groups = calculate(options.out, set(summary["dimensions"]), options.environment.split(","), null_as_zero)
    daily = {key: daily_row(group) for key, group in groups.items()}
    events, values = {}, {}
    for key, group in groups.items():
        for name, sums in group["events"].items():
            row = {column: sums["counts"][column] for column in ("postbacks_with_event", "event_count", "min_event_count")}
            row["max_event_count"] = None if sums["counts"]["open"] else sums["counts"]["max_event_count"]
            money(row, "events", sums["money"])
            events[key + (name,)] = row
        values |= {key + (value,): {"count": count} for value, count in group["values"].items()}
    problems = compare(options.out, "skan_daily", daily, [])
    problems += compare(options.out, "skan_daily_events", events, ["event_name"])
    problems += compare(options.out, "skan_daily_values", values, ["value"])
    print(f"{len(daily)} rows, {len(events)} events and {len(values)} values compared")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
