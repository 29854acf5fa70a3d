#!/usr/bin/env python3
"""Measures the bytes that `postback serve --watch` writes for each postback of a trickle, and the time until a postback is visible.

    bytes_written.py [--binary .build/release/postback] [--rate 100] [--seconds 60] [--ext4] [--limit 6144]

Generated postbacks arrive at random times, RATE a second on average, each in a request of its own. Three runs follow each other:

1. `serve` and `watch` as two processes: the bytes of each, from write_bytes in /proc/PID/io.
2. `serve --watch`: the bytes of the process, and the time from the acknowledgement of a postback until a follower of the
   table feed has its row (`Benchmarks --feed`, which must be built beside the binary).
3. `serve --watch` under strace, for a third of the time: the pages that are written to each kind of file, where a page that is
   changed several times before it is made durable counts once.

write_bytes counts pages of 4096 bytes of the process. The journal of the file system is not part of it. With --ext4, as root, the
first run works on an ext4 file system of its own in a file, and the bytes of its device are given too.

Exit status: 0; 1 if a postback is missing or doubled, with more than --limit bytes a postback in run 2, or with a 99th percentile
above one second; 77 where strace cannot trace.
"""

import argparse, collections, contextlib, http.client, json, os, queue, random, re, shutil, signal, subprocess, sys
import tempfile, threading, time
from pathlib import Path

DEVICE = "/.well-known/skadnetwork/report-attribution/"
PAGE = 4096


class Trickle:
    """Posts lines at random times from several connections, and keeps the times of the acknowledgements."""

    def __init__(self, port, lines, rate, seed):
        self.port, self.acknowledged, self.latencies, self.failures = port, {}, [], 0
        self.work, chance = queue.Queue(), random.Random(seed)
        workers = [threading.Thread(target=self.run) for _ in range(16)]
        for worker in workers:
            worker.start()
        due = time.monotonic()
        for line in lines:
            due += chance.expovariate(rate)
            time.sleep(max(0, due - time.monotonic()))
            self.work.put(line)
        for _ in workers:
            self.work.put(None)
        for worker in workers:
            worker.join()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while (line := self.work.get()) is not None:
            begin = time.time()
            connection.request("POST", DEVICE, body=line)
            response = connection.getresponse()
            response.read()
            if response.status == 200:
                self.acknowledged[json.loads(line)["transaction-id"]] = time.time()
                self.latencies.append(time.time() - begin)
            else:
                self.failures += 1


class Feed:
    """A follower of skan_postbacks, which keeps the time at which it had each row."""

    def __init__(self, benchmarks, out):
        self.seen, self.doubled = {}, 0
        while not (out / "_state/commit").exists():
            time.sleep(0.01)
        self.process = subprocess.Popen([benchmarks, "--feed", out], stdout=subprocess.PIPE)
        threading.Thread(target=self.run).start()

    def run(self):
        for line in self.process.stdout:
            moment, row = line.split(b"\t", 1)
            transaction = json.loads(row)["transaction_id"]
            self.doubled += transaction in self.seen
            self.seen[transaction] = int(moment) / 1000

    def stop(self, count):
        end = time.monotonic() + 20
        while len(self.seen) < count and time.monotonic() < end:
            time.sleep(0.05)
        self.process.terminate()


