#!/usr/bin/env python3
"""Loads tables into a PostgreSQL server of its own, and compares every value in the database with the JSON Lines.

    Tests/PostgreSQL/load.py [--binary POSTBACK] [--only NAME] [--every N]

The loader is killed at every system call that changes anything, and at those by which it learns of it; connections are cut
at every message; the server is killed in the middle. No row may be missing, and none may be there twice.
--every N tries only each N-th of these points.
"""

import argparse, json, os, shutil, subprocess, sys, tempfile, threading, time
from pathlib import Path

from cut import CuttingProxy
from server import Server
from values import TABLES, Wrong, difference, hold, types, written

PROJECT = Path(__file__).resolve().parent.parent.parent
CALLS = "sendto recvfrom write connect socket".split()


class Site:
    """Outputs of generated postbacks, and the loader of them."""

    def __init__(self, options, work):
        self.binary, self.every, self.work, self.server = os.path.abspath(options.binary), options.every, work, Server()
        self.random = 0
        reporting = work / "campaigns"
        self.postback("generate", "--count", "3000", "--seed", "5", "--campaigns", "10", "--reporting", reporting,
                      "--out", work / "dump.jsonl", "--keys", work / "keys")
        self.keys, self.lookups, self.models = (work / "keys").read_text().split(), reporting / "lookups", reporting / "models"
        lines = (work / "dump.jsonl").read_bytes().splitlines(keepends=True)
        self.inputs = [work / f"input-{number}.jsonl" for number in range(3)]
        for number, path in enumerate(self.inputs):
            path.write_bytes(b"".join(lines[1000 * number : 1000 * (number + 1)]))
        with open(self.inputs[0], "ab") as file:
            file.write(b"".join(self.hostile(lines)))
        self.output = self.written("out", self.inputs[0])
        self.derive(self.output)

    @staticmethod
    def hostile(lines):
        """Postbacks with extra keys, and records that are none, whose texts are hard to copy."""
        text = "tab\t, line\n, return\r, NUL\0, \\N, \\., quote\", {brace}, é, \U0001f600, \x7f, \x01"
        found = 0
        for line in lines[:200]:
            record = json.loads(line)
            body = record.get("body", record)
            if isinstance(body, dict) and "transaction-id" in body and found < 20:
                found += 1
                body["transaction-id"] += text
                yield json.dumps(record).encode() + b"\n"
                body["transaction-id"] = body["transaction-id"].removesuffix(text)
                body[f"x{text}"] = [text, {"half": "\ud800", "number": 1e300, "deep": [[None, True]]}]
                yield json.dumps(record).encode() + b"\n"
        yield b"\xff\xfe not UTF-8\n"
        yield b"{\"version\":\"\\\\N\",\"transaction-id\":\"\\t\\n\\\\.\",\"app-id\":\"\\u0000\"}\n"

    def postback(self, *arguments, status=0, environment=None, tracer=()):
        command = [*tracer, self.binary, *map(str, arguments)]
        environment = dict(os.environ, **environment or {})
        answer = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
        if status is not None and answer.returncode != status:
            raise Wrong(f"{' '.join(command)} ended with {answer.returncode}: {answer.stderr[-1500:]}")
        return answer

    def append(self, output, *inputs, options=()):
        self.postback("run", *inputs, *self.keys, "--models", self.models, "--out", output, "--quiet", *options)

    def written(self, name, *inputs, options=()):
        output = self.work / name
        self.append(output, *inputs, options=options)
        return output

    def derive(self, output):
        for command in (["enrich"], ["settle"], ["daily", "--environment", "production,custom"]):
            self.postback(command[0], output, "--lookups", self.lookups, *command[1:])

    def new_schema(self):
        self.random += 1
        return f"s{self.random}"

    def load(self, output, schema, *options, status=0, dsn=None, **more):
        answer = self.postback("load", "postgres", output, "--dsn", dsn or self.server.dsn, "--schema", schema, "--json",
                               *options, status=status, **more)
        if answer.returncode != 0:
            return answer.stderr
        return {row.pop("table"): row for row in json.loads(answer.stdout)["tables"]}

    def compare(self, schema, output, tables=None):
        """Fails unless the tables in the database have exactly the rows of the output."""
        for table in tables or TABLES:
            found = difference(self.server, schema, output, table)
            hold(found is None, found)

    def declared(self):
        """The tables that an output may have."""
        schemas = json.loads(self.postback("schema").stdout)
        return {schema["$id"].removesuffix(".schema.json") for schema in schemas} - {"s2s_events"}

    def count(self, schema, table):
        name = schema.replace('"', '""')
        return int(self.server.sql(f'SELECT count(*) FROM "{name}".{table}'))

    def derived(self, output):
        return sorted(path.parent.name for path in Path(output).glob("skan_*/_summary.json"))


