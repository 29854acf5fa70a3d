#!/usr/bin/env python3
"""Compiles the client as an app compiles it: with Apple's frameworks, and without the modules that only Linux has.

    Tests/Client/apple.py [POSTBACK]     the built command, .build/release/postback by default

Tests/Client/Apple declares of the frameworks what the client uses, as Apple documents it. Each use of a declaration in
ApplePostbacks.swift is compared with the version of iOS that the declaration names: it must be inside an availability check or
attribute of that version or a later one. The Swift of docs/client.md must stand in the example that Tests/example.py builds, and
the example must get its values from a server and keep its state.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
APPLE = ROOT / "Tests" / "Client" / "Apple"
SOURCES = sorted((ROOT / "Sources" / "ConversionClient").rglob("*.swift"))
FEATURES = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
# Each use, and the version of iOS in which Apple introduced it; the package is for iOS 15.
INTRODUCED = {
    r"SKAdNetwork\.updateConversionValue\(": (15, 0),
    r"SKAdNetwork\.updatePostbackConversionValue\(values\.fineValue\)": (15, 4),
    r"SKAdNetwork\.updatePostbackConversionValue\($": (16, 1),
    r"SKAdNetwork\.CoarseConversionValue": (16, 1),
    r"Postback\.updateConversionValue\($": (17, 4),
    r"Postback\.updateConversionValue\(values": (17, 4),
    r"AdAttributionKit\.CoarseConversionValue": (17, 4),
    r"Postback\.isSupported": (18, 0),
    r"Postback\.updateConversionValue\(postbackUpdate": (18, 0),
    r"PostbackUpdate\(": (18, 0),
    r"PostbackUpdate\.ConversionType": (18, 0),
    r"conversionTag:": (18, 4),
}


def compiled():
    """Compiles the sources without ConversionModel, against the declarations of Apple's frameworks."""
    features = [argument for name in FEATURES for argument in ("-enable-upcoming-feature", name)]
    options = ["-swift-version", "6", "-warnings-as-errors"]
    with tempfile.TemporaryDirectory(prefix="client-") as folder:
        for framework in ["StoreKit", "AdAttributionKit"]:
            subprocess.check_call(
                ["swiftc", *options, "-emit-module", "-module-name", framework, "-parse-as-library"]
                + ["-emit-module-path", f"{folder}/{framework}.swiftmodule", APPLE / f"{framework}.swift"]
            )
        for declarations in [["-D", "POSTBACK_APPLE_DECLARATIONS", "-I", folder], []]:
            subprocess.check_call(
                ["swiftc", *options, *features, "-strict-memory-safety", "-typecheck", "-parse-as-library"]
                + ["-module-name", "ConversionClient", *declarations, *SOURCES]
            )


def wrong_availability():
    """Sentences for uses of Apple's declarations outside of a check of their version of iOS."""
    found, scopes, pending = set(), [], None
    path = ROOT / "Sources" / "ConversionClient" / "Apple" / "ApplePostbacks.swift"
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = line.split("//")[0]
        version = re.search(r"(?:@available|#available)\(iOS (\d+)\.(\d+), \*\)", code)
        if version:
            pending = (int(version[1]), int(version[2]))
        known = max([scope for scope in scopes if scope] + [(15, 0)] + ([pending] if pending and "{" in code else []))
        for use, introduced in INTRODUCED.items():
            if re.search(use, code.strip()):
                found.add(use)
                if known < introduced and not (pending and pending >= introduced):
                    yield f"{path.name}:{number} uses {use} of iOS {introduced}, but is checked for iOS {known}"
        for character in code:
            if character == "{":
                scopes.append(pending)
                pending = None
            elif character == "}":
                scopes.pop()
    for use in INTRODUCED.keys() - found:
        yield f"{path.name} does not use {use}"


def wrong_page():
    """Sentences for lines of Swift in docs/client.md that the example does not have."""
    lines = {line.strip() for line in (ROOT / "Tests" / "Example" / "Sources" / "app" / "App.swift").read_text().splitlines()}
    for block in re.findall(r"^```swift\n(.*?)^```", (ROOT / "docs" / "client.md").read_text(), re.M | re.S):
        for line in filter(None, map(str.strip, block.splitlines())):
            if line not in lines:
                yield f"docs/client.md has a line of Swift that is not in the example: {line}"


def wrong_example(postback):
    """Sentences for what the example prints, which uses the app twice with a server of the built command."""
    program = ROOT / ".build" / "example" / "debug" / "app"
    with tempfile.TemporaryDirectory(prefix="client-") as folder:
        server = subprocess.Popen(
            [postback, "serve", "--spool", folder, "--listen", "127.0.0.1:0", "--models", ROOT / "Fixtures" / "models"]
            + ["--log-format", "json"],
            stderr=subprocess.PIPE, text=True,
        )
        try:
            port = next(line["port"] for line in map(json.loads, server.stderr) if line.get("event") == "listening")
            for fine, total in [(2, "0.03"), (4, "0.06")]:
                printed = subprocess.check_output([program, f"http://127.0.0.1:{port}", f"{folder}/state.json"], text=True)
                state = dict(line.split(": ", 1) for line in printed.splitlines() if not line.startswith("Apple"))
                found = state["skan_current_conversion_value"], state["skan_total_admon_revenue_by_currency"]
                if found != (str(fine), f'{{"USD":{total}}}') or f"Apple: fine {fine}," not in printed:
                    yield f"the example of an app prints {printed}"
        finally:
            server.terminate()
            server.wait()


def main():
    compiled()
    postback = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".build" / "release" / "postback"
    wrong = [*wrong_availability(), *wrong_page(), *wrong_example(postback)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"client: {len(SOURCES)} files compile as in an app, and each use of Apple's frameworks is checked for its version")


if __name__ == "__main__":
    main()
