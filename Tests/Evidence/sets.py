"""Sets of generated traffic with what the program says about them: alarms of clean sets, of frauds, and modelled revenue."""

import collections
import csv
import datetime
import functools
import json
import pathlib
import subprocess
import tempfile
from decimal import Decimal

# The first day of installs is 2026-03-04.
OPTIONS = ["--days", "28", "--until", "2026-03-31", "--forged", "0", "--edited", "0", "--malformed", "0", "--zero-filled", "0",
           "--duplicate", "0.01", "--jobs", "1", "--quiet"]
LINES = 6000
# Honest forwarders change no value, one of a hundred, or three of a hundred, by the seed.
EDITS = ["0", "0.01", "0.03"]
# Names that nobody is accused by: the test says that copies as of a device contradict each other.
WITNESSES = {"device_copies_disagree"}
# The tests whose own rate of false alarms is measured, by their name and basis.
ALONE = {("raised_revenue", "copies"): "`raised_revenue`", ("withheld", "copies"): "`withheld`", ("bursts", "past"): "`bursts`",
         ("fine_values", "past"): "steps of `fine_values`", ("coarse_values", "past"): "steps of `coarse_values`"}


class TrafficSet:
    """The files of a generated dump in a folder, and the tables that the commands make of it."""

    def __init__(self, program, folder, world, seed, count, *options):
        self.program, self.folder = program, pathlib.Path(folder)
        self.call("generate", "--world", world, "--count", count, "--seed", seed, "--reporting", self.path("files"),
                  "--out", self.path("dump"), "--truth", self.path("truth"), "--keys", self.path("keys"), *OPTIONS, *options)

    def path(self, *names):
        return str(self.folder.joinpath(*names))

    def call(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def rows(self, *names):
        with open(self.path(*names), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def settle(self):
        keys = pathlib.Path(self.path("keys")).read_text(encoding="utf-8").split()
        models, lookups = self.path("files", "models"), self.path("files", "lookups")
        self.call("run", self.path("dump"), *keys, "--models", models, "--out", self.path("out"), "--jobs", 1)
        self.call("enrich", self.path("out"), "--lookups", lookups)
        self.call("settle", self.path("out"), "--lookups", lookups, "--models", models)

    def alarms(self):
        """The alarms and the significant differences of the signals; those without a kind are suspicions."""
        self.settle()
        answer = self.call("rejects", self.path("out"), "--signals", "--json", "--top", 1000, "--jobs", 1)
        signals = self.signals = json.loads(answer)["signals"]
        return [{"kind": alarm.get("kind") or "suspicion", "test": alarm["test"], "party": alarm["party"], "name": alarm["name"],
                 "p": alarm.get("p_value_corrected"), "since": alarm.get("since")} for alarm in signals["alarms"] + signals["differences"]]

    def alone(self):
        """The least p-value of each test of ALONE, corrected for the tests of its kind alone (Bonferroni)."""
        found = collections.defaultdict(list)
        for kind in ("alarms", "differences", "withdrawn", "further_tests"):
            for test in self.signals[kind]:
                found[ALONE.get((test["test"], test["basis"]))].append(test["p_value"])
        return {name: min(1, min(values) * len(values)) for name, values in found.items() if name}

    def modelled(self):
        self.settle()
        self.call("daily", self.path("out"), "--lookups", self.path("files", "lookups"), "--environment", "custom",
                  "--dimensions", "app_id,network_name,campaign_id")
        return [json.loads(line, parse_float=Decimal) for part in sorted(self.folder.glob("out/skan_modelled/part-*.jsonl"))
                for line in part.read_text(encoding="utf-8").splitlines()]

    def senders(self):
        """The number of postbacks by forwarder, those of which a device's copy came, and the networks and campaigns of each."""
        names = {row["ad_network_id"].lower(): row["network_name"] for row in self.rows("files", "lookups", "networks.csv")}
        sent, networks, campaigns = (collections.defaultdict(kind) for kind in (set, set, collections.Counter))
        with open(self.path("dump"), encoding="utf-8") as dump, open(self.path("truth"), encoding="utf-8") as truth:
            facts = (fact for fact in map(json.loads, truth) if fact["line"])
            for line, fact in zip(dump, facts):
                envelope = json.loads(line)
                forwarder = envelope.get("forwarder")
                sent[forwarder].add(fact["transaction_id"])
                if fact.get("true_conversion_value") is not None and fact["data_tier"] > 1:
                    campaigns[forwarder][fact["campaign_id"]] += 1
                network = names.get(str(envelope["body"].get("ad-network-id")).lower())
                if forwarder and network:
                    networks[forwarder].add(network)
        devices = sent.pop(None, set())
        return ({name: len(ids) for name, ids in sent.items()}, {name: len(ids & devices) for name, ids in sent.items()},
                networks, campaigns)


def clean(program, world, seed):
    """The alarms of traffic without a fraud."""
    with tempfile.TemporaryDirectory(prefix="evidence-") as folder:
        traffic = TrafficSet(program, folder, world, seed, LINES, "--forwarder-edits", EDITS[seed % 3])
        return {"alarms": traffic.alarms(), "alone": traffic.alone()}


def since(seed):
    """The day of a set on which a fraud begins: of one week after the first postbacks, to a week before the last."""
    return datetime.date(2026, 3, 15) + datetime.timedelta(days=seed * 5 % 11)


@functools.lru_cache(maxsize=8)
def plain_senders(program, world, seed):
    """The senders of traffic without a fraud."""
    with tempfile.TemporaryDirectory(prefix="evidence-") as folder:
        return TrafficSet(program, folder, world, seed, LINES).senders()


def culprit(program, case, seed):
    """The party of a case, the number of lines in which it has the wanted number of postbacks, and its largest campaign."""
    if case.get("forwarder"):
        return case["forwarder"], LINES, None
    sent, copied, _, campaigns = plain_senders(program, case["world"], seed)
    counts = copied if case.get("pairs") else sent
    name = max(counts, key=lambda name: (counts[name], name))
    wanted = case.get("pairs")
    campaign = max(campaigns[name], key=lambda campaign: (campaigns[name][campaign], campaign))
    return name, max(300, LINES * wanted // counts[name]) if wanted else LINES, campaign


def fraud(program, case, seed):
    """The alarms about the party of a fraud, and those about honest ones."""
    name, count, campaign = culprit(program, case, seed)
    text = case["fraud"].format(since=since(seed), until=since(seed) + datetime.timedelta(days=1), campaign=campaign)
    with tempfile.TemporaryDirectory(prefix="evidence-") as folder:
        traffic = TrafficSet(program, folder, case["world"], seed, count, "--forwarder-edits", case.get("edits", EDITS[seed % 2]),
                             "--fraud", text.replace(",", f",forwarder={name},", 1))
        rows = len(traffic.rows("files", "truth_fraud.csv"))
        sent, copied, networks, _ = traffic.senders()
        alarms = [alarm for alarm in traffic.alarms() if alarm["kind"] == "suspicion" or alarm["test"] == case.get("difference")]
    culprits = set() if case.get("framed") else set(name.split("+"))
    parties = {("forwarder", one) for one in culprits} | {("network", net) for one in culprits for net in networks[one]}
    named = [alarm for alarm in alarms if alarm["party"] in ("forwarder", "network")]
    own = [alarm for alarm in named if (alarm["party"], alarm["name"]) in parties]
    honest = [alarm for alarm in named if alarm not in own and alarm["test"] not in WITNESSES]
    if case.get("framed"):
        honest = [alarm for alarm in honest if alarm["name"] in {name, *networks[name]}]
        own = [alarm for alarm in alarms if alarm["test"] in WITNESSES]
    intervals = [alarm["since"] for alarm in own if isinstance(alarm["since"], dict)
                 and alarm["since"].get("low") and alarm["since"].get("high")]
    return {"rows": rows, "sent": sum(sent.get(one, 0) for one in name.split("+")),
            "copied": sum(copied.get(one, 0) for one in name.split("+")), "found": sorted({alarm["test"] for alarm in own}),
            "accused": sorted({f"{alarm['test']} {alarm['name']}" for alarm in honest}),
            "onsets": [[since(seed).isoformat(), each["low"][:10], each["high"][:10]] for each in intervals]
            if "{since}" in case["fraud"] and "{until}" not in case["fraud"] else []}


def modelled(program, world, seed):
    """The true revenue of users beside the intervals of the model, by stratum and by total."""
    with tempfile.TemporaryDirectory(prefix="evidence-") as folder:
        traffic = TrafficSet(program, folder, world, seed, 2 * LINES, "--forwarder-edits", "0", "--versions", "4.0=1")
        report = traffic.modelled()
        keys = {row["campaign_id"]: row["campaign_key"][-2:] for row in traffic.rows("files", "lookups", "campaigns.csv")
                if row["kind"] == "source_identifier"}
        true = collections.defaultdict(lambda: [Decimal(0), Decimal(0)])
        for row in traffic.rows("files", "truth_daily.csv"):
            if row["date_type"] == "install":
                sums = true[row["app_id"], row["postback_sequence_index"], row["network_name"], keys[row["campaign_id"]]]
                sums[0] += Decimal(row["revenue"])
                sums[1] += Decimal(row["null_revenue"]) + Decimal(row["unsent_revenue"])
    strata, totals, told = [], [], collections.defaultdict(lambda: [Decimal(0), Decimal(0)])
    refused, reasons = sum(whole for whole, _ in true.values()), collections.Counter()
    for row in report:
        place = str(row["app_id"]), str(row["postback_sequence_index"])
        if row["scope"] != "stratum":
            continue
        whole, nulls = true.get((*place, row["network_name"], row["source_identifier"]), (Decimal(0), Decimal(0)))
        if row["modelled_revenue_low"] is None:
            reasons[row["model_status"]] += float(whole)
            continue
        refused -= whole
        strata.append(held(row, whole, nulls))
        sums = told[(*place, row["model_status"])]
        sums[0] += whole
        sums[1] += nulls
    for row in report:
        if row["scope"] == "total" and row["modelled_revenue_low"] is not None:
            totals.append(held(row, *told[str(row["app_id"]), str(row["postback_sequence_index"]), row["model_status"]]))
    return {"strata": strata, "totals": totals, "refused": float(refused), "reasons": reasons,
            "revenue": float(sum(whole for whole, _ in true.values()))}


def held(row, whole, nulls):
    """The intervals that hold the true amount: that of all revenue, of the nulls, the bounds, and the sensitivity range."""
    def inside(low, high, amount):
        return (low is None or low <= amount) and (high is None or amount <= high)
    range_ends = [value for name, value in row.items() if value is not None and name.startswith("modelled_revenue")
                  and not name.endswith(("_min", "_max"))]
    return {"nulls": row["nulls"], "all": inside(row["modelled_revenue_low"], row["modelled_revenue_high"], whole),
            "null": inside(row["null_revenue_low"], row["null_revenue_high"], nulls),
            "bounds": inside(row["bound_low"], row["bound_high"], whole),
            "range": inside(min(range_ends), max(range_ends), whole),
            "true": float(whole), "estimate": float(row["modelled_revenue"])}
