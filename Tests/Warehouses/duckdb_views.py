#!/usr/bin/env python3
"""Compares the views and the Parquet files of postback schema --from with the rows, value by value, in DuckDB and pyarrow.

    Tests/Warehouses/duckdb_views.py [POSTBACK]

The outputs have all derived tables and several parts, hostile postbacks, postbacks that are there twice, CSV instead of JSON Lines,
parts that are still written, and values at the limits of their types, in folders with names that are hard to quote. DuckDB and
pyarrow come from PyPI.
"""

import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import environment

environment.run_in_environment()

import duckdb  # noqa: E402
import pyarrow  # noqa: E402
import pyarrow.dataset  # noqa: E402

from rows import comparable, limits, write_lines, written  # noqa: E402

COMPARED = collections.Counter()


# MARK: - Comparisons


def compare(title, found, expected, columns):
    """Compares rows without regard to their order."""
    def key(row):
        return tuple(comparable(row[name], sql) for name, sql in columns.items())
    left, right = collections.Counter(map(key, found)), collections.Counter(map(key, expected))
    if left != right:
        for name, rows in (("only found", left - right), ("not found", right - left)):
            for row in list(rows.elements())[:2]:
                print(f"{title}, {name}: {dict(zip(columns, row))}"[:3000], file=sys.stderr)
        sys.exit(f"{title}: {sum(left.values())} rows, and {sum(right.values())} were written")
    COMPARED[title.split(",")[0]] += len(expected) * len(columns)


def declared_types(postback):
    """The types of the columns of each table, as DuckDB has them after the statements of postback schema."""
    database = duckdb.connect()
    database.execute(subprocess.check_output([postback, "schema", "--dialect", "duckdb"], text=True))
    types = collections.defaultdict(dict)
    for table, column, sql, comment in database.execute(
        "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index"
    ).fetchall():
        if not comment:
            sys.exit(f"{table}.{column} has no comment")
        types[table][column] = sql
    return types


def rows_of(database, table):
    result = database.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in result.description]
    return [dict(zip(names, row)) for row in result.fetchall()]


def check_views(title, postback, out, files, types, options=(), tables=()):
    """Creates the views, and compares their types and rows. Returns the script."""
    script = subprocess.check_output([postback, "schema", *tables, "--dialect", "duckdb", "--from", out, *options], text=True)
    database = duckdb.connect()
    database.execute("SET TimeZone = 'Asia/Tokyo'")
    database.execute(script)
    hold_views(title, database, files, types)
    return script


def hold_views(title, database, files, types):
    for table, paths in files.items():
        described = {row[0]: row[1] for row in database.execute(f"DESCRIBE {table}").fetchall()}
        if described != types[table]:
            sys.exit(f"{title}, {table}: the view has {described}, and {types[table]} is declared")
        compare(f"{title}, {table}", rows_of(database, table), written(paths, types[table]), types[table])


ARROW = {
    "VARCHAR": ("string",), "BIGINT": ("int64",), "BOOLEAN": ("bool",), "DATE": ("date32[day]",),
    "TIMESTAMP WITH TIME ZONE": ("timestamp[us, tz=UTC]",), "JSON": ("string", "extension<arrow.json>"),
    "VARCHAR[]": ("list<element: string>", "list<item: string>", "list<l: string>"),
}


def check_parquet(title, postback, out, folder, files, types, options=()):
    """Writes Parquet with the command of DuckDB, and compares types and rows as pyarrow reads them."""
    folder.mkdir()
    script = subprocess.check_output([postback, "schema", "--dialect", "duckdb", "--from", out, "--parquet", folder, *options])
    environ = os.environ | {"TZ": "America/New_York"}
    subprocess.run(["duckdb"], input=script, check=True, env=environ)
    days = {}
    for row in written(files["skan_postbacks"], types["skan_postbacks"]):
        days[row["postback_key"]] = min(filter(None, (days.get(row["postback_key"]), row["received_at"])), default=None)
    for table, paths in files.items():
        expected = written(paths, types[table])
        has_day = "received_at" in types[table] or "postback_key" in types[table]
        if not expected:
            if list((folder / table).rglob("*.parquet")) and has_day:
                sys.exit(f"{title}, {table}: there are Parquet files without rows")
            continue
        partitions = None
        if has_day:
            day = pyarrow.schema([("received_day", pyarrow.string())])
            partitions = pyarrow.dataset.partitioning(day, flavor="hive")
        data = pyarrow.dataset.dataset(folder / table, format="parquet", partitioning=partitions).to_table()
        columns = dict(types[table])
        for name, sql in columns.items():
            wanted = ARROW.get(sql) or (sql.lower().replace("decimal(", "decimal128(").replace(",", ", "),)
            if str(data.schema.field(name).type) not in wanted:
                sys.exit(f"{title}, {table}.{name}: the Parquet type is {data.schema.field(name).type}, and {sql} is declared")
        if has_day:
            columns["received_day"] = "VARCHAR"
            for row in expected:
                receipt = row["received_at"] if "received_at" in row else days[row["postback_key"]]
                row["received_day"] = receipt.date().isoformat() if receipt else None
        elif set(data.schema.names) != set(columns):
            sys.exit(f"{title}, {table}: the Parquet files have the columns {data.schema.names}")
        compare(f"{title}, {table}, Parquet", data.to_pylist(), expected, columns)
    again = subprocess.run(["duckdb"], input=script, capture_output=True)
    if again.returncode == 0 or b"not empty" not in again.stderr:
        sys.exit(f"{title}: DuckDB writes into folders that have files")
    return sum(1 for _ in folder.rglob("*.parquet"))


