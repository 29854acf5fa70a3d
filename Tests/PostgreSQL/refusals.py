"""Checks of what a loader refuses, with its exit status and advice, and nothing half-loaded."""

import os, shutil, subprocess

from server import Server
from values import TABLES, hold


def refused(site, status, answer, output=None, schema=None, **options):
    """Fails unless a load is refused with this status and with this text in its only message."""
    errors = site.load(output or site.output, schema or site.new_schema(), *options.pop("options", ()), status=status, **options)
    hold(answer in errors, f"{errors!r} does not have {answer!r}")
    hold("secret" not in errors and "\\u{" not in errors, errors)


def count(site, schema):
    return site.server.sql(f"SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}'")


def refusals(site):
    """Passwords, roles, rights, other outputs and other tables are refused with their statuses."""
    folder = site.server.folder
    refused(site, 64, "PGPASSWORD", dsn=f"postgresql://loader:secret@localhost/postgres?host={folder}")
    refused(site, 64, "PGPASSWORD", dsn=f"{site.server.dsn} password=secret")
    addresses = site.work / "addresses"
    addresses.write_text(f"\n{site.server.dsn}\n\nhost=other\n")
    answer = site.postback("load", "postgres", site.output, "--dsn-file", addresses, status=64).stderr
    hold("The file has 2 lines" in answer, answer)
    refused(site, 74, "Start the server", dsn=f"host={site.work} user=loader dbname=postgres")
    refused(site, 65, "Create the database", dsn=f"host={folder} user=loader dbname=none")
    refused(site, 77, "Check the role", dsn=f"host={folder} user=nobody_at_all dbname=postgres")
    guarded = f"host={folder} user=guarded dbname=postgres"
    environment = {"PGPASSFILE": "/nonexistent"}
    refused(site, 77, "asks for a password", dsn=guarded, environment=environment)
    refused(site, 77, "Check the role", dsn=guarded, environment={**environment, "PGPASSWORD": "secret"})
    schema = site.new_schema()
    site.server.sql(f"CREATE SCHEMA {schema} AUTHORIZATION guarded")
    site.load(site.output, schema, dsn=guarded, environment={**environment, "PGPASSWORD": "open"})
    site.compare(schema, site.output)
    weak = f"host={folder} user=weak dbname=postgres"
    refused(site, 77, "The role needs CREATE", dsn=weak)
    refused(site, 77, "The role needs CREATE", schema=schema, dsn=weak)
    # With rights on the rows alone, tables that are there are loaded.
    site.server.sql(f"GRANT USAGE ON SCHEMA {schema} TO weak; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO weak")
    hold(site.load(site.output, schema, dsn=weak) == {}, "a load with rights on rows found rows")
    other = site.written("other", site.inputs[0])
    refused(site, 65, "were loaded from the output", output=other, schema=schema)
    refused(site, 66, "no state", output=site.work / "none")
    schema = site.new_schema()
    site.server.sql(f"CREATE SCHEMA {schema}; CREATE VIEW {schema}.skan_events AS SELECT 1")
    refused(site, 65, "is no table", schema=schema)
    hold(count(site, schema) == "0", "a refused load has made tables")
    site.server.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    refused(site, 65, "encoding LATIN1", dsn=f"host={folder} user=loader dbname=latin")
    standby = {"PGOPTIONS": "-c default_transaction_read_only=on"}
    refused(site, 65, "if the server is a standby, or turn default_transaction_read_only off", environment=standby)
    # A table that is locked is waited for, not for ever: the limit of the session is 30 s.
    damaged = site.work / "damaged"
    shutil.copytree(site.output, damaged)
    part = next((damaged / "skan_events").glob("part-*.jsonl"))
    text = bytearray(part.read_bytes())
    text[len(text) // 2 :][:1] = b""
    part.write_bytes(bytes(text[: len(text) // 2]) + b"\n\n" + bytes(text[len(text) // 2 + 2 :]))
    schema = site.new_schema()
    refused(site, 65, "do not have their checksum", output=damaged, schema=schema)
    hold(site.server.sql(f"SELECT count(*) FROM {schema}.skan_postbacks") == "0", "a load of a damaged part is half there")
    # A digit in rows behind the position of an earlier load, so that each line still is a row.
    later = site.written("damaged-later", site.inputs[0])
    schema = site.new_schema()
    site.load(later, schema)
    site.append(later, site.inputs[1])
    part = next((later / "skan_postbacks").glob("part-*.jsonl"), None) or next((later / "skan_postbacks").glob(".part-*"))
    head, mark, tail = part.read_bytes().rpartition(b'"skan_revenue":')
    part.write_bytes(head + mark + bytes([tail[0] ^ 1]) + tail[1:])
    before = site.count(schema, "skan_postbacks")
    refused(site, 65, f"{part.name}: The file is damaged", output=later, schema=schema)
    hold(site.count(schema, "skan_postbacks") == before, "a load of a damaged part is half there")


def migration(site):
    """A missing column, another type or a missing key names the ALTER TABLE, which --migrate runs."""
    schema = site.new_schema()
    tables = ["--tables", ",".join(TABLES)]
    statements = site.postback("schema", *TABLES, "--dialect", "postgresql").stdout
    site.server.sql(f"CREATE SCHEMA {schema}; SET search_path TO {schema}; {statements}")
    site.server.sql(
        f"ALTER TABLE {schema}.skan_postbacks DROP COLUMN model_id, DROP CONSTRAINT skan_postbacks_pkey,"
        " ADD COLUMN ours text DEFAULT 'ours';"
        f"ALTER TABLE {schema}.skan_events ALTER COLUMN event_count TYPE double precision"
    )
    errors = site.load(site.output, schema, *tables, status=65)
    wanted = [line.strip() for line in errors.split("\n") if line.startswith("  ALTER TABLE")]
    hold(len(wanted) == 6, f"six statements are missing in {errors}")
    for part in ['ADD COLUMN "model_id" text;', 'PRIMARY KEY ("postback_key");', 'TYPE numeric(20,1)', '"loaded_at"']:
        hold(any(part in line for line in wanted), f"{part} is missing in {errors}")
    hold(site.server.sql(f"SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}'") == "3", "something was changed")
    site.server.sql(f"CREATE VIEW {schema}.counted AS SELECT event_count FROM {schema}.skan_events")
    errors = site.load(site.output, schema, *tables, "--migrate", status=65)
    hold("view counted depends on column" in errors and "needs a column, drop it" in errors, errors)
    site.server.sql(f"DROP VIEW {schema}.counted")
    site.load(site.output, schema, *tables, "--migrate")
    kinds = site.server.sql(f"SELECT DISTINCT ours FROM {schema}.skan_postbacks")
    hold(kinds == "ours", "a column of the user was not kept")
    site.server.sql(f"ALTER TABLE {schema}.skan_postbacks DROP COLUMN ours")
    site.compare(schema, site.output)
    # A derived table gets its values again.
    site.load(site.output, schema)
    site.server.sql(f"ALTER TABLE {schema}.skan_daily DROP COLUMN installs")
    daily = site.load(site.output, schema, "--migrate")["skan_daily"]
    hold(daily["replacements"] == 1, f"{daily}")
    site.compare(schema, site.output, ["skan_daily"])
    # The statements themselves do the same.
    site.server.sql(f"SET client_min_messages TO error; DROP SCHEMA {schema} CASCADE; CREATE SCHEMA {schema}; SET search_path TO {schema}; {statements}")
    errors = site.load(site.output, schema, *tables, status=65)
    site.server.sql("\n".join(line for line in errors.split("\n") if line.startswith("  ALTER TABLE")))
    site.load(site.output, schema, *tables)
    site.compare(schema, site.output)


def disk_full(site):
    """A full disk of the server ends the load with 74 and leaves whole transactions; with room the rest follows."""
    folder = site.work / "small"
    folder.mkdir()
    mounted = os.getuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=150m,mode=755", "tmpfs", folder], capture_output=True
    ).returncode == 0
    if not mounted:
        print("  (left out: only root can mount a small disk)", end="")
        return
    server = None
    try:
        server = Server(folder)
        filler = folder / "filler"
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        filler.write_bytes(bytes(free - (600 << 10)))
        schema = site.new_schema()
        errors = site.load(site.output, schema, status=74, dsn=server.dsn)
        hold("Make room on the disk of the server" in errors, errors)
        filler.unlink()
        site.load(site.output, schema, dsn=server.dsn)
        real, site.server = site.server, server
        try:
            site.compare(schema, site.output, TABLES + site.derived(site.output))
        finally:
            site.server = real
    finally:
        if server is not None:
            server.stop()
        subprocess.run(["umount", folder], check=False)
