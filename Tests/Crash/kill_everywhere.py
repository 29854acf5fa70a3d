#!/usr/bin/env python3
"""Kills `postback` at every system call that changes a file, and looks whether anything was lost or is there twice.

For each call and each N it is killed at the N-th one, is run again undisturbed, and must leave what a run leaves that was
never disturbed: the same tables by name and byte, nothing hidden, every file of the spool in one place, a sound state.
With --twice the run after the kill is killed too, at a call chosen by chance, before the undisturbed one.

Counts are by thread: with several, N is that of whichever comes to it first. A call that is killed does not happen.
Exit status: 0 no violation (with --failpoint: at least one), 1 otherwise, 77 where strace cannot trace.
"""

import argparse, contextlib, gzip, hashlib, json, os, random, re, shutil, sqlite3, subprocess, sys, tempfile, time, zlib
from pathlib import Path

import app_side

CALLS = "write pwrite64 writev fsync fdatasync rename renameat renameat2 unlink unlinkat ftruncate fallocate mkdir linkat openat".split()
TRANSACTION = re.compile(rb'"(?:transaction-id|postback-identifier)" *: *"([^"]+)"')
TABLES = "--out out --format both --part-bytes 300000 --commit-ms 0".split()


class Scenario:
    """What is killed, the folders that it works on, and what of them must come out the same."""

    def __init__(self, name, arguments, prepare):
        self.name, self.arguments, self.prepare = name, arguments, prepare

    def digest(self, folder):
        found = {}
        tables = [path for path in (folder / "out").rglob("*") if "_state" not in path.parts]
        log = [folder / "out/_state/seen.log"] if self.name == "compact" else []
        for path in [*tables, *log, *(folder / "spool").rglob("*")]:
            if path.is_symlink() or path.is_file():
                content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
                # Random, or of the process: that it is there is what counts.
                content = b"" if path.name in ("_output_id", "_removal", "_summary.json") or path.name.endswith(".lock") else content
                found[str(path.relative_to(folder))] = hashlib.sha256(content).hexdigest()
        return found

    def perform(self, hunt, folder, tracer=()):
        """Runs what is killed, or what is run again after it. Returns its exit status and what it says."""
        ended = hunt.run(folder, self.arguments(), tracer)
        return ended.returncode, ended.stderr


class Events(Scenario):
    """Apps' events that are posted. What was not acknowledged is sent again to the next server."""

    def __init__(self):
        super().__init__("events", None, app_side.prepare)

    def digest(self, folder):
        found = app_side.rows(folder)
        # An event may be there twice whose sender never got an answer.
        twice = {f"{name}, acknowledged and twice": "" for name in self.first if len(found.get(name, ())) > 1}
        return {name: some[0] for name, some in found.items() if len({*some}) == 1} | twice

    def perform(self, hunt, folder, tracer=()):
        isFirst = not (folder / "out/s2s_events").exists()
        if isFirst:
            self.done = set()
        bodies = [body for body in app_side.bodies() if not app_side.names(body) <= self.done]
        log = hunt.work / "serve.log"
        status, done = app_side.send(hunt.options.binary, folder, log, bodies, hunt.environment, tracer)
        # Acknowledged at the first attempt: nobody sent these twice.
        self.first = done if isFirst else self.first
        self.done |= done
        return status, log.read_bytes()


