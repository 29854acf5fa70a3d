#!/usr/bin/env python3
"""Makes each fault of a running `postback serve --watch`, and prints a table: what was acknowledged and lost, what health
and metrics said, which alerts fire on the real scrapes, and that the service recovers by itself.

    faults.py --binary .build/release/postback [--only NAME …] [--jobs 4]

Needs promtool, a C compiler, and the right to mount: root, or user namespaces. Exit
status: 0 if every expectation holds, 1 if not.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import firing_alerts
from site_under_test import FAKETIME, FORWARDER, TOKEN, Dump, Site, edited, forged

FAILING = {"PostbackConsumerFailing": 1, "PostbackNoCommits": 1}


class Fault:
    """A fault: how it is made, what must be seen while it lasts, and how it goes."""

    def __init__(self, name, make, mend, during, fires, after=None, disks=(), configuration=None, health="200 ok",
                 receiver_alone=False, needs=None, hold=firing_alerts.HOLD_FAULT):
        self.name, self.make, self.mend, self.during = name, make, mend, during
        self.fires, self.after, self.disks, self.configuration = fires, after or {}, disks, configuration
        # The fault is only tried with a program that has the metric `needs`.
        self.health, self.receiver_alone, self.needs, self.hold = health, receiver_alone, needs, hold


def spool_waits(site, minimum=10):
    site.send(minimum)
    site.wait("files wait", lambda: (site.metric("postback_spool_waiting_files") or 0) >= 1)


def empty(site, seconds=10):
    if not site.receiver_alone:
        site.wait("nothing waits", lambda: site.metric("postback_spool_waiting_files") == 0, seconds)


def consumer_is(state):
    return lambda site: site.receiver_alone or site.wait(
        f"the consumer is {state}", lambda: site.metric(f'postback_consumer_state{{state="{state}"}}') == 1, 40
    )


def check_failing(site, place=None, has_state=True):
    """The consumer fails, and everything says so, while postbacks are acknowledged. Its status is a file of the state."""
    consumer_is("failing")(site)
    statuses = site.send(20)
    assert statuses == [200] * 20, statuses
    site.wait("20 files wait", lambda: (site.metric("postback_spool_waiting_files") or 0) >= 10)
    health = json.loads(site.get("/healthz")[1])
    assert health["consumer"]["state"] == "failing" and health["consumer"]["reason"], health
    if place:
        site.wait("the disk is full", lambda: site.metric(f'postback_disk_full{{place="{place}"}}') == 1)
    status = site.status()
    assert bool(status) == has_state, status
    assert not has_state or status["running"] and status["waiting_files"] >= 10, status
    if has_state and place != "state":
        site.wait("the status file says so", lambda: site.status()["state"] == "failing")
    lines = site.log.count("\n")
    time.sleep(2.2)
    assert site.log.count("\n") - lines <= 4, f"the log grows: {site.log[-2000:]}"


def full(name):
    def make(site):
        site.fill(name)
        site.put("old.jsonl", b"\n".join([next(site.lines) for _ in range(2000)]) + b"\n", age=1200)
    return make


def start_read_only(site):
    """Starts the service with an output that is read-only, as after an error of the file system."""
    site.stop()
    site.remount("out", "ro")
    site.start()
    site.send(1)


def nearly_full(site):
    """Leaves room for small files alone, and sends small and large ones."""
    site.fill("spool", left=120 << 10)
    lines = site.log.count("\n")
    end, big, headers = time.monotonic() + 4, json.dumps({"pad": "x" * 60000}).encode(), {"Authorization": f"Bearer {TOKEN}"}
    while time.monotonic() < end:
        site.post(b"\n".join([big] * 6), FORWARDER, headers)
        site.send(2)
        time.sleep(0.02)
    site.noise = sum(1 for line in site.log.splitlines()[lines:] if "spool_" in line)
    assert site.noise <= 2, f"{site.noise} lines about the spool"


def fill_events(site):
    """Fills the disk of apps' events. Postbacks are received."""
    site.fill("events")
    event = json.dumps([{"n": "__SESSION__", "p": "iOS", "more": "x" * 60000}]).encode()
    assert site.ask("/v1/events", event) == 503
    assert site.send(5) == [200] * 5


