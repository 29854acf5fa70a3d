"""Checks of reports: counts, revenue, costs and settled values exactly, and modelled revenue by its intervals."""

import collections
import json
from decimal import Decimal

from generated import REPORTED, check, compare, equal, number, objects, ratio, rows


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


def compare_daily(report, truth, site, text, by_date=True):
    columns = ["date_type", *(["date"] if by_date else []), "postback_sequence_index", "app_id", "network_name"]
    compare(report, truth, columns, text)
    told = told_networks(site)
    check(len(told) > 1, f"{text}: no network tells its campaigns")
    of_told = lambda table: [row for row in table if row["network_name"] in told]
    compare(of_told(report), of_told(truth), columns + ["campaign_id"], text)


def told_networks(site):
    """The networks whose campaigns of an app differ in their last two digits."""
    endings = collections.defaultdict(list)
    for row in rows(site.reporting / "lookups" / "campaigns.csv"):
        if row["kind"] == "source_identifier":
            endings[row["network_name"], row["app_id"]].append(row["campaign_key"][-2:])
    return {network for network in {name for name, _ in endings}
            if all(len(set(keys)) == len(keys) for (name, _), keys in endings.items() if name == network)}


def copies_of(site):
    """The copies of each accepted line: the channel, the value and the time of receipt."""
    lines = (site.folder / "dump").read_bytes().split(b"\n")
    copies = collections.defaultdict(list)
    for truth in site.truth:
        first = truth["line"] if truth["outcome"] == "accepted" else truth["of_line"]
        if "converted_at" in truth and truth["reject_code"] in [None, "duplicate_identical", "duplicate_conflict"]:
            envelope = json.loads(lines[truth["line"] - 1])
            body = envelope["body"]
            value = (body.get("conversion-value"), body.get("coarse-conversion-value"))
            value = (value[0] if value[0] in [None, ""] else int(value[0]), value[1])
            copies[first].append((envelope["channel"], value, envelope["received_at"]))
    return copies


def check_settled(site):
    """The values of the device's own copy count, where there is one, and the trust follows from the copies."""
    settled = site.settle()
    copies = copies_of(site)
    zeros = {row["network_name"] for row in rows(site.reporting / "lookups" / "networks.csv")
             if row["null_as_zero"] == "true"}
    equal(len(settled), len(site.postbacks), "settled postbacks")
    levels = collections.Counter()
    for postback, enriched in zip(site.postbacks, site.enriched):
        line, row = postback["source_line"], settled[postback["postback_key"]]
        direct = [value for channel, value, _ in copies[line] if channel == "apple_direct"]
        forwarded = [value for channel, value, _ in copies[line] if channel != "apple_direct"]
        equal((row["copies_direct"], row["copies_forwarded"]), (len(direct), len(forwarded)), f"line {line}, copies")
        expected = (direct or forwarded)[0]
        if postback["version"] != "1.0":
            found = (row["effective_conversion_value"], row["effective_coarse_conversion_value"])
            equal(found, expected, f"line {line}, effective value")
        is_zero = enriched["network_name"] in zeros and direct and direct[0] == (None, None)
        agrees = not forwarded or not direct or direct[0] == forwarded[0] or is_zero and forwarded[0] == (0, None)
        level = (0 if not agrees else 4 if forwarded else 3) if direct else 2
        levels[level] += 1
        equal(row["trust_level"], level, f"line {line}, trust of {copies[line]}")
    check(set(levels) == {0, 2, 3, 4}, f"trust levels: {dict(levels)}")


def check_daily_settled(site):
    """The daily report after settling has the true counts and the true observed revenue, and each postback on the day of the
    copy that decides: the device's own one, or without one the first of the others."""
    truth = [row for row in site.daily_truth if row["date_type"] != "install"]
    report = site.daily()
    compare_daily(report, truth, site, "settled daily", by_date=False)
    copies, days = copies_of(site), collections.Counter()
    for postback in site.postbacks:
        own = copies[postback["source_line"]]
        direct = [time for channel, _, time in own if channel == "apple_direct"]
        days[min(direct or [time for _, _, time in own])[:10], str(postback["postback_sequence_index"] or 0)] += 1
    found = collections.Counter()
    for row in report:
        if row["date_type"] == "received":
            found[row["date"], str(row["postback_sequence_index"])] += row["postbacks"]
    for key in days.keys() | found.keys():
        equal(found[key], days[key], f"settled daily, postbacks of {key}")


