#!/usr/bin/env python3
"""Opens a report of postback in headless Chromium and holds what it shows against the tables.

    report_in_browser.py REPORT OUT     REPORT is the page, OUT the folder of the tables that it was made of

Checks the numbers of the page, that filter, sort and expanding work, that nothing of what was sent is executed or becomes
an element, and that the page asks for nothing. Ends with 0 where all is well, 1 where something is not, and 77 where there
is no Chromium.
"""

import collections
import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

VOID = {"meta", "input", "line", "rect", "circle", "br", "link"}
OWN = {
    "html", "head", "meta", "title", "style", "body", "svg", "defs", "pattern", "line", "circle", "rect", "text", "header",
    "h1", "h2", "p", "ul", "li", "b", "main", "div", "figure", "figcaption", "details", "summary", "table", "caption", "thead",
    "tbody", "tr", "th", "td", "label", "input", "select", "option", "button", "span", "code", "noscript", "script", "dl",
    "dt", "dd", "pre",
}


class Page(html.parser.HTMLParser):
    """The elements of a page that matter here."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = collections.Counter()
        self.handlers = []
        self.by_id = {}
        self.tables = {}
        self.opened = []
        self.stack = []
        self.title = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements[tag] += 1
        self.handlers += [name for name in attributes if name.startswith("on") or name in ("src", "href")]
        if tag not in VOID:
            self.stack.append((tag, attributes, []))

    def handle_data(self, data):
        for _, _, text in self.stack:
            text.append(data)

    def handle_endtag(self, tag):
        while self.stack:
            name, attributes, parts = self.stack.pop()
            text = "".join(parts)
            if "id" in attributes:
                self.by_id[attributes["id"]] = text
            if name == "title" and self.title is None:
                self.title = text
            if name == "caption":
                self.tables[text] = self.table = []
            if name in ("th", "td"):
                self.stack and self.stack[-1][1].setdefault("cells", []).append(text)
            if name in ("dt", "dd") and self.stack:
                self.opened.append(text)
            if name == "tr" and hasattr(self, "table"):
                if attributes.get("class") != "details":
                    self.table.append(attributes.get("cells", []))
            if name == tag:
                return


class Browser:
    """Chromium without a window, started anew for each page."""

    def __init__(self, program, page):
        self.program, self.page = program, pathlib.Path(page).resolve()

    def run(self, fragment, *options):
        url = self.page.as_uri() + "#" + urllib.parse.urlencode(fragment)
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "net.json"
            command = [
                self.program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                f"--user-data-dir={folder}/profile", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--no-first-run", "--no-default-browser-check", "--host-resolver-rules=MAP * ~NOTFOUND",
                f"--log-net-log={log}", "--virtual-time-budget=10000", *options, url,
            ]
            result = subprocess.run(command, capture_output=True, text=True, timeout=120)
            return result.stdout, log.read_text(errors="replace") if log.exists() else ""

    def open(self, **fragment):
        text, log = self.run(fragment, "--dump-dom")
        return Page(text), log


def read_rows(out, table):
    rows = []
    for path in sorted(pathlib.Path(out, table).glob("part-*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines]
    return rows


class Checks:
    def __init__(self):
        self.failed = 0

    def equal(self, what, found, expected):
        if found != expected:
            self.failed += 1
            print(f"{what}: {found!r}, expected {expected!r}", file=sys.stderr)


def number(text):
    return int(text.replace("\u2009", ""))


def check(browser, out):
    checks = Checks()
    rejects, postbacks = read_rows(out, "skan_rejects"), read_rows(out, "skan_postbacks")
    page, log = browser.open()
    checks.equal("read", number(page.by_id["read"]), len(rejects) + len(postbacks))
    checks.equal("accepted", number(page.by_id["accepted"]), len(postbacks))
    checks.equal("rejected", number(page.by_id["rejected"]), len(rejects))

    codes = collections.Counter(row["reject_code"] for row in rejects)
    shown = {row[0]: int(row[1]) for row in page.tables["Rejects by code"][1:]}
    checks.equal("rejects by code", shown, dict(codes))
    stages = collections.Counter(row["stage"] for row in rejects)
    unique = len(postbacks)
    verified = unique + stages["dedup"]
    parsed = verified + stages["signature"] + stages["policy"]
    decoded = sum(row["decode_status"] == "decoded" for row in postbacks)
    steps = [(row[0], int(row[1])) for row in page.tables["Records after each stage"][1:]]
    expected = [("read", unique + len(rejects)), ("parsed", parsed), ("verified", verified), ("unique", unique), ("decoded", decoded)]
    checks.equal("funnel", steps, expected)
    for title, column in [("Rejects by ad network", "ad_network_id"), ("Rejects by forwarder", "forwarder")]:
        rejected = collections.Counter(row[column] or "not said" for row in rejects)
        read = rejected + collections.Counter(row[column] or "not said" for row in postbacks)
        found = {row[0]: (int(row[1]), int(row[2])) for row in page.tables[title][1:]}
        names = {name: (rejected[name], read[name]) for name in read}
        visible = {escaped(name): counts for name, counts in names.items()}
        checks.equal(title, found, visible)
    won = [row for row in postbacks if row["did_win"] is not False]
    for row in page.tables["Won postbacks by window and value"][1:]:
        of = [row_ for row_ in won if (row_["postback_sequence_index"] or 0) == int(row[0])]
        fine = sum(row_["conversion_value"] is not None for row_ in of)
        coarse = sum(row_["conversion_value"] is None and row_["coarse_conversion_value"] is not None for row_ in of)
        checks.equal(f"window {row[0]}", [int(cell) for cell in row[1:4]], [fine, coarse, len(of) - fine - coarse])
    days = page.tables["Installs by day (UTC)"][1:]
    dated = [row for row in won if not row["postback_sequence_index"] and row["redownload"] is not True]
    checks.equal("installs", sum(int(day[1]) for day in days), sum(row["estimated_install_date"] is not None for row in dated))
    for day in days:
        checks.equal(f"order of {day[0]}", int(day[2]) <= int(day[3]), True)
    series = page.tables["Rejects by code and time of receipt (UTC)"]
    for place, code in enumerate(series[0][1:], 1):
        dated = sum(row["reject_code"] == code and row["received_at"] is not None for row in rejects)
        checks.equal(f"{code} over time", sum(int(row[place]) for row in series[1:]), dated)

    # Nothing that was sent is an element, an attribute that acts, or a request.
    sample = json.loads(page.by_id["data"])
    columns = sample["columns"]
    for fragment in [{}] + [{"open": index, "filter": ""} for index in hostile(sample["rows"])]:
        opened, log = browser.open(**fragment)
        checks.equal(f"elements {fragment}", set(opened.elements) - OWN, set())
        checks.equal(f"handlers {fragment}", opened.handlers, [])
        checks.equal(f"scripts {fragment}", opened.elements["script"], 2)
        checks.equal(f"requests {fragment}", [word for word in ("invalid", "http://", "https://") if f'"url":"{word}' in log], [])
        checks.equal(f"hosts {fragment}", "pwned" in log, False)
        checks.equal(f"title {fragment}", opened.title, "Postback report")
        if fragment:
            row = sample["rows"][fragment["open"]]
            cells = dict(zip(opened.opened[::2], opened.opened[1::2]))
            checks.equal(f"row {fragment}", cells, row)

    # Filter and sort.
    for code in codes:
        filtered, _ = browser.open(code=code, sort=columns.index("transaction_id"))
        lines = [row for row in filtered.tables["Rejects of the sample; + opens a row"][1:]]
        of = [row for row in sample["rows"] if row["reject_code"] == code]
        checks.equal(f"status of {code}", filtered.by_id["status"].split(" rejects")[0], f"{len(of)} of {len(sample['rows'])}")
        checks.equal(f"codes of {code}", {row[1 + columns.index("reject_code")] for row in lines}, {code})
        found = [row[1 + columns.index("transaction_id")] for row in lines]
        utf16 = sorted((row.get("transaction_id", "") for row in of), key=lambda text: text.encode("utf-16-be"))
        checks.equal(f"order of {code}", found, utf16[:500])
    word = sample["rows"][0]["raw_body"][:12].lower()
    filtered, _ = browser.open(filter=word)
    parts = word.split()
    matching = [row for row in sample["rows"] if all(part in "\n".join(row.values()).lower() for part in parts)]
    checks.equal("filter", filtered.by_id["status"].split(" of ")[0], str(len(matching)))
    return checks.failed


def hostile(rows):
    """The rows that hold markup."""
    return [index for index, row in enumerate(rows) if any("<" in text for text in row.values())][:8]


def escaped(text):
    """As the page has control characters."""
    import unicodedata

    return "".join(f"\\u{{{ord(c):x}}}" if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in text)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("there is no Chromium", file=sys.stderr)
        sys.exit(77)
    browser = Browser(program, sys.argv[1])
    failed = check(browser, sys.argv[2])
    print("all is well" if failed == 0 else f"{failed} problems")
    sys.exit(1 if failed else 0)


main()