def forge(site):
    for line in [forged(next(site.lines)) for _ in range(60)]:
        site.post(line)
    site.wait("they are rejected", lambda: (site.metric('postback_rejected_total{stage="signature",code="signature_invalid"}') or 0) >= 60)


def forge_as_forwarder(site):
    body = b"\n".join(forged(next(site.lines)) for _ in range(60))
    assert site.post(body, FORWARDER, {"Authorization": f"Bearer {TOKEN}"}) == 200
    name = 'postback_forwarder_rejected_total{forwarder="network-a",stage="signature",code="signature_invalid"}'
    site.wait("they are rejected", lambda: site.metric(name) == 60)
    site.wait("the ledger counts them", lambda: site.metric('postback_rejected_total{stage="signature",code="signature_invalid"}') == 60)
    assert site.metric('postback_received_total{channel="network_forwarded",forwarder="network-a"}') == 60


def edit(site):
    originals = [next(site.lines) for _ in range(40)]
    for line in originals + [edited(line) for line in originals]:
        site.post(line)
    site.wait("they are rejected", lambda: (site.metric('postback_rejected_total{stage="dedup",code="duplicate_conflict"}') or 0) >= 40)


def hang_spool(site):
    site.break_disk("hang", "spool")
    assert site.post(next(site.lines), timeout=1) is None
    site.wait("it is unhealthy", lambda: site.get("/healthz")[0] == 503, 8)
    assert site.metric("postback_receiver_writing_seconds") > 4
    assert site.pings, "the service did not tell that it is alive"
    # A service that hangs must not say that it is alive, so that its manager can start it anew.
    site.wait("the hang is long", lambda: site.metric("postback_receiver_writing_seconds") > 11, 15)
    last = site.pings[-1]
    time.sleep(2.5)
    assert site.pings[-1] == last, "a service that hangs tells that it is alive"


def hang_output(site):
    site.break_disk("hang", "out")
    spool_waits(site)
    consumer_is("stuck")(site)
    assert site.send(5) == [200] * 5
    assert site.metric("postback_spool_waiting_files") >= 5
    # The manager must not end the receiver because the consumer hangs.
    assert time.monotonic() - site.pings[-1] < 2, "a receiver that works does not tell that it is alive"


def slow_spool(site):
    site.break_disk("slow", "spool")
    assert site.send(3) == [200] * 3


def slow_output(site):
    """Gauges stay right while the consumer is in the middle of its work."""
    site.break_disk("slow", "out")
    site.put("large.jsonl", b"\n".join([next(site.lines) for _ in range(1500)]) + b"\n", age=120)
    site.wait("it waits", lambda: site.metric("postback_spool_waiting_files") >= 1, 5)
    assert site.metric("postback_spool_oldest_seconds") >= 100


def kill(site):
    site.process.kill()
    site.process.wait()
    time.sleep(0.6)


def refuse_forwarder(site):
    for _ in range(15):
        assert site.post(b"{}", FORWARDER, {"Authorization": "Bearer wrong-token-wrong"}) == 401
        time.sleep(0.05)


def unreadable(site):
    os.mkfifo(site.work / "spool/new/pipe")
    site.wait("it is refused", lambda: site.metric("postback_inputs_refused_total") == 1)


def bad_reload(site):
    (site.work / "models/wrong.json").write_text("{")
    site.process.send_signal(signal.SIGHUP)
    site.wait("the reload failed", lambda: site.metric("postback_last_reload_successful") == 0)


def good_reload(site):
    (site.work / "models/wrong.json").unlink()
    site.process.send_signal(signal.SIGHUP)
    site.wait("the reload succeeded", lambda: site.metric("postback_last_reload_successful") == 1)


def crowd(site):
    site.crowd = []
    for number in range(400):
        connection = socket.create_connection(("127.0.0.1", site.port), timeout=5, source_address=(f"127.0.0.{number % 4 + 2}", 0))
        site.crowd.append(connection)
    begin = time.monotonic()
    assert site.send(1) == [200]
    site.waited = time.monotonic() - begin
    assert site.waited < 1, f"a new client waited {site.waited} s"


