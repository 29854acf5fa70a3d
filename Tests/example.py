#!/usr/bin/env python3
"""Builds the example package, which uses the library products alone, runs it, and checks what it prints and links.

    Tests/example.py

The states that it prints of Fixtures/postbacks are compared with postbacks.truth.jsonl. Every line of a Swift block in
docs/library.md must stand in the source of the example. The program must not link the libraries of the pipeline.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "Tests" / "Example"
SCRATCH = ROOT / ".build" / "example"
NOT_LINKED = ["sqlite3", "libz.", "libzstd", "xxhash", "microhttpd"]


def build():
    subprocess.check_call(["swift", "build", "--package-path", EXAMPLE, "--scratch-path", SCRATCH, "--quiet"], cwd=ROOT)
    return SCRATCH / "debug" / "verify", SCRATCH / "debug" / "shortest"


def run(program, *arguments, given=""):
    return subprocess.check_output([program, *arguments], cwd=ROOT, text=True, input=given)


def wrong_states(program):
    """Sentences for the postbacks whose printed state is not that of the list of truth."""
    expected = {}
    for line in (ROOT / "Fixtures" / "postbacks.truth.jsonl").read_text().splitlines():
        truth = json.loads(line)
        expected.setdefault(truth["file"], {})[truth["line"]] = truth["signature_state"]
    for name, states in sorted(expected.items()):
        printed = run(program, f"Fixtures/postbacks/{name}", "Fixtures/models")
        found = [line.split(",")[0] for line in printed.splitlines() if not line.startswith(" ")]
        if found != [states[line] for line in sorted(states)]:
            yield f"the example finds other states in {name}: {', '.join(found)}"


def wrong_forgeries(program):
    """Sentences for forgeries and broken texts that the example believes."""
    for name in ["signed-field-changed.jsonl", "signature-swapped.jsonl", "missing-field.jsonl", "not-a-postback.jsonl"]:
        if "postback key" in run(program, f"Fixtures/hostile/{name}", "Fixtures/models"):
            yield f"the example believes a line of {name}"


def wrong_verdicts(program):
    """Sentences for wrong verdicts of the shortest program."""
    genuine = (ROOT / "Fixtures" / "postbacks" / "skadnetwork-3.0.jsonl").read_text().splitlines()[0]
    for json_text, expected in [
        (genuine, "genuine: app 525463029, signed with apple-cas-identifier/0\n"),
        (genuine.replace("525463029", "525463028"), "rejected: No trusted key signed this"),
    ]:
        printed = run(program, given=json_text)
        if not printed.startswith(expected):
            yield f"the shortest example prints {printed}"


def wrong_page(program):
    """Sentences for lines of docs/library.md that are not in the example, or that it does not print."""
    page = (ROOT / "docs" / "library.md").read_text()
    source = "\n".join(path.read_text() for path in EXAMPLE.rglob("*.swift") if ".build" not in path.parts)
    lines = {line.strip() for line in source.splitlines()}
    for block in re.findall(r"^```swift\n(.*?)^```", page, re.M | re.S):
        for line in filter(None, map(str.strip, block.splitlines())):
            if line not in lines:
                yield f"docs/library.md has a line of Swift that is not in the example: {line}"
    for shown in re.findall(r"^```text\n(valid.*?)^```", page, re.M | re.S):
        printed = run(program, "Fixtures/postbacks/skadnetwork-4.0.jsonl", "Fixtures/models", "2026-03-10T00:00:00Z")
        if shown not in printed:
            yield f"docs/library.md shows what the example does not print:\n{shown}"


def wrong_libraries(program):
    """Sentences for libraries that the program needs and the library products must not."""
    needed = run("readelf", "--dynamic", "--wide", program)
    for name in NOT_LINKED:
        if name in needed:
            yield f"the example links {name}"


def main():
    verify, shortest = build()
    wrong = [
        *wrong_states(verify), *wrong_forgeries(verify), *wrong_verdicts(shortest), *wrong_page(verify),
        *wrong_libraries(verify), *wrong_libraries(shortest),
    ]
    if wrong:
        sys.exit("example: " + "\n".join(wrong))
    print("example: the library products verify and decode the postbacks of Fixtures, with no library of the pipeline")


if __name__ == "__main__":
    main()
