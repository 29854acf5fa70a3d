#!/usr/bin/env python3
"""Runs a loader that docs/tables.md shows, and compares what it loads with the tables, value by value.

    docs_loaders.py (pandas | duckdb) FILE   a block of the page, over the folder synthetic, and over one that is hard to load
    docs_loaders.py copy FILE                a block of COPY statements, into the tables that schema.sql creates
    docs_loaders.py sqlite DATABASE          what a block of the page has made of that folder
"""

import decimal
import glob
import json
import os
import re
import sys
import tempfile


class Wrong(Exception):
    """A value that was loaded as another."""


def rows(table, folder="synthetic"):
    """The rows of a table, exactly as its JSON Lines have them."""
    found = []
    for path in sorted(glob.glob(f"{folder}/{table}/part-*.jsonl")):
        with open(path, encoding="utf-8") as file:
            found += [json.loads(line, parse_float=decimal.Decimal) for line in file]
    return found


def plain(value):
    """A value by what it is: numbers as decimals, texts as they are, and nothing for a null."""
    if value is None or value != value:
        return None
    if isinstance(value, (bool, list, dict)):
        return json.dumps(value)
    return str(value) if isinstance(value, str) else decimal.Decimal(str(value))


def as_text(value):
    """A value as CSV has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ";".join(map(str, value))
    return value if isinstance(value, str) or value is None else None if isinstance(value, dict) else str(value)


def hold(loaded, table, is_text=False):
    """Compares rows that were loaded, as dictionaries, with the table's."""
    expected = rows(table)
    if len(loaded) != len(expected) or not expected:
        raise Wrong(f"{len(loaded)} rows of {table} were loaded, and there are {len(expected)}")
    for number, (row, right) in enumerate(zip(loaded, expected), 1):
        for name, value in row.items():
            wanted = right.get(name)
            if isinstance(wanted, dict) and is_text:
                continue  # The JSON of extras may be spaced in another way.
            # Of a text that holds a number the text counts: that of money is compared as money.
            # SQLite has 0 and 1 for false and true.
            same = plain(value) == plain(wanted) or isinstance(wanted, bool) and isinstance(value, int) and value == wanted
            if is_text and isinstance(value, str):
                same = value == as_text(wanted)
            if not same:
                raise Wrong(f"{table}, row {number}, {name} was loaded as {value!r}, and is {wanted!r}")
    print(f"{table}: {len(loaded)} rows with {len(loaded[0])} columns are right", file=sys.stderr)


def make_extremes(folder):
    """Writes tables with what a loader is most likely to change, in JSON Lines and CSV; where they are."""
    changes = {
        "source_identifier": "0007", "transaction_id": "12345678901234567890", "forwarder": "", "version": "4.0",
        "app_id": 9007199254740993, "skan_revenue": decimal.Decimal("123456789012345.1234567"), "postback_key": "0" * 32,
    }
    for table in ("skan_postbacks", "skan_events"):
        row = {name: changes.get(name, value) for name, value in rows(table)[0].items()}
        nothing = {name: None if name not in ("postback_key", "event_name") else value for name, value in row.items()}
        os.makedirs(os.path.join(folder, "synthetic", table))
        with open(os.path.join(folder, "synthetic", table, "part-00000001.jsonl"), "w", encoding="utf-8") as file:
            for each in (row, nothing):
                exact = json.dumps(each, default=lambda amount: f"\0{amount}\0")
                file.write(re.sub(r'"\\u0000(.*?)\\u0000"', r"\1", exact) + "\n")
        with open(os.path.join(folder, "synthetic", table, "part-00000001.csv"), "w", encoding="utf-8", newline="") as file:
            file.write(",".join(row) + "\r\n")
            for each in (row, nothing):
                texts = [as_text(value) for value in each.values()]
                file.write(",".join("" if text is None else '"' + text.replace('"', '""') + '"' for text in texts) + "\r\n")
    return folder


def on_all(check, path):
    """Checks a loader on the tables of the page's run, and on those that are hard to load."""
    path = os.path.abspath(path)
    check(path)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(make_extremes(folder))
        check(path)
        os.chdir("/")


def check_pandas(path):
    names = {}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), "docs/tables.md", "exec"), names)
    for table in ("postbacks", "events"):
        hold(names[table].to_dict("records"), f"skan_{table}")


def check_duckdb(path):
    import duckdb

    database = duckdb.connect()
    with open(path, encoding="utf-8") as file:
        answer = database.sql(file.read())
    if answer is not None:
        for row in answer.fetchall():
            print(*("NULL" if cell is None else cell for cell in row), sep="  ")
    for table in ("postbacks", "events"):
        loaded = database.sql(f"SELECT * FROM {table}")
        hold([dict(zip(loaded.columns, row)) for row in loaded.fetchall()], f"skan_{table}", is_text=True)


def check_copy(path):
    import duckdb

    database = duckdb.connect()
    for statements in ("schema.sql", path):
        with open(statements, encoding="utf-8") as file:
            database.execute(file.read())
    loaded = database.sql("SELECT * FROM skan_events")
    hold([dict(zip(loaded.columns, row)) for row in loaded.fetchall()], "skan_events")


def check_sqlite(path):
    import sqlite3

    database = sqlite3.connect(path)
    loaded = database.execute("SELECT * FROM events")
    names = [column[0] for column in loaded.description]
    hold([dict(zip(names, row)) for row in loaded], "skan_events", is_text=True)


if __name__ == "__main__":
    try:
        if sys.argv[1] == "sqlite":
            check_sqlite(sys.argv[2])
        elif sys.argv[1] == "copy":
            check_copy(sys.argv[2])
        else:
            on_all({"pandas": check_pandas, "duckdb": check_duckdb}[sys.argv[1]], sys.argv[2])
    except Wrong as problem:
        sys.exit(f"docs: {problem}")
