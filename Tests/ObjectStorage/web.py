#!/usr/bin/env python3
"""Runs over https:// and http:// inputs, with faults of the server: web.py POSTBACK."""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import server

POSTBACK = pathlib.Path(sys.argv[1]).resolve()
# No message and no table may have one of these.
SECRETS = ["hidden-token", "hidden-user", "secret/of+tests", "another-token", "session-token", "imds-token"]



class Runs:
    """Runs of the command into a new folder each."""

    def __init__(self, folder, keys, environment=None):
        self.folder, self.keys, self.number = folder, keys, 0
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)} | (environment or {})

    def run(self, *inputs, status=0, fresh=True, before=(), options=()):
        self.number += fresh
        words = [*before, POSTBACK, "run", *inputs, *self.keys, "--out", f"{self.folder}/out-{self.number}", "--json", *options]
        done = subprocess.run(words, capture_output=True, text=True, env=self.environment, timeout=300)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        for secret in SECRETS:
            assert secret not in done.stderr + done.stdout, done.stderr
        return json.loads(done.stdout) if status == 0 else done.stderr

    def lines(self):
        """The accepted rows. No table has a secret."""
        out = pathlib.Path(f"{self.folder}/out-{self.number}")
        text = "".join(file.read_text() for file in out.rglob("*.jsonl"))
        for secret in SECRETS:
            assert secret not in text
        return [line for file in sorted((out / "skan_postbacks").glob("*.jsonl")) for line in file.read_text().splitlines()]

    def rows(self):
        """The keys and the lines of the accepted rows."""
        rows = [json.loads(line) for line in self.lines()]
        return [(row["postback_key"], row["source_line"]) for row in rows]


def check_web(site, runs, dump, expected):
    address = f"{site.url}/web/dump.jsonl"
    site.objects["/web/dump.jsonl"] = dump
    site.objects["/web/dump.jsonl.gz"] = gzip.compress(dump)
    size = len(dump)

    assert runs.run(address)["accepted"] == len(expected) and runs.rows() == expected
    row = json.loads(runs.lines()[0])
    assert row["source_file"] == address and row["received_at_source"] == "file_mtime", row
    assert row["received_at"].startswith("2026-03-10T00:00:00"), row

    site.take()
    again = runs.run(address, fresh=False)
    assert (again["read"], again["known_inputs"]) == (0, 1)
    assert [request[2]["range"] for request in site.take()] == ["bytes=0-0"], "an input that has not changed is not read"

    site.versions["/web/dump.jsonl"] += 1
    again = runs.run(address, f"{address}.gz", fresh=False)
    assert (again["read"], again["known_inputs"]) == (0, 2), "the content decides, not the tag, the address or the compression"

    runs.run(f"{address}.gz")
    assert runs.rows() == expected

    # The user, the query and the fragment may be secrets: the rows and the messages have the rest.
    secret = address.replace("http://", "http://hidden-user:hidden-token@") + "?X-Amz-Signature=hidden-token#hidden-token"
    assert runs.run(secret)["accepted"] == len(expected) and runs.rows() == expected
    assert "404" in runs.run(secret.replace("dump", "none"), status=66)
    assert runs.run(f"{site.url}/web/moved", status=66)
    site.objects["/web/moved"] = b""
    site.faults["/web/moved"] = [("to", address)] * 2
    assert runs.run(f"{site.url}/web/moved")["accepted"] == len(expected)
    assert [warning["code"] for warning in runs.run(f"{site.url}/web/moved")["warnings"]][-1:] == ["no_record"]
    assert "403" in fault(site, runs, address, [("status", 403)], status=66)

    for faults in [
        ["slow_down", "refuse", None, "slow_down", "refuse"],
        [None, ("cut", size // 3), ("cut", size // 3), None],
        [None, ("cut", 0), ("cut", 1), "slow_down", "refuse"],
        [None, ("cut", size // 2), "whole"],
        [None, ("cut", size // 2), ("status", 500), "whole"],
        ["weak", "weak", None],
        [None, "chunked"],
    ]:
        fault(site, runs, address, faults)
        assert runs.rows() == expected, faults

    # Without a tag and a time, an object that has grown is read from its start.
    grown, path = f"{site.url}/web/grown.jsonl", "/web/grown.jsonl"
    site.objects[path] = dump[: dump.index(b"\n", 200_000) + 1]
    site.faults[path] = ["untagged"] * 9
    assert 0 < runs.run(grown)["accepted"] < len(expected)
    assert size > 400_000, "it has grown beyond the first bytes, which are kept"
    site.objects[path] = dump
    site.faults[path] = ["untagged"] * 9
    runs.run(grown, fresh=False)
    assert runs.rows() == expected
    site.faults.clear()

    message = fault(site, runs, address, [None, ("cut", size // 2), "change"], status=74)
    assert "has changed while it was read" in message, message
    site.objects["/web/dump.jsonl"] = dump
    assert runs.run(address, fresh=False)["known_inputs"] == 0
    assert runs.rows() == expected, "the next run continues behind what was committed"

    message = fault(site, runs, address, [None, ("length", 1000)] + [("length", 1000)] * 9, status=74)
    assert "contradicts itself" in message, message
    message = fault(site, runs, address, [("length", 1000), None], status=74)
    assert "contradicts itself" in message, message
    message = fault(site, runs, address, [None] + ["slow_down"] * 20, status=74)
    assert "503" in message and "continues where it stopped" in message, message
    site.faults.clear()


def check_tls(folder, keys, dump, expected):
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1"
    subprocess.run(
        [*command.split(), "-keyout", f"{folder}/tls.key", "-out", f"{folder}/tls.crt"], check=True, capture_output=True
    )
    site, plain = server.Site(tls=(f"{folder}/tls.crt", f"{folder}/tls.key")), server.Site()
    site.objects["/web/dump.jsonl"] = plain.objects["/web/dump.jsonl"] = dump
    message = Runs(f"{folder}/strangers", keys).run(f"{site.url}/web/dump.jsonl", status=66)
    assert "certificate" in message, message
    runs = Runs(f"{folder}/tls", keys, {"SSL_CERT_FILE": f"{folder}/tls.crt"})
    fault(site, runs, f"{site.url}/web/dump.jsonl", [None, ("cut", len(dump) // 2), ("cut", 100)])
    assert runs.rows() == expected
    message = fault(site, runs, f"{site.url}/web/dump.jsonl", [("to", f"{plain.url}/web/dump.jsonl")], status=66)
    assert "http" in message and not plain.requests, "a redirect never leads out of https"


def fault(site, runs, address, faults, **options):
    site.faults["/" + address.split("/", 3)[3]] = list(faults)
    return runs.run(address, **options)


def dump(folder):
    """A signed dump, the options that trust its keys, and the rows of a run over it as a file."""
    command = [POSTBACK, "generate", "--count", "10000", "--seed", "7", "--out", f"{folder}/dump.jsonl", "--keys", f"{folder}/keys"]
    subprocess.run([*command, "--quiet"], check=True)
    keys = pathlib.Path(f"{folder}/keys").read_text().split()
    runs = Runs(folder, keys)
    runs.run(f"{folder}/dump.jsonl")
    return pathlib.Path(f"{folder}/dump.jsonl").read_bytes(), keys, runs.rows()


def main():
    with tempfile.TemporaryDirectory() as folder:
        content, keys, expected = dump(folder)
        check_web(server.Site(), Runs(f"{folder}/web", keys), content, expected)
        check_tls(folder, keys, content, expected)
    print("https:// and http:// inputs give the rows of the same file")


if __name__ == "__main__":
    main()
