#!/usr/bin/env python3
"""Builds and tests the package of deploy/dbt over a real output, in DuckDB and in PostgreSQL.

    Tests/Warehouses/dbt_package.py [POSTBACK]

The package must be as the tables are declared. The staging models must have the declared types and all rows, all tests must pass, also
where the output has only the tables of a run, and must fail where a row is twice, a value is unknown or a sum is wrong. The marts must
have the same rows in both databases, the sums of the files, and agree with each other. The sources must be fresh, and stale where the
rows are old.
"""

import collections
import decimal
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import environment

environment.run_in_environment()

import duckdb  # noqa: E402
import psycopg2  # noqa: E402
import yaml  # noqa: E402

sys.path.append(str(environment.PROJECT / "Tests/PostgreSQL"))
from server import Server  # noqa: E402

MARTS = {"fct_postback": "postback_key", "fct_network_quality": "network_day_key", "fct_campaign_day": "campaign_day_key"}


class Package:
    """A copy of the package, and the databases in which it is built."""

    def __init__(self, postback, folder, server):
        self.postback, self.folder, self.server = postback, folder, server
        self.package = shutil.copytree(environment.PROJECT / "deploy/dbt", folder / "package")
        self.database = folder / "warehouse.duckdb"
        self.settings = {"POSTBACK_DUCKDB": str(self.database), "PGHOST": str(server.folder), "PGUSER": "loader"}

    def dbt(self, command, *arguments, target="duckdb", schema=None, **variables):
        """Runs a command of dbt; PostgreSQL has the tables in a schema, and the models in one that is named after it."""
        if schema is not None:
            variables["postback_schema"] = schema
        words = ["dbt", "--no-send-anonymous-usage-stats", "--no-use-colors", *command.split(), *arguments, "--target", target,
                 "--project-dir", self.package, "--profiles-dir", self.package, "--vars", json.dumps(variables)]
        settings = os.environ | self.settings | {"POSTBACK_DBT_SCHEMA": f"dbt_{schema}"}
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, env=settings)

    def statuses(self, name="run_results.json"):
        return [result["status"] for result in json.loads((self.package / "target" / name).read_text())["results"]]

    def build(self, *arguments, **options):
        """Builds models and runs their tests, which must all pass; returns the numbers of models and tests."""
        expect("build", self.dbt("build", *arguments, **options), True, "ERROR=0 SKIP=0")
        found = collections.Counter(self.statuses())
        if set(found) != {"success", "pass"}:
            sys.exit(f"build: {found}")
        return found["success"], found["pass"]

    def load_duckdb(self, out):
        script = subprocess.check_output([self.postback, "schema", "--dialect", "duckdb", "--from", out], text=True)
        self.in_duckdb(script)

    def load_postgresql(self, out, schema):
        subprocess.run([self.postback, "load", "postgres", out, "--dsn", self.server.dsn, "--schema", schema], check=True,
                       stdout=subprocess.DEVNULL)

    def in_duckdb(self, statements):
        with duckdb.connect(self.database) as connection:
            connection.execute("SET timezone = 'UTC'")
            return connection.execute(statements).fetchall()

    def in_postgresql(self, statements):
        with psycopg2.connect(self.server.dsn) as connection, connection.cursor() as cursor:
            cursor.execute("SET timezone = 'UTC'")
            cursor.execute(statements)
            return cursor.fetchall()


def expect(title, answer, status, wanted):
    if (answer.returncode == 0) != status or wanted not in answer.stdout:
        sys.exit(f"{title}: status {answer.returncode}\n{answer.stdout[-6000:]}{answer.stderr}")


def rows(out, table):
    for part in sorted((out / table).glob("part-*.jsonl")):
        for line in part.read_text(encoding="utf-8").splitlines():
            yield json.loads(line, parse_float=decimal.Decimal)


def check_staging(package, tables):
    for table in tables:
        count, staged = (package.in_duckdb(f"SELECT count(*) FROM {prefix}{table}") for prefix in ("", "stg_"))
        types, staged_types = (package.in_duckdb(f"SELECT column_name, column_type FROM (DESCRIBE {prefix}{table})")
                               for prefix in ("", "stg_"))
        if count != staged or types != staged_types:
            sys.exit(f"stg_{table} has {staged} rows, and {table} {count}, or another type: {set(types) ^ set(staged_types)}")


