"""What is traced for crash_states.py, and what must be so after a crash."""

import collections, gzip, hashlib, http.client, json, os, re, shutil, subprocess, time
from pathlib import Path

import app_side

TABLES = "--out out --format both --part-bytes 60000 --commit-ms 0 --jobs 1".split()
DEVICE = "/.well-known/skadnetwork/report-attribution/"


def sha(path):
    content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
    # Random, or of the process: that it is there is what counts.
    return hashlib.sha256(b"" if path.name in ("_output_id", "_removal", ".lock") else content).hexdigest()


def files(folder, *names):
    return {str(path.relative_to(folder)): sha(path) for name in names for path in (folder / name).rglob("*")
            if (path.is_symlink() or path.is_file()) and not is_in_use(path.name)}


def is_in_use(name):
    """An unfinished reason is kept while a process has the number in its name, which may be another one by now."""
    found = re.fullmatch(r"\.reason-(\d+)\.inprogress", name)
    return found is not None and Path(f"/proc/{found[1]}").exists()


def dump(hunt):
    """Lines of one dump, and the options that trust its keys."""
    if not (hunt.work / "dump").exists():
        generate = ["generate", "--count", "160", "--seed", "1", "--valid-only", "--versions", "4.0=1", "--windows", "0=1"]
        hunt.run(hunt.work, [*generate, "--out", "dump", "--keys", "keys", "--quiet"])
    return (hunt.work / "dump").read_bytes().splitlines(keepends=True), (hunt.work / "keys").read_text().split()


def inputs(hunt, folder):
    """Three files: one with copies of another's lines, one that is compressed and cut."""
    lines, _ = dump(hunt)
    folder.mkdir(parents=True)
    contents = {"0.jsonl": b"".join(lines[:40]), "1.jsonl": b"".join(lines[30:70]),
                "2.gz": gzip.compress(b"".join(lines[70:90]), mtime=0)[:-300]}
    for number, (name, content) in enumerate(contents.items()):
        (folder / name).write_bytes(content)
        os.utime(folder / name, (1_750_000_000 + 60 * number, 1_750_000_000 + 60 * number))


class Scenario:
    """A command that is traced, and is run again after a crash."""

    inputs = ("in/", "spool/")
    # The files before the command, where it replaces or removes parts that readers may see.
    old = {}

    def __init__(self, name, arguments, prepare, removed=()):
        self.name, self.arguments, self.before, self.removed = name, arguments, prepare, removed

    def prepare(self, hunt, folder):
        self.before(hunt, folder)

    def command(self, hunt):
        return [*self.arguments, *dump(hunt)[1]]

    def perform(self, hunt, folder, tracer):
        ended = hunt.run(folder, self.command(hunt), tracer)
        if ended.returncode != 0:
            raise SystemExit(f"{self.name}: the traced run failed: {ended.stderr.decode(errors='replace')[-400:]}")

    again = perform
    acknowledged = None

    def digest(self, folder):
        found = files(folder, "out", "spool")
        return {name: value for name, value in found.items() if "_state/" not in name or (self.name == "compact" and name.endswith("seen.log"))}

    def examine(self, hunt, folder, want, promised):
        """A sentence on what is wrong, or nothing."""
        there = files(folder, "spool")
        parts = [name for name, value in files(folder, "out").items() if "/part-" in name and value not in (want.get(name), self.old.get(name))]
        if parts:
            return f"a reader sees what is not the table: {' '.join(parts)}"
        ended = hunt.run(folder, self.command(hunt))
        if ended.returncode != 0:
            return f"the next run ended with {ended.returncode}: {ended.stderr.decode(errors='replace')[-400:].strip()}"
        found = self.digest(folder)
        names = sorted(name for name in {*want, *found} if want.get(name) != found.get(name))
        # A rename between two directories of which only the old name's end is durable leaves no name. It comes after the commit.
        names = [name for name in names if not (name.startswith("spool/") and name not in found and want[name] not in there.values())]
        if names:
            return f"differs in {' '.join(names)}"
        return self.check(hunt, folder)

    def check(self, hunt, folder):
        check = hunt.run(folder, ["state", "check", "--state", "out/_state", "--out", "out"])
        return None if check.stdout == b"sound\n" else f"the state: {check.stdout.decode(errors='replace')[-400:]}"