def values(site):
    """Types and values, a second load, later rows, and a derived table that was replaced."""
    schema = 'Sch"ema; --'
    first = site.load(site.output, schema)
    derived = site.derived(site.output)
    hold(len(derived) >= 7, f"only {derived} are derived")
    site.compare(schema, site.output, TABLES + derived)
    for table in site.declared() - {*TABLES, *derived}:
        hold(site.count(schema, table) == 0, f"{table} has rows, and the output has no such table")
    for table in TABLES + derived:
        rows = sum(1 for _ in written(site.output, table))
        hold(first[table]["loaded"] == rows and first[table]["present"] == 0, f"{table}: {first[table]} of {rows}")
        statements = site.postback("schema", table, "--dialect", "postgresql").stdout
        site.server.sql(f'CREATE SCHEMA declared; SET search_path TO declared; {statements}')
        declared = {**types(site.server, "declared", table), "loaded_at": "timestamp with time zone"}
        found = types(site.server, schema, table)
        hold(found == declared, f"{table}: {found} instead of {declared}")
        site.server.sql("SET client_min_messages TO error; DROP SCHEMA declared CASCADE")
    hold(site.load(site.output, schema) == {}, "a second load found rows")
    output = site.work / "grown"
    shutil.copytree(site.output, output)
    with_nul = site.work / "with-nul.jsonl"
    with_nul.write_bytes(site.inputs[1].read_bytes().replace(b'"body":{', rb'"body":{"nul\u0000":"\u0000\\",'))
    site.append(output, with_nul)
    site.derive(output)
    later = site.load(output, schema)
    site.compare(schema, output, TABLES + derived)
    name = schema.replace('"', '""')
    texts = site.server.sql(f"""SELECT DISTINCT extras->>'nul\ufffd' FROM "{name}".skan_postbacks""")
    hold("\ufffd\\" in texts.split("\n"), f"{texts!r} for a text with NUL")
    hold(later["skan_daily"]["replacements"] == 1 and later["skan_postbacks"]["present"] == 0, f"{later}")


def csv_only(site):
    """An output in CSV alone has the same values."""
    schema, formats = site.new_schema(), ["--format", "csv"]
    output = site.written("csv", site.inputs[0], options=formats)
    site.load(output, schema)
    # Apart from the times at which files without a time were changed the rows are those of the JSON Lines.
    site.compare(schema, site.output)


