#!/usr/bin/env python3
"""Opens the live page of `postback view` in headless Chromium and holds what it shows against the tables.

    view_in_browser.py POSTBACK [--axe FILE] [--pictures FOLDER]

POSTBACK is the program. FILE is axe-core's script, which looks for barriers to people with disabilities. Pictures of the views go
to FOLDER.

Makes an output whose texts would act as markup, and goes each way through the page: overview, campaigns, rejects, signals, the
report, and one postback; by mouse and by keyboard, while commits arrive, in narrow, dark and printed form, and in other languages.
Ends with 0 where all is well, 1 where something is not, and 77 where there is no Chromium.
"""

import argparse
import collections
import csv
import datetime
import decimal
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.parse

import chromium

VIEWS = ["/", "/campaigns", "/rejects", "/signals", "/report", "/postback"]
SUSPICIOUS = ("signature_invalid", "unknown_key", "forbidden_character", "duplicate_conflict", "duplicate_transaction")
COPIES = ("duplicate_identical", "duplicate_forgotten")
MARKUP = "<img src=x onerror=\"document.title='pwned'\">"


def class_of(code):
    return "suspicious" if code in SUSPICIOUS else "copies" if code in COPIES else "noise"


def read_rows(out, table):
    rows = []
    for path in sorted(pathlib.Path(out, table).glob("part-*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            rows += [json.loads(line, parse_float=decimal.Decimal) for line in lines]
    return rows


def number(text):
    """A number in the form of English."""
    return int(text.replace(",", ""))


class Site:
    """An output, and the server of its page."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.out, self.reporting, self.process = self.folder / "out", self.folder / "campaigns", None

    def call(self, *words):
        subprocess.run([self.program, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def make(self):
        self.call("generate", "--out", self.folder / "dump.jsonl", "--keys", self.folder / "keys", "--count", 6000, "--seed", 4,
                  "--campaigns", 12, "--days", 20, "--cost", "--reporting", self.reporting, "--forged", 0.02, "--edited", 0.02,
                  "--malformed", 0.01)
        names = self.reporting / "lookups/campaigns.csv"
        names.write_text(names.read_text().replace("Campaign 1 ", MARKUP.replace('"', "'") + "&amp; "))
        lines = (self.folder / "dump.jsonl").read_bytes().splitlines(keepends=True)
        # The rest comes while the page is looked at.
        for name, part in [("first", lines[300:] + self.hostile()), ("second", lines[:150]), ("third", lines[150:300])]:
            (self.folder / f"{name}.jsonl").write_bytes(b"".join(part))
        self.run("first.jsonl")
        self.derive()

    def hostile(self):
        """Postbacks with markup in every column that a sender can fill."""
        return [json.dumps({"received_at": "2026-03-09T00:00:00Z", "channel": "network_forwarded", "forwarder": text,
                            "body": {"version": text, "ad-network-id": text, "transaction-id": text, "app-id": text}}).encode() + b"\n"
                for text in (MARKUP, "</script><script>alert(1)</script>", "javascript:alert(1)", "\u202e\u2028{{7*7}}")]

    def run(self, name):
        keys = shlex.split((self.folder / "keys").read_text())
        self.call("run", self.folder / name, "--out", self.out, "--models", self.reporting / "models", "--received-at",
                  "2026-03-10T00:00:00Z", *keys)

    def derive(self):
        lookups = ["--lookups", self.reporting / "lookups"]
        self.call("settle", self.out, *lookups)
        self.call("enrich", self.out, *lookups)
        self.call("daily", self.out, *lookups, "--environment", "custom", "--dimensions", "app_id,network_name,campaign_id", "--cost",
                  self.reporting / "cost.csv", "--rates", self.reporting / "rates.csv", "--currency", "USD")

    def start(self, *words):
        """Starts the server, and returns the address that it prints."""
        self.process = subprocess.Popen([self.program, "view", self.out, "--port", "0", *words], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+/\S*", line)
            if found:
                return found.group(0)
        raise RuntimeError("postback view printed no address")

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=20)
            return self.process.returncode


class Browser(chromium.Chromium):
    """The live page."""

    def __init__(self, address):
        super().__init__()
        parts = urllib.parse.urlsplit(address)
        self.origin = f"{parts.scheme}://{parts.netloc}"

    def wait(self, script, what, seconds=30):
        """Waits until a script comes to something true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                found = self.run(f"!!({script})")
            except RuntimeError as failure:
                # A page that is just being left answers no question.
                if "navigated" not in str(failure) and "context" not in str(failure):
                    raise
                found = None
            if found:
                return
            time.sleep(0.05)
        raise RuntimeError(f"{what}: {script} stays {found!r}; the page says {self.run('document.body.innerText.slice(0, 600)')!r}")

    READY = ("location.protocol !== 'about:' && document.readyState === 'complete' && document.querySelector('main.is-shown, main h1, "
             "main .results > *') !== null && !document.querySelector('main').hasAttribute('aria-busy') && !document.querySelector('.busy')")

    def settle(self, what="the page"):
        """Waits until the page shows what its address says."""
        self.wait(self.READY, what)

    def visit(self, path):
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=self.origin + path)
        self.settle(path)

    def click(self, selector, place=0):
        self.wait(f"document.querySelectorAll({json.dumps(selector)}).length > {place}", f"click on {selector}")
        self.run(f"one = document.querySelectorAll({json.dumps(selector)})[{place}]; one.focus(); "
                 "one.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, button: 0 })); 0")
        time.sleep(0.1)
        self.settle(selector)

    def choose(self, selector, value):
        self.run(f"one = document.querySelector({json.dumps(selector)}); one.value = {json.dumps(value)}; "
                 "one.dispatchEvent(new Event('change', { bubbles: true })); 0")
        time.sleep(0.1)
        self.settle(selector)

    def press(self, key, code, number, text=None):
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number, **extra)
        time.sleep(0.1)

    def cells(self, selector):
        """The texts of a table's rows, with those of its head first."""
        return self.run(f"Array.from(document.querySelector({json.dumps(selector)}).rows, row => Array.from(row.cells, cell => cell.textContent))")

    def address(self):
        return self.run("location.pathname + location.search")

    def text(self, selector):
        return self.run(f"(document.querySelector({json.dumps(selector)}) || {{ textContent: null }}).textContent")

    def fetch(self, path):
        result = self.ask("Runtime.evaluate", awaitPromise=True, returnByValue=True,
                          expression=f"fetch({json.dumps(path)}).then(async one => [one.status, one.headers.get('content-type'), await one.text()])")
        return result["result"]["value"]


