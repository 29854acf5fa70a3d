#!/usr/bin/env python3
"""Compiles the client and all modules below it as an app compiles them, and checks that iOS has what they use.

    Tests/Client/apple.py [POSTBACK]     the built command, .build/release/postback by default

Compiled without simdjson, with a module Darwin in place of Glibc, and against Tests/Client/Apple, which declares of Apple's
frameworks what the client uses, as Apple documents it. Each use of a declaration of these frameworks and of the Swift libraries is
compared with the version of iOS that has it first: it must be inside an availability check or attribute of that version or a later
one. The class for Objective-C is compiled without its attributes, since Linux has no Objective-C. The privacy manifest must name the APIs
with required reasons that the sources use, and no others. The Swift of docs/client.md must stand in the example that Tests/example.py builds, and the example must get its values from a
server and keep its state.
"""

import json
import pathlib
import plistlib
import re
import subprocess
import sys
import tempfile

import availability

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
APPLE = ROOT / "Tests" / "Client" / "Apple"
# The modules of the product, lowest first.
MODULES = ["Base", "JSON", "ConversionModel", "ConversionClient"]
FRAMEWORKS = ["StoreKit", "AdAttributionKit"]
OPTIONS = ["-swift-version", "6", "-package-name", "postback", "-parse-as-library", "-strict-memory-safety"]
FEATURES = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
# The version of iOS in Package.swift.
OLDEST = (15, 0)


MANIFEST = ROOT / "Sources" / "ConversionClient" / "PrivacyInfo.xcprivacy"
# Apple, "Describing use of required reason API": the APIs that the client could use, by category.
REQUIRED_REASONS = {
    "UserDefaults": r"\bUserDefaults\b",
    "FileTimestamp": r"\b(?:f?stat(?:at)?|lstat)\(|getattrlist|(?:creation|modification|contentModification)Date",
    "SystemBootTime": r"systemUptime|mach_absolute_time",
    "DiskSpace": r"statv?fs|volumeAvailableCapacity|systemFreeSize|systemSize",
    "ActiveKeyboards": r"activeInputModes",
}


def sources(module):
    return sorted((ROOT / "Sources" / module).rglob("*.swift"))


def without_objective_c(path, folder):
    """The path, or that of a copy without the attributes that Linux does not have."""
    text = path.read_text()
    if "@objc" not in text:
        return path
    copy = pathlib.Path(folder) / path.name
    copy.write_text(re.sub(r"@objc(\([^)]*\))?\s*", "", text))
    return copy


def wrong_manifest():
    """Sentences for what the privacy manifest of the client lacks, or has and the sources do not use."""
    manifest = plistlib.loads(MANIFEST.read_bytes())
    named = {
        entry["NSPrivacyAccessedAPIType"].removeprefix("NSPrivacyAccessedAPICategory")
        for entry in manifest["NSPrivacyAccessedAPITypes"] if entry["NSPrivacyAccessedAPITypeReasons"]
    }
    code = "".join(re.sub(r"//.*", "", path.read_text()) for module in MODULES for path in sources(module))
    used = {name for name, pattern in REQUIRED_REASONS.items() if re.search(pattern, code)}
    if named != used:
        yield f"PrivacyInfo.xcprivacy names {sorted(named)}, and the sources use {sorted(used)}"
    if manifest["NSPrivacyTracking"] or manifest["NSPrivacyTrackingDomains"]:
        yield "PrivacyInfo.xcprivacy says that the client tracks"
    if 'resources: clientResources' not in (ROOT / "Package.swift").read_text():
        yield "Package.swift does not put PrivacyInfo.xcprivacy into the product"


def compiled(module, paths, folder):
    """Compiles a module of an app, with those compiled before it; returns the syntax trees of its files."""
    options = [*OPTIONS, "-module-name", module, "-I", folder]
    options += [argument for name in FEATURES for argument in ("-enable-upcoming-feature", name)]
    options += ["-D", "POSTBACK_APPLE_DECLARATIONS"]
    subprocess.check_call(
        ["swiftc", *options, "-warnings-as-errors", "-emit-module", "-emit-module-path", f"{folder}/{module}.swiftmodule", *paths]
    )
    dump = ["swiftc", "-frontend", "-dump-ast", "-dump-ast-format", "json", *options]
    dump += [argument for path in paths for argument in ("-primary-file", path)]
    rest, trees = subprocess.run(dump, text=True, capture_output=True, check=True).stdout.strip(), []
    while rest:
        tree, end = json.JSONDecoder().raw_decode(rest)
        trees.append(tree)
        rest = rest[end:].strip()
    if {tree["filename"] for tree in trees} != set(map(str, paths)):
        sys.exit(f"the compiler wrote no syntax tree of some files of {module}")
    return trees


def wrong_availability():
    """Sentences for uses of declarations outside of a check of their version of iOS."""
    with tempfile.TemporaryDirectory(prefix="client-") as folder:
        graphs = pathlib.Path(folder) / "graphs"
        graphs.mkdir()
        check = availability.Availability(OLDEST, graphs)
        darwin = pathlib.Path(folder) / "Darwin.swift"
        darwin.write_text("@_exported import Glibc\n")
        compiled("Darwin", [darwin], folder)
        trees = []
        for framework in FRAMEWORKS:
            check.add_declarations(compiled(framework, [APPLE / f"{framework}.swift"], folder))
        for module in MODULES:
            trees += compiled(module, [without_objective_c(path, folder) for path in sources(module)], folder)
            check.add_declarations(trees)
        yield from check.wrong_uses(trees)


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
    postback = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".build" / "release" / "postback"
    wrong = [*wrong_manifest(), *wrong_availability(), *wrong_page(), *wrong_example(postback)]
    if wrong:
        sys.exit("\n".join(wrong))
    count = sum(len(sources(module)) for module in MODULES)
    print(f"client: {count} files of {', '.join(MODULES)} compile as in an app, and use what iOS {OLDEST[0]} has")


if __name__ == "__main__":
    main()