def known_keys(site):
    """Rows whose key is there, because its id was compacted away, are counted and not loaded."""
    schema, output = site.new_schema(), site.written("compacted", site.inputs[0])
    first = site.load(output, schema)["skan_postbacks"]["loaded"]
    time.sleep(1.1)
    site.postback("state", "compact", output, "--yes-remove-all", "--before", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    again = site.work / "again.jsonl"
    again.write_bytes(b"\n" + site.inputs[0].read_bytes())
    site.append(output, again)
    second = site.load(output, schema)["skan_postbacks"]
    hold(second == {"loaded": 0, "present": first, "replacements": 0, "removed": 0, "masked": 0, "missed": 0}, f"{second}, and {first} are there")
    hold(site.server.sql(f"SELECT count(*) FROM {schema}.skan_postbacks") == str(first), "rows are there twice")
    # A later load, which itself meets no such row in tables that grow, replaces a derived table all the same.
    for _ in range(2):
        site.postback("enrich", output, "--lookups", site.lookups)
        enriched = site.load(output, schema)["skan_enriched"]
        hold((enriched["loaded"], enriched["present"], enriched["replacements"]) == (first, first, 1), f"{enriched}")
        hold(site.count(schema, "skan_enriched") == first, "derived rows are missing or there twice")


def two_loaders(site):
    """Two loaders at once take turns."""
    schema = site.new_schema()
    errors = []

    def work():
        try:
            site.load(site.output, schema)
        except Wrong as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hold(not errors, f"{errors}")
    site.compare(schema, site.output, TABLES + site.derived(site.output))


def check_after(site, schema, output, point):
    """Loads again, undisturbed, and compares."""
    try:
        site.load(output, schema)
        site.compare(schema, output, TABLES + ["skan_daily"])
    except Wrong as error:
        raise Wrong(f"{point}: {error}")
    site.server.sql(f'SET client_min_messages TO error; DROP SCHEMA IF EXISTS {schema} CASCADE')


def killed(site):
    """The loader killed at each of its system calls."""
    tables = ["--tables", ",".join([*TABLES, "skan_daily"])]
    points = 0
    for call in CALLS:
        number = 1
        while True:
            schema = site.new_schema()
            tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                      "-e", f"inject={call}:signal=KILL:when={number}"]
            ended = site.postback("load", "postgres", site.output, "--dsn", site.server.dsn, "--schema", schema, *tables,
                                  status=None, tracer=tracer)
            if ended.returncode == 0:
                break
            hold(ended.returncode in (-9, 137), f"{call} #{number}: {ended.returncode} {ended.stderr}")
            check_after(site, schema, site.output, f"killed at {call} #{number}")
            points += 1
            number += site.every
    hold(points * site.every > 40, f"only {points} points were found")
    print(f"  {points} points", end="")


def cut(site):
    """The connection cut at each message, before it is handed on, in either direction."""
    points = 0
    for direction in ("sent", "received"):
        number = 1
        while True:
            schema = site.new_schema()
            with CuttingProxy(site.server.folder, direction, number) as proxy:
                ended = site.postback("load", "postgres", site.output, "--dsn", proxy.dsn, "--schema", schema, status=None)
            if ended.returncode == 0:
                break
            hold(ended.returncode == 74 and ended.stderr.count("\n") == 1, f"{ended.returncode}: {ended.stderr}")
            check_after(site, schema, site.output, f"cut at {direction} #{number}")
            points += 1
            number += site.every
    hold(points * site.every > 40, f"only {points} points were found")
    print(f"  {points} points", end="")


def main():
    from follow import following, server_killed
    from refusals import disk_full, migration, refusals
    from restored import csv_safe, cursors_lost, forgotten, masked, masked_and_restored, missed, reload_killed, restored

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=PROJECT / ".build/release/postback")
    parser.add_argument("--only")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="load-"))
    work.chmod(0o755)
    site = Site(options, work)
    bad = 0
    try:
        for check in [values, csv_only, known_keys, two_loaders, refusals, migration, disk_full, following, server_killed,
                      restored, reload_killed, cursors_lost, forgotten, masked, masked_and_restored, missed, csv_safe, killed, cut]:
            if options.only in (None, check.__name__):
                start = time.monotonic()
                print(f"{check.__name__}: {check.__doc__.strip()}", end="", flush=True)
                try:
                    check(site)
                    print(f"  {time.monotonic() - start:.0f} s", flush=True)
                except (Wrong, RuntimeError) as error:
                    bad += 1
                    print(f"\n{check.__name__}: WRONG: {error}", flush=True)
    finally:
        site.server.stop()
        shutil.rmtree(work, ignore_errors=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