class Site:
    """A folder with a spool, the processes that work on it, and what they wrote."""

    def __init__(self, options, folder, keys):
        self.binary, self.folder, self.keys, self.processes = options.binary, folder, keys, {}
        (folder / "spool").mkdir()
        (folder / "server.json").write_text('{"limits":{"requests_per_minute":0}}')
        self.tables = ["--out", "out", "--models", options.models, *keys]

    def start(self, name, *arguments, under=()):
        log = self.folder / f"{name}.log"
        self.processes[name] = subprocess.Popen([*under, self.binary, *arguments], cwd=self.folder, stderr=open(log, "wb"))
        return log

    def serve(self, *more, under=()):
        """Starts the receiver; its port."""
        options = "--listen 127.0.0.1:0 --spool spool --config server.json".split()
        log = self.start("serve", "serve", *options, *more, under=under)
        while not (found := re.search(rb"listening: at http://127\.0\.0\.1:(\d+)", log.read_bytes())):
            if self.processes["serve"].poll() is not None:
                sys.exit(f"serve has ended by itself: {log.read_text()[-2000:]}")
            time.sleep(0.01)
        return int(found[1])

    def written(self):
        counts = {}
        for name, process in self.processes.items():
            fields = dict(line.split(": ") for line in Path(f"/proc/{process.pid}/io").read_text().splitlines())
            counts[name] = int(fields["write_bytes"])
        return counts

    def stop(self, trickle):
        """Ends the processes; what is wrong with the rows."""
        for process in self.processes.values():
            process.terminate()
        for name, process in self.processes.items():
            if process.wait(timeout=60) != 0:
                sys.exit(f"{name} has ended with {process.returncode}: {(self.folder / f'{name}.log').read_text()[-2000:]}")
        rows = collections.Counter()
        for part in (self.folder / "out/skan_postbacks").iterdir():
            rows.update(json.loads(line)["transaction_id"] for line in part.read_bytes().splitlines())
        lost = len(trickle.acknowledged.keys() - rows.keys())
        found = [f"{trickle.failures} postbacks were not acknowledged"] if trickle.failures else []
        found += [f"{lost} acknowledged postbacks are lost"] if lost else []
        return found + (["postbacks are doubled"] if any(count > 1 for count in rows.values()) else [])


