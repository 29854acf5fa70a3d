"""Checks of the dump, of run and of enrich: the truth of each line, and the totals of the truth."""

import collections
from decimal import Decimal

from generated import check, equal, objects, rows, totals


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
        revenue, least, most = Decimal(truth["true_revenue"]), Decimal(row["min_revenue"]), row["max_revenue"]
        is_inside = least == revenue if most == least else least <= revenue and (most is None or revenue < Decimal(most))
        check(is_inside, f"line {line}: the user's revenue {revenue} is not in {least} to {most}")


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