def leave(site):
    for connection in site.crowd:
        connection.close()
    site.wait("they are gone", lambda: site.metric("postback_http_connections") < 50)


def take_descriptors(site):
    _, most = resource.prlimit(site.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(site.process.pid, resource.RLIMIT_NOFILE, (200, most))
    site.crowd = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(190 - int(site.metric("process_open_fds")))]


def block_done(site):
    """Committed files cannot be moved away."""
    (site.work / "spool/done").rename(site.work / "spool/done.away")
    (site.work / "spool/done").write_text("")
    assert site.send(5) == [200] * 5
    site.wait("they are told", lambda: (site.metric("postback_spool_not_put_away_files") or 0) >= 1)


def free_done(site):
    (site.work / "spool/done").unlink()
    (site.work / "spool/done.away").rename(site.work / "spool/done")
    # They are tried again once a minute.
    site.wait("they are put away", lambda: site.metric("postback_spool_not_put_away_files") == 0, 70)


def move_away(*names):
    """Moves folders or files away under a running service."""
    def make(site):
        site.moved = [path for name in names for path in site.work.glob(name)]
        for path in site.moved:
            path.rename(path.with_name(path.name + ".away"))
        assert site.moved and site.send(20) == [200] * 20
    return make


def move_back(site):
    for path in site.moved:
        path.with_name(path.name + ".away").rename(path)


def damage_state(site):
    """The state is damaged when the service starts."""
    ledger = site.work / "state/ledger.sqlite"

    def damage():
        shutil.copy(ledger, site.work / "state/kept")
        ledger.write_bytes(bytes(4096) + ledger.read_bytes()[4096:])
    site.restart(damage)
    assert site.send(20) == [200] * 20


def mend_state(site):
    (site.work / "state/kept").rename(site.work / "state/ledger.sqlite")


def unread(site):
    """A disk does not read one file of the spool, with a postback that no sender has any more."""
    site.break_disk("unread", "spool/new/a-bad")
    line = next(site.lines)
    site.acknowledged.append(line)
    site.put("a-bad", line + b"\n")
    assert site.send(20) == [200] * 20


def leave_clock(site):
    """The clock is 800 days ahead, and everything is older than it is to be kept."""
    site.ids = ids(site)
    site.restart(clock="+800d", options=["--retain", "400d", "--forget-after", "400d"])
    site.wait("it refuses", lambda: site.metric('postback_retention_refused{reason="clock"}') == 1)


