#!/usr/bin/env python3
"""Reads an output with a directory for each day of receipt in DuckDB, and compares it with the rows of one without.

Usage: partitions_in_duckdb.py PARTITIONED PLAIN
"""

import sys

import duckdb

partitioned, plain = sys.argv[1:]
for table in ["skan_postbacks", "skan_events", "skan_rejects"]:
    rows = f"read_json('{partitioned}/{table}/*/*.jsonl', hive_partitioning = true, union_by_name = true)"
    whole = f"read_json('{plain}/{table}/*.jsonl', union_by_name = true)"
    columns = [row[0] for row in duckdb.sql(f"DESCRIBE SELECT * FROM {whole}").fetchall()]
    names = ", ".join(f'"{name}"::VARCHAR' for name in columns)
    counts = [duckdb.sql(f"SELECT count(*) FROM {source}").fetchall()[0][0] for source in [rows, whole]]
    differing = duckdb.sql(
        f"(SELECT {names} FROM {rows} EXCEPT ALL SELECT {names} FROM {whole})"
        f" UNION ALL (SELECT {names} FROM {whole} EXCEPT ALL SELECT {names} FROM {rows})"
    ).fetchall()
    if counts[0] != counts[1] or differing:
        sys.exit(f"{table}: {counts[0]} and {counts[1]} rows, {len(differing)} differ")
    if "received_at" in columns:
        wrong = duckdb.sql(f"SELECT count(*) FROM {rows} WHERE received_day::VARCHAR <> left(received_at::VARCHAR, 10)")
        if wrong.fetchall()[0][0]:
            sys.exit(f"{table}: rows are in the directory of another day")
    days = duckdb.sql(f"SELECT count(DISTINCT received_day) FROM {rows}").fetchall()[0][0]
    print(f"{table}: {counts[0]} rows of {days} days are the same")