# MARK: - Ways through the page


def check_session(browser, checks, address):
    browser.ask("Page.navigate", url=browser.origin + "/")
    browser.wait("document.readyState === 'complete' && location.protocol === 'http:'", "the page without a session")
    checks.equal("status without a session", browser.fetch("/api/overview")[0], 401)
    browser.ask("Page.navigate", url=address)
    browser.settle("the printed address")
    checks.equal("token in the address", "token" in browser.run("location.href"), False)
    checks.equal("cookie that scripts can read", browser.run("document.cookie"), "")


def check_overview(browser, checks, out):
    browser.visit("/")
    rejects = collections.Counter(class_of(row["reject_code"]) for row in read_rows(out, "skan_rejects"))
    totals = {"accepted": len(read_rows(out, "skan_postbacks")), **rejects}
    shown = {name: number(browser.text(f"#total-{name}")) for name in totals}
    checks.equal("totals", shown, totals)
    periods = browser.cells("main table")
    checks.equal("periods", len(periods[0]), 10)
    checks.equal("kinds", [row[0] for row in periods[1:]][:3], ["accepted", "suspicious", "noise"])
    days = browser.cells("#by-day table")
    checks.equal("days of a week", sum(number(row[1]) for row in days[1:]) >= number(periods[1][7]), True)
    browser.wait("document.querySelector('#findings-holder .findings ol, #findings-holder .findings li, #findings-holder .findings p')", "findings")