def parts(out, types, ending="jsonl"):
    """The complete parts of each table."""
    return {table: sorted((out / table).rglob(f"part-*.{ending}")) for table in types}


# MARK: - Outputs


def check_open_parts(postback, folder, types, ending):
    """A consumer is killed while its parts are hidden: only committed rows count, also when the parts are complete."""
    spool, out = folder / f"spool {ending}", folder / f"open {ending} [1-3]"
    for name in ("tmp", "new"):
        (spool / name).mkdir(parents=True)
    keys = (folder / "keys").read_text().split()
    command = [postback, "watch", spool, "--out", out, "--format", ending, "--quiet", "--part-bytes", "1500000",
               "--received-at", "2026-03-10T23:30:00Z", *keys]
    shutil.copy(folder / "dump.jsonl", spool / "new" / "1.jsonl")
    consumer = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    environment.wait_until("the commit of a file", lambda: list((spool / "done").glob("*/*/*")))
    consumer.send_signal(signal.SIGKILL)
    consumer.wait()
    status = json.loads(subprocess.check_output([postback, "status", out, "--json"]))
    files, hidden = parts(out, types, ending), 0
    for part in status["parts"]:
        if part["phase"] != "open":
            continue
        [path] = (out / part["table"]).glob(f".part-*.{ending}.inprogress")
        length = part["bytes"]
        files[part["table"]] = sorted((out / part["table"]).glob(f"part-*.{ending}")) + [(path, length)]
        hidden += 1
        # What a crash leaves behind the committed rows: a row without its end, in the middle of a character.
        with open(path, "ab") as file:
            file.write(b'{"postback_key":"' if ending == "jsonl" else b'"cut, ""\n')
            file.write("é".encode()[:1])
    run_tables = {table: files[table] for table in ("skan_postbacks", "skan_events", "skan_rejects")}
    if not hidden or not files["skan_postbacks"]:
        sys.exit(f"open {ending}: {hidden} hidden parts")
    script = check_views(f"open parts of {ending}", postback, out, run_tables, types)
    before = {table: written(paths, types[table]) for table, paths in run_tables.items()}
    # The next consumer completes the parts, with more rows.
    shutil.copy(folder / "more.jsonl", spool / "new" / "2.jsonl")
    subprocess.run([*command, "--once", "--part-seconds", "1"], check=True, stderr=subprocess.DEVNULL)
    if ending == "jsonl":
        database = duckdb.connect()
        database.execute("SET TimeZone = 'UTC'")
        database.execute(script)
        for table, rows in before.items():
            compare(f"open parts of {ending}, {table}, completed", rows_of(database, table), rows, types[table])
    check_views(f"open parts of {ending}", postback, out,
                {table: [p for p in all_parts(out, table, ending, postback)] for table in run_tables}, types)


def all_parts(out, table, ending, postback):
    """The parts of a table after the end of a consumer, with the committed length of one that is still open."""
    status = json.loads(subprocess.check_output([postback, "status", out, "--json"]))
    found = sorted((out / table).glob(f"part-*.{ending}"))
    for part in status["parts"]:
        if part["table"] == table and part["phase"] == "open":
            [path] = (out / table).glob(f".part-*.{ending}.inprogress")
            found.append((path, part["bytes"]))
    return found


def check_limits(postback, folder, types, out):
    """Values at the limits of their types, in all tables: in the files of an output that are written anew."""
    schemas = environment.of_output(postback)
    copy = folder / "limits"
    shutil.copytree(out, copy)
    files = {}
    for table, columns in types.items():
        (copy / table).mkdir(exist_ok=True)
        files[table] = sorted((copy / table).glob("part-*.jsonl")) or [copy / table / "part-00000001.jsonl"]
        write_lines(files[table][0], limits(schemas[table], columns))
        for path in files[table][1:]:
            path.write_bytes(b"")
    script = subprocess.check_output([postback, "schema", "--dialect", "duckdb", "--from", copy], text=True)
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    database.execute(script)
    hold_views("limits", database, files, types)


