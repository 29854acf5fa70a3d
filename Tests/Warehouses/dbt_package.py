#!/usr/bin/env python3
"""Builds and tests the package of deploy/dbt over a real output, with dbt-duckdb from PyPI.

    Tests/Warehouses/dbt_package.py [POSTBACK]

The package must be as the tables are declared. The staging views must have the declared types and all rows, all their tests
must pass, and must fail where a row is twice or a value is unknown. The sources must be fresh, and stale where the rows are old.
"""

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


def main(postback):
    postback = os.path.abspath(postback)
    subprocess.run([environment.PROJECT / "deploy/dbt/generate.py", postback, "--check"], check=True)
    with tempfile.TemporaryDirectory(prefix="dbt-") as temporary:
        folder = pathlib.Path(temporary)
        package = shutil.copytree(environment.PROJECT / "deploy/dbt", folder / "package")
        database = folder / "warehouse.duckdb"
        (folder / "profiles.yml").write_text(
            f"postback:\n  target: dev\n  outputs:\n    dev: {{type: duckdb, path: {json.dumps(str(database))}, schema: main}}\n"
        )

        def dbt(*arguments):
            command = ["dbt", "--no-send-anonymous-usage-stats", "--no-use-colors", *arguments, "--project-dir", package,
                       "--profiles-dir", folder]
            return subprocess.run(command, cwd=folder, capture_output=True, text=True)

        def results(name):
            return [result["status"] for result in json.loads((package / "target" / name).read_text())["results"]]

        def load(out):
            script = subprocess.check_output([postback, "schema", "--dialect", "duckdb", "--from", out], text=True)
            with duckdb.connect(database) as connection:
                connection.execute(script)

        def expect(title, answer, status, wanted):
            if (answer.returncode == 0) != status or wanted not in answer.stdout:
                sys.exit(f"{title}: status {answer.returncode}\n{answer.stdout[-6000:]}{answer.stderr}")

        out = environment.make_campaigns(postback, folder, count=3000)
        load(out)
        expect("build", dbt("build"), True, "ERROR=0")
        statuses = results("run_results.json")
        if set(statuses) != {"success", "pass"}:
            sys.exit(f"build: {sorted(set(statuses))}")
        with duckdb.connect(database) as connection:
            tables = list(environment.of_output(postback))
            for table in tables:
                count, staged = (connection.execute(f"SELECT count(*) FROM {prefix}{table}").fetchone()[0] for prefix in ("", "stg_"))
                types, staged_types = (connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE {prefix}{table})").fetchall()
                                       for prefix in ("", "stg_"))
                if count != staged or types != staged_types:
                    sys.exit(f"stg_{table} has {staged} rows, and {table} {count}, or another type: {set(types) ^ set(staged_types)}")
            rows = connection.execute("SELECT count(*) FROM stg_skan_postbacks").fetchone()[0]
        print(f"dbt build: {len(tables)} views over {rows} postbacks, {statuses.count('pass')} tests pass")

        # The rows of campaigns were received in the past.
        expect("freshness of old rows", dbt("source", "freshness"), False, "ERROR STALE")
        # Those of a dump without envelopes count as received when the file was written.
        fresh = folder / "fresh"
        subprocess.run([postback, "generate", "--count", "500", "--seed", "9", "--out", folder / "new.jsonl", "--keys",
                        folder / "new keys", "--quiet"], check=True)
        environment.make_output(postback, fresh, folder / "new.jsonl", *(folder / "new keys").read_text().split(),
                                models=environment.PROJECT / "Fixtures/models")
        load(fresh)
        expect("freshness of new rows", dbt("source", "freshness"), True, "PASS freshness of postback.skan_postbacks")
        print(f"dbt source freshness: {', '.join(results('sources.json'))}")

        with duckdb.connect(database) as connection:
            connection.execute("CREATE TABLE copy AS SELECT * FROM skan_postbacks")
            connection.execute("INSERT INTO copy SELECT * REPLACE ('unknown' AS decode_status, NULL AS framework) FROM copy LIMIT 1")
            connection.execute("CREATE OR REPLACE VIEW skan_postbacks AS SELECT * FROM copy")
        answer = dbt("test", "--select", "stg_skan_postbacks")
        for test in ("unique_stg_skan_postbacks_postback_key", "not_null_stg_skan_postbacks_framework", "accepted_values_stg_skan_postbacks_decode_status"):
            if not any("FAIL 1 " in line and test in line for line in answer.stdout.splitlines()):
                sys.exit(f"{test} passes over a wrong row\n{answer.stdout[-4000:]}")
        print("dbt test: a row that is twice, a null and an unknown word are found")


if __name__ == "__main__":
    main(*sys.argv[1:] or [environment.PROJECT / ".build/release/postback"])
