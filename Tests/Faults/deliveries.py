#!/usr/bin/env python3
"""Makes each fault of `postback deliver`, and checks which alerts fire on its real metrics, and that they end after it.

    deliveries.py --binary .build/release/postback [--promtool PROMTOOL]

A partner refuses, is down, or leaves a delivery without a result for hours. Exit status: 0 if just the expected alerts fire.
"""

import argparse, json, os, pathlib, signal, sqlite3, subprocess, sys, tempfile, time

import firing_alerts

RECEIVER = pathlib.Path(__file__).resolve().parents[1] / "Delivery/receiver.py"


class Site:
    def __init__(self, binary, work):
        self.binary, self.work, self.process = binary, work, None
        self.run("generate", "--count", "900", "--seed", "3", "--valid-only", "--out", "dump.jsonl", "--keys", "keys", "--quiet")
        self.keys = (work / "keys").read_text().split()
        self.lines, self.inputs = (work / "dump.jsonl").read_text().splitlines(keepends=True), 0
        self.receiver = subprocess.Popen([sys.executable, RECEIVER, work / "received"], stdout=subprocess.PIPE, text=True)
        self.port = self.receiver.stdout.readline().strip()

    def run(self, *arguments):
        subprocess.run([self.binary, *map(str, arguments)], cwd=self.work, check=True, stdout=subprocess.DEVNULL)

    def add(self, count):
        """Commits more postbacks."""
        self.inputs += 1
        chosen, self.lines = self.lines[:count], self.lines[count:]
        (self.work / f"{self.inputs}.jsonl").write_text("".join(chosen))
        self.run("run", f"{self.inputs}.jsonl", *self.keys, "--out", "out", "--quiet")

    def start(self, path):
        """Delivers to a path of the partner."""
        partner = {"id": "partner", "networks": "all", "environments": ["production", "custom"], "max_age_s": 10**9, "body": "json",
                   "allow_addresses": ["127.0.0.1"], "url": f"http://127.0.0.1:{self.port}{path}", "send": ["install", "redownload", "reengagement"]}
        (self.work / "partners.json").write_text(json.dumps({"partners": [partner]}))
        command = [self.binary, "deliver", "out", "--partners", "partners.json", "--metrics-file", "m.prom"]
        with open(self.work / "log", "ab") as log:
            self.process = subprocess.Popen(command, cwd=self.work, stderr=log, stdout=subprocess.DEVNULL)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)

    def metric(self, name):
        found = [line for line in self.scrape().splitlines() if line.startswith(f"postback_{name}{{")]
        return float(found[0].split()[-1]) if found else None

    def scrape(self):
        path = self.work / "m.prom"
        return path.read_text() if path.exists() else ""

    def wait(self, what, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                sys.exit(f"{what} did not come:\n{self.scrape()}\n{(self.work / 'log').read_text()[-1500:]}")
            time.sleep(0.1)

    def phase(self, seconds=1.5):
        """The metrics of a phase, as Prometheus would scrape them."""
        time.sleep(seconds)
        return [(time.time(), self.scrape())] * 4

    def age(self, seconds):
        """Makes what is pending older, while nothing is sent."""
        with sqlite3.connect(self.work / "out/_state/deliver.sqlite") as outbox:
            outbox.execute("UPDATE deliveries SET planned_at = planned_at - ?1, next_attempt_at = next_attempt_at - ?1, "
                           "first_attempt_at = first_attempt_at - ?1 WHERE state = 'pending'", [seconds * 1000])
        outbox.close()


def refused(site):
    site.stop()
    site.start("/status/400")
    # Fewer than it takes to open the circuit.
    site.add(15)
    site.wait("failed deliveries", lambda: (site.metric("deliveries_failed_total") or 0) >= 5)


def down(site):
    site.stop()
    site.start("/status/503")
    site.add(120)
    site.wait("an open circuit", lambda: site.metric("delivery_circuit_open") == 1)


def late(site):
    """Two hours without a result, of which the process was stopped for most."""
    site.stop()
    site.start("/hang")
    site.add(10)
    site.wait("pending deliveries", lambda: (site.metric("deliveries_pending") or 0) >= 5)
    site.stop()
    site.age(7200)
    (site.work / "m.prom").unlink()
    site.start("/hang")
    site.wait("their age", lambda: (site.metric("deliveries_oldest_pending_age_seconds") or 0) > 7000)


def mend(site):
    site.stop()
    with sqlite3.connect(site.work / "out/_state/deliver.sqlite") as outbox:
        outbox.execute("UPDATE deliveries SET next_attempt_at = 0 WHERE state = 'pending'")
    outbox.close()
    site.start("/ok")
    site.add(40)
    site.wait("nothing pending", lambda: site.metric("deliveries_pending") == 0 and site.metric("delivery_circuit_open") == 0, 60)


FAULTS = [("none", lambda site: site.add(10), {}), ("refused", refused, {"PostbackDeliveriesFailing": 1}),
          ("down", down, {"PostbackPartnerDown": 1}), ("late", late, {"PostbackDeliveriesLate": 1})]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback")
    parser.add_argument("--promtool", default="promtool", help="of Debian's package prometheus")
    options = parser.parse_args()
    wrong = False
    for name, make, fires in FAULTS:
        with tempfile.TemporaryDirectory(prefix="postback-deliveries-") as work:
            site = Site(os.path.abspath(options.binary), pathlib.Path(work))
            try:
                site.add(60)
                site.start("/ok")
                site.wait("deliveries", lambda: (site.metric("deliveries_delivered_total") or 0) > 0 and site.metric("deliveries_pending") == 0)
                before = site.phase()
                make(site)
                during = site.phase()
                mend(site)
                phases = [(before, 0), (during, firing_alerts.HOLD_FAULT), (site.phase(), firing_alerts.HOLD_AFTER)]
                said = firing_alerts.firing(options.promtool, pathlib.Path(work), phases, [{}, fires, {}],
                                            apart_from="PostbackConsumerAbsent")
                print(f"{name}: {said or ' '.join(fires) or 'no alert'}", flush=True)
                wrong = wrong or bool(said)
                site.stop()
            finally:
                site.receiver.kill()
                site.process.kill()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
