"""The tables of a batch as tasks write them: each row in JSON Lines, as `postback` wrote it, and typed in Parquet."""

import collections
import os
import re
import subprocess
import uuid

import pyarrow
import pyarrow.json
import pyarrow.parquet

TABLES = ("skan_postbacks", "skan_events", "skan_rejects")
COUNTED = {"skan_postbacks": ["decode_status"], "skan_rejects": ["stage", "reject_code"]}
# So many bytes of rows are typed at once, while they are in the processor's cache, and so many rows are a row group of Parquet.
TYPED, GROUP = 2 << 20, 1 << 16


class Columns:
    """The columns of a table, with the types that they have in Parquet."""

    types = {"VARCHAR": pyarrow.string(), "BIGINT": pyarrow.int64(), "BOOLEAN": pyarrow.bool_(), "JSON": pyarrow.string(),
             "TIMESTAMPTZ": pyarrow.timestamp("us", "UTC"), "VARCHAR[]": pyarrow.list_(pyarrow.string())}

    def __init__(self, columns):
        """Columns by name, with the types of DuckDB, which tell JSON from other texts."""
        self.schema = pyarrow.schema({
            name: pyarrow.decimal128(*map(int, re.findall(r"\d+", kind))) if kind.startswith("DECIMAL") else self.types[kind]
            for name, kind in columns.items()})
        names = [*columns]
        # A column of objects, and the bytes before and behind its value.
        self.object, *more = [(name, f',"{name}":'.encode(), f',"{names[place + 1]}":'.encode())
                              for place, name in enumerate(names) if columns[name] == "JSON"] or [None]
        assert not more, "a table has one column of objects at most"

    @classmethod
    def of(cls, postback, table):
        text = subprocess.run([postback, "schema", table, "--dialect", "duckdb"], check=True, capture_output=True).stdout
        return cls(dict(re.findall(r"^  ([a-z0-9_]+) ([A-Z]+(?:\[\]|\(\d+, \d+\))?)", text.decode(), re.MULTILINE)))

    def typed(self, rows):
        """Rows of JSON as a table of Arrow. A value of another type is an error, and an object becomes its text."""
        if not rows:
            return self.schema.empty_table()
        texts = []
        if self.object:
            name, before, behind = self.object
            rows, all_rows = [], rows
            for row in all_rows:
                # All other values are scalars or texts, in which quotes are escaped, so that only an object has such bytes too.
                start = row.index(before) + len(before)
                end = start + 4 if row.startswith(b"null", start) else row.rindex(behind)
                texts.append(row[start:end] if end > start + 4 else None)
                rows.append(row if end == start + 4 else b"%bnull%b" % (row[:start], row[end:]))
        text = b"\n".join(rows)
        table = pyarrow.json.read_json(
            pyarrow.BufferReader(text), pyarrow.json.ReadOptions(use_threads=False, block_size=len(text) + 1),
            pyarrow.json.ParseOptions(explicit_schema=self.schema, unexpected_field_behavior="error"))
        if texts:
            place = self.schema.get_field_index(name)
            table = table.set_column(place, self.schema.field(place), pyarrow.array(texts, pyarrow.string()))
        return table


KEYS = Columns({"postback_key": "VARCHAR", "seen": "BOOLEAN", "content_digest": "BIGINT", "unsigned_fields": "BIGINT",
                "unsigned_number": "BIGINT"})


class Part:
    """The rows of a table that a task writes. Each attempt of a task has files of its own, of which the job takes one's."""

    def __init__(self, folder, table, columns):
        self.table, self.columns, self.name = table, columns, f"{table}-{uuid.uuid4().hex}"
        self.path = os.path.join(folder, self.name)
        self.rows, self.size, self.typed, self.group = [], 0, [], 0
        self.count, self.counts = 0, collections.Counter()
        self.lines = self.parquet = None

    def add(self, row):
        self.rows.append(row)
        self.size += len(row)
        if self.size >= TYPED:
            self.write()

    def write(self):
        """Writes the rows as JSON Lines, and types them."""
        if not self.lines:
            self.lines = open(f"{self.path}.jsonl", "xb")
            self.parquet = pyarrow.parquet.ParquetWriter(f"{self.path}.parquet", self.columns.schema)
        self.rows.append(b"")
        self.lines.write(b"\n".join(self.rows))
        self.rows.pop()
        self.typed.append(self.columns.typed(self.rows))
        self.group += len(self.rows)
        self.rows, self.size = [], 0
        if self.group >= GROUP:
            self.write_group()

    def write_group(self):
        """Writes the typed rows as Parquet, and counts them by value of some columns."""
        rows = pyarrow.concat_tables(self.typed or [self.columns.typed([])])
        self.parquet.write_table(rows)
        self.count += len(rows)
        if self.table in COUNTED:
            counts = rows.group_by(COUNTED[self.table]).aggregate([([], "count_all")]).to_pydict()
            for *values, count in zip(*counts.values()):
                self.counts[tuple(values)] += count
        self.typed, self.group = [], 0

    def end(self):
        """Completes the files, and returns their name, the number of rows, and that by value of some columns."""
        if self.rows:
            self.write()
        if self.lines:
            self.write_group()
            self.lines.close()
            self.parquet.close()
        return {"table": self.table, "name": self.name, "rows": self.count, "counts": [*map(list, self.counts.items())]}