class Trace:
    """The pages that a traced program wrote, by kind of file."""

    CALL = re.compile(r"^\d+ +(?:\d+\.\d+ )?(write|pwrite64|writev|fsync|fdatasync|close|sync_file_range)\((\d+)<([^>]*)>(.*) = (\d+)")

    def __init__(self):
        self.pages, self.ends = collections.defaultdict(set), {}
        self.counts, self.calls = collections.Counter(), collections.Counter()

    @staticmethod
    def kind(path):
        name = path.rsplit("/", 1)[-1]
        if "/spool/" in path:
            return "spool files"
        if "ledger" in name:
            return {"ledger.sqlite-wal": "ledger, write-ahead log", "ledger.sqlite": "ledger, checkpoint"}.get(name)
        if "part-" in name:
            return "parts of " + path.rsplit("/", 2)[-2]
        return {"seen.log": "seen.log", "commit": "commit"}.get(name, "status" if "status.json" in name else None)

    def read(self, log):
        for line in log:
            if not (found := self.CALL.match(line)):
                continue
            call, _, path, rest, result = found.groups()
            if (kind := self.kind(path)) is None:
                continue
            if "sync" in call:
                self.calls[kind] += 1
            elif call != "close":
                start = self.ends.get(path, 0) if kind != "status" else 0
                start = int(rest.rsplit(", ", 1)[1].rstrip(")")) if call == "pwrite64" else start
                self.ends[path] = start + int(result)
                self.pages[path].update(range(start // PAGE, (self.ends[path] + PAGE - 1) // PAGE))
            # The status is replaced each second and never made durable.
            if call in ("fsync", "fdatasync") or kind == "status":
                self.counts[kind] += len(self.pages.pop(path, ()))
            if call == "close":
                self.ends.pop(path, None)


@contextlib.contextmanager
def ext4(work):
    """An ext4 file system in a file; its folder, and a function that returns the bytes written to its device."""
    image, folder = work / "image", work / "ext4"
    folder.mkdir()
    image.touch()
    os.truncate(image, 4 << 30)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    device = subprocess.run(["losetup", "--find", "--show", image], check=True, capture_output=True, text=True).stdout.strip()
    try:
        subprocess.run(["mount", device, folder], check=True)
        try:
            statistics = Path("/sys/block", Path(device).name, "stat")
            yield folder, lambda: 512 * int(statistics.read_text().split()[6])
        finally:
            subprocess.run(["umount", folder], check=True)
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def apart(options, work, keys, lines):
    with contextlib.ExitStack() as stack:
        folder, device = stack.enter_context(ext4(work)) if options.ext4 else (work, None)
        site = Site(options, folder, keys)
        site.start("watch", "watch", "spool", *site.tables)
        port = site.serve()
        time.sleep(2)
        before, bytes_before = site.written(), device() if device else 0
        trickle = Trickle(port, lines, options.rate, 1)
        # Until nothing more is committed.
        time.sleep(2)
        after = site.written()
        for name in after:
            row(f"`{name}` alone", after[name] - before[name], len(trickle.acknowledged))
        if device:
            os.sync()
            row("the device below ext4, with its journal", device() - bytes_before, len(trickle.acknowledged))
        return site.stop(trickle)


def together(options, work, keys, lines):
    site = Site(options, work, keys)
    port = site.serve("--watch", *site.tables)
    feed = Feed(options.benchmarks, work / "out")
    time.sleep(2)
    before = site.written()["serve"]
    trickle = Trickle(port, lines, options.rate, 2)
    time.sleep(2)
    after = site.written()["serve"]
    feed.stop(len(trickle.acknowledged))
    found = site.stop(trickle)
    each = row("`serve --watch`", after - before, len(trickle.acknowledged))
    visible = [feed.seen[one] - moment for one, moment in trickle.acknowledged.items() if one in feed.seen]
    print(f"\nAcknowledged after {1000 * percentile(trickle.latencies, 0.5):.1f} ms (p50) and "
          f"{1000 * percentile(trickle.latencies, 0.99):.1f} ms (p99). Then visible through the table feed after "
          f"{1000 * percentile(visible, 0.5):.0f} ms (p50), {1000 * percentile(visible, 0.99):.0f} ms (p99), "
          f"{1000 * max(visible):.0f} ms (longest).")
    if each > options.limit:
        found.append(f"{each:.0f} bytes are written for each postback, more than {options.limit}")
    if percentile(visible, 0.99) > 1:
        found.append("the 99th percentile of the time until a postback is visible is above a second")
    if feed.doubled or len(visible) < len(trickle.acknowledged):
        found.append(f"the feed lacks {len(trickle.acknowledged) - len(visible)} rows and has {feed.doubled} twice")
    return found


def traced(options, work, keys, lines):
    site = Site(options, work, keys)
    strace = "strace -f -y -qq -s 0 -o trace -e trace=write,pwrite64,writev,fsync,fdatasync,close -e signal=none --seccomp-bpf".split()
    port = site.serve("--watch", *site.tables, under=strace)
    trickle = Trickle(port, lines, options.rate, 3)
    time.sleep(2)
    # The end of strace would not end the traced program in order.
    child = int(subprocess.run(["pgrep", "-P", str(site.processes["serve"].pid)], capture_output=True, text=True).stdout)
    os.kill(child, signal.SIGTERM)
    site.processes["serve"].wait(timeout=60)
    trace, count = Trace(), len(trickle.acknowledged)
    with open(work / "trace", errors="replace") as log:
        trace.read(log)
    print("\n| kind of file | bytes in pages for each postback | fsyncs for each postback |\n|---|---|---|")
    for kind, pages in trace.counts.most_common():
        print(f"| {kind} | {pages * PAGE / count:.0f} | {trace.calls[kind] / count:.2f} |")
    print(f"| all | {sum(trace.counts.values()) * PAGE / count:.0f} | {sum(trace.calls.values()) / count:.2f} |")
    return site.stop(trickle)


def row(name, count, postbacks):
    print(f"| {name} | {count / postbacks:.0f} |", flush=True)
    return count / postbacks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=".build/release/postback")
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--limit", type=float, default=6144, help="the most bytes of serve --watch for each postback")
    parser.add_argument("--ext4", action="store_true", help="measure the device of an ext4 file system too; needs root")
    options = parser.parse_args()
    if not shutil.which("strace"):
        print("strace is not there (apt-get install strace)")
        sys.exit(77)
    options.binary, options.models = os.path.abspath(options.binary), os.path.abspath("Fixtures/models")
    options.benchmarks = str(Path(options.binary).with_name("Benchmarks"))
    count, found = int(options.rate * options.seconds), []
    with tempfile.TemporaryDirectory(prefix="postback-bytes-") as work:
        work = Path(work)
        generate = ["generate", "--count", count, "--valid-only", "--versions", "4.0=1", "--windows", "0=1", "--out", "dump",
                    "--keys", "keys"]
        subprocess.run([options.binary, *map(str, generate)], cwd=work, check=True, stderr=subprocess.DEVNULL)
        keys, lines = (work / "keys").read_text().split(), (work / "dump").read_bytes().splitlines()
        print(f"{count} postbacks of {sum(map(len, lines)) // count} bytes on average, {options.rate:g} a second\n")
        print("| process | bytes written for each postback |\n|---|---|")
        for run, part in [(apart, lines), (together, lines), (traced, lines[:count // 3])]:
            (work / run.__name__).mkdir()
            found += run(options, work / run.__name__, keys, part)
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