def check_news(browser, checks, site):
    """Commits change the numbers in place, and new derived tables are offered; what is being read does not move."""
    browser.ask("Emulation.setDeviceMetricsOverride", width=1280, height=500, deviceScaleFactor=1, mobile=False)
    browser.visit("/")
    browser.wait("document.getElementById('state').dataset.state === 'live'", "state")
    before = number(browser.text("#total-accepted"))
    browser.run("""document.querySelector('#by-hour summary').click(); document.querySelector('#by-hour summary').focus();
        window.scrollTo(0, 300); kept = document.getElementById('total-accepted'); place = window.scrollY;
        read = document.querySelector('#by-hour summary').getBoundingClientRect().top; 0""")
    site.run("second.jsonl")
    expected = len(read_rows(site.out, "skan_postbacks"))
    browser.wait(f"Number(document.getElementById('total-accepted').textContent.replace(/,/g, '')) === {expected}", "numbers of a commit")
    checks.equal("new postbacks", expected > before, True)
    checks.equal("the same element, scrolled, opened and focused", browser.run("""[document.getElementById('total-accepted') === kept,
        window.scrollY === place, document.querySelector('#by-hour details').open, document.activeElement.tagName,
        document.querySelector('#by-hour summary').getBoundingClientRect().top === read]"""), [True, True, True, "SUMMARY", True])
    browser.visit("/campaigns")
    browser.wait("document.getElementById('state').dataset.state === 'live'", "state")
    rows = browser.cells("#campaigns-table")
    browser.run("window.scrollTo(0, 250); place = window.scrollY; 0")
    site.run("third.jsonl")
    site.derive()
    browser.wait("!document.getElementById('news').hidden", "new numbers are offered", 60)
    # Each of the commands made a generation, and the page hears of the last one too.
    time.sleep(2)
    checks.equal("what is read stays", [browser.cells("#campaigns-table") == rows, browser.run("window.scrollY === place")], [True, True])
    browser.click("#news-show")
    browser.wait("document.getElementById('news').hidden", "the offer is taken")
    checks.equal("new numbers", browser.cells("#campaigns-table") != rows, True)
    browser.ask("Emulation.clearDeviceMetricsOverride")


