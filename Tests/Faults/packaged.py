#!/usr/bin/env python3
"""Runs postback as its package installs it: `serve` and `watch --metrics-file` in two processes, whose metrics a real
Prometheus scrapes, the consumer's through node_exporter. Makes each fault of the consumer, and waits for its alert.

    packaged.py --binary .build/release/postback --prometheus PROMETHEUS --node-exporter NODE_EXPORTER [--scale 15] [--only FAULT …]

All durations of the rules are divided by --scale; 1 shows how long an alert really takes. Exit status: 0 if just the expected
alerts fire, and end after the repair.
"""

import argparse, http.client, json, os, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, time, urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/prometheus/alerts.yml"
DEVICE = "/.well-known/skadnetwork/report-attribution/"
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def scaled(text, scale):
    """The rules with shorter durations: those of `for`, of ranges and offsets, and thresholds, which from 60 on are seconds."""
    shorter = lambda match: f"{match[1]}{max(int(match[2]) * UNITS[match[3]] * 1000 // scale, 1)}ms"
    text = re.sub(r"(for: |\[|offset )(\d+)([smhd])\b", shorter, text)
    return re.sub(r"([<>]=? )(\d{2,})\b", lambda match: match[1] + (match[2] if int(match[2]) < 60 else str(int(match[2]) / scale)), text)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Installation:
    """The processes of a machine, in a folder."""

    def __init__(self, options, work):
        self.options, self.work, self.processes = options, work, {}
        for name in ("spool", "lib", "run", "textfile", "prometheus"):
            (work / name).mkdir()
        # As docs/operations.md says: node_exporter reads one folder, and finds the file of the unit there by a link.
        (work / "textfile/postback.prom").symlink_to(work / "run/postback.prom")
        generate = ["generate", "--count", "4000", "--seed", "7", "--valid-only", "--versions", "4.0=1", "--windows", "0=1", "--quiet"]
        subprocess.run([options.binary, *generate, "--out", work / "dump", "--keys", work / "keys"], check=True, stdout=subprocess.DEVNULL)
        self.keys, self.lines = (work / "keys").read_text().split(), iter((work / "dump").read_bytes().splitlines())
        self.ports = {name: free_port() for name in ("serve", "node", "prometheus")}
        (work / "postback.json").write_text(json.dumps({
            "listen": f"127.0.0.1:{self.ports['serve']}", "spool": str(work / "spool"), "out": str(work / "lib/out"),
            "limits": {"requests_per_minute": 0}}))
        (work / "rules.yml").write_text(scaled(options.rules.read_text(), options.scale))
        step = f"{15000 // options.scale}ms"
        targets = {"postback": self.ports["serve"], "node": self.ports["node"]}
        (work / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": step, "evaluation_interval": step, "scrape_timeout": step}, "rule_files": [str(work / "rules.yml")],
            "scrape_configs": [{"job_name": name, "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]} for name, port in targets.items()]}))
        self.start("serve", options.binary, "serve", "--config", work / "postback.json")
        self.start_watch()
        self.start_node()
        self.start("prometheus", options.prometheus, f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/prometheus",
                   f"--web.listen-address=127.0.0.1:{self.ports['prometheus']}", "--log.level=warn")

    def start(self, name, *command):
        with open(self.work / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log)

    def start_watch(self):
        self.start("watch", self.options.binary, "watch", "--config", self.work / "postback.json", "--metrics-file", self.work / "run/postback.prom",
                   *self.keys)

    def start_node(self):
        self.start("node", self.options.node_exporter, "--collector.disable-defaults", "--collector.textfile",
                   f"--collector.textfile.directory={self.work}/textfile", f"--web.listen-address=127.0.0.1:{self.ports['node']}")

    def end(self, name, number=signal.SIGKILL):
        process = self.processes.pop(name)
        process.send_signal(number)
        process.wait()

    def ask(self, name, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[name], timeout=5)
        try:
            connection.request("POST" if body else "GET", path, body=body)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return None, ""
        finally:
            connection.close()

    def post(self, count):
        for _ in range(count):
            status, _ = self.ask("serve", DEVICE, next(self.lines))
            assert status == 200, status

    def query(self, text):
        """The samples of a query: pairs of labels and value."""
        status, answer = self.ask("prometheus", "/api/v1/query?" + urllib.parse.urlencode({"query": text}))
        return [(sample["metric"], float(sample["value"][1])) for sample in json.loads(answer)["data"]["result"]] if status == 200 else []

    def value(self, text):
        found = self.query(text)
        return found[0][1] if found else None

    def alerts(self):
        return {labels["alertname"] for labels, _ in self.query('ALERTS{alertstate="firing"}')}

    def wait(self, what, is_so, seconds):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                logs = "\n".join((self.work / f"{name}.log").read_text(errors="replace")[-1500:] for name in ("serve", "watch", "node", "prometheus"))
                raise AssertionError(f"waited {seconds:.0f} s in vain until {what}; firing: {sorted(self.alerts())}\n{logs}")
            time.sleep(0.2)

    def release(self):
        for process in self.processes.values():
            process.kill()


def kill_watch(site):
    site.end("watch")
    site.post(4)


def remove_file(site):
    """The folder of the file is removed, as the service manager does when a service ends."""
    site.end("watch")
    (site.work / "run/postback.prom").unlink()
    site.post(4)


def unlink(site):
    """The consumer works, but its metrics are not scraped."""
    (site.work / "textfile/postback.prom").unlink()


def link(site):
    (site.work / "textfile/postback.prom").symlink_to(site.work / "run/postback.prom")


def kill_node(site):
    site.end("node")
    site.end("watch")
    site.post(4)


def mend_node(site):
    site.start_node()
    site.start_watch()


def never_runs(site):
    """The consumer ends again and again before it takes a file: its state is damaged."""
    site.end("watch", signal.SIGTERM)
    (site.work / "lib/out/_state/commit").rename(site.work / "commit")
    site.post(4)
    site.again = lambda: site.processes["watch"].poll() is not None and site.start_watch()
    site.start_watch()


def mend_state(site):
    site.again = lambda: None
    site.processes["watch"].wait()
    (site.work / "commit").rename(site.work / "lib/out/_state/commit")
    site.start_watch()


def fill_done(site):
    """Committed files cannot be moved away."""
    (site.work / "spool/done").rename(site.work / "spool/done.away")
    (site.work / "spool/done").write_text("")
    site.post(4)


def mend_done(site):
    (site.work / "spool/done").unlink()
    (site.work / "spool/done.away").rename(site.work / "spool/done")


restart = lambda site: site.start_watch()
FAULTS = {
    "watch killed": (kill_watch, restart, {"PostbackConsumerDown"}),
    "watch killed, metrics file removed": (remove_file, restart, {"PostbackConsumerAbsent"}),
    "metrics file not linked": (unlink, link, {"PostbackConsumerAbsent"}),
    "watch and node_exporter killed": (kill_node, mend_node, {"PostbackConsumerAbsent"}),
    "watch never runs": (never_runs, mend_state, {"PostbackConsumerNotRunning"}),
    "done/ cannot be written": (fill_done, mend_done, {"PostbackFilesNotPutAway"}),
}
# The receiver sees by itself that files wait, whatever is known of the consumer.
LATER = {name: {"PostbackNotConsumed"} for name in ("watch killed", "watch killed, metrics file removed", "watch and node_exporter killed",
                                                   "watch never runs")}


def run(site, name, scale):
    """One fault; the seconds until each alert fired."""
    make, mend, expected = FAULTS[name]
    site.again = lambda: None
    site.wait("nothing fires", lambda: not site.alerts(), 1200 / scale + 20)
    make(site)
    begin, fired, later = time.monotonic(), {}, LATER.get(name, set())
    # As long as any of them takes, and some more for those that must not fire.
    while len(fired) < len(expected | later) or time.monotonic() - fired[max(fired, key=fired.get)] - begin < 60 / scale:
        site.again()
        for alert in site.alerts() - set(fired):
            fired[alert] = time.monotonic() - begin
        assert time.monotonic() - begin < 1500 / scale + 20, f"{name}: only {sorted(fired)} fired"
        time.sleep(0.1 if scale > 1 else 1)
    if not later:
        time.sleep(700 / scale)
        fired |= {alert: time.monotonic() - begin for alert in site.alerts() - set(fired)}
    assert set(fired) == expected | later, f"{name}: {sorted(fired)} fired, not {sorted(expected | later)}"
    mend(site)
    mended = time.monotonic()
    site.wait("nothing fires any more", lambda: not site.alerts(), 1200 / scale + 30)
    return fired, time.monotonic() - mended


def check_scrape(site):
    """node_exporter takes the whole file, and nothing in it is its own."""
    site.wait("the metrics of both are there", lambda: site.value("postback_records_total") and site.value("postback_received_total"), 60)
    assert site.value("node_textfile_scrape_error") == 0
    status, text = site.ask("node", "/metrics")
    # A family without samples is left out.
    names = lambda text: {re.split("[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}
    written = names((site.work / "run/postback.prom").read_text())
    missing = written - names(text)
    assert status == 200 and not missing, f"node_exporter leaves out {sorted(missing)}"
    foreign = {name for name in written if not name.startswith("postback_")}
    log = (site.work / "node.log").read_text()
    assert "collected before" not in log and not foreign, f"{sorted(foreign)}\n{log[-1500:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback")
    parser.add_argument("--prometheus", default="prometheus", help="of Debian's package prometheus")
    parser.add_argument("--node-exporter", default="prometheus-node-exporter", help="of Debian's package of this name")
    parser.add_argument("--rules", type=pathlib.Path, default=RULES)
    parser.add_argument("--scale", type=int, default=15, help="the number that durations are divided by")
    parser.add_argument("--only", action="append", choices=FAULTS, help="a fault; may be repeated")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="postback-packaged-") as work:
        site = Installation(options, pathlib.Path(work))
        try:
            site.wait("it listens", lambda: site.ask("serve", "/healthz")[0] == 200, 20)
            site.post(4)
            check_scrape(site)
            for name in options.only or FAULTS:
                fired, ended = run(site, name, options.scale)
                said = ", ".join(f"{alert} after {seconds:.0f} s" for alert, seconds in fired.items())
                print(f"{name}: {said}; nothing fires {ended:.0f} s after the repair", flush=True)
        finally:
            site.release()
    return 0


if __name__ == "__main__":
    sys.exit(main())
