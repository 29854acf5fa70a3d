#!/usr/bin/env python3
"""Runs `postback deliver` against a receiver that is no code of ours, and counts what arrives.

    Tests/Delivery/deliver.py [--binary POSTBACK] [--kills N]

A dump of campaigns is verified into tables; partners receive their postbacks and events. Deliveries are counted at the receiver:
each id at least once, also where the process is killed at a random moment N times, and none of another network. Bodies are
compared with the tables, signatures are computed anew. Hostile addresses, redirects and receivers that hang are tried.
"""

import argparse
import base64
import calendar
import collections
import contextlib
import glob
import hashlib
import hmac
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Site:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.receiver = None

    def run(self, *arguments, status=0, **options):
        environment = dict(os.environ, KEY="key of the partner", SECRET=SECRET)
        result = subprocess.run([self.binary, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, **options)
        if status is not None and result.returncode != status:
            sys.exit(f"postback {' '.join(arguments)}: status {result.returncode}, not {status}\n{result.stderr[-3000:]}")
        return result

    def start(self, *arguments):
        environment = dict(os.environ, KEY="key of the partner", SECRET=SECRET)
        return subprocess.Popen([self.binary, *arguments], cwd=self.folder, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def listen(self, name):
        """Starts a receiver; returns its file and its address."""
        path = self.folder / name
        path.write_text("")
        self.receiver = subprocess.Popen([sys.executable, HERE / "receiver.py", path], stdout=subprocess.PIPE, text=True)
        return path, f"http://127.0.0.1:{self.receiver.stdout.readline().strip()}"

    def stop(self):
        if self.receiver:
            self.receiver.kill()
            self.receiver.wait()

    def tables(self, out, keep_raw=True):
        keys = (self.folder / "keys").read_text().split()
        raw = ["--keep-raw"] if keep_raw else []
        self.run("run", "dump.jsonl", *keys, "--models", "campaigns/models", "--out", out, "--quiet", "--format", "both", *raw)

    def rows(self, table):
        lines = []
        for path in sorted(glob.glob(str(self.folder / table / "**/*.jsonl"), recursive=True)):
            lines += [json.loads(line) for line in open(path, encoding="utf-8")]
        return lines

    def partners(self, *partners):
        (self.folder / "partners.json").write_text(json.dumps({"partners": partners}))


def partner(identifier, url, **further):
    return {"id": identifier, "networks": "all", "environments": ["production", "custom"], "max_age_s": 10**9,
            "allow_addresses": ["127.0.0.1"], "url": url, **further}


def expect(condition, message):
    if not condition:
        sys.exit(message)


def received(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def check_content(site):
    """One run: what arrives is what the tables have, once each, signed, in order, and of the right network."""
    path, url = site.listen("content.jsonl")
    site.tables("out")
    postbacks = site.rows("out/skan_postbacks")
    network = collections.Counter(row["ad_network_id"] for row in postbacks).most_common(1)[0][0]
    site.partners(
        partner("all", url + "/ok/all?raw={raw_base64}&cv={conversion_value}", body="json", headers={"x-key": "env:KEY"}, secret="env:SECRET"),
        partner("one", url + "/ok/one", networks=[network.upper()], send=["install", "redownload"], body={"n": "{network_id}", "won": "{did_win}"}),
        partner("get", url + "/ok/get?e={event_name}&n={event_count}", method="GET", send=["event"]),
    )
    dry = site.run("deliver", "out", "--partners", "partners.json", "--dry-run", "--quiet").stdout.splitlines()
    expect(not received(path) and not (site.folder / "out/_state/deliver.sqlite").exists(), "--dry-run has sent or changed something")
    expect("key of the partner" not in "".join(dry), "--dry-run prints a secret")
    summary = json.loads(site.run("deliver", "out", "--partners", "partners.json", "--once", "--json", "--metrics-file", "m.prom").stdout)
    found = received(path)
    expect(len(found) == len(dry), f"{len(found)} requests, and --dry-run has {len(dry)}")
    expect({line["partner"]: line["delivered"] for line in summary["partners"]} == collections.Counter(json.loads(line)["partner"] for line in dry), "the summary")
    by_key = {row["postback_key"]: row for row in postbacks}
    events = collections.defaultdict(dict)
    for row in site.rows("out/skan_events"):
        events[row["postback_key"]][row["event_name"]] = row
    own = [request for request in found if request["path"].startswith("/ok/all")]
    names = {"network_id": "ad_network_id", "country": "country_code"}
    for request in own:
        body, headers = json.loads(request["body"]), request["headers"]
        message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{request['body']}".encode()
        digest = hmac.new(base64.b64decode(SECRET[6:]), message, hashlib.sha256).digest()
        expect(headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode(), "a signature is not that of the body")
        expect(headers["x-key"] == "key of the partner" and headers["webhook-id"] == body["delivery_id"], "headers")
        row = by_key[body["postback_key"]]
        event = events[row["postback_key"]].get(body.get("event_name"), {})
        text = "\u2063".join(["all", row["postback_key"], body["kind"], body.get("event_name", "")])
        expect(body["delivery_id"] == hashlib.sha256(text.encode()).hexdigest()[:32], "a delivery id")
        for name in ("framework", "app_id", "transaction_id", "conversion_value", "coarse_conversion_value", "country", "network_id", "did_win"):
            expect(body.get(name) == row[names.get(name, name)], f"{name} is {body.get(name)!r}, and {row[names.get(name, name)]!r} in the table")
        source, prefix = (event, "skan_") if event else (row, "skan_")
        expect(body.get("revenue") == source[prefix + "revenue"], "revenue")
        query = dict(part.split("=") for part in request["path"].partition("?")[2].split("&"))
        raw = base64.b64decode(query["raw"].replace("%2B", "+").replace("%2F", "/").replace("%3D", "="))
        expect(raw.decode() == row["raw_body"], "the raw body")
        expect(query.get("cv") == (None if row["conversion_value"] is None else str(row["conversion_value"])), "cv in the query")
    won = [row for row in postbacks if row["did_win"] is not False]
    expect(len(own) == len(won) + sum(len(events[row["postback_key"]]) for row in won), f"{len(own)} requests to all")
    # Both frameworks have the same ids with another ending.
    same = lambda identifier: identifier.partition(".")[0].lower() == network.partition(".")[0].lower()
    of_network = [row for row in won if same(row["ad_network_id"])]
    to_one = [json.loads(request["body"]) for request in found if request["path"] == "/ok/one"]
    expect(all(same(body["n"]) for body in to_one), "a postback of another network was sent")
    kinds = [row for row in of_network if (row["conversion_type"] or "") != "re-engagement"]
    expect(len(to_one) == len(kinds), f"{len(to_one)} requests to one, and {len(kinds)} rows")
    again = site.run("deliver", "out", "--partners", "partners.json", "--once", "--quiet")
    expect(again.returncode == 0 and len(received(path)) == len(found), "a second run sends something again")
    table = site.rows("out/partner_deliveries")
    expect(len(table) == len(found) and all(row["state"] == "delivered" for row in table), "partner_deliveries")
    metrics = (site.folder / "m.prom").read_text()
    expect(f'postback_deliveries_delivered_total{{partner="all"}} {len(own)}' in metrics, "metrics")
    site.stop()
    print(f"content: {len(found)} requests are those of the tables")


def check_failures(site):
    """Statuses, a redirect, a receiver that hangs, private addresses by number and by name, a missing secret, a second process."""
    path, url = site.listen("failures.jsonl")
    few = {"apps": [site.rows("out/skan_postbacks")[0]["app_id"]], "send": ["install"], "retry": {"delays_s": [1], "give_up_after_s": 0}, "rate_per_s": 1000}
    port = url.rpartition(":")[2]
    site.partners(
        partner("refused", url + "/status/400", **few),
        partner("redirect", url + "/redirect", **few),
        partner("hang", url + "/hang", **few, timeout_s=0.5, connections=64),
        {**partner("private", f"http://localhost:{port}/ok/private", **few), "allow_addresses": []},
        partner("flaky", url + "/flaky/1", **{**few, "retry": {"delays_s": [1]}}),
    )
    begun = time.monotonic()
    result = site.run("deliver", "out", "--partners", "partners.json", "--deadline", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 8)), "--once", "--json", "--out", "failures")
    lines = {line["partner"]: line for line in json.loads(result.stdout)["partners"]}
    found = received(path)
    paths = collections.Counter(request["path"] for request in found)
    expect(paths["/stolen"] == 0, "a redirect was followed")
    expect(paths["/ok/private"] == 0, "a private address was connected to")
    expect(lines["refused"]["pending"] == 0 or paths["/status/400"] >= 20, "400 is final")
    expect(time.monotonic() - begun < 14, "receivers that hang hold back the end")
    rows = site.rows("failures/partner_deliveries")
    errors = {name: {row["error"] for row in rows if row["partner"] == name and row["attempts"]} for name in lines}
    expect(all("allow_addresses" in error for error in errors["private"]), f"the error of a private address: {errors['private']}")
    expect(any("timed out" in error.lower() for error in errors["hang"]), f"the error of a timeout: {errors['hang']}")
    expect(paths["/flaky/1"] > 0, "flaky")
    site.partners(partner("meta", "http://169.254.169.254/latest"), partner("secret", url, secret="env:NOWHERE"), partner("macro", url + "/{nothing}"),
                  *(partner(f"documentation{number}", f"http://{host}/") for number, host in enumerate(("192.0.2.1", "198.51.100.1", "203.0.113.1", "[2001:db8::1]", "[3fff::1]"))))
    text = site.run("deliver", "out", "--partners", "partners.json", "--once", status=65).stderr
    expect(all(place in text for place in ("/partners/0/url", "/partners/1/secret", *(f"/partners/{number}/url" for number in range(2, 8)))), text)
    site.tables("lean", keep_raw=False)
    site.partners(partner("raw", url + "/{raw}"))
    expect("--keep-raw" in site.run("deliver", "lean", "--partners", "partners.json", "--once", status=65).stderr, "raw without --keep-raw")
    site.partners(partner("one", url + "/ok"))
    first = site.start("deliver", "out", "--partners", "partners.json")
    for _ in range(100):
        if (site.folder / "out/_state/deliver.lock").read_text().startswith(f"process {first.pid} "):
            break
        time.sleep(0.1)
    site.run("deliver", "out", "--partners", "partners.json", "--once", status=75)
    first.send_signal(signal.SIGTERM)
    expect(first.wait(20) == 0, "SIGTERM does not end it with 0")
    site.stop()
    print("failures: refused, redirected, hanging and private receivers, wrong partners, a second process")


def check_times(site):
    """A time of receipt in the year 9999, deliveries that an earlier version holds until then, and a Retry-After without end."""
    path, url = site.listen("times.jsonl")
    project = HERE.parent.parent
    postbacks = (project / "Fixtures/postbacks/skadnetwork-4.0.jsonl").read_text().splitlines()[:1]
    (site.folder / "future.jsonl").write_text("".join(f'{{"received_at":"9999-12-31T23:59:59Z","body":{body}}}\n' for body in postbacks))
    site.run("run", "future.jsonl", "--out", "future", "--quiet")
    site.partners(partner("now", url + "/ok/now", send=["install"]), partner("held", url + "/ok/held", send=["install"], hold_hours=1),
                  partner("later", url + "/later/" + "9" * 25, send=["install"]), partner("date", url + "/later/Fri%2C%2031%20Dec%209999%2023%3A59%3A59%20GMT", send=["install"]))
    at = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

    def deliver():
        begun = time.time()
        result = site.run("deliver", "future", "--partners", "partners.json", "--once", "--deadline", at(begun + 3), "--json")
        rows = {row["partner"]: row for row in site.rows("future/partner_deliveries")}
        wait = lambda name: calendar.timegm(time.strptime(rows[name]["next_attempt_at"][:19], "%Y-%m-%dT%H:%M:%S")) - begun
        return result.stderr, rows, wait

    log, rows, wait = deliver()
    expect(rows["now"]["state"] == "delivered", f"a postback of the year 9999 is not sent now: {rows['now']}")
    expect("received in the future" in log, f"a postback of the year 9999 is not named: {log}")
    expect(rows["held"]["state"] == "pending" and 3500 < wait("held") < 3700, f"the hold of a postback of the year 9999: {rows['held']}")
    expect(rows["later"]["attempts"] == 1 and 3500 < wait("later") < 3700, f"a Retry-After of 25 digits: {rows['later']}")
    # What waits until then, because it was planned under another clock or by an earlier version, waits no longer than the settings say.
    with contextlib.closing(sqlite3.connect(site.folder / "future/_state/deliver.sqlite")) as outbox, outbox:
        outbox.execute("UPDATE deliveries SET next_attempt_at = 253402300799000 WHERE state = 'pending'")
    _, _, wait = deliver()
    expect(3500 < wait("held") < 3700 and 3500 < wait("later") < 4400, "what waits until the year 9999 goes on waiting")
    site.stop()
    print("times: receipt in the future, Retry-After of 25 digits, deliveries that waited for the year 9999")


def check_settlement(site):
    """A forwarder's value is delivered, and the device's copy settles another: a correction for who wants it, and in time for who waits."""
    path, url = site.listen("settlement.jsonl")
    project = HERE.parent.parent
    genuine = (project / "Fixtures/postbacks/skadnetwork-4.0.jsonl").read_text().splitlines()[0]
    now = time.time()
    at = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    first = f'{{"received_at":"{at(now - 3592)}","channel":"network_forwarded","forwarder":"cheap-clicks","body":{genuine}}}'
    second = f'{{"received_at":"{at(now - 3000)}","channel":"apple_direct","body":{genuine.replace(chr(34) + "conversion-value" + chr(34) + ":63", chr(34) + "conversion-value" + chr(34) + ":20")}}}'
    (site.folder / "copies.jsonl").write_text(f"{first}\n{second}\n")
    site.run("run", "copies.jsonl", "--models", str(project / "Fixtures/models"), "--out", "copies", "--quiet")
    kinds = ["install", "event", "correction"]
    site.partners(
        partner("told", url + "/ok/told", body="json", send=kinds),
        partner("plain", url + "/ok/plain", body="json", send=["install"]),
        partner("patient", url + "/ok/patient", body="json", send=["install"], hold_hours=1),
        partner("strict", url + "/ok/strict", body="json", send=["install"], hold_hours=1, include={"minimum_trust": 2}),
    )
    deliver = lambda *more: json.loads(site.run("deliver", "copies", "--partners", "partners.json", "--once", "--json", "--quiet", *more).stdout)["partners"]
    before = {line["partner"]: line for line in deliver("--deadline", at(now + 3))}
    expect(before["patient"]["pending"] == 1 and before["plain"]["delivered"] == 1, f"the hold: {before}")
    site.run("settle", "copies", "--lookups", str(project / "Fixtures/lookups"), "--quiet")
    settled = site.rows("copies/skan_settled")[0]
    expect(settled["effective_conversion_value"] == 20 and settled["trust_level"] == 0, "the settlement is not as it was planned")
    after = {line["partner"]: line for line in deliver()}
    expect(after["plain"]["corrections_not_sent"] == 1, f"corrections that nobody wants: {after['plain']}")
    expect(after["strict"]["cancelled"] == 1, f"the trust: {after['strict']}")
    bodies = collections.defaultdict(list)
    for request in received(path):
        bodies[request["path"].rpartition("/")[2]].append(json.loads(request["body"]))
    expect([body["conversion_value"] for body in bodies["plain"]] == [63] and not bodies["strict"], "plain and strict")
    expect([body["conversion_value"] for body in bodies["patient"]] == [20], "who waits is sent the settled value")
    told = {body["delivery_id"]: body for body in bodies["told"]}
    corrections = [body for body in told.values() if body["kind"] == "correction"]
    events = {row["event_name"] for row in site.rows("copies/skan_settled_events")}
    for body in corrections:
        old = told[body["supersedes"]]
        expect(old.get("event_name") == body.get("event_name") and old["conversion_value"] == 63 and body["conversion_value"] == 20, "a correction")
        expect(body.get("event_name") is None or body["event_name"] in events or body["event_count"] == 0, "an event that is gone")
    expect(any("event_name" not in body for body in corrections), "the postback is not corrected")
    have = {body["event_name"] for body in told.values() if "event_name" in body and body["conversion_value"] == 20 and body["event_count"] != 0}
    known = {body["event_name"] for body in told.values() if body["kind"] == "event"}
    expect(events <= have | known, f"events of the settlement: {events}, sent {have | known}")
    count = len(received(path))
    again = {line["partner"]: line for line in deliver()}
    site.run("settle", "copies", "--lookups", str(project / "Fixtures/lookups"), "--quiet")
    again = {line["partner"]: line for line in deliver()}
    expect(len(received(path)) == count and again["plain"]["corrections_not_sent"] == 1, "a settlement that changes nothing is sent or counted")
    # Who comes after the settlement, and all partners where nothing was sent before it, are sent its values at once.
    newcomer = partner("newcomer", url + "/ok/newcomer", body="json", send=kinds)
    site.partners(newcomer, partner("careful", url + "/ok/careful", body="json", send=kinds, include={"minimum_trust": 2}))
    dry = site.run("deliver", "copies", "--partners", "partners.json", "--dry-run", "--quiet").stdout.splitlines()
    planned = [json.loads(json.loads(line)["body"]) for line in dry]
    expect({body["conversion_value"] for body in planned} == {20} and len(planned) == 1 + len(events), f"--dry-run plans {planned}")
    deliver()
    for name in ("copies", "fresh"):
        if name == "fresh":
            site.run("run", "copies.jsonl", "--models", str(project / "Fixtures/models"), "--out", name, "--quiet")
            site.run("settle", name, "--lookups", str(project / "Fixtures/lookups"), "--quiet")
            site.run("deliver", name, "--partners", "partners.json", "--once", "--quiet")
        found = [request for request in received(path)[count:]]
        count += len(found)
        bodies = [json.loads(request["body"]) for request in found if request["path"] == "/ok/newcomer"]
        expect(len(bodies) == len(found) == 1 + len(events), f"{name}: {len(found)} requests")
        expect({(body["conversion_value"], body["trust_level"], body["kind"] == "correction") for body in bodies} == {(20, 0, False)}, f"{name}: {bodies}")
    site.stop()
    print(f"settlement: {len(corrections)} corrections, one counted for who does not want them; its values from the first request on")


def check_added_events(site):
    """A forwarder's postback without a value is worth events once the device's copy is settled: who takes events alone is told of them."""
    path, url = site.listen("added.jsonl")
    project = HERE.parent.parent
    genuine = json.loads((project / "Fixtures/postbacks/skadnetwork-4.0.jsonl").read_text().splitlines()[0])
    null = {key: value for key, value in genuine.items() if key != "conversion-value"}
    now = time.time()
    at = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    copies = [{"received_at": at(now - 3592), "channel": "network_forwarded", "forwarder": "drops-values", "body": null},
              {"received_at": at(now - 3000), "channel": "apple_direct", "body": genuine}]
    (site.folder / "added-copies.jsonl").write_text("".join(json.dumps(copy) + "\n" for copy in copies))
    site.run("run", "added-copies.jsonl", "--models", str(project / "Fixtures/models"), "--out", "added", "--quiet")
    few = {"body": "json", "send": ["event"]}
    site.partners(
        partner("events", url + "/ok/events", **few),
        partner("values", url + "/ok/values", **few, include={"nulls": False}),
        partner("other", url + "/ok/other", **{**few, "networks": ["another.skadnetwork"]}),
        partner("certain", url + "/ok/certain", **few, include={"minimum_trust": 4}),
        partner("late", url + "/ok/late", **{**few, "max_age_s": 60}),
        partner("install", url + "/ok/install", body="json", send=["install"]),
    )
    deliver = lambda: site.run("deliver", "added", "--partners", "partners.json", "--once", "--quiet")
    deliver()
    expect({request["path"] for request in received(path)} == {"/ok/install"}, "a postback without a value has events")
    for _ in range(2):
        site.run("settle", "added", "--lookups", str(project / "Fixtures/lookups"), "--quiet")
        deliver()
    events = {row["event_name"]: row for row in site.rows("added/skan_settled_events")}
    expect(events, "the settlement adds no event")
    for name in ("events", "values"):
        bodies = [json.loads(request["body"]) for request in received(path) if request["path"] == f"/ok/{name}"]
        expect(sorted(body["event_name"] for body in bodies) == sorted(events), f"{name} is told of {bodies}, not of {list(events)}")
        expect(all(body["conversion_value"] == genuine["conversion-value"] and body["transaction_id"] == genuine["transaction-id"]
                   and body["event_count"] == events[body["event_name"]]["event_count"] for body in bodies), f"values: {bodies}")
    found = {request["path"] for request in received(path)}
    expect(found == {"/ok/install", "/ok/events", "/ok/values"}, f"others are told: {found}")
    # What still waits goes with the postback.
    site.run("forget", "--out", "added", "--transaction-id", genuine["transaction-id"], "--quiet")
    expect(not any(genuine["transaction-id"].encode() in path.read_bytes() for path in (site.folder / "added/_state").glob("deliver.sqlite*")),
           "values stay in the outbox")
    site.stop()
    print(f"added events: {len(events)} to each of two partners")


def check_removals(site):
    """Parts by day, parts removed from one table alone, and rows removed on request: events stay with their postbacks."""
    site.run("run", "dump.jsonl", *(site.folder / "keys").read_text().split(), "--models", "campaigns/models", "--out", "days", "--partition", "received_day", "--quiet")

    def check(name):
        """A new partner is sent everything that is in the tables, and nothing else."""
        site.partners(partner(name, "http://127.0.0.1:9/", body="json", include={"lost": True}))
        lines = site.run("deliver", "days", "--partners", "partners.json", "--dry-run", "--quiet").stdout.splitlines()
        bodies = [json.loads(json.loads(line)["body"]) for line in lines]
        rows = {row["postback_key"]: row for row in site.rows("days/skan_postbacks")}
        wanted = collections.Counter((key, None) for key in rows)
        for row in site.rows("days/skan_events"):
            if row["postback_key"] in rows and rows[row["postback_key"]]["did_win"] is not False:
                wanted[row["postback_key"], row["event_name"]] += 1
        found = collections.Counter((body["postback_key"], body.get("event_name")) for body in bodies)
        expect(found == wanted, f"{name}: {len(found - wanted)} too many and {len(wanted - found)} too few of {len(wanted)}")
        return len(wanted)

    counts = [check("days")]
    times = sorted(row["received_at"] for row in site.rows("days/skan_postbacks"))
    middle = time.mktime(time.strptime(times[len(times) // 2][:10], "%Y-%m-%d"))
    site.run("retain", "--out", "days", "--older-than", f"{int((time.time() - middle) / 86400)}d", "--tables", "skan_postbacks", "--yes-remove-all", "--quiet")
    counts.append(check("retained"))
    expect(counts[1] < counts[0], "nothing was removed")
    # The partner has the first rows when a row among them and one after them are removed.
    path, url = site.listen("removals.jsonl")
    site.partners(partner("reader", url + "/ok", body="json", rate_per_s=2000))
    site.run("deliver", "days", "--partners", "partners.json", "--once", "--quiet")
    before = len(received(path))
    events = {row["postback_key"] for row in site.rows("days/skan_events")}
    chosen = [row["transaction_id"] for row in site.rows("days/skan_postbacks") if row["postback_key"] in events][:2]
    lines = site.run("forget", "--out", "days", *(word for one in chosen for word in ("--transaction-id", one)), "--json", "--quiet").stdout
    expect(json.loads(lines)["deliveries"] >= 4, f"deliveries of the removed postbacks stay: {lines}")
    expect(not any(one.encode() in path.read_bytes() for one in chosen for path in (site.folder / "days/_state").glob("deliver.sqlite*")), "values stay in the outbox")
    left = {row["postback_key"] for row in site.rows("days/skan_postbacks")}
    expect(left.issuperset(row["postback_key"] for row in site.rows("days/partner_deliveries")), "the table of deliveries keeps removed postbacks")
    counts.append(check("forgotten"))
    expect(counts[2] < counts[1], "nothing was forgotten")
    site.partners(partner("reader", url + "/ok", body="json", rate_per_s=2000))
    site.run("deliver", "days", "--partners", "partners.json", "--once", "--quiet")
    expect(len(received(path)) == before, "rows are sent again after a removal")
    site.stop()
    print(f"removals: {counts[0]} deliveries by day, {counts[1]} after retention, {counts[2]} after a request")


def check_restored(site):
    """Tables and ledger of a backup under newer deliveries: refused, and planned again with --replan, nothing sent twice."""
    path, url = site.listen("restored.jsonl")
    site.partners(partner("p", url + "/ok", body="json"))
    keys = (site.folder / "keys").read_text().split()
    lines = (site.folder / "dump.jsonl").read_bytes().splitlines(keepends=True)

    def run(name, part):
        (site.folder / name).write_bytes(b"".join(part))
        site.run("run", name, *keys, "--models", "campaigns/models", "--out", "back", "--quiet")

    def deliver(*options, status=0):
        return site.run("deliver", "back", "--partners", "partners.json", "--once", "--quiet", *options, status=status)

    run("first.jsonl", lines[:500])
    deliver()
    shutil.copytree(site.folder / "back", site.folder / "kept", ignore=shutil.ignore_patterns("deliver.*"))
    run("lost1.jsonl", lines[500:1000])
    deliver()
    sent = collections.Counter(request["headers"]["webhook-id"] for request in received(path))
    for name in ["skan_postbacks", "skan_events", "skan_rejects"]:
        shutil.rmtree(site.folder / "back" / name)
    for file in (site.folder / "back/_state").iterdir():
        if file.is_file() and not file.name.startswith("deliver."):
            file.unlink()
    shutil.copytree(site.folder / "kept", site.folder / "back", dirs_exist_ok=True)
    run("later.jsonl", lines[1000:])
    refusal = deliver(status=65).stderr
    expect("--replan" in refusal and "restored from an older backup" in refusal, refusal)
    expect(len(received(path)) == sum(sent.values()), "something was sent before the refusal")
    deliver("--replan")
    deliver()
    ids = collections.Counter(request["headers"]["webhook-id"] for request in received(path))
    expect(set(ids.values()) == {1}, "a delivery was sent twice")
    delivered = {json.loads(request["body"])["postback_key"] for request in received(path)}
    # Lost attributions are not sent.
    missing = {row["postback_key"] for row in site.rows("back/skan_postbacks") if row.get("did_win") is not False} - delivered
    expect(not missing, f"{len(missing)} postbacks were never delivered")
    site.stop()
    print(f"restored: {len(sent)} deliveries before, {len(ids) - len(sent)} after, none twice")


def check_kept(site):
    """A backup knows what was sent or that nothing was, a corrected filter catches up with --replan, and a renamed event is not sent beside
    the old one."""
    path, url = site.listen("kept.jsonl")
    keys = (site.folder / "keys").read_text().split()
    site.run("run", "dump.jsonl", *keys, "--models", "campaigns/models", "--out", "known", "--quiet")

    def deliver(out, *options, status=0, **further):
        site.partners(partner("p", url + "/ok", body="json", **further))
        result = site.run("deliver", out, "--partners", "partners.json", "--once", "--json", *options, status=status)
        return result.stderr if status else (json.loads(result.stdout)["partners"][0], result.stderr)

    site.run("state", "backup", "known", "--to", "unused")
    wrong, _ = deliver("known", networks=["wrong.skadnetwork"])
    expect(wrong["left_out"] == {"networks": len(site.rows("known/skan_postbacks"))}, f"what a filter leaves out: {wrong}")
    none, warning = deliver("known")
    expect(none["delivered"] == 0 and "--replan" in warning, "a corrected filter is not told of")
    count = deliver("known", "--replan")[0]["delivered"]
    expect(count > 1000 and deliver("known", "--replan")[0]["delivered"] == count == len(received(path)), "a corrected filter")
    site.run("state", "backup", "known", "--to", "saved")
    expect("of a backup" in deliver("saved", status=65), "deliveries of a backup are used")
    deliver("saved", "--replan")
    # Of a backup that has no deliveries nobody knows if there were some later, before the first use and if the file is removed.
    for options in [], ["--dry-run"]:
        expect("is that of a backup" in deliver("unused", *options, status=65), "rows of a backup without deliveries are sent")
    expect(not (site.folder / "unused/_state/deliver.sqlite").exists(), "a refused delivery makes a file")
    shutil.copyfile(site.folder / "known/_state/deliver.sqlite", site.folder / "unused/_state/deliver.sqlite")
    expect("of a backup" in deliver("unused", status=65), "newer deliveries are used beside the state of a backup")
    expect(deliver("unused", "--replan")[0]["delivered"] == count and deliver("unused")[0]["delivered"] == count, "newer deliveries")
    shutil.rmtree(site.folder / "unused/_state/followers", ignore_errors=True)
    shutil.rmtree(site.folder / "unused/partner_deliveries")
    (site.folder / "unused/_state/deliver.sqlite").unlink()
    expect("is that of a backup" in deliver("unused", status=65), "deliveries that were removed after a restore are sent")
    (site.folder / "known/_state/deliver.sqlite").unlink()
    expect("is missing" in deliver("known", status=65), "deliveries are missing")
    expect(len(received(path)) == count, "something was sent twice")
    # The settlement may add events to postbacks that had none.
    site.run("settle", "saved", "--models", "campaigns/models", "--quiet")
    before = deliver("saved")[0]["corrections_not_sent"]
    count = len(received(path))
    models = (site.folder / "campaigns/models/models.json").read_text()
    (site.folder / "renamed.json").write_text(models.replace('"version":1', '"version":2').replace('"event":"purchase"', '"event":"buy"'))
    site.run("settle", "saved", "--models", "renamed.json", "--quiet")
    renamed = deliver("saved")[0]
    expect(len(received(path)) == count, f"a renamed event is sent beside the old one: {renamed}")
    cancelled = sum(row["event_name"] == "buy" and row["state"] == "cancelled" for row in site.rows("saved/partner_deliveries"))
    expect(renamed["corrections_not_sent"] - before == cancelled > 0, f"{cancelled} renamed events are not one correction each: {before} before, {renamed}")
    site.stop()
    print(f"kept: {count} deliveries once each, after a backup, a corrected filter and a renamed event")


def check_kills(site, kills):
    """The process is killed at random moments, between commits and requests; each delivery arrives, with one id."""
    path, url = site.listen("kills.jsonl")
    site.partners(partner("kept", url + "/ok", body="json", rate_per_s=400))
    expected = {json.loads(line)["delivery_id"] for line in site.run("deliver", "lean", "--partners", "partners.json", "--dry-run", "--quiet").stdout.splitlines()}
    chance = random.Random(7)
    for _ in range(kills):
        process = site.start("deliver", "lean", "--partners", "partners.json", "--quiet")
        time.sleep(chance.uniform(0.05, 0.5))
        process.kill()
        process.wait()
    site.run("deliver", "lean", "--partners", "partners.json", "--once", "--quiet")
    ids = collections.Counter(request["headers"]["webhook-id"] for request in received(path))
    expect(set(ids) == expected, f"{len(expected - set(ids))} deliveries are missing, {len(set(ids) - expected)} are unknown")
    expect(not kills or sum(ids.values()) > len(ids), "no kill came between a request and its result; change the times")
    rows = site.rows("lean/partner_deliveries")
    expect(len(rows) == len(expected) and all(row["state"] == "delivered" for row in rows), "partner_deliveries after kills")
    site.stop()
    print(f"kills: {len(expected)} deliveries, {sum(ids.values())} requests, {kills} kills")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=".build/release/postback")
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deliver-") as folder:
        site = Site(os.path.abspath(options.binary), pathlib.Path(folder))
        try:
            site.run("generate", "--count", "1500", "--seed", "5", "--campaigns", "12", "--reporting", "campaigns", "--out", "dump.jsonl", "--keys", "keys", "--quiet")
            check_content(site)
            check_failures(site)
            check_times(site)
            check_settlement(site)
            check_added_events(site)
            check_removals(site)
            check_restored(site)
            check_kept(site)
            check_kills(site, options.kills)
        finally:
            site.stop()


if __name__ == "__main__":
    main()
