"""A Python environment with the packages of requirements.txt and of the dbt package, and outputs of postback to load.

The environment is made in a temporary folder, or once in the folder that POSTBACK_TEST_CACHE names.
"""

import fcntl
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import venv

PROJECT = pathlib.Path(__file__).resolve().parents[2]
REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")


def run_in_environment():
    """Runs the script again with the Python of the environment, unless it is the one that runs."""
    if os.environ.get("POSTBACK_TEST_PYTHON") == sys.prefix:
        return
    pinned = b"".join(path.read_bytes() for path in (REQUIREMENTS, PROJECT / "deploy/dbt/requirements.txt"))
    digest = hashlib.sha256(pinned + sys.version.encode()).hexdigest()[:16]
    cache = os.environ.get("POSTBACK_TEST_CACHE")
    with tempfile.TemporaryDirectory(prefix="warehouses-") as temporary:
        folder = pathlib.Path(cache or temporary) / f"python-{digest}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with open(f"{folder}.lock", "w", encoding="utf-8") as lock:
            # Scripts that run beside each other make it once.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "complete").exists():
                venv.create(folder, with_pip=True, clear=True)
                subprocess.run(
                    [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS],
                    check=True,
                )
                (folder / "complete").touch()
        environment = os.environ | {"POSTBACK_TEST_PYTHON": str(folder), "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        sys.exit(subprocess.run([folder / "bin/python", *sys.argv], env=environment).returncode)


# Tables that the receiver writes: they have a view only where it writes into the output.
OUTSIDE = {"s2s_events"}


def declared(postback):
    """The JSON Schemas of all tables, by name."""
    schemas = json.loads(subprocess.check_output([postback, "schema"]))
    return {schema["$id"].removesuffix(".schema.json"): schema for schema in schemas}


def of_output(postback):
    """The JSON Schemas of the tables that have views."""
    return {name: schema for name, schema in declared(postback).items() if name not in OUTSIDE}


def make_output(postback, out, dump, *options, models=None):
    """Runs postback over a dump; prints its complaint if it fails."""
    models = ["--models", models] if models else []
    subprocess.run([postback, "run", dump, "--out", out, "--quiet", *models, *options], check=True)


def make_campaigns(postback, folder, count=6000):
    """An output with all derived tables, in parts of 1 MB."""
    made = folder / "campaigns"
    subprocess.run(
        [postback, "generate", "--count", str(count), "--seed", "3", "--campaigns", "20", "--cost", "--reporting", made,
         "--out", folder / "dump.jsonl", "--keys", folder / "keys", "--quiet"],
        check=True,
    )
    keys = (folder / "keys").read_text().split()
    out = folder / "campaigns out"
    make_output(postback, out, folder / "dump.jsonl", "--part-bytes", "1000000", *keys, models=made / "models")
    for command in (["enrich"], ["settle"], ["daily", "--cost", made / "cost.csv", "--environment", "production,custom"]):
        subprocess.run([postback, *command, out, "--lookups", made / "lookups", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return out


# Members that a sender adds to a postback, to be taken for columns of the table or to break the loading.
HOSTILE = [
    r'"skan_revenue":5.55,"a":1.10,"big":12345678901234567890.125,"n":1e999',
    r'"a":{"b":"},\"source_file\":\"evil\",\"source_line\":9}"},"c":[{"d":{"e":"}"}}]',
    r'"extras":{"extras":{"a":1}},"source_file":"evil","source_line":9',
    r'"q":",","},":1,"y":"{","]}":[{"}":"]"}]',
    r'"x":"\ud800","\udfff":1,"z":"a\u0000b","u":"é😀\u2028\u0085"',
    r'"deep":' + "[" * 50 + "]" * 50,
    r'"s" : { "a" :  1.50 , "b":[ ] }, "esc":"\/\b\f\n\r\t\"\\", "sql":"'"'"'; DROP TABLE x; --\n.shell id"',
]


def hostile_dump(folder):
    """Writes Apple's postbacks with hostile unsigned members, and returns all hostile files."""
    lines = [
        line.strip()
        for path in sorted((PROJECT / "Fixtures/postbacks").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    path = folder / "it's hostile, \"really\".jsonl"
    path.write_text("".join(f"{line[:-1]},{HOSTILE[number % len(HOSTILE)]}}}\n" for number, line in enumerate(lines)), encoding="utf-8")
    return [path, *sorted((PROJECT / "Fixtures/hostile").glob("*.jsonl"))]


def wait_until(text, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{text} did not happen in {seconds} s")
        time.sleep(0.05)
