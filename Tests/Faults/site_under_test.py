"""A running `postback serve --watch` on disks of its own, whose metrics are scraped four times a second."""

import collections
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import firing_alerts

DEVICE = "/.well-known/skadnetwork/report-attribution/"
FORWARDER = "/v1/postbacks"
ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "0123456789abcdef-token"
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"


class Site:
    """A service on a disk of its own, so that the alerts of disks do not depend on how full the machine is. Its spool, state,
    output and events are disks of 8 MiB if `disks` names them."""

    def __init__(self, work, binary, dump, preload, disks=(), configuration=None, receiver_alone=False):
        self.receiver_alone = receiver_alone
        self.work, self.binary, self.dump, self.preload = work, binary, dump, preload
        self.fault_file, self.mounted, self.scrapes, self.is_target = work / "fault", [], [], True
        self.mount(work, "1g")
        for name in ("spool", "state", "out", "events"):
            if name in disks:
                self.mount(work / name, "8m")
            else:
                (work / name).mkdir()
        (work / "token").write_text(TOKEN + "\n")
        (work / "models").mkdir()
        shutil.copy(ROOT / "Fixtures/models/525463029.json", work / "models")
        settings = {"forwarders": [{"name": "network-a", "bearer_token_file": str(work / "token")}],
                    "limits": {"requests_per_minute": 0, **(configuration or {})}}
        (work / "server.json").write_text(json.dumps(settings))
        self.options = [] if receiver_alone else [
                        "--watch", "--out", work / "out", "--state", work / "state", "--models", work / "models", "--commit-ms", "50",
                        "--part-seconds", "3600", *dump.keys]
        if "events" in disks:
            self.options += ["--events", work / "events/s2s_events"]
        self.acknowledged, self.refused, self.lock = [], collections.Counter(), threading.Lock()
        self.process, self.port, self.is_over = None, None, False
        self.lines = iter(dump.lines)
        self.pings, self.notifications = [], socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notifications.bind(str(work / "notify"))
        threading.Thread(target=self.listen, daemon=True).start()
        try:
            self.start()
        except AssertionError:
            self.release()
            raise
        self.scraper = threading.Thread(target=self.scrape, daemon=True)
        self.scraper.start()

    def start(self, *options, clock=None):
        log = self.work / "log"
        offset = log.stat().st_size if log.exists() else 0
        command = [self.binary, "serve", "--listen", "127.0.0.1:0", "--spool", self.work / "spool", "--config",
                   self.work / "server.json", *self.options, *options]
        preload = str(self.preload)
        if clock:
            # The library changes the environment of the first process it is in, next to which Swift looks for the arguments.
            command, preload = ["env", *command], f"{FAKETIME}:{preload}"
        environment = {**os.environ, "FAKETIME": clock or "+0", "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1", "LD_PRELOAD": preload, "POSTBACK_DISK_FAULT": str(self.fault_file),
                       "NOTIFY_SOCKET": str(self.work / "notify"), "WATCHDOG_USEC": "2000000"}
        self.process = subprocess.Popen(list(map(str, command)), env=environment, stderr=open(log, "ab"))
        self.wait("it listens", lambda: re.search(r"listening: .*:(\d+) host", self.log[offset:]), 20)
        self.port = int(re.search(r"listening: .*:(\d+) host", self.log[offset:])[1])

    def restart(self, between=lambda: None, **how):
        """Starts the service anew; no scrape falls into the time between."""
        count = len(self.scrapes)
        self.stop()
        between()
        self.start(*how.pop("options", ()), **how)
        time.sleep(0.5)
        del self.scrapes[count:]

    # What it says

    @property
    def log(self):
        return (self.work / "log").read_text(errors="replace")

    def get(self, path):
        """The status and the body of an answer; None if there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=3)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return None, None
        finally:
            connection.close()

    def health(self):
        status, text = self.get("/healthz")
        return f"{status} {json.loads(text)['status']}" if text else "no answer"

    def metric(self, name):
        for line in (self.get("/metrics")[1] or "").splitlines():
            if line.startswith(name + " "):
                return float(line.rpartition(" ")[2])
        return None

    def status(self):
        """What `postback status` says of the consumer."""
        run = subprocess.run([self.binary, "status", "--state", self.work / "state", "--json"], capture_output=True, text=True)
        return json.loads(run.stdout)["consumer"] if run.returncode == 0 else None

    def listen(self):
        """Keeps the times at which the service told its manager that it is alive."""
        while message := self.notifications.recv(4096):
            if b"WATCHDOG=1" in message:
                self.pings.append(time.monotonic())

    def scrape(self):
        while not self.is_over:
            begin = time.time()
            self.scrapes.append((begin, self.get("/metrics")[1] if self.is_target else firing_alerts.NO_TARGET))
            time.sleep(max(0.25 - (time.time() - begin), 0.01))

    def phase(self, since):
        """The scrapes since there were `since` of them, and their number now."""
        return self.scrapes[since:], len(self.scrapes)

    # What is done to it

    def ask(self, path, body, headers=None, timeout=3):
        """Posts a body; the status, or None if there was no answer in time."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", path, body=body, headers=headers or {})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def post(self, body, path=DEVICE, headers=None, timeout=3):
        """Posts postbacks, and counts them; the status, or None if there was no answer in time."""
        status = self.ask(path, body, headers, timeout)
        with self.lock:
            if status == 200:
                self.acknowledged += body.splitlines()
            else:
                self.refused[status] += 1
        return status

    def send(self, count):
        """Posts further postbacks of the dump, each by itself, and returns their statuses."""
        return [self.post(next(self.lines)) for _ in range(count)]

    def fill(self, name, left=0):
        """Fills the disk of a folder but for some bytes."""
        path = self.work / name / "filler"
        with open(path, "wb", buffering=0) as file:
            piece = bytes(4096)
            try:
                while True:
                    file.write(piece)
            except OSError:
                pass
            file.truncate(max(file.tell() - left, 0))

    def empty(self, name):
        (self.work / name / "filler").unlink()

    def remount(self, name, option):
        subprocess.run(["mount", "-o", f"remount,{option}", self.work / name], check=True)

    def break_disk(self, effect, name):
        temporary = self.work / "fault.new"
        temporary.write_text(f"{effect} {self.work / name}\n")
        temporary.rename(self.fault_file)

    def repair_disk(self):
        self.fault_file.unlink(missing_ok=True)

    def put(self, name, content, age=0):
        """Puts a file into the spool as a producer does."""
        path = self.work / "spool/tmp" / name
        path.write_bytes(content)
        os.utime(path, (time.time() - age,) * 2)
        path.rename(self.work / "spool/new" / name)

    def wait(self, what, is_so, seconds=10):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(f"waited {seconds} s in vain until {what}\n{self.log[-3000:]}")
            time.sleep(0.05)

    # The end

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=30) == 0, self.log[-3000:]

    def finish(self):
        """Stops the service, drains the spool, and returns (acknowledged, lost, doubled)."""
        self.is_over = True
        self.scraper.join()
        if self.process.poll() is None:
            self.stop()
        tables = ["--out", self.work / "out", "--state", self.work / "state"]
        watch = [self.binary, "watch", self.work / "spool", "--once", *tables, *self.dump.keys]
        drained = subprocess.run(watch, capture_output=True, text=True)
        assert drained.returncode == 0, drained.stderr
        check = subprocess.run([self.binary, "state", "check", *tables], capture_output=True, text=True)
        assert check.stdout == "sound\n", check.stdout + check.stderr
        rows, rejects = collections.Counter(), collections.Counter()
        for part in (self.work / "out/skan_postbacks").glob("part-*.jsonl"):
            rows.update(json.loads(line)["transaction_id"] for line in part.read_bytes().splitlines())
        for part in (self.work / "out/skan_rejects").glob("part-*.jsonl"):
            rejects.update(json.loads(line)["transaction_id"] for line in part.read_bytes().splitlines())
        ids = {json.loads(line)["transaction-id"] for line in self.acknowledged}
        lost = sum(1 for number in ids if number not in rows and number not in rejects)
        return len(self.acknowledged), lost, sum(1 for count in rows.values() if count > 1)

    def mount(self, folder, size):
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "postback", folder], check=True)
        self.mounted.insert(0, folder)

    def release(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for path in self.mounted:
            subprocess.run(["umount", "-l", path])


class Dump:
    """Generated postbacks with valid signatures, and the options that trust their keys."""

    def __init__(self, binary, folder, count=3000):
        generate = ["generate", "--count", str(count), "--seed", "7", "--valid-only", "--versions", "4.0=1", "--windows", "0=1"]
        subprocess.run([binary, *generate, "--out", folder / "dump", "--keys", folder / "keys"], check=True, capture_output=True)
        self.keys = (folder / "keys").read_text().split()
        self.lines = (folder / "dump").read_bytes().splitlines()


def forged(line):
    """The postback with another value of a signed field."""
    postback = json.loads(line)
    postback["source-identifier"] = "9999" if postback.get("source-identifier") != "9999" else "9998"
    return json.dumps(postback).encode()


def edited(line):
    """The postback with another conversion value, which is not signed."""
    postback = json.loads(line)
    postback["conversion-value"] = (postback.get("conversion-value") or 0) % 63 + 1
    return json.dumps(postback).encode()