def check_campaigns(browser, checks, out):
    browser.visit("/campaigns")
    daily = [row for row in read_rows(out, "skan_daily") if row["date_type"] == "install" and row["postback_sequence_index"] == 0]
    sums = collections.Counter()
    for row in daily:
        sums[row["network_name"] or "", str(row["campaign_id"] or "")] += row["installs"] or 0
    table = browser.cells("#campaigns-table")
    column = next(place for place, name in enumerate(table[0]) if name == "installs")
    known = lambda text: "" if text == "not known" else text
    shown = {(known(row[0]), known(row[1])): number(row[column] or "0") for row in table[1:-1]}
    checks.equal("installs", {key: count for key, count in shown.items() if count}, {key: count for key, count in sums.items() if count})
    checks.equal("all installs", number(table[-1][column]), sum(sums.values()))
    checks.equal("most first", [number(row[column] or "0") for row in table[1:-1]], sorted(shown.values(), reverse=True))
    checks.equal("names with markup", any(MARKUP.split(" ")[0] in cell for row in table for cell in row), True)

    for expected in (False, True):
        browser.click("#campaigns-table [data-sort=installs]" if not expected else "#campaigns-table [data-sort=cost]")
        checks.equal("aria-sort", browser.run("document.querySelectorAll('#campaigns-table [aria-sort=ascending], #campaigns-table "
                                              "[aria-sort=descending]').length"), 1)
    checks.equal("sort in the address", "sort=-cost" in browser.address(), True)
    checks.equal("focus stays", browser.run("document.activeElement.dataset.sort"), "cost")

    browser.visit("/campaigns")
    table = browser.cells("#campaigns-table")
    browser.click("#campaigns-table tbody th a")
    below = browser.address()
    checks.equal("drill-down", "where=network_name:" in below, True)
    under = browser.cells("#campaigns-table")
    installs = next(place for place, name in enumerate(under[0]) if name == "installs")
    network = table[1][0]
    checks.equal("installs of a network", number(under[-1][installs]), sum(count for (name, _), count in sums.items() if name == network))
    browser.visit(below)
    checks.equal("an address shows the same", browser.cells("#campaigns-table"), under)
    browser.click(".chips a")
    browser.run("history.back(); 0")
    time.sleep(0.3)
    browser.settle("back")
    checks.equal("back", [browser.address(), browser.cells("#campaigns-table")], [below, under])

    name = next(row[1] for row in table[1:-1] if row[1] != "not known")
    browser.visit("/campaigns")
    browser.run("document.getElementById('campaigns-contains').focus()")
    browser.ask("Input.insertText", text=name)
    browser.wait(f"location.search.includes({json.dumps(name)})", "words in the address")
    browser.settle("words")
    checks.equal("words", {row[1] for row in browser.cells("#campaigns-table")[1:-1]}, {name})
    checks.equal("what is typed stays", browser.run("[document.activeElement.id, document.activeElement.value]"), ["campaigns-contains", name])

    days = sorted({row["date"] for row in daily if row["date"]})
    since, middle, until = days[0], days[len(days) // 2], days[-1]
    browser.visit("/campaigns?" + urllib.parse.urlencode({"by": "network_name", "since": middle, "until": until}))
    browser.choose("#campaigns-compare", "before")
    compared = browser.cells("#campaigns-table")
    place = compared[0].index("before")
    span = lambda low, high: sum(row["installs"] or 0 for row in daily if row["date"] and low <= row["date"] < high)
    wanted = re.search(r"compare_since=([\d-]+)", browser.address()).group(1)
    checks.equal("the period and the one before", [number(compared[-1][place - 1]), number(compared[-1][place])],
                 [span(middle, until), span(wanted, middle)])
    browser.visit("/campaigns?by=date")
    byday = browser.cells("#campaigns-table")
    checks.equal("by day", number(byday[-1][byday[0].index("installs")]), sum(sums.values()))
    drawn = [row[0] for row in browser.cells("#installs-by-day table")[1:]]
    first = datetime.date.fromisoformat(drawn[0])
    checks.equal("days without gaps", drawn, [(first + datetime.timedelta(days=day)).isoformat() for day in range(len(drawn))])

    browser.visit("/campaigns?by=network_name,campaign_id")
    status, kind, text = browser.fetch(browser.run("document.querySelector('.source a').getAttribute('href')"))
    lines = list(csv.reader(io.StringIO(text)))
    checks.equal("CSV", [status, kind.split(";")[0], len(lines) - 1], [200, "text/csv", len(shown)])
    checks.equal("command line", browser.text(".source pre").startswith("postback "), True)

    browser.click("#campaigns-table td.number a")
    checks.equal("rows behind a number", "show=postbacks" in browser.address(), True)
    browser.wait("document.querySelectorAll('main tbody tr').length > 0", "postbacks behind a number")
    key = browser.text("main tbody th a")
    browser.click("main tbody th a")
    checks.equal("a postback behind a number", browser.address(), "/postback?id=" + key)
    browser.wait("document.querySelector('section.postback') !== null", "the postback")


def check_rejects(browser, checks, out):
    rejects = read_rows(out, "skan_rejects")
    codes = collections.Counter(row["reject_code"] for row in rejects)
    browser.visit("/rejects")
    shown = {row[0]: number(row[1]) for row in browser.cells("#codes table")[1:]}
    checks.equal("rejects by code", shown, dict(codes))
    checks.equal("bars", browser.run("document.querySelectorAll('#codes svg a').length"), len(codes))
    check_reject_charts(browser, checks, rejects)
    browser.visit("/rejects")
    code = min(codes, key=lambda name: (name != "signature_invalid", name))
    bar = browser.run(f"Array.from(document.querySelectorAll('#codes svg a')).findIndex(one => one.getAttribute('aria-label').startsWith({json.dumps(code + ':')}))")
    browser.click("#codes svg a", bar)
    checks.equal("a click on a bar", browser.address(), "/rejects?code=" + code)
    cells = "Array.from(document.querySelectorAll('.results h2 ~ .scroll tbody tr:not(.details)'), row => row.cells[%d].textContent)"
    checks.equal("rows of a bar", set(browser.run(cells % 2)), {code})
    checks.equal("number of rows", len(browser.run(cells % 2)), min(codes[code], 50))
    if codes[code] > 50:
        browser.click("button.more")
        browser.wait(f"document.querySelectorAll('.results h2 ~ .scroll tbody tr').length >= {min(codes[code], 100)}", "older rows")
    browser.click(".results h2 ~ .scroll tbody button")
    checks.equal("an opened row", browser.run("document.querySelectorAll('tr.details pre').length"), 1)
    browser.visit("/rejects?class=noise")
    checks.equal("codes of a class", {class_of(one) for one in browser.run(cells % 2)}, {"noise"})
    browser.visit("/rejects?" + urllib.parse.urlencode({"contains": "onerror"}))
    found = browser.run(cells % 5)
    checks.equal("text in the bytes", len(found), sum("onerror" in (row["raw_body"] or "") for row in rejects))
    browser.visit("/rejects?" + urllib.parse.urlencode({"forwarder": MARKUP}))
    checks.equal("a forwarder with markup", set(browser.run(cells % 5)), {MARKUP})
    browser.click(".chips a")
    checks.equal("a filter taken away", browser.address(), "/rejects")


def check_reject_charts(browser, checks, rejects):
    """Bars over time and of senders lead to the rows that they count, by mouse and by keyboard."""
    browser.wait("document.querySelector('#timeline svg a') !== null", "the charts of rejects")
    header, *rows = browser.cells("#timeline table")
    sums = {code: sum(number(row[place]) for row in rows) for place, code in enumerate(header) if place > 0}
    dated = collections.Counter(row["reject_code"] for row in rejects)
    undated = number((re.search(r"([\d,]+) rejects outside", browser.text("#timeline p.note")) or ["", "0"])[1])
    checks.equal("rejects over time", sum(sums.values()) + undated, sum(dated.values()))
    for way in ("mouse", "keyboard"):
        browser.visit("/rejects")
        label = browser.run("document.querySelector('#timeline svg a').getAttribute('aria-label')")
        code, day, count = re.fullmatch(r"(\w+), ([\d-]+): (\d+)", label).groups()
        if way == "mouse":
            browser.click("#timeline svg a")
        else:
            browser.run("document.querySelector('#timeline svg a').focus()")
            browser.press("Enter", "Enter", 13, "\r")
            browser.settle("a bar by keyboard")
        after = (datetime.date.fromisoformat(day) + datetime.timedelta(days=1)).isoformat()
        checks.equal(f"a bar by {way}", browser.address(), f"/rejects?code={code}&since={day}&until={after}")
        checks.equal(f"rejects of a bar by {way}", number(browser.text("#rejects-status").split()[0]), int(count))
    browser.visit("/rejects")
    browser.click("#forwarders svg a")
    checks.equal("a sender's bar", browser.address().startswith("/rejects?forwarder="), True)


def check_case(browser, checks, site):
    """The case of a sender, from its rejects and from a postback, is the file that its command line makes."""
    rejects = read_rows(site.out, "skan_rejects")
    forwarder = collections.Counter(row["forwarder"] for row in rejects if row["forwarder"] and row["forwarder"].isalnum()).most_common(1)[0][0]
    browser.visit("/rejects?" + urllib.parse.urlencode({"forwarder": forwarder}))
    checks.equal("case", browser.text("details.case summary"), "Case of forwarder=" + forwarder)
    links = browser.run("Array.from(document.querySelectorAll('details.case a'), one => one.getAttribute('href'))")
    checks.equal("downloads of a case", len(links), 6)
    files = site.folder / "case"
    files.mkdir()
    for line, downloads in zip(browser.text("details.case pre").splitlines(), (links[:3], links[3:])):
        words = shlex.split(line)
        subprocess.run([site.program, *words[1:], "--force", "--quiet"], cwd=files, check=True, stderr=subprocess.DEVNULL)
        for href, name, kind in [(downloads[0], "case.html", "text/html"), (downloads[2], "transactions.csv", "text/csv")]:
            status, found, body = browser.fetch(href)
            checks.equal(href, [status, found.split(";")[0], body == (files / name).read_bytes().decode()], [200, kind, True])
    # What is not shown to anybody else is not in the case of the partner.
    checks.equal("revenue in the case of the partner", "Revenue of the accepted" in (files / "case.html").read_text(), False)
    transaction = next(row["transaction_id"] for row in rejects if row["reject_code"] == "duplicate_conflict")
    browser.visit("/postback?" + urllib.parse.urlencode({"id": transaction}))
    checks.equal("case of a postback", browser.text("details.case summary"), "Case of transaction_id=" + transaction)


def check_signals(browser, checks):
    browser.visit("/signals")
    checks.equal("sections", [one for one in ("signals", "changes") if browser.run(f"document.getElementById('{one}') === null")], [])
    checks.equal("charts are drawn", browser.run("""Array.from(document.querySelectorAll('figure[data-chart]')).filter(one =>
        one.querySelector('svg').childNodes.length === 0).map(one => one.id)"""), [])
    links = browser.run("Array.from(document.querySelectorAll('main a'), one => one.getAttribute('href'))")
    ids = set(browser.run("Array.from(document.querySelectorAll('[id]'), one => one.id)"))
    checks.equal("links that lead nowhere", [one for one in links if one.startswith("#") and one[1:] not in ids], [])


def check_report(browser, checks, out):
    browser.visit("/report")
    checks.equal("read", int(browser.text("#read").replace("\u202f", "")), len(read_rows(out, "skan_postbacks")) + len(read_rows(out, "skan_rejects")))
    checks.equal("charts are drawn", browser.run("""Array.from(document.querySelectorAll('figure[data-chart]')).filter(one =>
        one.querySelector('svg') && one.querySelector('svg').childNodes.length === 0).map(one => one.id)"""), [])
    whole = browser.text("#filter-status")
    browser.choose("#filter-code", browser.run("document.querySelector('#filter-code').options[2].value"))
    checks.equal("a filter of the report", browser.text("#filter-status") != whole, True)
    browser.click("header nav a", 1)
    checks.equal("from the report to another view", browser.address(), "/campaigns")


def check_postback(browser, checks, out):
    rejects = read_rows(out, "skan_rejects")
    conflict = next(row for row in rejects if row["reject_code"] == "duplicate_conflict")
    browser.visit("/")
    browser.run("document.getElementById('search-id').focus()")
    browser.ask("Input.insertText", text=conflict["transaction_id"])
    browser.press("Enter", "Enter", 13, "\r")
    browser.wait("document.querySelector('section.postback') !== null", "a postback by its transaction id")
    checks.equal("address of a postback", browser.address(), "/postback?id=" + conflict["transaction_id"])
    copies = browser.cells("section.postback table")
    checks.equal("copies", [copies[1][0], copies[1][1], "duplicate_conflict" in copies[1]], ["verdict", "accepted", True])
    checks.equal("what was changed", browser.run("document.querySelectorAll('section.postback mark').length > 0"), True)
    checks.equal("signed columns", browser.run("document.querySelectorAll('section.postback th.signed').length > 4"), True)

    body = json.loads(conflict["raw_body"])
    browser.visit("/postback")
    browser.run("document.getElementById('pasted').focus()")
    browser.ask("Input.insertText", text=json.dumps(body))
    browser.click("#paste-find")
    browser.wait("document.querySelector('section.postback') !== null", "a pasted postback")
    checks.equal("pasted beside the row", browser.run("Array.from(document.querySelectorAll('caption'), one => one.textContent).some(one => "
                                                      "one.startsWith('What was pasted'))"), True)
    browser.visit("/postback?" + urllib.parse.urlencode({"id": MARKUP}))
    checks.equal("an id with markup", MARKUP in browser.text("section.postback"), True)
    browser.visit("/postback?" + urllib.parse.urlencode({"id": MARKUP + "2"}))
    checks.equal("an id that is not there", bool(browser.text(".failure")), True)


def check_keyboard(browser, checks):
    browser.visit("/")
    browser.press("Tab", "Tab", 9)
    checks.equal("first stop", browser.run("document.activeElement.className"), "skip")
    browser.press("Enter", "Enter", 13, "\r")
    checks.equal("skipped to the content", browser.run("document.activeElement.id"), "content")
    browser.run("document.querySelectorAll('header nav a')[1].focus()")
    browser.press("Enter", "Enter", 13, "\r")
    browser.settle("campaigns by keyboard")
    checks.equal("a view by keyboard", [browser.address(), browser.run("document.activeElement.tagName")], ["/campaigns", "H1"])
    browser.run("document.querySelector('#campaigns-table [data-sort=installs]').focus()")
    browser.press(" ", "Space", 32, " ")
    browser.wait("location.search.includes('sort=installs')", "sorted by keyboard")


def check_layout(browser, checks, ids):
    for path in ids:
        for width in (1280, 390):
            browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            browser.visit(path)
            checks.equal(f"width of {path} at {width}", browser.run("document.documentElement.scrollWidth <= innerWidth"), True)
        for rule, selector in [("landmarks", "header nav, main, footer"), ("one h1", "h1")]:
            expected = 3 if rule == "landmarks" else 1
            checks.equal(f"{rule} of {path}", browser.run(f"document.querySelectorAll({json.dumps(selector)}).length"), expected)
        checks.equal(f"charts of {path} without a table", browser.run("""Array.from(document.querySelectorAll('figure')).filter(one =>
            one.querySelector('svg') && !one.querySelector('table')).map(one => one.id)"""), [])
        browser.ask("Emulation.setEmulatedMedia", media="print")
        checks.equal(f"{path} on paper", browser.run("""['.controls', '#search', '.source', '.skip'].filter(one =>
            Array.from(document.querySelectorAll(one)).some(found => found.checkVisibility()))"""), [])
        browser.ask("Emulation.setEmulatedMedia", media="")
        checks.equal(f"paper of {path}", len(browser.paper()) > 5000, True)
    browser.ask("Emulation.clearDeviceMetricsOverride")


def check_languages(browser, checks, out):
    accepted = len(read_rows(out, "skan_postbacks"))
    agent = browser.run("navigator.userAgent")
    for language, group, point in [("de-DE", ".", ","), ("es-ES", "", ","), ("en-US", ",", ".")]:
        browser.ask("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=language)
        browser.visit("/")
        text = str(accepted)
        grouped = text if group == "" and len(text) == 4 else f"{accepted:,}".replace(",", group or ".")
        checks.equal(f"a count in {language}", browser.text("#total-accepted"), grouped)
        browser.visit("/campaigns?by=network_name")
        amounts = browser.run("Array.from(document.querySelectorAll('#campaigns-table tfoot td'), one => one.textContent)")
        checks.equal(f"amounts in {language}", any(re.fullmatch(rf"[\d.,]+{re.escape(point)}\d\d", one) for one in amounts), True)


def refusals_left_out(complaints):
    """The complaints without those about answers that are none: 404 for an id that is not there, and 503 while a report is made."""
    return [one for one in complaints if not re.search(r"Failed to load resource: .* status of (404|503) ", json.dumps(one))]


def check_without_revenue(site):
    """A reader who may not see revenue sees no amount anywhere."""
    checks = chromium.Checks()
    address = site.start("--role", "read_without_revenue")
    browser = Browser(address)
    try:
        browser.ask("Page.navigate", url=address)
        browser.settle("the address of a reader without revenue")
        key = read_rows(site.out, "skan_postbacks")[0]["postback_key"]
        for path in [*VIEWS[:-1], "/campaigns?columns=all&by=date", "/campaigns?show=postbacks", "/postback?id=" + key]:
            browser.visit(path)
            text = browser.run("document.body.textContent")
            checks.equal(f"amounts of {path}", re.findall(r"\bUSD\b|\bROAS\b|\brange\b", text), [])
        checks.equal("complaints", refusals_left_out(browser.complaints()), [])
    finally:
        browser.close()
        status = site.stop()
    checks.equal("status of the server", status, 0)
    return checks.failed


def check_barriers(browser, checks, ids, axe):
    script = pathlib.Path(axe).read_text(encoding="utf-8")
    ask = """axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations.map(one => [one.id, one.nodes.length,
        one.nodes[0].html.slice(0, 200), one.nodes[0].failureSummary]))"""
    for dark in (False, True):
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        for path in ids:
            browser.visit(path)
            browser.run("document.querySelectorAll('details').forEach(one => { one.open = true; }); 0")
            browser.run(script + "; 0")
            result = browser.ask("Runtime.evaluate", expression=ask, awaitPromise=True, returnByValue=True)
            checks.equal(f"barriers of {path}{', dark' if dark else ''}", result["result"]["value"], [])
    browser.ask("Emulation.setEmulatedMedia", features=[])


def pictures(browser, folder, ids):
    for path in ids:
        name = path.split("?")[0].strip("/") or "overview"
        for form, width, dark in [("light", 1280, False), ("dark", 1280, True), ("narrow", 390, False)]:
            browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            browser.visit(path)
            browser.picture(f"{folder}/{name}-{form}.png", width, dark)


def check(site, browser, address, axe=None, folder=None):
    """Goes all ways. Returns the number of problems."""
    checks = chromium.Checks()
    conflict = next(row for row in read_rows(site.out, "skan_rejects") if row["reject_code"] == "duplicate_conflict")
    ids = [*VIEWS[:-1], "/postback?id=" + conflict["transaction_id"]]
    check_session(browser, checks, address)
    browser.events.clear()
    for way, *more in [(check_overview, site.out), (check_news, site), (check_campaigns, site.out), (check_rejects, site.out),
                       (check_case, site), (check_signals,), (check_report, site.out), (check_postback, site.out), (check_keyboard,),
                       (check_languages, site.out), (check_layout, ids)]:
        before = checks.failed
        way(browser, checks, *more)
        print("ok" if checks.failed == before else "failed", way.__name__.removeprefix("check_"), flush=True)
    outside = {url for url in browser.requested() if not url.startswith(browser.origin + "/") and not url.startswith("data:")}
    checks.equal("requests to others", outside, set())
    checks.equal("title", browser.run("document.title").endswith("postback"), True)
    checks.equal("complaints", refusals_left_out(browser.complaints()), [])
    if axe:
        check_barriers(browser, checks, ids + ["/campaigns?by=date&compare_since=2026-03-01&compare_until=2026-03-05&since=2026-03-05"
                                               "&until=2026-03-09", "/campaigns?show=postbacks", "/rejects?forwarder=adjust"], axe)
    if folder:
        pictures(browser, folder, ids)
    return checks.failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--axe")
    parser.add_argument("--pictures")
    arguments = parser.parse_args()
    chromium.program()
    with tempfile.TemporaryDirectory() as folder:
        site = Site(arguments.program, folder)
        site.make()
        address = site.start()
        browser = Browser(address)
        try:
            failed = check(site, browser, address, arguments.axe, arguments.pictures)
        finally:
            browser.close()
            status = site.stop()
        failed += check_without_revenue(site)
    if status != 0:
        print(f"postback view ended with {status}", file=sys.stderr)
        failed += 1
    print("all is well" if failed == 0 else f"{failed} problems")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