def check_cost(site):
    """No cost is lost, and each ratio is that of the row's own amounts."""
    cost_file = site.reporting / "cost.csv"
    report = site.daily("--cost", cost_file)
    names = ["date", "app_id", "network_name", "campaign_id", "country"]
    check_cost_sums(report, rows(cost_file), names, "cost")
    check_ratios(report)
    report = site.daily("--cost", cost_file, "--dimensions", "network_name,campaign_id")
    check_cost_sums(report, rows(cost_file), ["date", "network_name", "campaign_id"], "cost of campaigns")
    check_ratios(report)


def check_currency(site):
    """In one currency the sum of the cost is that of the file, by the rates of its days; only rounding may differ."""
    files = "--cost", site.reporting / "cost.csv", "--rates", site.reporting / "rates.csv"
    report = site.daily(*files, "--currency", "USD", "--dimensions", "network_name,campaign_id")
    rates = {(row["date"], row["currency"]): Decimal(row["rate"]) for row in rows(site.reporting / "rates.csv")}
    expected = collections.Counter()
    for row in rows(site.reporting / "cost.csv"):
        expected[row["date"]] += Decimal(row["cost"]) / rates[row["date"], row["currency"]]
    found = collections.Counter()
    for row in report:
        if row["cost"] is not None:
            equal(row["cost_currency"], "USD", f"currency of the cost of {row['date']}")
            found[row["date"]] += number(row["cost"])
    equal(set(found), set(expected), "days with cost")
    for day, cost in expected.items():
        check(abs(found[day] - cost) < Decimal("0.001"), f"cost of {day} in USD: {found[day]}, expected {cost}")
    check_ratios(report)


def check_cost_sums(report, file, names, text):
    sums = [collections.Counter(), collections.Counter()]
    for row in report:
        if row["cost"] is not None:
            equal((row["date_type"], row["postback_sequence_index"]), ("estimated_install", "0"), f"{text}, place")
            sums[0][tuple(row[name] for name in names) + (row["cost_currency"],)] += Decimal(str(row["cost"]))
    for row in file:
        sums[1][tuple(row[name] for name in names) + (row["currency"],)] += Decimal(row["cost"])
    for group in sorted(sums[0].keys() | sums[1].keys(), key=str):
        equal(sums[0][group], sums[1][group], f"{text} of {group}")


def check_ratios(report):
    count = 0
    for row in report:
        if row["cost"] is None:
            continue
        text = f"ratios of {row['date']} {row['network_name']} {row['campaign_id']} {row['country']}"
        cost, installs = Decimal(str(row["cost"])), row["installs"]
        equal(number(row["ecpi"]), ratio(cost, installs), f"{text}, ecpi")
        is_one_currency = row["currency"] in [None, row["cost_currency"]]
        revenue = Decimal(str(row["revenue"])) if row["revenue"] is not None and is_one_currency else None
        if row["currency"] is not None:
            equal(number(row["roas"]), None if revenue is None else ratio(revenue, cost), f"{text}, roas")
            count += revenue is not None
        for name in ["min", "max", "max_closed"]:
            part = row[f"revenue_{name}"] if revenue is not None else None
            equal(number(row[f"roas_{name}"]), None if part is None else ratio(number(part), cost), f"{text}, roas_{name}")
        valid = row["values"] + row["ambiguous_zeros"]
        for name, wins in [("roas_scaled", installs), ("roas_scaled_conversions", row["conversions"])]:
            scaled = None if revenue is None else ratio(revenue * wins, cost * valid)
            equal(number(row[name]), scaled, f"{text}, {name}")
        if row["roas_scaled"] is not None:
            equal(number(row["roi"]), number(row["roas_scaled"]) - 1, f"{text}, roi")
    check(count > 10, f"there are only {count} rows with revenue and cost")


def check_parts(site):
    """A dump that comes in three files, with reports after each, has the same report in the end as the whole dump."""
    whole = site.daily()
    lines = (site.folder / "dump").read_bytes().splitlines(keepends=True)
    out, site.out = site.out, site.folder / "out-of-parts"
    keys = (site.folder / "keys").read_text().split()
    third = len(lines) // 3 + 1
    for start in range(0, len(lines), third):
        part = site.folder / f"part-{start}"
        part.write_bytes(b"".join(lines[start:start + third]))
        site.call("run", part, *keys, "--models", site.reporting / "models", "--out", site.out)
        site.settle()
        report = site.daily()
    found, expected = [{json.dumps(row, sort_keys=True, default=str) for row in table} for table in [report, whole]]
    for row in sorted(found ^ expected)[:10]:
        check(False, f"reports of parts: {'only of parts' if row in found else 'only of the whole'}: {row}")
    check(len(objects(site.out, "skan_daily_changes")) > 0, "reports of parts: there are no changes")
    site.out = out


