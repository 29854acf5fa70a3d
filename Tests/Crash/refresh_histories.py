#!/usr/bin/env python3
"""Random histories of an output, whose derived tables must come out as if they had been made from nothing.

Each history divides the lines of a dump of campaigns into runs and watched files of one output. Between these it refreshes, gives
single commands, changes the configuration, removes rows, damages the results for parts, and restores backups. In the end the
output is copied without its derived tables, and refreshed from nothing: each published file must be the same, byte for byte. Left
out are skan_daily_changes, which tells the history, and what `retain` has removed.

With --kills most refreshes are killed at a call that changes a file, chosen by chance, and after that the tables must be all of
the generation before or all of the one after. --sweep kills three refreshes at each of these calls: the first one, one over the
tables of a version without a store, and one with new inputs and a page.
Exit status: 0, or 1 at the first difference, with the seed that shows it again.
"""

import argparse, gzip, hashlib, json, os, random, re, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path

WORLDS = "plain device-copies two-forwarders retry-storm slow-forwarder model-change outage-2-days-late redownloads".split()
TABLES = ("skan_settled skan_settled_events skan_enriched skan_daily skan_daily_events skan_daily_values skan_daily_changes "
          "skan_modelled").split()
TRANSACTION = re.compile(rb'"transaction-id":"([0-9A-Fa-f-]+)"')
RECEIVED = re.compile(rb'"received_at":"([0-9]{4}-[0-9]{2}-[0-9]{2})')
DIMENSIONS = [None, ["app_id", "network_name", "campaign_id", "country"], ["app_id"], ["network_name", "campaign_id"]]


class Difference(Exception):
    pass


def content(folder):
    """Each file of the derived tables as a reader sees it, by its name; nothing for a table that is not there."""
    return {f"{table}/{path.name}": path.read_bytes() for table in TABLES for path in sorted((folder / table).glob("*"))}


def now(files):
    """The files without what tells of the tables before: the changes, and their number in the summaries."""
    files = {name: some for name, some in files.items() if not name.startswith("skan_daily_changes/")}
    for name in files:
        if name.endswith("/_summary.json") and name.startswith(("skan_daily", "skan_modelled")):
            files[name] = {key: value for key, value in json.loads(files[name]).items() if key not in ("changes", "not_compared")}
    return files


def digest(files):
    return {name: hashlib.sha256(some).hexdigest() for name, some in files.items()}


def names(some, other):
    return " ".join(sorted(name for name in {*some, *other} if some.get(name) != other.get(name)))


