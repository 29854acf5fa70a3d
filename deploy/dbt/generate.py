#!/usr/bin/env python3
"""Writes the sources and the staging models of this package from the declaration of the tables, and the classes of reject codes.

    deploy/dbt/generate.py [POSTBACK] [--check]

POSTBACK is the command, by default the one in the path. With --check nothing is written, and the status is 1 if a file is not as
the declaration has it.
"""

import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
# Rows of these tables tell by their time of receipt how fresh the tables are.
FRESH = ["skan_postbacks", "skan_rejects"]


def quoted(text):
    """A text as a string of YAML, which takes those of JSON."""
    return json.dumps(text, ensure_ascii=False)


def declarations(postback):
    """For each table its schema, the SQL types of its columns, and its key."""
    schemas = json.loads(subprocess.check_output([postback, "schema"]))
    found = []
    for schema in schemas:
        table = schema["$id"].removesuffix(".schema.json")
        if table == "s2s_events":  # The receiver writes it beside the output.
            continue
        sql = subprocess.check_output([postback, "schema", table, "--dialect", "postgresql"], text=True)
        columns = re.findall(r"(?m)^  (\w+) (.+?)(?: NOT NULL)?,?$", sql.partition("\n);")[0])
        types = {name: kind for name, kind in columns if name != "PRIMARY"}
        if list(types) != schema["required"]:
            sys.exit(f"the dialects of postback schema differ for {table}")
        key = re.search(r"PRIMARY KEY \((\w+)\)", sql)
        found.append((table, schema, types, key and key[1]))
    return found


def sources(tables):
    yield "version: 2\n\nsources:\n  - name: postback\n"
    yield "    description: The views that postback schema --dialect duckdb --from prints, or the tables of a load into PostgreSQL.\n"
    yield "    schema: \"{{ var('postback_schema', 'main' if target.type == 'duckdb' else 'public') }}\"\n    tables:\n"
    for table, schema, _, _ in tables:
        yield f"      - name: {table}\n        description: {quoted(schema['description'])}\n"
        if table in FRESH:
            yield "        config:\n          loaded_at_field: received_at\n          freshness:\n"
            yield "            warn_after: {count: 24, period: hour}\n            error_after: {count: 72, period: hour}\n"


def staging(tables):
    yield "version: 2\n\nmodels:\n"
    keys = {key for table, _, _, key in tables if table == "skan_postbacks"}
    for table, schema, types, key in tables:
        yield f"  - name: stg_{table}\n    description: {quoted(schema['description'])}\n    columns:\n"
        for name, kind in types.items():
            value = schema["properties"][name]
            yield f"      - name: {name}\n        description: {quoted(value['description'])}\n        data_type: {quoted(kind)}\n"
            tests = ["unique"] if name == key else []
            if "null" not in value["type"]:
                tests.append("not_null")
            words = [word for word in value.get("enum", []) if word is not None]
            if words:
                tests.append(f"accepted_values:\n              arguments: {{values: {json.dumps(words)}}}")
            if name in keys and name != key:
                tests.append(f"relationships:\n              arguments: {{to: ref('stg_skan_postbacks'), field: {name}}}")
            if tests:
                yield "        data_tests:\n" + "".join(f"          - {test}\n" for test in tests)


def view(table, types):
    columns = ",\n".join(f"    cast({name} as {kind}) as {name}" for name, kind in types.items())
    return f"select\n{columns}\nfrom {{{{ source('postback', '{table}') }}}}\n"


def reject_classes(tables):
    """The macro with the class of each reject code, from the page that the tests hold against the program."""
    page = (FOLDER.parents[1] / "docs/reject-codes.md").read_text(encoding="utf-8")
    classes = {}
    for code, name in re.findall(r"(?m)^\| \w* ?\| `(\w+)` \| (\w+) \|", page):
        classes.setdefault(name, []).append(code)
    [codes] = [schema["properties"]["reject_code"]["enum"] for table, schema, _, _ in tables if table == "skan_rejects"]
    if sorted(codes) != sorted(code for codes in classes.values() for code in codes):
        sys.exit("docs/reject-codes.md has other codes than the schema of skan_rejects")
    yield "{# The class of a reject code: harmless copies, noise, or suspicious. #}\n{% macro reject_class(code) -%}\ncase\n"
    for name, codes in classes.items():
        quoted_codes = ", ".join(f"'{code}'" for code in codes)
        yield f"    when {{{{ code }}}} in ({quoted_codes}) then '{name}'\n"
    yield "end\n{%- endmacro %}\n"


def main(*arguments):
    checks = "--check" in arguments
    postback = next((argument for argument in arguments if argument != "--check"), "postback")
    tables = declarations(postback)
    files = {"models/staging/sources.yml": "".join(sources(tables)), "models/staging/staging.yml": "".join(staging(tables))}
    files |= {f"models/staging/stg_{table}.sql": view(table, types) for table, _, types, _ in tables}
    files["macros/reject_class.sql"] = "".join(reject_classes(tables))
    there = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("models/staging/*")}
    wrong = sorted(there - set(files))
    for name, text in files.items():
        path = FOLDER / name
        if checks:
            wrong += [] if path.exists() and path.read_text(encoding="utf-8") == text else [name]
        else:
            path.write_text(text, encoding="utf-8")
    if wrong:
        sys.exit(f"deploy/dbt: not as the tables are declared: {', '.join(wrong)}. Write them with deploy/dbt/generate.py.")
    print(f"deploy/dbt: {len(files)} files of {len(tables)} tables")


if __name__ == "__main__":
    main(*sys.argv[1:])