class Hunt:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.environment = dict(os.environ, POSTBACK_FAILPOINT=options.failpoint or "")
        self.points = self.bad = 0
        self.random = random.Random(options.seed)
        # Of one dump, as each has keys of its own.
        dump = ["generate", "--count", "1200", "--seed", "1", "--out", work / "dump", "--keys", work / "keys"]
        subprocess.run([options.binary, *dump], check=True, stderr=subprocess.DEVNULL)
        self.keys, lines = (work / "keys").read_text().split(), (work / "dump").read_bytes().splitlines(keepends=True)
        self.a, self.b = lines[:700], lines[700:]

    def inputs(self, folder):
        """Plain and compressed files, one that is cut, one with copies of others' lines, one that is there twice."""
        a, lines = b"".join(self.a), self.b
        packed = gzip.compress(b"".join(lines[:300]), mtime=0)
        files = [a, packed, gzip.compress(b"".join(lines[250:400]), mtime=0)[:-5000],
                 b"".join(lines[200:450]) + a[:90_000], packed, lines[450][:-1]]
        folder.mkdir(parents=True)
        for number, content in enumerate(files):
            path = folder / (f"{number}.gz" if content[:1] == b"\x1f" else f"{number}.jsonl")
            path.write_bytes(content)
            os.utime(path, (1_750_000_000 + 60 * number, 1_750_000_000 + 60 * number))

    def spool(self, folder):
        self.inputs(folder / "spool/new")
        (folder / "spool/new/3-link").symlink_to("elsewhere")

    def many(self, folder):
        """A spool of which more files were read than keep their rows; of those that wait, half are known."""
        new = folder / "spool/new"
        new.mkdir(parents=True)
        for number in range(130):
            (new / f"{number:03}").write_bytes(b"".join(self.a[number * 3 : number * 3 + 1 + number % 3]))
        first = {path.name: path.read_bytes() for path in sorted(new.iterdir())[:6]}
        self.run(folder, ["watch", "spool", "--once", *TABLES, *self.keys])
        for number, (name, content) in enumerate(first.items()):
            (new / f"again-{name}").write_bytes(content)
            (new / f"new-{name}").write_bytes(b"".join(self.b[number * 9 : number * 9 + 9]))

    def forgettable(self, folder):
        """A state of which half of the ids are a year old, and files that wait."""
        (folder / "spool/new").mkdir(parents=True)
        (folder / "spool/new/a").write_bytes(b"".join(self.a))
        self.run(folder, ["watch", "spool", "--once", *TABLES, *self.keys])
        log = bytearray((folder / "out/_state/seen.log").read_bytes())
        for start in range(16, 16 + 48 * (len(log) // 96), 48):
            log[start + 36 : start + 40] = int(time.time() - 365 * 86_400).to_bytes(4, "little")
        (folder / "out/_state/seen.log").write_bytes(log)
        with contextlib.closing(sqlite3.connect(folder / "out/_state/ledger.sqlite")) as ledger, ledger:
            ledger.execute("UPDATE state SET seen_checksum = ?", [zlib.crc32(log[16:])])
            # As if ids were forgotten up to now, so that more than a fifth of them may go.
            ledger.execute("INSERT INTO removal_ends VALUES ('ids', ?)", [int(time.time() * 1000)])
        # A copy of a forgotten postback is a first one again from the next start on, so that none may wait.
        transactions = {TRANSACTION.search(line) for line in self.a}
        known = {found[1] for found in transactions if found}
        fresh = [line for line in self.b if (found := TRANSACTION.search(line)) and found[1] not in known]
        (folder / "spool/new/b").write_bytes(b"".join(fresh))

    def compactable(self, folder):
        for name, lines in [("a.jsonl", self.a), ("b.jsonl", self.b)]:
            self.between = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            (folder / name).write_bytes(b"".join(lines))
            self.run(folder, ["run", name, *TABLES, *self.keys])
            time.sleep(1.1)

    def old(self, folder, *options):
        """Two runs, of which one was received years ago, and a spool with files that were put away."""
        for name, lines, day in [("a.jsonl", self.a, "2024-01-05"), ("b.jsonl", self.b, "2026-11-01")]:
            (folder / name).write_bytes(b"".join(lines))
            self.run(folder, ["run", name, "--received-at", f"{day}T10:00:00Z", *TABLES, *options, *self.keys])
        (folder / "spool").mkdir()

    def removable(self, folder):
        """A run with copies, its settled rows, and the transaction of a copy."""
        self.inputs(folder / "in")
        self.run(folder, ["run", "in", *TABLES, *self.keys])
        self.run(folder, ["settle", "out"])
        (folder / "spool/done").mkdir(parents=True)
        (folder / "spool/new").mkdir()
        (folder / "spool/done/a.jsonl").write_bytes(b"".join(self.a))
        self.transaction = next(json.loads(line)["transaction-id"] for line in self.a if b'"transaction-id"' in line)

    def imported(self, folder):
        app_side.payloads(folder)
        self.run(folder, app_side.IMPORT)

    def days(self, folder):
        """Envelopes of several days, in turn."""
        (folder / "in").mkdir()
        lines = [b'{"received_at":"2026-03-%02dT10:00:00Z","body":%s}\n' % (1 + number % 3, line.strip())
                 for number, line in enumerate([*self.a, *self.b[:100]])]
        (folder / "in/a.jsonl").write_bytes(b"".join(lines))

    def rejected(self, folder):
        """What a run leaves that does not trust the keys."""
        self.inputs(folder / "in")
        self.run(folder, ["run", "in", *TABLES])

    def scenarios(self):
        self.exchange = app_side.exchange()
        run = ["run", "in", *TABLES, *self.keys]
        watch = ["watch", "spool", "--once", *TABLES, *self.keys]
        return [
            Scenario("run-1", lambda: [*run, "--jobs", "1"], lambda folder: self.inputs(folder / "in")),
            Scenario("run", lambda: run, lambda folder: self.inputs(folder / "in")),
            Scenario("watch-1", lambda: [*watch, "--jobs", "1"], self.spool),
            Scenario("watch", lambda: watch, self.spool),
            Scenario("watch-delete", lambda: [*watch, "--delete"], self.spool),
            Scenario("watch-many", lambda: watch, self.many),
            Scenario("from-rejects", lambda: ["run", "--from-rejects", "out", *TABLES, "--jobs", "1", *self.keys], self.rejected),
            Scenario("forget", lambda: [*watch, "--jobs", "1", "--forget-after", "60d"], self.forgettable),
            Scenario("compact", lambda: ["state", "compact", "--state", "out/_state", "--yes-remove-all", "--before", self.between],
                     self.compactable),
            Scenario("retain", lambda: ["retain", "--out", "out", "--older-than", "400d", "--yes-remove-all"], self.old),
            Scenario("removal", lambda: ["forget", "--out", "out", "--spool", "spool", "--transaction-id", self.transaction],
                     self.removable),
            Scenario("partition", lambda: [*run, "--partition", "received_day", "--jobs", "1"], self.days),
            Events(),
            Scenario("asa-import", lambda: app_side.IMPORT, app_side.payloads),
            Scenario("asa-forget", lambda: ["forget", "--out", "out", "--attribution-token", "token-3"], self.imported),
            Scenario("asa-exchange", lambda: self.exchange, app_side.tokens),
        ]

    def run(self, folder, arguments, tracer=()):
        command = [*tracer, self.options.binary, *arguments]
        return subprocess.run(command, cwd=folder, env=self.environment, capture_output=True, timeout=120)

    def killing(self, call, number):
        return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                "-e", f"inject={call}:signal=KILL:when={number}"]

    def counted(self, scenario, folder):
        """By call its numbers by thread in an undisturbed run, of openat only those that make a file; and how it ended."""
        trace = self.work / "trace"
        tracer = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={','.join(CALLS)}"]
        ended = scenario.perform(self, folder, tracer)
        counts, found = {}, {call: [] for call in CALLS}
        for line in trace.read_text(errors="replace").splitlines():
            thread, text = line.split(maxsplit=1)
            call = text.partition("(")[0]
            if call in found:
                counts[thread, call] = counts.get((thread, call), 0) + 1
                if call != "openat" or "O_CREAT" in text:
                    found[call].append(counts[thread, call])
        return found, ended

    def numbers(self, call, numbers):
        """Where to kill; with --every only at some of them. Work may be spread over the threads in another way each time."""
        first = self.random.randrange(self.options.every)
        candidates = sorted(set(numbers)) if call == "openat" else range(1, len(numbers) + 1)
        return candidates[first :: self.options.every]

    def violation(self, scenario, call, number, what):
        self.bad += 1
        print(f"{scenario.name}: killed at {call} #{number}: {what}", flush=True)

    def hunt(self, scenario):
        template, folder = self.work / "template", self.work / "folder"
        for path in [template, folder]:
            shutil.rmtree(path, ignore_errors=True)
        template.mkdir()
        scenario.prepare(template)
        shutil.copytree(template, folder, symlinks=True)
        counted, (status, error) = self.counted(scenario, folder)
        want = scenario.digest(folder)
        if status != 0 or not want:
            sys.exit(f"{scenario.name}: the undisturbed run failed: {error.decode()[-300:]}")
        before = (self.points, self.bad)
        for call in CALLS:
            untouched = 0
            for number in self.numbers(call, counted[call]):
                shutil.rmtree(folder)
                shutil.copytree(template, folder, symlinks=True)
                killed, _ = scenario.perform(self, folder, self.killing(call, number))
                # strace ends itself by the signal that has ended what it traced.
                if killed not in (-9, 137):
                    # Another thread may come so far the next time.
                    untouched += 1
                    if killed != 0:
                        self.violation(scenario, call, number, f"not killed, but ended with {killed}")
                    if call != "openat" and (untouched == 3 or number > max(counted[call])):
                        break
                else:
                    untouched = 0
                    self.points += 1
                    if self.options.twice:
                        again = self.random.choice(["write", "pwrite64", "fsync", "fdatasync", "rename"])
                        scenario.perform(self, folder, self.killing(again, self.random.randint(1, 12)))
                self.examine(scenario, folder, want, call, number)
                if self.options.first and self.bad:
                    return
        print(f"{scenario.name}: {self.points - before[0]} kill points, {self.bad - before[1]} violations", flush=True)

    def examine(self, scenario, folder, want, call, number):
        status, error = scenario.perform(self, folder)
        if status != 0:
            error = error.decode(errors="replace").strip()
            self.violation(scenario, call, number, f"the next run ended with {status}: {error[-300:]}")
            return
        found = scenario.digest(folder)
        names = sorted(name for name in {*want, *found} if want.get(name) != found.get(name))
        if names:
            self.violation(scenario, call, number, f"differs in {' '.join(names)}")
        if not (folder / "out/_state").exists():
            return
        check = self.run(folder, ["state", "check", "--state", "out/_state", "--out", "out"])
        if check.stdout != b"sound\n":
            self.violation(scenario, call, number, f"the state: {check.stdout.decode()[-300:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback; a debug build with --failpoint")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only every K-th call of each kind")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this scenario; may be repeated")
    parser.add_argument("--twice", action="store_true", help="kill the run after the kill too")
    parser.add_argument("--first", action="store_true", help="stop at the first violation")
    parser.add_argument("--failpoint", metavar="NAME", help="have a debug build do this wrong: it must be found")
    parser.add_argument("--seed", type=int, default=1, help="of what is chosen by chance")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    probe = ["strace", "-f", "-qq", "-o", "/dev/null", "true"]
    if not shutil.which("strace") or subprocess.run(probe, capture_output=True).returncode != 0:
        print("skipped: strace is not there or may not trace")
        sys.exit(77)
    # What a killed process has written stays in the page cache: no disk is needed, and memory is faster.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="postback-kill-", dir=place) as work:
        hunt = Hunt(options, Path(work))
        scenarios = hunt.scenarios()
        unknown = {*(options.only or [])} - {scenario.name for scenario in scenarios}
        if unknown:
            parser.error(f"no scenario {' '.join(unknown)}; there are {' '.join(s.name for s in scenarios)}")
        for scenario in scenarios:
            if not options.only or scenario.name in options.only:
                hunt.hunt(scenario)
    print(f"{hunt.points} kill points, {hunt.bad} violations")
    sys.exit(0 if (hunt.bad > 0) == bool(options.failpoint) else 1)


if __name__ == "__main__":
    main()