class History:
    def __init__(self, options, work, seed):
        self.options, self.random, self.seed, self.log = options, random.Random(seed), seed, []
        self.work = work / "history"
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        self.out, self.spool, self.count = self.work / "out", self.work / "spool", self.work / "count"
        (self.spool / "new").mkdir(parents=True)
        self.kills = self.calls = self.retained = 0
        self.preload = work / "kill_at.so"
        self.generate()

    def call(self, *words, allowed=(0,), **environment):
        words = [self.options.binary, *map(str, words)]
        self.log.append(" ".join(words[1:]) + "".join(f" {name}={value}" for name, value in environment.items() if "AT" in name))
        ended = subprocess.run(words, cwd=self.work, capture_output=True, env={**os.environ, **environment}, timeout=300)
        if ended.returncode not in allowed:
            raise Difference(f"{' '.join(words[1:4])} ended with {ended.returncode}: {ended.stderr.decode()[-400:]}")
        return ended

    def generate(self):
        chance, case = self.random, self.work / "case"
        self.call("generate", "--count", chance.randint(600, self.options.lines), "--seed", chance.randrange(1 << 32), "--world",
                  chance.choice(WORLDS), "--campaigns", chance.choice([6, 12]), "--days", chance.choice([6, 12]), "--cost",
                  "--reporting", case, "--out", self.work / "dump", "--keys", self.work / "keys", "--quiet")
        self.keys = (self.work / "keys").read_text().split()
        lines = (self.work / "dump").read_bytes().splitlines(keepends=True)
        self.lines = list(lines)
        if chance.random() < 0.6:
            chance.shuffle(lines)
        size = -(-len(lines) // chance.randint(2, 8))
        self.chunks = [lines[start : start + size] for start in range(0, len(lines), size)]
        # Some lines come once more with a later file.
        for chunk in self.chunks[1:]:
            chunk += chance.sample(self.lines, len(self.lines) // 50)
        self.taken, self.saved, self.version = 0, None, 10
        self.first = {path.name: path.read_bytes() for path in [*(case / "lookups").iterdir(), case / "cost.csv", case / "rates.csv"]}
        self.settings = {"out": str(self.out), "models": ["case/models"], "lookups": "case/lookups",
                         "environment": ["production", "custom"]}
        self.shape = ["--part-bytes", chance.choice([20_000, 100_000, 400_000, 1 << 28]), "--format", chance.choice(["jsonl", "both"])]
        if chance.random() < 0.2:
            self.shape += ["--partition", "received_day"]
        self.configure()

    def configure(self):
        (self.work / "postback.json").write_text(json.dumps({name: value for name, value in self.settings.items() if value is not None}))

    # What happens between refreshes

    def take(self):
        if self.taken == len(self.chunks):
            return
        chunk, self.taken = b"".join(self.chunks[self.taken]), self.taken + 1
        name, isPacked = f"{self.taken}-{self.random.randrange(1 << 30)}", self.random.random() < 0.3
        chunk, name = (gzip.compress(chunk), f"{name}.jsonl.gz") if isPacked else (chunk, f"{name}.jsonl")
        shape = [*self.shape, "--models", "case/models", "--out", "out", *self.keys]
        if self.random.random() < 0.6:
            (self.work / name).write_bytes(chunk)
            self.call("run", name, *shape)
            return
        (self.spool / "new" / name).write_bytes(chunk)
        if self.random.random() < 0.4:
            self.call("watch", "spool", "--once", *shape)
            return
        # A consumer that is killed leaves parts that are still written; so does one that is refreshed beside.
        words = [self.options.binary, "watch", "spool", *map(str, shape), "--commit-ms", "0"]
        self.log.append("watch spool, and then kill -9")
        with subprocess.Popen(words, cwd=self.work, stderr=subprocess.DEVNULL) as watch:
            try:
                end = time.monotonic() + 30
                while (self.spool / "new" / name).exists() and time.monotonic() < end:
                    time.sleep(0.02)
                if self.random.random() < 0.5:
                    self.refresh(beside=True)
            finally:
                watch.send_signal(self.random.choice([signal.SIGKILL, signal.SIGTERM]))

    def change(self):
        """Changes one of the settings, or a file that they name; often back to what it was."""
        chance, case, some = self.random, self.work / "case", self.settings
        kind = chance.choice("currency environment grace dimensions lookups models costs rates histogram period format".split())
        self.log.append(f"change {kind}")
        if kind == "currency":
            some["currency"] = None if some.get("currency") else chance.choice(["USD", "EUR"])
            some["rates"] = some["currency"] and "case/rates.csv"
        elif kind == "environment":
            some["environment"] = chance.choice([["production", "custom"], ["custom"], ["production"]])
        elif kind == "grace":
            some["grace_hours"] = chance.choice([None, 0, 6, 48, 200])
        elif kind == "dimensions" and not self.retained:
            some["dimensions"] = None if some.get("costs") else chance.choice(DIMENSIONS)
        elif kind == "lookups":
            name = chance.choice([name for name in self.first if name not in ("cost.csv", "rates.csv")])
            self.edit(case / "lookups" / name)
        elif kind == "costs" and not some.get("dimensions") and not self.retained:
            some["costs"] = None if some.get("costs") else "case/cost.csv"
        elif kind == "rates":
            self.edit(case / "cost.csv")
        elif kind == "histogram":
            some["histogram"] = not some.get("histogram")
        elif kind == "period":
            some["model_period"] = chance.choice(["all", "week", "month"])
        elif kind == "format":
            some["format"] = chance.choice([None, ["jsonl", "csv"]])
        elif kind == "models":
            models, self.version = json.loads((case / "models/models.json").read_text()), self.version + 1
            for model in models:
                model["version"] += self.version
                model["windows"][0]["buckets"]["max"] = 90 + self.version % 50
            (case / "models/models.json").write_text(json.dumps(models))
        self.configure()

    def edit(self, path):
        """Leaves some rows of a file out, or has all of them again."""
        head, *rows = self.first[path.name].splitlines(keepends=True)
        if path.read_bytes() == self.first[path.name]:
            rows = [row for row in rows if self.random.random() < 0.7]
        path.write_bytes(head + b"".join(rows))

    def alone(self):
        """A single command, with options of its own."""
        chance = self.random
        command = chance.choice(["settle", "enrich", "daily"])
        words = [command, "out", "--lookups", "case/lookups", "--replace"]
        if command == "settle" and chance.random() < 0.5:
            words += ["--grace-hours", chance.choice([0, 12])]
        if command == "daily":
            words += chance.choice([[], ["--environment", "production,custom"], ["--histogram"], ["--model-period", "week"]])
        words += chance.choice([[], ["--reset"], ["--jobs", "1"]])
        self.call(*words)

    def remove(self):
        if not (self.out / "_state").exists():
            return
        kind = self.random.choice(["retain", "forget"])
        if kind == "forget":
            found = [TRANSACTION.search(line) for line in self.random.sample(self.lines, 4)]
            ids = [word for match in found if match for word in ("--transaction-id", match[1].decode())]
            if ids:
                self.call("forget", "--out", "out", "--spool", "spool", *ids, allowed=(0, 75))
            return
        if any(self.settings.get(name) for name in ("dimensions", "costs")):
            return
        times = sorted(match[1].decode() for match in map(RECEIVED.search, self.lines) if match)
        day = time.strptime(times[len(times) * self.random.randint(5, 40) // 100], "%Y-%m-%d")
        age = int((time.time() - time.mktime(day)) // 86400)
        ended = self.call("retain", "--out", "out", "--older-than", f"{age}d", "--without-waiting", "--yes-remove-all", "--trust-clock",
                          "--json", allowed=(0, 1))
        if ended.returncode == 0 and json.loads(ended.stdout)["parts"]:
            self.retained += 1

    def damage(self):
        """Removes, cuts and changes files with results for parts."""
        for path in sorted((self.out / "_derived/parts").glob("*")):
            if self.random.random() < 0.3:
                kind = self.random.choice(["remove", "cut", "flip"])
                if path.is_symlink() or not path.is_file():
                    continue
                some = path.read_bytes()
                # Files of rows are those of published tables too: these may be removed here, but not changed.
                if kind == "remove" or path.stat().st_nlink > 1 or ".skan_" in path.name or not some:
                    path.unlink()
                else:
                    place = self.random.randrange(len(some))
                    path.write_bytes(some[:place] + (b"" if kind == "cut" else bytes([some[place] ^ 1]) + some[place + 1 :]))
        self.log.append("damage _derived/parts")

    def backup(self):
        """Takes a backup, or puts the last one in the place of the output; sometimes the derived tables stay as they are."""
        saved = self.work / "saved"
        if self.saved is None:
            if self.out.exists():
                shutil.copytree(self.out, saved, symlinks=True)
                self.saved = (self.taken, self.retained)
                self.log.append("backup")
            return
        self.taken, self.retained = self.saved
        self.saved = None
        derived = self.out / "_derived"
        if derived.exists() and self.random.random() < 0.5:
            shutil.rmtree(saved / "_derived", ignore_errors=True)
            derived.rename(saved / "_derived")
            self.log.append("restore all but _derived")
        else:
            self.log.append("restore")
        shutil.rmtree(self.out)
        saved.rename(self.out)

    # Refreshes

    def refresh(self, beside=False):
        """Refreshes; kills that first, unless a consumer beside it may commit rows between a kill and the next refresh."""
        words = ["refresh", "--config", "postback.json"]
        if not (self.out / "skan_postbacks").exists():
            return
        if self.random.random() < 0.8:
            words.append("--replace")
        counted = {"LD_PRELOAD": str(self.preload), "POSTBACK_KILL_COUNT": str(self.count)}
        before = digest(content(self.out))
        if self.options.kills and not beside and self.random.random() < 0.8:
            for _ in range(self.random.choice([1, 1, 2, 3])):
                before = self.killed(words, before, counted, self.random.randint(1, max(30, int(self.calls * 1.05))))
        ended = self.call(*words, allowed=(0,) if "--replace" in words else (0, 65), **counted)
        self.calls = int(self.count.read_text())
        after = digest(content(self.out))
        if ended.returncode == 65 and (after != before or b"stays as it is" not in ended.stderr):
            raise Difference(f"a refused refresh: {ended.stderr.decode()[-300:]} {names(before, after)}")

    def killed(self, words, before, counted, number):
        """Kills a refresh. Returns the tables that were left, after they were compared with those of before and after it."""
        self.log.append(f"kill at {number}")
        copy = self.work / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        # The first thing that a refresh does is to repair links that a restored backup lacks.
        committed = digest(content(self.out / "_derived/current"))
        ended = self.call(*words, allowed=(0, 65, -9), POSTBACK_KILL_AT=str(number), **counted)
        left = digest(content(self.out))
        self.kills += ended.returncode == -9
        if ended.returncode != -9 or left in (before, committed):
            return left
        # What follows from the same inputs, without the tables that are there.
        self.call(*words, allowed=(0, 65))
        after = digest(content(self.out))
        if left != after:
            raise Difference(f"after a kill at call {number} the tables are a mix: {names(left, after)}; before: {names(left, before)}")
        return after

    def without_store(self):
        """Makes the derived tables plain folders, as versions without a store have left them, one of them in the middle of writing."""
        for table in TABLES:
            place = self.out / table
            if place.is_symlink():
                files = place.resolve()
                place.unlink()
                shutil.copytree(files, place)
                (self.out / f".{table}.lock").touch()
        shutil.rmtree(self.out / "_derived")
        (self.out / ".skan_settled.inprogress").mkdir()
        (self.out / ".skan_settled.inprogress/part-00000001.jsonl").write_text('{"postback_key":"00')

    def sweep(self):
        """Kills refreshes at each of their calls: the first one, one after a version without a store, and one with all steps."""
        self.shape = ["--part-bytes", 100_000, "--format", "jsonl"]
        self.settings |= {"costs": "case/cost.csv", "currency": "EUR", "rates": "case/rates.csv", "histogram": True}
        self.configure()
        third = max(1, len(self.chunks) // 3)
        self.take_until(third)
        self.sweep_refresh("first refresh")
        self.without_store()
        self.take_until(2 * third)
        self.sweep_refresh("refresh after a version without a store")
        # The others are inputs of the refresh, which makes a page too.
        dumps = self.work / "dumps"
        dumps.mkdir()
        for number, chunk in enumerate(self.chunks[self.taken :]):
            (dumps / f"{number}.jsonl").write_bytes(b"".join(chunk))
        keys = [word.partition("=")[::2] for word in self.keys if "=" in word]
        self.settings |= {"inputs": ["dumps"], "report": "page.html", "grace_hours": 6,
                          "trusted_keys": [{"id": name, "key": key} for name, key in keys]}
        self.configure()
        self.sweep_refresh("refresh with inputs and a page")

    def take_until(self, count):
        while self.taken < count:
            self.take()

    def sweep_refresh(self, title):
        saved, page = self.work / "template", self.work / "page.html"
        shutil.rmtree(saved, ignore_errors=True)
        shutil.copytree(self.out, saved, symlinks=True)
        words = ["refresh", "--config", "postback.json", "--jobs", "1"]
        counted = {"LD_PRELOAD": str(self.preload), "POSTBACK_KILL_COUNT": str(self.count)}
        before = digest(content(self.out))
        self.call(*words, **counted)
        want, calls = digest(content(self.out)), int(self.count.read_text())
        bad = points = 0

        def note(text):
            nonlocal bad
            bad += 1
            print(f"{title}: killed at call {number} of {calls}: {text}", flush=True)

        for number in range(calls, 0, -self.options.every):
            shutil.rmtree(self.out)
            page.unlink(missing_ok=True)
            shutil.copytree(saved, self.out, symlinks=True)
            ended = self.call(*words, allowed=(0, -9), POSTBACK_KILL_AT=str(number), **counted)
            points += ended.returncode == -9
            left = digest(content(self.out))
            if left not in (before, want):
                note(f"neither before ({names(left, before)}) nor after ({names(left, want)})")
            if page.exists() and not page.read_bytes().rstrip().endswith(b"</html>"):
                note("half a page")
            self.call(*words)
            found = digest(content(self.out))
            if found != want:
                note(f"the next refresh differs in {names(found, want)}")
            if self.settings.get("report") and not page.exists():
                note("the next refresh makes no page")
            rest = [path.name for path in (self.out / "_derived").iterdir() if path.name.endswith(".inprogress")]
            rest += [path.name for place in (self.out, self.work) for path in place.iterdir()
                     if path.name.endswith((".link", ".inprogress"))]
            if rest:
                note(f"{rest} is left")
        print(f"{title}: killed at {points} of {calls} calls, {bad} violations", flush=True)
        if bad:
            raise Difference("see above")

    def compare(self):
        """Compares the tables with those of a refresh from nothing."""
        # This table stays once it was asked for.
        self.settings["histogram"] = (self.out / "skan_daily_values").exists()
        self.configure()
        self.call("refresh", "--config", "postback.json", "--replace")
        fresh = self.work / "fresh"
        shutil.copytree(self.out, fresh, symlinks=True,
                        ignore=lambda folder, names: [*{"_derived", *TABLES} & {*names}] if Path(folder) == self.out else [])
        self.call("refresh", "fresh", "--config", "postback.json", "--replace")
        found, want = now(content(self.out)), now(content(fresh))
        if "skan_daily/part-00000001.jsonl" not in want:
            raise Difference(f"There is no skan_daily, only {names(want, {})}")
        if self.retained:
            # Of these, the days that are gone from the tables of the runs stay.
            found, want = ({name: some for name, some in files.items() if not name.startswith(("skan_daily", "skan_modelled"))}
                           for files in (found, want))
        if found != want:
            raise Difference(f"not as from nothing: {names(found, want)}")

    def perform(self):
        steps = [self.take] * 5 + [self.refresh] * 5 + [self.change] * 3 + [self.alone, self.remove, self.damage, self.backup]
        self.take()
        for _ in range(self.random.randint(6, 14)):
            self.random.choice(steps)()
        while self.taken < len(self.chunks) and self.random.random() < 0.8:
            self.take()
        if not (self.out / "skan_postbacks").exists():
            self.take()
        self.compare()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the built postback")
    parser.add_argument("--histories", type=int, default=10, metavar="N")
    parser.add_argument("--seed", type=int, default=1, help="the first history is that of this seed")
    parser.add_argument("--kills", action="store_true", help="kill most of the refreshes")
    parser.add_argument("--sweep", action="store_true", help="kill three refreshes at each of their calls instead")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="with --sweep, only each K-th call, from the last one back")
    parser.add_argument("--lines", type=int, default=2500, help="the most lines of a dump")
    parser.add_argument("--keep", action="store_true", help="leave the folder of a difference")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    work = Path(tempfile.mkdtemp(prefix="postback-histories-", dir=place))
    try:
        source = Path(__file__).resolve().parents[1] / "Preload/kill_at.c"
        subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-O1", "-o", work / "kill_at.so", source, "-ldl"], check=True)
        for seed in range(options.seed, options.seed + options.histories):
            start = time.monotonic()
            history = History(options, work, seed)
            try:
                history.sweep() if options.sweep else history.perform()
            except Difference as difference:
                print(*history.log, sep="\n")
                print(f"seed {seed}: {difference}\n{history.work if options.keep else ''}")
                sys.exit(1)
            steps = len(history.log) - 1
            print(f"seed {seed}: {steps} steps, {history.kills} kills, {time.monotonic() - start:.1f} s, the same", flush=True)
    finally:
        if not options.keep:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
