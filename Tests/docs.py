#!/usr/bin/env python3
"""Follows README.md and each page of docs/ from top to bottom in a clean copy, and compares what comes out with what they show.

    Tests/docs.py [POSTBACK] [PAGE…]     the built command, .build/release/postback by default; all pages by default

First the pages are compared with the rest of the tree: links, paths, columns, flags, reject codes and options. Then each page is
followed in a fresh copy of the project, with the built command in .build/release. Blocks marked sh, and blocks of lines that
begin with "$ ", run in one shell, in order. Python blocks run with pandas, SQL blocks in DuckDB, both from PyPI in an environment of
their own, whose programs the shell finds too; what they load is compared with the tables, value by value. A page that uses psql has a server of its own. A block without a language that has no "$ " is what
the block before it prints. In such a block a line "…" stands for any lines, "…" at the end of a line for the rest of it;
times, rates and process ids are masked. watch and serve are stopped after a while where nothing stops them.
"""

import concurrent.futures
import fcntl
import glob
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import venv

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(PROJECT, "Tests", "PostgreSQL"))
from server import Server

LOADERS = os.path.join(PROJECT, "Tests", "docs_loaders.py")
PACKAGES = ["pandas", "-r", os.path.join(PROJECT, "Tests", "Warehouses", "requirements.txt")]
SECONDS = 300
README_BYTES = 10_000
MARK = "\x1e"
# The start of a command with a network of its own, in which all ports are free; nothing where that is not allowed.
NETWORK = ["unshare", "--net"] if subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL).returncode == 0 else []


class Wrong(Exception):
    """A statement of a page that is not true."""


class Block:
    """A fenced block: its language, its text and the line where the text begins."""

    def __init__(self, language, text, line):
        self.language, self.text, self.line = language, text, line

    @property
    def is_console(self):
        return self.language == "" and self.text.startswith("$ ")

    @property
    def is_output(self):
        return self.language == "" and not self.is_console

    def commands(self):
        """Each command of a console block with the lines that it is shown to print, and its line."""
        found = []
        for number, line in enumerate(self.text.splitlines()):
            if line.startswith("$ "):
                found.append([line[2:], [], self.line + number])
            elif found[-1][0].endswith("\\"):
                found[-1][0] += "\n" + line
            else:
                found[-1][1].append(line)
        return found


