#!/usr/bin/env python3
"""Writes Fixtures/forms: the postbacks of Fixtures/postbacks in every other form that is read.

Deterministic. Needs the commands gzip and zstd besides Python.
"""

import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FORMS = HERE / "forms"

LINES = [
    line
    for file in sorted((HERE / "postbacks").iterdir())
    for line in file.read_text("utf-8").splitlines()
]
POSTBACKS = [json.loads(line) for line in LINES]

# What a receiver may note around a postback: every key, some, none, a null. `None` stands for no envelope.
ENVELOPES = [
    {
        "received_at": "2026-11-01T10:00:00Z",
        "channel": "apple_direct",
        "forwarder": None,
        "remote_address": "192.0.2.1",
    },
    {
        "received_at": "2026-11-01T10:00:01.25+01:00",
        "channel": "network_forwarded",
        "forwarder": "network.example",
        "remote_address": "2001:db8::1",
    },
    None,
    {"received_at": "2026-11-01T10:00:03Z"},
    {},
]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def enveloped(index):
    envelope = ENVELOPES[index % len(ENVELOPES)]
    return LINES[index] if envelope is None else compact({**envelope, "body": POSTBACKS[index]})


def lines(some):
    return "".join(line + "\n" for line in some).encode()


def members(command):
    """Two compressed members behind each other, the first with the first half of the lines."""
    half = len(LINES) // 2
    return b"".join(
        subprocess.run(command, input=lines(part), capture_output=True, check=True).stdout
        for part in (LINES[:half], LINES[half:])
    )


def printed(index):
    """The postback with a list of objects, which are lines of their own where nothing is indented."""
    return {**POSTBACKS[index], "events": [{"name": "a"}, {}, {"transaction-id": "1", "list": [{"name": "b"}]}]}


FORMS.mkdir(exist_ok=True)
(FORMS / "array.json").write_text(json.dumps(POSTBACKS, ensure_ascii=False, indent=2) + "\n", "utf-8")
(FORMS / "objects.json").write_text("".join(json.dumps(printed(index), ensure_ascii=False, indent=0) for index in range(len(LINES))), "utf-8")
(FORMS / "array-compact.json").write_text(compact(POSTBACKS) + "\n", "utf-8")
(FORMS / "object.json").write_text(json.dumps(POSTBACKS[-1], ensure_ascii=False, indent=2) + "\n", "utf-8")
(FORMS / "envelopes.jsonl").write_bytes(lines(enveloped(index) for index in range(len(LINES))))
(FORMS / "lines.jsonl.gz").write_bytes(members(["gzip", "-n", "-9", "-c"]))
(FORMS / "lines.jsonl.zst").write_bytes(members(["zstd", "-q", "-19", "-c"]))
