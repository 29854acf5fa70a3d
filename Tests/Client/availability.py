"""Finds uses of declarations that older versions of iOS do not have, in Swift sources compiled on Linux.

The compiler checks availability for the platform that it compiles for, so on Linux it checks nothing for iOS. But the modules of
its toolchain say since which version of iOS each declaration is available (the symbol graph has it), and the compiler writes which
declarations each expression uses (the syntax tree has it). A use must be inside a declaration with `@available(iOS …)`, or in the
body of an `if #available(iOS …)`, of that version or a later one.
"""

import bisect
import json
import pathlib
import re
import subprocess

LIBRARIES = ["Swift", "_Concurrency", "_StringProcessing", "Synchronization", "FoundationEssentials", "Foundation"]
TYPES = {"swift.struct", "swift.enum", "swift.class", "swift.protocol"}
QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
# What files and clocks need of the C library; POSIX has it, so Apple's has it too.
POSIX = {"clock_gettime", "close", "closedir", "open", "opendir", "read", "readdir", "stat", "strerror"}


def version(text):
    """A version such as "18.0" as two numbers."""
    return tuple([*map(int, text.split(".")), 0][:2])


def children(node):
    return node if isinstance(node, list) else node.values() if isinstance(node, dict) else ()


def demangled(names):
    names = sorted(names)
    printed = subprocess.run(["swift", "demangle", "--compact"], input="\n".join(names), text=True, capture_output=True, check=True)
    return dict(zip(names, printed.stdout.split("\n")))


class Availability:
    """The declarations that came to iOS after the `oldest` version, and the uses of them."""

    def __init__(self, oldest, folder):
        self.oldest = oldest
        self.declarations, self.types = {}, {}
        target = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["target"]["moduleTriple"]
        for name in LIBRARIES:
            subprocess.check_call(
                ["swift", "symbolgraph-extract", "-module-name", name, "-target", target, "-minimum-access-level", "public"]
                + ["-skip-synthesized-members", "-output-dir", folder]
            )
        for path in pathlib.Path(folder).glob("*.symbols.json"):
            for symbol in json.loads(path.read_text())["symbols"]:
                self.add_symbol(symbol, re.split(r"[@.]", path.name)[0])

    def add_symbol(self, symbol, module):
        for entry in symbol.get("availability", []):
            if entry.get("domain") == "iOS" and "introduced" in entry:
                since = entry["introduced"]["major"], entry["introduced"].get("minor", 0)
                if since > self.oldest:
                    self.declarations[symbol["identifier"]["precise"]] = since
                    if symbol["kind"]["identifier"] in TYPES:
                        self.types[".".join([module, *symbol["pathComponents"]])] = since

    def add_declarations(self, trees):
        """Notes the declarations of our own with `@available(iOS …)`, and all inside them."""
        own = {}

        def visit(node, since):
            if isinstance(node, dict):
                since = max(since, self.attribute(node))
                if since > self.oldest and str(node.get("_kind")).endswith("_decl") and node.get("usr"):
                    self.declarations[node["usr"]] = since
                    if node["_kind"] in {"struct_decl", "enum_decl", "class_decl", "protocol_decl"}:
                        own["$s" + node["usr"][2:]] = since
            for child in children(node):
                visit(child, since)

        visit(trees, self.oldest)
        self.types.update({name: own[mangled] for mangled, name in demangled(own).items()})

    def wrong_uses(self, trees):
        """Sentences for the uses in syntax trees that their version of iOS does not have, one for each line."""
        mangled = set()

        def collect(node):
            if isinstance(node, dict):
                mangled.update(node[key] for key in ["interface_type", "type", "extended_type"] if isinstance(node.get(key), str))
            for child in children(node):
                collect(child)

        collect(trees)
        self.needed = {
            name: max(((self.types[word], word) for word in QUALIFIED.findall(text) if word in self.types), default=None)
            for name, text in demangled(mangled).items()
        }
        for tree in trees:
            self.found = {}
            self.visit(tree, self.oldest, 0)
            path = pathlib.Path(tree["filename"])
            lines = [match.end() for match in re.finditer(rb"\n", path.read_bytes())]
            places = {bisect.bisect(lines, place) + 1: use for place, use in sorted(self.found.items(), reverse=True)}
            for line, (name, since) in sorted(places.items()):
                yield f"{path.name}:{line} uses {name}" + (f" of iOS {since[0]}.{since[1]}" if since else ", which is not in the list of what POSIX has")

    def visit(self, node, since, place):
        if isinstance(node, dict):
            place = (node.get("range") or {}).get("start") or place
            since = max(since, self.attribute(node))
            declaration = node.get("decl_usr", "")
            if self.declarations.get(declaration, since) > since:
                self.found[place] = node.get("base_name", declaration), self.declarations[declaration]
            if declaration.startswith("c:@F@") and declaration[5:] not in POSIX:
                self.found[place] = declaration[5:], None
            for key in ["interface_type", "type", "extended_type"]:
                needed = self.needed.get(node.get(key)) if isinstance(node.get(key), str) else None
                if needed and needed[0] > since:
                    self.found[place] = needed[1], needed[0]
            for key, child in node.items():
                inside = self.condition(node) if key == "then_stmt" else since
                self.visit(child, max(since, inside), place)
        elif isinstance(node, list):
            for child, following in zip(node, [*node[1:], None]):
                # The attributes of a variable stand at its declaration, which follows its pattern.
                is_pattern = isinstance(child, dict) and child.get("_kind") == "pattern_binding_decl"
                self.visit(child, max(since, self.attribute(following)) if is_pattern and following else since, place)

    def attribute(self, node):
        """The version that the attributes of a declaration name."""
        attributes = node.get("attrs") if isinstance(node.get("attrs"), list) else []
        found = [version(entry["introduced"]) for entry in attributes if entry.get("domain") == "iOS" and entry.get("introduced")]
        return max(found, default=self.oldest)

    def condition(self, statement):
        """The version that the conditions of an `if` check."""
        queries = [query for entry in statement.get("conditions", []) if entry.get("_kind") == "#available" for query in entry["queries"]]
        return max([version(query["version"]) for query in queries if query.get("domain") == "iOS"], default=self.oldest)
