#!/usr/bin/env python3
"""Parses the statements of postback schema with sqlglot, for the dialects of which no server is at hand, and compares the columns.

    Tests/Warehouses/dialects.py [POSTBACK]

Each statement must be one that sqlglot understands in its dialect, and each column must have the type that its JSON Schema asks for.
"""

import os
import re
import subprocess
import sys

import environment

environment.run_in_environment()

import sqlglot  # noqa: E402
from sqlglot import expressions  # noqa: E402

# For each kind of value its type, as sqlglot writes it in the dialect.
TYPES = {
    "spark": {"text": "STRING", "list": "ARRAY<STRING>", "object": "STRING", "integer": "BIGINT", "number": "DECIMAL", "boolean": "BOOLEAN",
              "date": "DATE", "date-time": "TIMESTAMP"},
    "bigquery": {"text": "STRING", "list": "ARRAY<STRING>", "object": "JSON", "integer": "INT64", "number": "(BIG)?NUMERIC",
                 "boolean": "BOOL", "date": "DATE", "date-time": "TIMESTAMP"},
    "clickhouse": {"text": "String", "list": "Array\\(LowCardinality\\(String\\)\\)", "object": "String", "integer": "Int64",
                   "number": "Decimal", "boolean": "Bool", "date": "Date32", "date-time": "DateTime64\\(3, 'UTC'\\)"},
    "snowflake": {"text": "VARCHAR", "list": "ARRAY", "object": "VARIANT", "integer": "DECIMAL\\(19, 0\\)", "number": "DECIMAL",
                  "boolean": "BOOLEAN", "date": "DATE", "date-time": "TIMESTAMPTZ\\(3\\)"},
    "redshift": {"text": "VARCHAR\\((256|65535)\\)", "list": "VARCHAR\\(65535\\)", "object": "SUPER", "integer": "BIGINT", "number": "DECIMAL",
                 "boolean": "BOOLEAN", "date": "DATE", "date-time": "TIMESTAMP WITH TIME ZONE"},
}


def kind(value):
    """The kind of a value of JSON."""
    types = [value["type"]] if isinstance(value["type"], str) else value["type"]
    if types[0] == "array":
        return "object" if "object" in str(value["items"]) else "list"
    return value.get("format", "text") if types[0] == "string" else types[0]


def check(dialect, text, schemas):
    tables, comments, copies = {}, set(), 0
    loads = re.findall("(?m)^-- (COPY .*)", text)
    for statement in sqlglot.parse("\n".join([text, *loads]), dialect=dialect, error_level=sqlglot.ErrorLevel.RAISE):
        if isinstance(statement, expressions.Create):
            tables[statement.this.this.name] = statement
        elif isinstance(statement, expressions.Comment):
            comments.add(statement.this.sql(dialect))
        elif isinstance(statement, expressions.Copy):
            copies += 1
        elif statement is not None and not isinstance(statement, expressions.Semicolon):
            sys.exit(f"{dialect}: {statement.sql()[:200]} is not understood")
    if set(tables) != set(schemas) or copies != len(loads) or len(loads) not in (0, len(schemas)):
        sys.exit(f"{dialect}: the tables are {sorted(tables)}, and {copies} of {len(loads)} statements load them")
    columns = 0
    for name, schema in schemas.items():
        found = {column.name.lower(): column for column in tables[name].find_all(expressions.ColumnDef)}
        if list(found) != schema["required"]:
            sys.exit(f"{dialect}: {name} has the columns {list(found)}")
        for column, value in schema["properties"].items():
            declared = found[column].kind.sql(dialect)
            # Those of ClickHouse that may be null, and those with few words, are within others.
            if not re.match(f"(LowCardinality\\(|Nullable\\()*{TYPES[dialect][kind(value)]}", declared):
                sys.exit(f"{dialect}: {name}.{column} is {declared}, and {value} is declared")
        columns += len(found)
    if comments and len(comments) != columns + len(schemas):
        sys.exit(f"{dialect}: {len(comments)} comments of {columns} columns")
    print(f"{dialect}: {len(tables)} tables with {columns} columns are understood, and {copies} statements that load them")


def main(postback):
    postback = os.path.abspath(postback)
    schemas = environment.declared(postback)
    for dialect in TYPES:
        check(dialect, subprocess.check_output([postback, "schema", "--dialect", dialect], text=True), schemas)


if __name__ == "__main__":
    main(*sys.argv[1:] or [environment.PROJECT / ".build/release/postback"])