def check_events(postback, out, types):
    """The parts of the receiver, one of them without rows, in an output that has no such table yet."""
    without = subprocess.check_output([postback, "schema", "--dialect", "duckdb", "--from", out], text=True)
    if "VIEW s2s_events" in without:
        sys.exit("there is a view of a table that is not there")
    folder, schema = out / "s2s_events", environment.declared(postback)["s2s_events"]
    folder.mkdir()
    paths = [folder / f"part-{1_700_000_000_000 + number}-{number:x}.jsonl" for number in range(3)]
    for path, rows in zip(paths, (limits(schema, types), [], limits(schema, types)[::-1])):
        write_lines(path, rows)
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    database.execute(subprocess.check_output([postback, "schema", "--dialect", "duckdb", "--from", out], text=True))
    hold_views("events of apps", database, {"s2s_events": paths}, {"s2s_events": types})
    shutil.rmtree(folder)


def check_replay(postback, folder, types):
    """A postback that is accepted again, because its id was removed from the state, multiplies no row."""
    out, dump, again = folder / "replay", folder / "replay.jsonl", folder / "again.jsonl"
    subprocess.run([postback, "generate", "--count", "300", "--seed", "1", "--valid-only", "--out", dump, "--keys", folder / "replay keys",
                    "--quiet"], check=True)
    keys = (folder / "replay keys").read_text().split()
    again.write_text("".join(dump.read_text().splitlines(True)[:100]))
    for source, day in ((dump, "2026-03-10"), (again, "2026-11-20")):
        subprocess.run([postback, "run", source, *keys, "--models", environment.PROJECT / "Fixtures/models", "--received-at", day,
                        "--out", out, "--quiet"], check=True, stderr=subprocess.DEVNULL)
        time.sleep(1)
        before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        subprocess.run([postback, "state", "compact", out, "--before", before, "--yes-remove-all"], check=True, capture_output=True)
    subprocess.run([postback, "settle", out, "--quiet"], check=True, capture_output=True)
    files = {table: found for table, found in parts(out, types).items() if found}
    rows = written(files["skan_postbacks"], types["skan_postbacks"])
    if len(rows) == len({row["postback_key"] for row in rows}):
        sys.exit("replay: no postback is there twice")
    check_parquet("replay", postback, out, folder / "replay parquet", files, types)


def main(postback):
    postback = os.path.abspath(postback)
    types = declared_types(postback)
    events = types.pop("s2s_events")
    with tempfile.TemporaryDirectory(prefix="duckdb-") as temporary:
        folder = pathlib.Path(temporary) / "it's a [b*d?] {name};\n.shell \"é\" -- $x"
        folder.mkdir()
        out = environment.make_campaigns(postback, folder)
        files = parts(out, types)
        check_views("all tables", postback, out, files, types)
        count = check_parquet("all tables", postback, out, folder / "parquet", files, types)
        print(f"all tables: {sum(map(len, files.values()))} parts, {count} Parquet files")
        check_limits(postback, folder, types, out)
        check_events(postback, out, events)

        hostile = environment.hostile_dump(folder)
        for ending in ("jsonl", "csv"):
            out = folder / f"hostile {ending}"
            subprocess.run([postback, "run", *hostile, "--allow-development", "--format", ending, "--out", out, "--quiet"],
                           check=True, stderr=subprocess.DEVNULL)
            files = {table: found for table, found in parts(out, types, ending).items() if found}
            check_views(f"hostile {ending}", postback, out, files, types)
            check_parquet(f"hostile {ending}", postback, out, folder / f"parquet {ending}", files, types)
        subprocess.run([postback, "generate", "--count", "500", "--seed", "9", "--out", folder / "more.jsonl", "--keys",
                        folder / "more keys", "--quiet"], check=True)
        check_replay(postback, folder, types)
        for ending in ("jsonl", "csv"):
            check_open_parts(postback, folder, types, ending)

        empty = folder / "empty"
        (folder / "nothing.jsonl").write_text("")
        environment.make_output(postback, empty, folder / "nothing.jsonl")
        check_views("no rows", postback, empty, {table: [] for table in types}, types)
    for title, number in COMPARED.items():
        print(f"{title}: {number} values are the same")


if __name__ == "__main__":
    main(*sys.argv[1:] or [environment.PROJECT / ".build/release/postback"])