def check_marts(package, out):
    """Compares the marts of both databases, their documented columns, and their sums with the files of the output."""
    documented = yaml.safe_load((package.package / "models/marts/marts.yml").read_text())["models"]
    for model in documented:
        name = model["name"]
        columns = ", ".join(f'"{column["name"]}"' for column in model["columns"])
        found = [row[0] for row in package.in_duckdb(f"SELECT column_name FROM (DESCRIBE {name})")]
        if found != [column["name"] for column in model["columns"]]:
            sys.exit(f"{name} has the columns {found}, and marts.yml others")
        first = package.in_duckdb(f"SELECT {columns} FROM {name} ORDER BY {MARTS[name]}")
        second = package.in_postgresql(f'SELECT {columns} FROM dbt_campaigns.{name} ORDER BY {MARTS[name]} COLLATE "C"')
        if first != second or not first:
            different = [pair for pair in zip(first, second) if pair[0] != pair[1]]
            sys.exit(f"{name} has {len(first)} rows in DuckDB, and {len(second)} in PostgreSQL: {different[:1]}")

    daily = [row for row in rows(out, "skan_daily") if row["date_type"] == "install" and row["postback_sequence_index"] == 0]
    names = ["installs", "redownloads", "reengagements", "assists", "values", "nulls", "ambiguous_zeros", "revenue", "cost"]
    expected = tuple(sum(row[name] or 0 for row in daily) for name in names)
    [campaigns] = package.in_duckdb(f"SELECT {', '.join(f'sum({name})' for name in names)} FROM fct_campaign_day")
    if campaigns != expected or not all(expected):
        sys.exit(f"fct_campaign_day has {dict(zip(names, campaigns))}, and skan_daily {expected}")
    [[accepted, rejected]] = package.in_postgresql("SELECT sum(accepted)::bigint, sum(rejected)::bigint FROM dbt_campaigns.fct_network_quality")
    if [accepted, rejected] != [sum(1 for _ in rows(out, table)) for table in ("skan_postbacks", "skan_rejects")]:
        sys.exit(f"fct_network_quality has {accepted} accepted and {rejected} rejected records")

    # The same postbacks, added up from their rows and by postback daily.
    by = "network_name, app_id"
    counts = [f"count(*) FILTER (WHERE outcome = '{word}')" for word in ("install", "redownload", "reengagement", "lost")] + [
        f"count(*) FILTER (WHERE value_state IN ({words}) AND postback_sequence_index = 0)"
        for words in ("'fine', 'coarse'", "'null'", "'zero_or_null'")]
    single = package.in_duckdb(f"""
        SELECT {by}, {', '.join(counts)}, sum(revenue) FILTER (WHERE postback_sequence_index = 0)
        FROM fct_postback WHERE environment IN ('production', 'custom') GROUP BY ALL ORDER BY ALL""")
    added = package.in_duckdb(f"""
        SELECT {by}, {', '.join(f'sum({name})' for name in names[:-1])} FROM fct_campaign_day WHERE postbacks > 0 GROUP BY ALL ORDER BY ALL""")
    if single != added:
        sys.exit(f"fct_postback and fct_campaign_day differ: {[pair for pair in zip(single, added) if pair[0] != pair[1]][:1]}")
    return dict(zip(names, expected))


def check_reread(package, folder):
    """Each record counts once, in the class of the last decision, also after rejects were read again twice."""
    dump, out = folder / "reread.jsonl", folder / "reread"
    subprocess.run([package.postback, "generate", "--count", "3000", "--seed", "2", "--out", dump, "--keys", folder / "reread keys",
                    "--quiet"], check=True)
    keys = (folder / "reread keys").read_text().split()
    for inputs in ([dump, "--received-at", "2026-03-10"], ["--from-rejects", out, *keys[2:]], ["--from-rejects", out, *keys]):
        subprocess.run([package.postback, "run", *inputs, "--models", environment.PROJECT / "Fixtures/models", "--out", out, "--quiet"],
                       check=True, stderr=subprocess.DEVNULL)
    answer = json.loads(subprocess.check_output([package.postback, "rejects", out, "--json"]))
    if not sum(1 for _ in rows(out, "skan_rejects")) > 3000 > answer["rejects"]:
        sys.exit("no reject was read again")
    package.load_duckdb(out)
    package.load_postgresql(out, "reread")
    for target, schema in (("duckdb", None), ("postgres", "reread")):
        package.build(target=target, schema=schema)
    sums = "SELECT sum(records)::bigint, sum(copies)::bigint, sum(noise)::bigint, sum(suspicious)::bigint FROM "
    classes = answer["rejects_by_class"]
    expected = [(3000, classes["copies"], classes["noise"], classes["suspicious"])]
    for found in (package.in_duckdb(f"{sums} fct_network_quality"), package.in_postgresql(f"{sums} dbt_reread.fct_network_quality")):
        if found != expected:
            sys.exit(f"fct_network_quality counts {found} of records that were read again, and {expected} are right")
    print(f"rejects that were read again: {expected[0][0]} records count once")