def ids(site):
    run = subprocess.run([site.binary, "status", "--state", site.work / "state", "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["seen_ids"]


def use_up(site):
    """A token is used beyond the quota of its forwarder."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answers = []
    for _ in range(40):
        answers.append(site.post(next(site.lines), FORWARDER, headers))
        time.sleep(0.05)
    assert answers[0] == 200 and answers[-20:] == [429] * 20, answers


def mend_disk(site):
    site.repair_disk()


FAULTS = [
    Fault("none", lambda site: site.send(5), lambda site: None, empty, {}),
    Fault("output full", full("out"), lambda site: site.empty("out"), lambda site: check_failing(site, "output"),
          {**FAILING, "PostbackDiskFull": 1, "PostbackDiskFillsUp": 1, "PostbackBehind": 1}, disks=("out",), health="200 degraded"),
    Fault("state full", full("state"), lambda site: site.empty("state"), lambda site: check_failing(site, "state"),
          {**FAILING, "PostbackDiskFull": 1, "PostbackDiskFillsUp": 1, "PostbackBehind": 1}, disks=("state",), health="200 degraded"),
    Fault("output read-only", start_read_only, lambda site: site.remount("out", "rw"),
          check_failing, FAILING, disks=("out",), health="200 degraded"),
    Fault("fsync of the output fails", lambda site: (site.break_disk("fail", "out"), site.send(1)), mend_disk,
          check_failing, FAILING, health="200 degraded"),
    Fault("fsync of the output hangs", hang_output, mend_disk, lambda site: None, FAILING, health="200 degraded"),
    Fault("output slow", slow_output, mend_disk, lambda site: None, {"PostbackNoCommits": 1}),
    Fault("spool full", lambda site: site.fill("spool"), lambda site: site.empty("spool"),
          lambda site: site.wait("it is unhealthy", lambda: site.send(1) == [503] and site.get("/healthz")[0] == 503),
          {"PostbackNotReceiving": 1, "PostbackDiskFull": 1, "PostbackDiskFillsUp": 1}, disks=("spool",), health="503 failing"),
    Fault("spool nearly full", nearly_full, lambda site: site.empty("spool"), lambda site: None,
          {"PostbackNotReceiving": 1, "PostbackDiskFull": 1, "PostbackDiskFillsUp": 1}, disks=("spool",), health="503 failing"),
    Fault("events full", fill_events, lambda site: site.empty("events"), lambda site: site.wait("it is told", lambda: site.metric("postback_events_failing") == 1),
          {"PostbackEventsFailing": 1}, disks=("events",), health="200 degraded"),
    Fault("fsync of the spool fails", lambda site: (site.break_disk("fail", "spool"), site.send(3)), mend_disk,
          lambda site: site.wait("it is unhealthy", lambda: site.get("/healthz")[0] == 503), {"PostbackNotReceiving": 1},
          health="503 failing"),
    Fault("fsync of the spool hangs", hang_spool, mend_disk, lambda site: None, {"PostbackNotReceiving": 1}, health="503 failing"),
    Fault("fsync of the spool hangs, serve alone", hang_spool, mend_disk, lambda site: None,
          {"PostbackNotReceiving": 1, "PostbackConsumerAbsent": 1},
          {"PostbackConsumerAbsent": 1}, health="503 failing", receiver_alone=True),
    Fault("spool slow", slow_spool, mend_disk, empty, {"PostbackSlow": 1}),
    Fault("killed", kill, lambda site: site.start(), lambda site: None, {"PostbackDown": 1}, health="no answer"),
    Fault("forged postbacks", forge, lambda site: site.send(1), empty, {"PostbackForgery": 1}),
    Fault("forged by a forwarder", forge_as_forwarder, lambda site: site.send(1), empty, {"PostbackForgery": 1}),
    Fault("edited values", edit, lambda site: site.send(1), empty, {"PostbackValuesEdited": 1}),
    Fault("wrong token", refuse_forwarder, lambda site: site.send(1), lambda site: None, {"PostbackForwarderRefused": 1}),
    Fault("unreadable file", unreadable, lambda site: site.send(1), empty, {"PostbackInputsFailed": 1}),
    Fault("done/ cannot be written", block_done, free_done, empty, {"PostbackFilesNotPutAway": 1}),
    Fault("state moved away while running", move_away("state"), move_back, lambda site: check_failing(site, has_state=False), FAILING, health="200 degraded",
          needs="postback_committed_parts_missing"),
    Fault("part with committed rows moved away", move_away("out/skan_postbacks/.part-*"), move_back,
          lambda site: site.wait("it is missed", lambda: site.metric("postback_committed_parts_missing") == 1),
          {**FAILING, "PostbackCommittedPartsMissing": 1}, health="200 degraded", needs="postback_committed_parts_missing"),
    Fault("state damaged at the start", damage_state, mend_state, lambda site: check_failing(site, has_state=False), FAILING,
          health="200 degraded"),
    Fault("a file that the disk does not read", unread, mend_disk, check_failing, FAILING, health="200 degraded"),
    # Needs libfaketime.
    *([Fault("clock 800 days ahead", leave_clock, lambda site: site.restart(), lambda site: None, {"PostbackRetentionRefused": 1},
             hold=20 * 60)] if os.path.exists(FAKETIME) else []),
    Fault("quota of a forwarder used up", use_up, lambda site: site.send(1), empty, {"PostbackForwarderLimited": 1},
          configuration={"forwarder_postbacks_per_minute": 10}),
    Fault("wrong models", bad_reload, good_reload, lambda site: None, {"PostbackReloadFailed": 1}),
    Fault("few descriptors", take_descriptors, leave, lambda site: site.send(1), {"PostbackDescriptorsExhausted": 1}),
    Fault("not scraped", lambda site: setattr(site, "is_target", False), lambda site: setattr(site, "is_target", True), empty,
          {"PostbackAbsent": 1}),
    Fault("400 idle connections of 200", crowd, leave, empty, {"PostbackConnectionsExhausted": 1},
          configuration={"connections": 200}),
]


def run(fault, work, options, dump, preload):
    """One fault from beginning to end; the row of the table, and the problem if there was one."""
    row = [fault.name]
    site = Site(work, options.binary, dump, preload, fault.disks, fault.configuration, fault.receiver_alone)
    try:
        consumer_is("running")(site)
        if fault.needs and fault.needs not in site.get("/metrics")[1]:
            return row + [f"not tried: there is no {fault.needs}"] + [""] * 6, None
        assert site.send(20) == [200] * 20
        if not site.receiver_alone:
            site.wait("it is in the tables", lambda: site.metric("postback_records_total") == 20)
        empty(site)
        time.sleep(0.5)
        before, mark = site.phase(0)
        fault.make(site)
        fault.during(site)
        # The gauges of the folders are counted each second.
        time.sleep(1.5)
        during, mark = site.phase(mark)
        health = site.health()
        waiting = site.metric("postback_spool_waiting_files")
        assert health == fault.health, f"health is {health}, not {fault.health}"
        fault.mend(site)
        mended = time.monotonic()
        site.wait("it is healthy", lambda: site.health() == "200 ok", 30)
        site.wait("postbacks are acknowledged", lambda: site.send(1) == [200], 30)
        empty(site, 30)
        recovery = time.monotonic() - mended
        time.sleep(1.5)
        after, _ = site.phase(mark)
        assert not hasattr(site, "ids") or ids(site) >= site.ids, "ids were forgotten"
        acknowledged, lost, doubled = site.finish()
        phases = [(firing_alerts.thinned(before, firing_alerts.BEFORE), 0), (firing_alerts.thinned(during, firing_alerts.FAULT), fault.hold),
                  (firing_alerts.thinned(after, firing_alerts.AFTER), firing_alerts.HOLD_AFTER)]
        wrong = firing_alerts.firing(options.promtool, work, phases, [{}, fault.fires, fault.after])
        assert not wrong, wrong
        assert lost == 0 and doubled == 0, f"{lost} lost, {doubled} doubled"
        waiting = "" if waiting is None else f"{waiting:.0f}"
        row += [str(acknowledged), str(lost), str(doubled), health, waiting, " ".join(sorted(fault.fires)) or "none", f"{recovery:.1f} s"]
        return row, None
    except Exception:
        return row + ["FAILED"] + [""] * 6, f"{fault.name}: {traceback.format_exc()}"
    finally:
        site.is_over = True
        site.release()


def test(options):
    chosen = [fault for fault in FAULTS if not options.only or fault.name in options.only]
    with tempfile.TemporaryDirectory(prefix="postback-faults-") as folder:
        work = pathlib.Path(folder)
        preload = work / "faulty_disk.so"
        source = pathlib.Path(__file__).resolve().parents[1] / "Preload/faulty_disk.c"
        subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-O1", "-o", preload, source, "-ldl"], check=True)
        dump = Dump(options.binary, work)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda fault: run(fault, work / str(FAULTS.index(fault)), options, dump, preload), chosen))
    head = ["fault", "acknowledged", "lost", "doubled", "health", "waiting", "alerts", "recovered after"]
    rows = [head, ["---"] * len(head), *(row for row, _ in results)]
    for row in rows:
        print("| " + " | ".join(row) + " |")
    problems = [problem for _, problem in results if problem]
    print("\n".join(problems) or "every fault was seen, nothing was lost or doubled, and each went away")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback")
    parser.add_argument("--only", action="append", help="the name of a fault; may be repeated")
    parser.add_argument("--promtool", default="promtool", help="of Debian's package prometheus")
    parser.add_argument("--jobs", type=int, default=5, help="faults at once")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    if "POSTBACK_FAULTS" not in os.environ:
        # The disks are mounted in a namespace of their own.
        unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])
        os.execvpe(unshare[0], [*unshare, sys.executable, *sys.argv], {**os.environ, "POSTBACK_FAULTS": "1"})
    sys.exit(test(options))


if __name__ == "__main__":
    main()