def check_modelled(site):
    """The true revenue of postbacks without a value is in the interval about as often as its level says, and the days of
    a campaign add up to its estimate."""
    daily = site.daily("--dimensions", "app_id,network_name,campaign_id")
    keys = {row["campaign_id"]: row["campaign_key"][-2:]
            for row in rows(site.reporting / "lookups" / "campaigns.csv") if row["kind"] == "source_identifier"}
    true = collections.Counter()
    for row in site.daily_truth:
        if row["date_type"] == "install":
            group = row["app_id"], row["postback_sequence_index"], row["network_name"], keys[row["campaign_id"]]
            # Nobody knows of the users without a postback: their revenue is that behind the nulls of window 0.
            true[group] += Decimal(row["null_revenue"]) + Decimal(row["unsent_revenue"])
    report = objects(site.out, "skan_modelled")
    strata = {}
    for row in report:
        if row["scope"] == "stratum" and row["model_status"] in ["modelled", "borrowed"]:
            app, window = str(row["app_id"]), str(row["postback_sequence_index"])
            strata[app, window, row["network_name"], row["source_identifier"]] = row
    with_nulls = [(row, true[group]) for group, row in strata.items() if row["nulls"] > 0]
    check(len(with_nulls) > 80, f"modelled: there are only {len(with_nulls)} strata with nulls")
    for row, _ in with_nulls:
        equal(row["assumption"], "missing_at_random_within_campaign", "modelled, assumption")
    # Nobody may have paid in a small stratum, and then the truth is just below an interval that ends above 0.
    check_intervals(with_nulls, 0.85, "strata")
    sums = collections.Counter()
    for (app, window, _, _), truth in ((group, true[group]) for group in strata):
        sums[app, window] += truth
    check_intervals(
        [(row, sums[str(row["app_id"]), str(row["postback_sequence_index"])]) for row in report
         if row["scope"] == "total" and row["model_status"] == "modelled"], 0.75, "totals")
    check_modelled_days(daily, strata, keys, told_networks(site))


def check_intervals(estimates, share, text):
    """At least this share of intervals holds the truth, and the estimates together are of the size of the truth."""
    highs = [number(row["null_revenue_high"]) if row["null_revenue_high"] is not None else truth for row, truth in estimates]
    is_inside = [number(row["null_revenue_low"]) <= truth <= high for (row, truth), high in zip(estimates, highs)]
    count, inside = len(is_inside), sum(is_inside)
    check(inside >= share * count > 0, f"modelled: {inside} of {count} {text} are in their intervals")
    true, estimated = sum(truth for _, truth in estimates), sum(number(row["null_revenue"]) for row, _ in estimates)
    # The model takes the middle of a range, and users spend less than that where a range is wide.
    check(true / 2 < estimated < true * 3, f"modelled: {text} have {true}, estimated {estimated}")
    print(f"modelled: {inside} of {count} {text} are in their intervals, {true} estimated as {estimated:.2f}")


def check_modelled_days(daily, strata, keys, networks):
    """Apart from rounding, the rows of all days add up to the estimate of each campaign that nulls tell."""
    sums, counts = collections.Counter(), collections.Counter()
    for row in daily:
        if row["modelled_revenue"] is not None and row["network_name"] in networks:
            group = row["date_type"], row["app_id"], "0", row["network_name"], keys[row["campaign_id"]]
            equal(row["postback_sequence_index"], "0", "window of modelled days")
            sums[group] += number(row["modelled_revenue"]) - number(row["revenue"] or 0)
            counts[group] += 1
    for group, row in strata.items():
        if group[1] == "0" and group[2] in networks:
            for date_type in ["received", "estimated_install"]:
                found, expected = sums.pop((date_type, *group), None), number(row["null_revenue"])
                is_near = found is not None and abs(found - expected) <= counts[(date_type, *group)] * Decimal("0.000001")
                check(is_near, f"modelled days of {date_type} {' '.join(group)}: {found}, expected {expected}")
    check(len(counts) > 10, f"modelled days: there are only {len(counts)} groups")
    equal(dict(sums), {}, "modelled days without an estimate")