def check_wrong_rows(package):
    """Tests must fail over wrong rows."""
    package.in_duckdb("INSERT INTO stg_skan_postbacks SELECT * REPLACE ('unknown' AS decode_status, NULL AS framework) FROM stg_skan_postbacks LIMIT 1")
    package.in_duckdb("UPDATE fct_campaign_day SET installs = installs + 1 WHERE campaign_day_key = (SELECT min(campaign_day_key) FROM fct_campaign_day)")
    answer = package.dbt("test")
    for test in ("unique_stg_skan_postbacks_postback_key", "not_null_stg_skan_postbacks_framework",
                 "accepted_values_stg_skan_postbacks_decode_status", "campaign_days_have_the_sums_of_skan_daily",
                 "postbacks_have_the_sums_of_skan_postbacks", "network_quality_has_each_record"):
        if not any("FAIL " in line and test in line for line in answer.stdout.splitlines()):
            sys.exit(f"{test} passes over a wrong row\n{answer.stdout[-4000:]}")


def check(postback, folder, server):
    package = Package(postback, folder, server)
    out = environment.make_campaigns(postback, folder, count=3000)
    networks = (folder / "campaigns/lookups/networks.csv").read_text().splitlines()[1:]
    variables = {"null_as_zero_networks": [line.split(",")[0] for line in networks if line.endswith(",true")]}
    package.load_duckdb(out)
    models, tests = package.build(**variables)
    tables = list(environment.of_output(postback))
    check_staging(package, tables)
    package.load_postgresql(out, "campaigns")
    if package.build(target="postgres", schema="campaigns", **variables) != (models, tests):
        sys.exit("PostgreSQL has other models or tests than DuckDB")
    sums = check_marts(package, out)
    package.build("--select", "fct_campaign_day", date_type="received")
    print(f"dbt build: {len(tables)} staging models and {len(MARTS)} marts, the same in DuckDB and PostgreSQL, {tests} tests pass in each")
    print(f"marts: {', '.join(f'{number} {name}' for name, number in sums.items())}, as in skan_daily and in fct_postback")

    # The rows of campaigns were received in the past.
    expect("freshness of old rows", package.dbt("source freshness"), False, "ERROR STALE")
    # Those of a dump without envelopes count as received when the file was written. Its output has no derived table.
    fresh = folder / "fresh"
    subprocess.run([postback, "generate", "--count", "500", "--seed", "9", "--out", folder / "new.jsonl", "--keys",
                    folder / "new keys", "--quiet"], check=True)
    environment.make_output(postback, fresh, folder / "new.jsonl", *(folder / "new keys").read_text().split(),
                            models=environment.PROJECT / "Fixtures/models")
    package.load_postgresql(fresh, "fresh")
    if package.build(target="postgres", schema="fresh") != (models, tests):
        sys.exit("PostgreSQL has other models or tests without derived tables")
    package.load_duckdb(fresh)
    if package.build() != (models, tests):
        sys.exit("DuckDB has other models or tests without derived tables")
    print("dbt build: all models of an output without derived tables")
    expect("freshness of new rows", package.dbt("source freshness"), True, "PASS freshness of postback.skan_postbacks")
    print(f"dbt source freshness: {', '.join(package.statuses('sources.json'))}")
    check_reread(package, folder)
    package.load_duckdb(out)
    package.build()
    check_wrong_rows(package)
    print("dbt test: a row that is twice, a null, an unknown word and wrong sums are found")


def main(postback):
    postback = os.path.abspath(postback)
    subprocess.run([environment.PROJECT / "deploy/dbt/generate.py", postback, "--check"], check=True)
    server = Server()
    try:
        with tempfile.TemporaryDirectory(prefix="dbt-") as temporary:
            check(postback, pathlib.Path(temporary), server)
    finally:
        server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:] or [environment.PROJECT / ".build/release/postback"])