class Removal(Scenario):
    """A command that removes or rewrites parts of tables: readers see the old ones or the new ones."""

    def prepare(self, hunt, folder):
        lines, keys = dump(hunt)
        for name, some, day in [("a", lines[:70], "2024-01-05"), ("b", lines[50:130], "2026-11-01")]:
            (folder / name).write_bytes(b"".join(some))
            hunt.run(folder, ["run", name, "--received-at", f"{day}T10:00:00Z", *TABLES, *keys])
        (folder / "spool/done").mkdir(parents=True)
        (folder / "spool/new").mkdir()
        (folder / "spool/done/a.jsonl").write_bytes(b"".join(lines[:70]))
        self.transaction = json.loads(lines[60])["transaction-id"]
        self.old = files(folder, "out")

    def command(self, hunt):
        return [*self.arguments, *(["--transaction-id", self.transaction] if self.name == "removal" else [])]

    def digest(self, folder):
        return {name: value for name, value in super().digest(folder).items() if not name.endswith(".lock")}


class Derived(Scenario):
    """A derived table takes the place of an older one: at each time readers see all of the one or all of the other."""

    def __init__(self, name):
        super().__init__(name, [name, "out", "--lookups", "lookups"], None)

    def prepare(self, hunt, folder):
        made = hunt.work / "campaigns"
        if not made.exists():
            generate = ["generate", "--count", "400", "--seed", "11", "--campaigns", "4", "--reporting", str(made), "--out", "campaigns.jsonl"]
            hunt.run(hunt.work, [*generate, "--keys", "campaign-keys", "--quiet"])
        keys = (hunt.work / "campaign-keys").read_text().split()
        lines = (hunt.work / "campaigns.jsonl").read_bytes().splitlines(keepends=True)
        shutil.copytree(made / "lookups", folder / "lookups")
        for number, some in enumerate([lines[: len(lines) // 2], lines[len(lines) // 2 :]]):
            (folder / f"{number}.jsonl").write_bytes(b"".join(some))
            hunt.run(folder, ["run", f"{number}.jsonl", "--models", str(made / "models"), "--out", "out", *keys])
            if number == 0:
                for command in ["enrich", "settle", "daily"]:
                    hunt.run(folder, [command, "out", "--lookups", "lookups"])
        if self.name == "daily":
            hunt.run(folder, ["settle", "out", "--lookups", "lookups"])
        self.old = self.derived(folder)

    def command(self, hunt):
        return self.arguments

    def derived(self, folder):
        found = collections.defaultdict(dict)
        for table in (folder / "out").iterdir():
            # The tables are symbolic links into the generation that counts.
            if table.is_symlink() and table.is_dir():
                for place in table.iterdir():
                    found[table.name][f"out/{table.name}/{place.name}"] = place.read_bytes()
        return dict(found)

    def digest(self, folder):
        found = self.derived(folder)
        self.new = getattr(self, "new", None) or found
        return {name: value for table in found.values() for name, value in table.items() if not name.endswith(".json")}

    def examine(self, hunt, folder, want, promised):
        now = self.derived(folder)
        if now not in [self.old, self.new]:
            differing = [table for table in {**self.old, **now} if now.get(table) not in [self.old.get(table), self.new.get(table)]]
            return f"a reader sees neither all old nor all new tables: {' '.join(differing) or 'a mixture'}"
        ended = hunt.run(folder, self.command(hunt))
        if ended.returncode != 0:
            return f"the next run ended with {ended.returncode}: {ended.stderr.decode(errors='replace')[-400:].strip()}"
        left = [p.name for p in (folder / "out/_derived").iterdir() if p.name.endswith(".inprogress")]
        if self.digest(folder) != want or left:
            return f"the table differs from that of an undisturbed run; left: {left}"
        return None


class Serve(Scenario):
    """Postbacks that are posted while `serve` is traced, some of them at the same time."""

    posted = 12

    def __init__(self, name, consumes):
        super().__init__(name, ["serve", "--listen", "127.0.0.1:0", "--spool", "spool", "--config", "server.json"], None)
        self.consumes, self.expected = consumes, {}

    def prepare(self, hunt, folder):
        (folder / "spool").mkdir()
        (folder / "server.json").write_text('{"limits": {"requests_per_minute": 0}}')

    def tables(self, hunt):
        return ["--out", "out", "--part-bytes", "6000", "--commit-ms", "0", "--jobs", "1", *dump(hunt)[1]]

    def perform(self, hunt, folder, tracer):
        command = [*tracer, hunt.options.binary, *self.arguments, *(["--watch", *self.tables(hunt)] if self.consumes else [])]
        with open(hunt.work / "serve.log", "wb") as log:
            process = subprocess.Popen(command, cwd=folder, env=hunt.environment, stderr=log)
        port = None
        while port is None:
            found = re.search(rb"http://127\.0\.0\.1:(\d+)", (hunt.work / "serve.log").read_bytes())
            port = found and int(found[1])
            if process.poll() is not None:
                raise SystemExit(f"{self.name}: {(hunt.work / 'serve.log').read_text()[-400:]}")
            time.sleep(0.01)
        lines, _ = dump(hunt)
        for start in range(0, self.posted, 3):
            # Three at the same time, which share a file where they meet.
            clients = [http.client.HTTPConnection("127.0.0.1", port, timeout=30) for _ in range(3)]
            for number, client in enumerate(clients):
                client.request("POST", DEVICE, body=lines[start + number])
            for client in clients:
                if client.getresponse().status != 200:
                    raise SystemExit(f"{self.name}: a postback was refused")
                client.close()
        time.sleep(0.5 if self.consumes else 0)
        child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        os.kill(child, 15)
        status = process.wait(timeout=60)
        if status != 0:
            raise SystemExit(f"{self.name}: serve ended with {status}: {(hunt.work / 'serve.log').read_text()[-400:]}")

    def acknowledged(self, received):
        return re.findall(rb'"transaction-id"\s*:\s*"([^"]+)"', received)

    def rows(self, folder, table):
        parts = sorted((folder / "out" / table).glob("part-*.jsonl"))
        return [json.loads(line) for part in parts for line in part.read_bytes().splitlines()]

    def drain(self, hunt, folder):
        return self.again(hunt, folder, ())

    def again(self, hunt, folder, tracer):
        return hunt.run(folder, ["watch", "spool", "--once", *self.tables(hunt)], tracer)

    def digest(self, folder):
        return {}

    def examine(self, hunt, folder, want, promised):
        with_state = (folder / "out/_state/ledger.sqlite").exists()
        ended = self.drain(hunt, folder)
        if ended.returncode != 0:
            return f"watch ended with {ended.returncode}: {ended.stderr.decode(errors='replace')[-400:].strip()}"
        rows = collections.Counter(row["transaction_id"] for row in self.rows(folder, "skan_postbacks"))
        acknowledged = {identity.decode() for group in promised for identity in group}
        sent = {json.loads(line)["transaction-id"] for line in dump(hunt)[0][: self.posted]}
        rejects = [row["reject_code"] for row in self.rows(folder, "skan_rejects")]
        problems = {
            f"lost: {sorted(acknowledged - rows.keys())}": acknowledged - rows.keys(),
            f"doubled: {[identity for identity, count in rows.items() if count > 1]}": any(count > 1 for count in rows.values()),
            f"never sent: {sorted(rows.keys() - sent)}": rows.keys() - sent,
            f"rejected: {rejects}": rejects,
            "files wait in spool/new": os.listdir(folder / "spool/new"),
        }
        for problem in (text for text, is_so in problems.items() if is_so):
            return f"{problem} (state: {with_state})"
        return self.check(hunt, folder)


class Events(Scenario):
    """Apps' events that are posted while `serve --events` is traced. The next server recovers the rows."""

    def __init__(self):
        super().__init__("events", app_side.EVENTS, lambda hunt, folder: app_side.prepare(folder))

    def perform(self, hunt, folder, tracer):
        bodies = app_side.bodies()
        log = hunt.work / "events.log"
        status, done = app_side.send(hunt.options.binary, folder, log, bodies, hunt.environment, tracer)
        if status != 0 or len(done) != sum(len(app_side.names(body)) for body in bodies):
            raise SystemExit(f"{self.name}: serve ended with {status}: {log.read_text()[-400:]}")

    def again(self, hunt, folder, tracer):
        log = hunt.work / f"{folder.name}.log"
        status, _ = app_side.send(hunt.options.binary, folder, log, [], hunt.environment, tracer)
        said = log.read_text(errors="replace")
        log.unlink()
        return status, said

    def acknowledged(self, received):
        return sorted(app_side.names(received))

    def digest(self, folder):
        return app_side.rows(folder)

    def examine(self, hunt, folder, want, promised):
        status, said = self.again(hunt, folder, ())
        if status != 0:
            return f"serve ended with {status}: {said[-400:].strip()}"
        try:
            found = app_side.rows(folder)
        except (ValueError, KeyError, TypeError) as error:
            return f"a line is no row: {error!r}"
        lost = sorted({name for group in promised for name in group} - found.keys())
        if lost:
            return f"lost: {lost}"
        wrong = sorted(name for name, some in found.items() if some != want.get(name))
        return f"never sent so, or doubled: {wrong}" if wrong else None


class SearchAds(Scenario):
    """Results of Apple Search Ads. Who is told of success may remove the records: then the journal alone has them."""

    def __init__(self, name, arguments, before, removed):
        super().__init__(name, arguments, before, removed)
        self.inputs = tuple(removed)

    def command(self, hunt):
        if self.arguments is None:
            self.arguments = app_side.exchange()
        return self.arguments

    def digest(self, folder):
        return {name: value for name, value in files(folder, "out").items() if "/.damaged-" not in name and not name.endswith((".lock", ".json"))}

    def examine(self, hunt, folder, want, promised):
        command = self.command(hunt)
        if not all((folder / name).exists() for name in self.removed):
            command = ["asa", "import", "--out", "out", *(["--format", "both"] if "both" in command else [])]
        ended = hunt.run(folder, command)
        if ended.returncode != 0:
            return f"the next run ended with {ended.returncode}: {ended.stderr.decode(errors='replace')[-400:].strip()}"
        found = self.digest(folder)
        wrong = sorted(name for name in {*want, *found} if want.get(name) != found.get(name))
        return f"differs in {' '.join(wrong)}" if wrong else None


def continued(hunt, folder):
    """A committed output, whose input has grown and got another file since."""
    lines, keys = dump(hunt)
    inputs(hunt, folder / "in")
    hunt.run(folder, ["run", "in", *TABLES, *keys])
    with open(folder / "in/1.jsonl", "ab") as file:
        file.write(b"".join(lines[90:110]))
    (folder / "in/3.jsonl").write_bytes(b"".join(lines[100:140]))
    for number, name in enumerate(["1.jsonl", "3.jsonl"]):
        os.utime(folder / "in" / name, (1_750_001_000 + number, 1_750_001_000 + number))


def spool(hunt, folder):
    inputs(hunt, folder / "spool/new")
    (folder / "spool/new/3-link").symlink_to("elsewhere")


def days(hunt, folder):
    """Envelopes of several days, in turn."""
    lines, _ = dump(hunt)
    (folder / "in").mkdir()
    (folder / "in/1.jsonl").write_bytes(b"".join(
        b'{"received_at":"2026-03-%02dT10:00:00Z","body":%s}\n' % (1 + number % 3, line.strip()) for number, line in enumerate(lines[:90])))


def rejected(hunt, folder):
    """What a run leaves that does not trust the keys."""
    inputs(hunt, folder / "in")
    hunt.run(folder, ["run", "in", *TABLES])


def compactable(hunt, folder):
    lines, keys = dump(hunt)
    for name, some in [("a.jsonl", lines[:60]), ("b.jsonl", lines[60:])]:
        hunt.between = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        (folder / name).write_bytes(b"".join(some))
        hunt.run(folder, ["run", name, *TABLES, *keys])
        time.sleep(1.1)


class Compaction(Scenario):
    def command(self, hunt):
        return [*self.arguments, "--before", hunt.between]


def scenarios():
    watch = ["watch", "spool", "--once", *TABLES]
    return [
        Scenario("run", ["run", "in", *TABLES], lambda hunt, folder: inputs(hunt, folder / "in"), ["in/1.jsonl", "in/2.gz"]),
        Scenario("continue", ["run", "in", *TABLES], continued, ["in/1.jsonl", "in/3.jsonl"]),
        Scenario("from-rejects", ["run", "--from-rejects", "out", *TABLES], rejected),
        Scenario("watch", watch, spool),
        Scenario("watch-delete", [*watch, "--delete"], spool),
        Compaction("compact", ["state", "compact", "--state", "out/_state", "--yes-remove-all"], compactable),
        Scenario("partition", ["run", "in", *TABLES, "--partition", "received_day"], days),
        Removal("retain", ["retain", "--out", "out", "--older-than", "400d", "--yes-remove-all"], None),
        Removal("removal", ["forget", "--out", "out", "--spool", "spool"], None),
        Serve("serve", consumes=False),
        Serve("serve-watch", consumes=True),
        Derived("enrich"),
        Derived("settle"),
        Derived("daily"),
        Events(),
        SearchAds("asa-import", app_side.IMPORT, lambda hunt, folder: app_side.payloads(folder, 20), ["a.jsonl", "b.jsonl"]),
        SearchAds("asa-exchange", None, lambda hunt, folder: app_side.tokens(folder), ["tokens.jsonl"]),
    ]
