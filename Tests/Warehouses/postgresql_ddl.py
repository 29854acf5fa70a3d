#!/usr/bin/env python3
"""Executes the statements of postback schema --dialect postgresql in PostgreSQL, and compares the tables with the declaration.

    Tests/Warehouses/postgresql_ddl.py [POSTBACK]

Types, nullability, keys and comments of all columns are compared with the JSON Schemas, and CSV is loaded as docs/tables.md says.
The server is Debian's, in a temporary folder; it is installed if it is missing.
"""

import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import environment

TYPES = {"string": {"text", "timestamp with time zone", "date"}, "integer": {"bigint"}, "number": {"numeric"},
         "boolean": {"boolean"}, "array": {"ARRAY", "json"}, "object": {"json"}}
FORMATS = {"date-time": "timestamp with time zone", "date": "date"}


def programs():
    """The folder with the programs of the server, which is installed if it is missing."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if not found:
        as_root = [] if os.geteuid() == 0 else ["sudo"]
        subprocess.run([*as_root, "apt-get", "update", "-qq"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-qq", "-y", "--no-install-recommends",
                        "postgresql"], check=True, stdout=subprocess.DEVNULL)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return pathlib.Path(found[-1]).parent


class Server:
    """A server of PostgreSQL in a folder, that is reached by a socket there."""

    def __init__(self, folder):
        self.folder, self.programs = folder, programs()
        # The server refuses to run as root.
        self.user = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(folder, "nobody")
        self.run("initdb", "--pgdata", folder / "data", "--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--no-sync")
        self.run("pg_ctl", "--pgdata", folder / "data", "--log", folder / "log", "--wait", "start", "--options",
                 f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off")

    def run(self, program, *arguments):
        subprocess.run([*self.user, self.programs / program, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def stop(self):
        self.run("pg_ctl", "--pgdata", self.folder / "data", "--mode", "immediate", "stop")

    def query(self, sql):
        """The rows that statements return, as lists of values of JSON."""
        command = ["psql", "--host", self.folder, "--username", "postgres", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                   "--set", "ON_ERROR_STOP=1"]
        text = subprocess.run(command, input=sql, check=True, capture_output=True, text=True).stdout
        return [json.loads(line) for line in text.splitlines() if line]


def check_tables(server, schemas):
    rows = server.query("""
        SELECT json_build_array(table_name, column_name, data_type, is_nullable = 'YES',
          numeric_scale, col_description(format('public.%I', table_name)::regclass, ordinal_position),
          obj_description(format('public.%I', table_name)::regclass))
        FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position""")
    found = {}
    for table, column, kind, nullable, scale, comment, description in rows:
        found.setdefault(table, {})[column] = (kind, nullable, scale, comment, description)
    if set(found) != set(schemas):
        sys.exit(f"the tables are {sorted(found)}")
    for table, schema in schemas.items():
        if list(found[table]) != schema["required"]:
            sys.exit(f"{table} has the columns {list(found[table])}")
        for name, (kind, nullable, scale, comment, description) in found[table].items():
            value = schema["properties"][name]
            types = [value["type"]] if isinstance(value["type"], str) else value["type"]
            if kind not in TYPES[types[0]] or FORMATS.get(value.get("format"), kind) != kind or nullable != ("null" in types):
                sys.exit(f"{table}.{name} is {kind}, nullable {nullable}, and {value} is declared")
            if kind == "numeric" and not scale:
                sys.exit(f"{table}.{name} is a number without digits after the point")
            if not comment.startswith(value["description"].replace("`", "")) or description != schema["description"].replace("`", ""):
                sys.exit(f"{table}.{name} has the comment {comment}")
    return len(rows)


def main(postback):
    postback = os.path.abspath(postback)
    schemas = environment.declared(postback)
    with tempfile.TemporaryDirectory(prefix="postgresql-") as temporary:
        folder = pathlib.Path(temporary)
        folder.chmod(0o755)
        (folder / "server").mkdir()
        server = Server(folder / "server")
        try:
            server.query(subprocess.check_output([postback, "schema", "--dialect", "postgresql"], text=True))
            columns = check_tables(server, schemas)
            subprocess.run([postback, "generate", "--count", "3000", "--seed", "1", "--out", folder / "dump.jsonl", "--keys", folder / "keys",
                            "--quiet"], check=True)
            environment.make_output(postback, folder / "out", folder / "dump.jsonl", "--format", "csv", *(folder / "keys").read_text().split(),
                                    models=environment.PROJECT / "Fixtures/models")
            status = json.loads(subprocess.check_output([postback, "status", folder / "out", "--json"]))
            for table in ("skan_events", "skan_rejects"):
                [path] = (folder / "out" / table).glob("part-*.csv")
                server.query(f"\\copy {table} FROM '{path}' CSV HEADER\n")
                [[count]] = server.query(f"SELECT json_build_array(count(*)) FROM {table}")
                if count != status["rows"][table] or not count:
                    sys.exit(f"{count} rows of {table} were loaded, and there are {status['rows'][table]}")
        finally:
            server.stop()
    print(f"PostgreSQL: {len(schemas)} tables with {columns} columns are as they are declared, and CSV loads")


if __name__ == "__main__":
    main(*sys.argv[1:] or [environment.PROJECT / ".build/release/postback"])
