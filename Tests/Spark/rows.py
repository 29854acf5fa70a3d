"""The rows of `postback run` and of the Spark job as sets, and what differs between them."""

import collections
import datetime
import decimal
import json
import pathlib
import sys

TABLES = ("skan_postbacks", "skan_events", "skan_rejects")


def rows(folders):
    """The rows of JSON Lines, with their number, by table."""
    tables = {table: collections.Counter() for table in TABLES}
    for folder in folders:
        for table, found in tables.items():
            for part in pathlib.Path(folder).glob(f"{table}/*.jsonl"):
                with open(part, "rb") as lines:
                    found.update(lines)
    return tables


def compare(name, expected, found):
    for table in TABLES:
        missing, extra = expected[table] - found[table], found[table] - expected[table]
        if missing or extra:
            sys.exit(f"{name}: {table} lacks {sum(missing.values())} rows and has {sum(extra.values())} others:\n"
                     f"{next(iter(missing), None)}\n{next(iter(extra), None)}")
    print(f"   ok  {name}: {', '.join(f'{sum(found[table].values())} {table}' for table in TABLES)}", flush=True)


def job_rows(out):
    return rows(sorted(pathlib.Path(out).glob("batch-*/jsonl")))


def compare_parquet(out):
    """Compares every value of the Parquet files with the JSON Lines."""
    import pyarrow.parquet

    def plain(value):
        if isinstance(value, datetime.datetime):
            text = value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
            return text + (f".{value.microsecond // 1000:03}" if value.microsecond else "") + "Z"
        return value.normalize() if isinstance(value, decimal.Decimal) else value

    def key(row):
        return json.dumps(row, sort_keys=True, default=str)

    for batch in sorted(pathlib.Path(out).glob("batch-*")):
        for table in TABLES:
            read = pyarrow.parquet.read_table(batch / "parquet" / table)
            types = {field.name: field.type for field in read.schema}
            typed = sorted(key({name: plain(value) for name, value in row.items()}) for row in read.to_pylist())
            lines = []
            for part in (batch / "jsonl" / table).iterdir():
                for line in part.read_text(encoding="utf-8").split("\n")[:-1]:
                    row = json.loads(line, parse_float=decimal.Decimal)
                    for name, value in row.items():
                        if value is not None and pyarrow.types.is_decimal(types[name]):
                            row[name] = decimal.Decimal(value).normalize()
                        elif isinstance(value, (dict, list)) and pyarrow.types.is_string(types[name]):
                            start = line.index(f'"{name}":') + len(name) + 3
                            row[name] = line[start:json.JSONDecoder().raw_decode(line, start)[1]]
                    lines.append(key(row))
            if typed != sorted(lines):
                different = next(pair for pair in zip(typed, sorted(lines)) if pair[0] != pair[1])
                sys.exit(f"{batch.name}: {table} differs between Parquet and JSON Lines:\n{different[0]}\n{different[1]}")
    print("   ok  Parquet has the values of the JSON Lines", flush=True)
