"""The tables of a batch as tasks write them: each row in JSON Lines, as `postback` wrote it, and typed in Parquet."""

import collections
import os
import re
import subprocess
import uuid

import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

TABLES = ("skan_postbacks", "skan_events", "skan_rejects")
COUNTED = {"skan_postbacks": ["decode_status"], "skan_rejects": ["stage", "reject_code"]}
KEYS = pyarrow.schema({"postback_key": pyarrow.string(), "content_digest": pyarrow.int64(),
                       "unsigned_fields": pyarrow.int64(), "unsigned_number": pyarrow.int64()})
# So many bytes of rows are typed at once, and so many rows are a row group of Parquet.
TYPED, GROUP = 2 << 20, 1 << 16


def columns_of(postback, table):
    """The columns of a table, typed as Spark's SQL declares them."""
    types = {"STRING": pyarrow.string(), "BIGINT": pyarrow.int64(), "BOOLEAN": pyarrow.bool_(),
             "TIMESTAMP": pyarrow.timestamp("us", "UTC"), "ARRAY<STRING>": pyarrow.list_(pyarrow.string())}
    text = subprocess.run([postback, "schema", table, "--dialect", "spark"], check=True, capture_output=True).stdout
    declared = re.findall(r"^  ([a-z0-9_]+) ([A-Z]+(?:<\w+>|\(\d+, \d+\))?)", text.decode(), re.MULTILINE)
    return pyarrow.schema({name: pyarrow.decimal128(*map(int, re.findall(r"\d+", kind))) if "(" in kind else types[kind]
                           for name, kind in declared})


def from_csv(schema, csv):
    """Rows of CSV as a table of Arrow. A value of another type is an error."""
    lists = [field for field in schema if pyarrow.types.is_list(field.type)]
    rows = pyarrow.csv.read_csv(
        pyarrow.BufferReader(csv),
        pyarrow.csv.ReadOptions(use_threads=False, block_size=len(csv) + 1, column_names=schema.names),
        pyarrow.csv.ParseOptions(newlines_in_values=True),
        pyarrow.csv.ConvertOptions(
            column_types={field.name: pyarrow.string() if field in lists else field.type for field in schema},
            null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False))
    for field in lists:
        words = pyarrow.compute.split_pattern(rows[field.name], ";")
        rows = rows.set_column(schema.get_field_index(field.name), field, words)
    return rows


class Part:
    """The rows of a table that a task writes. Each attempt of a task has files of its own, of which the job takes one's."""

    def __init__(self, folder, table, schema):
        self.table, self.schema, self.name = table, schema, f"{table}-{uuid.uuid4().hex}"
        self.path = os.path.join(folder, self.name)
        self.texts, self.size, self.group, self.waiting = [], 0, [], 0
        self.count, self.counts = 0, collections.Counter()
        self.lines = self.parquet = None

    def open(self):
        self.lines = open(f"{self.path}.jsonl", "xb")
        self.parquet = pyarrow.parquet.ParquetWriter(f"{self.path}.parquet", self.schema)

    def write(self, lines, csv):
        """Writes rows: as JSON Lines, and as the CSV of which they are typed."""
        if not self.lines:
            self.open()
        self.lines.write(lines)
        self.texts.append(csv)
        self.size += len(csv)
        if self.size >= TYPED:
            self.type_rows()
        if self.waiting >= GROUP:
            self.write_group()

    def type_rows(self):
        self.group.append(from_csv(self.schema, b"".join(self.texts)))
        self.waiting += len(self.group[-1])
        self.texts, self.size = [], 0

    def write_group(self):
        """Writes the typed rows as Parquet, and counts them by value of some columns."""
        rows = pyarrow.concat_tables(self.group)
        self.parquet.write_table(rows)
        self.count += len(rows)
        if self.table in COUNTED:
            counts = rows.group_by(COUNTED[self.table]).aggregate([([], "count_all")]).to_pydict()
            for *values, count in zip(*counts.values()):
                self.counts[tuple(values)] += count
        self.group, self.waiting = [], 0

    def end(self):
        """Completes the files, and returns their name, the number of rows, and that by value of some columns."""
        if self.texts:
            self.type_rows()
        if self.group:
            self.write_group()
        if self.lines:
            self.lines.close()
            self.parquet.close()
        return {"table": self.table, "name": self.name, "rows": self.count, "counts": [*map(list, self.counts.items())]}