class Page:
    """A page of Markdown: its path in the project, its text and its blocks."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(PROJECT, path), encoding="utf-8") as file:
            self.text = file.read()
        self.blocks, self.prose, language = [], [], None
        for number, line in enumerate(self.text.splitlines(), 1):
            if line.startswith("```"):
                if language is None:
                    language, start, lines = line[3:].strip(), number + 1, []
                else:
                    self.blocks.append(Block(language, "".join(text + "\n" for text in lines), start))
                    language = None
            elif language is not None:
                lines.append(line)
            else:
                self.prose.append((number, line))

    @property
    def anchors(self):
        """The anchors of the headings, as GitHub makes them."""
        headings = (line.lstrip("#").strip() for _, line in self.prose if line.startswith("#"))
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    def rows(self, heading):
        """The cells of the rows of the first table below a heading, without the head of the table."""
        lines = [line for _, line in self.prose]
        if heading not in lines:
            raise Wrong(f"{self.path} has no heading {heading!r}")
        found = []
        for line in lines[lines.index(heading) + 1:]:
            if line.startswith("|"):
                found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
            elif found:
                break
        return found[2:]


def page_paths():
    return ["README.md"] + sorted(os.path.relpath(path, PROJECT) for path in glob.glob(os.path.join(PROJECT, "docs", "*.md")))


# MARK: - The pages and the rest of the tree


def check_links(page):
    for number, line in page.prose:
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if "://" in target:
                continue
            path, _, anchor = target.partition("#")
            linked = os.path.normpath(os.path.join(os.path.dirname(page.path), path)) if path else page.path
            if not os.path.exists(os.path.join(PROJECT, linked)):
                yield f"{page.path}:{number} links to {target}, which does not exist"
            elif anchor and anchor not in Page(linked).anchors:
                yield f"{page.path}:{number} links to {target}, and {linked} has no such heading"


def code(cell):
    """The words in code spans of a cell."""
    return re.findall(r"`([^`]+)`", cell)


def schema(name):
    with open(os.path.join(PROJECT, "schemas", f"{name}.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def described(shown, expected, what):
    if shown != expected:
        differing = [pair for pair in zip(shown + [None], expected + [None]) if pair[0] != pair[1]]
        yield f"{what}: the page has {differing[0][0]!r} where the schema has {differing[0][1]!r}"


def type_in_words(table, column):
    """The type of a column as the pages write it."""
    value = table["properties"][column]
    types = value.get("type") or table["$defs"][value["$ref"].removeprefix("#/$defs/")]["type"]
    names = [types] if isinstance(types, str) else types
    return " or ".join(names)


def check_tables():
    pages = {"skan_enriched": "docs/reporting.md", "skan_settled": "docs/copies.md", "skan_modelled": "docs/modelling.md", "partner_deliveries": "docs/delivery.md", "asa_attributions": "docs/apple-search-ads.md",
             "asa_daily": "docs/apple-search-ads.md", "skan_vendor_daily": "docs/vendors.md"}
    for name in ("skan_postbacks", "skan_events", "skan_rejects", "skan_enriched", "skan_settled", "skan_modelled", "partner_deliveries", "asa_attributions",
                 "asa_daily", "skan_imported", "skan_vendor_daily"):
        path = pages.get(name, "docs/tables.md")
        page, table = Page(path), schema(name)
        shown = [f"{code(row[0])[0]}: {row[1]}" for row in page.rows(f"## {name}")]
        expected = [f"{column}: {type_in_words(table, column)}" for column in table["required"]]
        yield from described(shown, expected, f"{path}, {name}")
        texts = [re.sub(r" See \[[^]]*\]\([^)]*\)\.", "", row[2]).replace("\\|", "|") for row in page.rows(f"## {name}")]
        descriptions = [value["description"] for value in table["properties"].values()]
        yield from described(texts, descriptions, f"{path}, {name}, descriptions")
    flags = [code(row[0])[0] for row in Page("docs/tables.md").rows("### Tier flags")]
    yield from described(flags, schema("skan_postbacks")["properties"]["tier_flags"]["items"]["enum"], "docs/tables.md, Tier flags")


def check_reject_codes():
    rejects = schema("skan_rejects")
    stages = {}
    for rule in rejects["allOf"]:
        stage = rule["if"]["properties"].get("stage", {}).get("const")
        for name in rule["then"]["properties"].get("reject_code", {}).get("enum", []):
            stages[name] = stage
    shown, stage = [], None
    for row in Page("docs/reject-codes.md").rows("# Reject codes"):
        stage = row[0] or stage
        shown.append(f"{stage} {code(row[1])[0]}")
    expected = [f"{stages[name]} {name}" for name in rejects["properties"]["reject_code"]["enum"]]
    yield from described(shown, expected, "docs/reject-codes.md")


def check_alerts():
    """Looks for alerts without advice, and for advice without an alert."""
    with open(os.path.join(PROJECT, "deploy/prometheus/alerts.yml"), encoding="utf-8") as file:
        alerts = re.findall(r"- alert: (\w+)", file.read())
    advice = {}
    for row in Page("docs/operations.md").rows("### Alerts"):
        advice |= {name: row[1] for name in code(row[0])}
    for name in alerts:
        if len(advice.get(name, "")) < 40:
            yield f"docs/operations.md does not say what to do at the alert {name}"
    for name in advice.keys() - set(alerts):
        yield f"docs/operations.md describes the alert {name}, which deploy/prometheus/alerts.yml does not have"


def configuration_rows(properties, prefix=""):
    """The key, the meaning and the default of each key of the configuration, nested ones with a dot."""
    for key, value in properties.items():
        if value.get("$ref", "").startswith("#/properties/"):
            continue
        default = f"`{json.dumps(value['default'])}`" if "default" in value else ""
        yield f"{prefix}{key}: {default}: {value['description']}"
        nested = value.get("properties") or value.get("items", {}).get("properties") or {}
        yield from configuration_rows(nested, f"{prefix}{key}.")


def check_configuration():
    rows = Page("docs/configuration.md").rows("## All keys")
    shown = [f"{code(row[0])[0]}: {row[2]}: {row[1]}" for row in rows]
    expected = list(configuration_rows(schema("server_configuration")["properties"]))
    yield from described(shown, expected, "docs/configuration.md, All keys")


def check_options(pages, binary):
    """Looks for options in code spans that no command, no script of the tests and no job has. Benchmarks and network_folder.sh have
    some of their own."""
    known = {"--quick", "--diagnosis", "--resends", "--stages", "--view", "--guard", "--pauses"}
    for script in [*glob.glob(os.path.join(PROJECT, "Tests/**/*.py"), recursive=True), *glob.glob(os.path.join(PROJECT, "deploy/spark/*.py"))]:
        with open(script, encoding="utf-8") as file:
            known.update(re.findall(r'add_argument\(\s*"(--[a-z0-9-]+)"', file.read()))
    commands = re.findall(r"(?m)^  ([a-z][a-z-]*(?: [a-z]+)?)  ", subprocess.check_output([binary, "--help"], text=True))
    for command in [[], *(command.split() for command in commands)]:
        known.update(re.findall(r"--[a-z][a-z0-9-]+", subprocess.check_output([binary, *command, "--help"], text=True)))
    for page in pages:
        for number, line in page.prose:
            for option in re.findall(r"--[a-z][a-z0-9-]+", " ".join(code(line))):
                if option not in known:
                    yield f"{page.path}:{number} names the option {option}, which no command has"


def check_paths(page):
    """Looks for paths in code spans that do not exist, and on the page of the architecture for types and modules that do not."""
    declared = set()
    if page.path == "docs/architecture.md":
        for path in glob.glob(os.path.join(PROJECT, "Sources", "**", "*.swift"), recursive=True):
            with open(path, encoding="utf-8") as file:
                declared.update(re.findall(r"\b(?:struct|enum|class|actor|protocol) (\w+)", file.read()))
        declared.update(os.listdir(os.path.join(PROJECT, "Sources")))
    for number, line in page.prose:
        for span in code(line):
            is_path = re.fullmatch(r"(Sources|Tests|Fixtures|schemas|docs|\.ci)(/[\w.-]+)+/?", span)
            if is_path and not os.path.exists(os.path.join(PROJECT, span)):
                yield f"{page.path}:{number} names {span}, which does not exist"
            if declared and re.fullmatch(r"[A-Z]\w*[a-z]\w*", span) and span not in declared:
                yield f"{page.path}:{number} names {span}, and no module or type has this name"


def check_deployed(page):
    """The blocks of a page that show a file of deploy/ are that file."""
    shown = {"nginx": "nginx/postback.conf", "caddyfile": "caddy/Caddyfile"}
    for block in page.blocks:
        if block.language in shown:
            with open(os.path.join(PROJECT, "deploy", shown[block.language]), encoding="utf-8") as file:
                if file.read() != block.text:
                    yield f"{page.path}:{block.line}: the block is not deploy/{shown[block.language]}"


def check_pages(pages, binary):
    readme = pages[0]
    problems = []
    size = len(readme.text.encode())
    if size > README_BYTES:
        problems.append(f"README.md has {size} bytes; at most {README_BYTES} may be. Details belong in docs/")
    paths = page_paths()[1:]
    linked = {path for path in paths if f"({path})" in readme.text}
    near = {f"docs/{name}" for path in linked for name in re.findall(r"\]\(([\w-]+\.md)[#)]", Page(path).text)}
    for path in paths:
        if path not in linked | near:
            problems.append(f"Neither README.md nor a page that it links to has a link to {path}")
    for path in page_paths() + ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]:
        problems += [*check_links(Page(path)), *check_paths(Page(path)), *check_deployed(Page(path))]
    problems += [*check_tables(), *check_reject_codes(), *check_alerts(), *check_configuration(), *check_options(pages, binary)]
    if problems:
        raise Wrong("\n".join(problems))


# MARK: - Comparison of output


def masked(line):
    line = re.sub(r"[0-9.]+ s, [0-9]+ postbacks/s", "N s, N postbacks/s", line)
    line = re.sub(r"[0-9:.]+( s)? ago", "N ago", line)
    line = re.sub(r"process [0-9]+", "process N", line)
    return re.sub(r"(the last at|since|status of) [0-9TZ:.-]+", r"\1 TIME", line).rstrip()


def agrees(shown, printed):
    """True if the lines that are shown stand for those that were printed."""
    if not shown:
        return not printed
    if shown[0] == "…":
        return any(agrees(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    if not printed:
        return False
    one, other = masked(shown[0]), masked(printed[0])
    fits = other.startswith(one[:-1]) if one.endswith("…") else one == other
    return fits and agrees(shown[1:], printed[1:])


def difference(shown, printed, place):
    """A message with what a page shows and what comes out, if they disagree."""
    printed = printed.splitlines()
    if agrees(shown, printed):
        return []
    return [f"{place} shows\n  " + "\n  ".join(shown) + "\nand what comes out is\n  " + "\n  ".join(printed[:60])]


# MARK: - One shell for each page


class Step:
    """A part of the script, its place, and the lines that it is to print if the page shows them."""

    def __init__(self, script, place, shown=None, may_fail=False):
        self.script, self.place, self.shown, self.may_fail = script, place, shown, may_fail


def bounded(script):
    """The script with an end for what runs for months: in the foreground watch and serve are asked to leave."""
    return re.sub(r"(?m)^(postback (?:watch|serve) .*[^&\s])$", r"timeout --preserve-status 3 \1", script)


def steps(page, folder, python):
    made = []
    for number, block in enumerate(page.blocks):
        place = f"{page.path}:{block.line}"
        if block.language == "sh":
            if "swift test" in block.text:
                continue  # .ci/run does that.
            made.append(Step(f"set -e\n{bounded(block.text)}", place))
            if database := re.search(r"sqlite3 (\S+\.db)", block.text):
                made.append(Step(f"{python} {LOADERS} sqlite {database[1]}", place))
        elif block.is_console:
            for command, shown, line in block.commands():
                made.append(Step(f"set +e\n{command}", f"{page.path}:{line}", shown, may_fail=True))
        elif block.is_output:
            if not made or made[-1].shown is not None:
                raise Wrong(f"{place} is output of nothing; give the block a language")
            made[-1].shown = block.text.splitlines()
        elif block.language in ("python", "sql"):
            path = os.path.join(folder, f"block-{number}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(block.text)
            loader = "pandas" if block.language == "python" else "copy" if block.text.startswith("COPY") else "duckdb"
            made.append(Step(f"set -e\n{python} {LOADERS} {loader} {path}", place))
    return made


def follow(page, made, copy, environment):
    script = "".join(
        f"{step.script}\nprintf '\\n{MARK}%s {number}\\n' $?\n" for number, step in enumerate(made)
    )
    command = NETWORK + ["bash", "-c", f'{sys.executable} {__file__} --loopback; . "$0"']
    # Files, not pipes: what a command left running keeps a pipe open for ever.
    with tempfile.NamedTemporaryFile("w") as source, tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        source.write(script)
        source.flush()
        process = subprocess.Popen(
            command + [source.name], cwd=copy, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )
        try:
            process.wait(SECONDS)
            late = ""
        except subprocess.TimeoutExpired:
            late = f"the commands of {page.path} take more than {SECONDS} s; the last output is\n"
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # Nothing is left running.
        process.wait()
        out.seek(0)
        err.seek(0)
        output, errors = out.read(), err.read()
    if late:
        raise Wrong(late + output[-2000:])
    parts = re.split(rf"\n?{MARK}([0-9]+) [0-9]+\n", output)
    problems = []
    for number, step in enumerate(made):
        if 2 * number + 1 >= len(parts):
            raise Wrong(f"{step.place} fails:\n{step.script}\n{parts[-1]}\n{errors[-2000:]}")
        printed, status = parts[2 * number], int(parts[2 * number + 1])
        if status >= 64 or status and not step.may_fail:
            raise Wrong(f"{step.place} ends with {status}:\n{step.script}\n{printed}\n{errors[-2000:]}")
        if step.shown is not None:
            problems += difference(step.shown, printed, step.place)
    if problems:
        raise Wrong("\n\n".join(problems))


# MARK: - Main


def bring_loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        try:
            flags = struct.unpack("16sh", fcntl.ioctl(any_socket, 0x8913, request))[1]  # SIOCGIFFLAGS
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", flags | 1))  # SIOCSIFFLAGS, IFF_UP
        except OSError:
            pass  # It is up, and others' to change.


def copy_project(copy, binary):
    """Copies the files of the project that git knows or would add, with the built command in .build/release."""
    names = subprocess.run(
        ["git", "-C", PROJECT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, stdout=subprocess.PIPE
    ).stdout.decode().split("\0")
    for name in filter(None, names):
        if os.path.isfile(os.path.join(PROJECT, name)):
            os.makedirs(os.path.dirname(os.path.join(copy, name)), exist_ok=True)
            shutil.copy2(os.path.join(PROJECT, name), os.path.join(copy, name))
    release = os.path.join(copy, ".build", "release")
    os.makedirs(release)
    os.symlink(binary, os.path.join(release, "postback"))


def make_environment(folder):
    """Makes a Python with the packages of the loaders; fails with a message if they cannot be installed."""
    path = os.path.join(folder, "venv")
    venv.create(path, with_pip=True)
    python = os.path.join(path, "bin", "python")
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"] + PACKAGES,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    if installed.returncode != 0:
        raise Wrong(f"pip cannot install {' '.join(PACKAGES)}, with which the loaders are checked:\n{installed.stdout}")
    return python


def make_tools(folder):
    """Makes a swift in the path that builds nothing, and whose "swift run postback" runs what is built already."""
    tools = os.path.join(folder, "tools")
    os.makedirs(tools)
    with open(os.path.join(tools, "swift"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\n[ "$*" != "build -c release" ] || exit 0\n[ "$1 $2" = "run postback" ] || exit 64\nshift 2\nexec .build/release/postback "$@"\n')
    os.chmod(file.name, 0o755)
    return tools


def check_page(page, folder, binary, python, environment):
    """Follows a page in a copy of the project below `folder`. Returns its steps, and what is wrong with it or None."""
    copy = os.path.join(folder, "postback")
    os.makedirs(copy)
    made = steps(page, folder, python)
    if not made:
        return [], None
    copy_project(copy, binary)
    server = Server() if "$ psql " in page.text else None
    place = {"PGHOST": str(server.folder), "PGUSER": "loader"} if server else {}
    try:
        follow(page, made, copy, environment | place)
        return made, None
    except Wrong as problem:
        return made, str(problem)
    finally:
        if server:
            server.stop()
        shutil.rmtree(copy)


def main(binary, *paths):
    binary = os.path.abspath(binary)
    all_pages = [Page(path) for path in page_paths()]
    check_pages(all_pages, binary)
    pages = [Page(path) for path in paths] or all_pages
    with tempfile.TemporaryDirectory(prefix="docs-") as folder:
        blocks = [block for page in pages for block in page.blocks]
        needs_loaders = any(block.language in ("python", "sql") or "duckdb" in block.text or "dbt " in block.text for block in blocks)
        python = make_environment(folder) if needs_loaders else sys.executable
        path = f"{make_tools(folder)}:{os.environ['PATH']}:{os.path.dirname(python)}"
        environment = os.environ | {"PATH": path, "LC_ALL": "C.UTF-8", "TZ": "UTC"}

        def one(number):
            return check_page(pages[number], os.path.join(folder, str(number)), binary, python, environment)

        # Side by side only where each page has a network of its own.
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if NETWORK else 1) as pool:
            checked = list(pool.map(one, range(len(pages))))
    problems = [problem for _, problem in checked if problem]
    if problems:
        raise Wrong("\n\n".join(problems))
    made = [step for steps, _ in checked for step in steps]
    shown = sum(step.shown is not None for step in made)
    print(f"docs: {len(made)} commands and blocks of {len(pages)} pages ran in order, {shown} of them with the output that is shown")


if __name__ == "__main__":
    try:
        if sys.argv[1:2] == ["--loopback"]:
            bring_loopback_up()
        else:
            main(*sys.argv[1:] or [os.path.join(PROJECT, ".build/release/postback")])
    except Wrong as problem:
        sys.exit(f"docs: {problem}")
