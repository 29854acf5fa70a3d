#!/usr/bin/env python3
"""Opens a report of postback in headless Chromium and holds what it shows against the tables.

    report_in_browser.py REPORT OUT [--truth TRUTH] [--pictures FOLDER]

REPORT is the page, OUT the folder of the tables that it was made of. TRUTH says what was done to the postbacks of a page with
diagnoses, as `postback generate` wrote it. Pictures of the page go to FOLDER.

Checks the numbers of the page, that filter, sort and expanding work, that nothing of what was sent is executed or becomes
an element, and that the page asks for nothing. Ends with 0 where all is well, 1 where something is not, and 77 where there
is no Chromium.
"""

import argparse
import collections
import decimal
import html.parser
import json
import pathlib
import re
import sys
import time
import unicodedata
import urllib.parse

import chromium

VOID = {"meta", "input", "line", "rect", "circle", "br", "link"}
OWN = {
    "html", "head", "meta", "title", "style", "body", "svg", "defs", "pattern", "line", "circle", "rect", "text", "header",
    "h1", "h2", "p", "ul", "li", "b", "main", "div", "figure", "figcaption", "details", "summary", "table", "caption", "thead",
    "tbody", "tr", "th", "td", "label", "input", "select", "option", "button", "span", "code", "noscript", "script", "dl",
    "dt", "dd", "pre", "nav", "a", "h3", "section", "ol", "strong",
}


class Page(html.parser.HTMLParser):
    """The elements of a page that matter here."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = collections.Counter()
        self.handlers = []
        self.by_id = {}
        self.tables = {}
        self.stack = []
        self.title = None
        self.links, self.ids, self.text = [], set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements[tag] += 1
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag == "a":
            self.links.append(attributes.get("href"))
        self.handlers += [name for name in attributes if name.startswith("on") or name == "src"
                          or name == "href" and not attributes[name].startswith("#")]
        if tag not in VOID:
            self.stack.append((tag, attributes, []))

    def handle_data(self, data):
        self.text += data
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
            if name == "tr" and hasattr(self, "table"):
                if attributes.get("class") != "details":
                    self.table.append(attributes.get("cells", []))
            if name == tag:
                return


class Browser(chromium.Chromium):
    """A page that is a file."""

    def __init__(self, page):
        super().__init__()
        self.file = pathlib.Path(page).resolve()
        self.url = self.file.as_uri()

    def open(self, **fragment):
        """Opens the page anew, until it is drawn."""
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=self.url + "#" + urllib.parse.urlencode(fragment))
        for _ in range(600):
            if self.run("document.readyState === 'complete' && location.protocol === 'file:'"):
                return
            time.sleep(0.05)
        raise RuntimeError("the page does not become complete")

    def text(self):
        """The page as it was written."""
        return self.file.read_text(encoding="utf-8")

    def page(self):
        return Page(self.run("document.documentElement.outerHTML"))

    def opening(self):
        """Milliseconds from asking for the page to its being there, the script's part included."""
        return round(self.run("performance.getEntriesByType('navigation')[0].loadEventEnd"))


def read_rows(out, table):
    rows = []
    for path in sorted(pathlib.Path(out, table).glob("part-*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            rows += [json.loads(line, parse_float=decimal.Decimal) for line in lines]
    return rows


CLASSES = ("suspicious", "noise", "copies")


def class_of(code):
    """The class of a reject code, and `accepted` for accepted postbacks."""
    if code in ("accepted", "duplicate_identical", "duplicate_forgotten"):
        return "accepted" if code == "accepted" else "copies"
    suspicious = ("signature_invalid", "unknown_key", "forbidden_character", "duplicate_conflict", "duplicate_transaction")
    return "suspicious" if code in suspicious else "noise"


def number(text):
    return int(text.replace("\u202f", ""))


def check(browser, out, truth):
    checks = chromium.Checks()
    rejects, postbacks = read_rows(out, "skan_rejects"), read_rows(out, "skan_postbacks")
    browser.open()
    page = browser.page()
    checks.equal("read", number(page.by_id["read"]), len(rejects) + len(postbacks))
    checks.equal("accepted", number(page.by_id["accepted"]), len(postbacks))
    classes = collections.Counter(class_of(row["reject_code"]) for row in rejects)
    for name in CLASSES:
        checks.equal(name, number(page.by_id[name]), classes[name])

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
    statuses = collections.Counter(row["decode_status"] for row in postbacks)
    shown = {row[0]: int(row[1]) for row in page.tables["Unique postbacks that are not decoded"][1:]}
    checks.equal("not decoded", {name: count for name, count in shown.items() if count},
                 {name: count for name, count in statuses.items() if name != "decoded"})
    elsewhere, unresolved, contradicted = attributed(rejects, postbacks)
    for title, column in [("Rejects by ad network", "ad_network_id"), ("Rejects by forwarder", "forwarder")]:
        name_of = lambda row: row[column] or UNNAMED[column]
        counts = collections.Counter((name_of(row), class_of(row["reject_code"])) for row in rejects)
        read = collections.Counter(name_of(row) for row in rejects + postbacks)
        moved, open_, against = (elsewhere, unresolved, contradicted) if column == "forwarder" else ({}, {}, {})
        found = {row[0]: tuple(int(row[place]) for place in (1, 2, 3, 5, 6, 7)) for row in page.tables[title][1:]}
        names = {name: (counts[name, "suspicious"] - moved.get(name, 0) - open_.get(name, 0), against.get(name, 0), read[name],
                        counts[name, "noise"], counts[name, "copies"], open_.get(name, 0)) for name in read}
        visible = {escaped(name): counts for name, counts in names.items()}
        checks.equal(title, found, visible)
    won = [row for row in postbacks if row["did_win"] is not False]
    for row in page.tables["Won postbacks by window and value"][1:]:
        of = [row_ for row_ in won if (row_["postback_sequence_index"] or 0) == int(row[0])]
        fine = sum(row_["conversion_value"] is not None for row_ in of)
        coarse = sum(row_["conversion_value"] is None and row_["coarse_conversion_value"] is not None for row_ in of)
        checks.equal(f"window {row[0]}", [int(cell) for cell in row[1:4]], [fine, coarse, len(of) - fine - coarse])
    days = page.tables["Installs by day (UTC)"][1:]
    dated = [row for row in won if is_install(row)]
    checks.equal("installs", sum(int(day[1]) for day in days), sum(row["estimated_install_date"] is not None for row in dated))
    for day in days:
        checks.equal(f"order of {day[0]}", int(day[2]) <= int(day[3]), True)
    # The page goes by one kind of time, the best that there is.
    sources = {row["received_at_source"] for row in rejects + postbacks}
    time_source = next((name for name in ("envelope", "option", "file_mtime") if name in sources), None)
    series = page.tables["Rejects by code and time of receipt (UTC)"]
    for place, code in enumerate(series[0][1:], 1):
        dated = sum(row["reject_code"] == code and row["received_at_source"] == time_source for row in rejects)
        checks.equal(f"{code} over time", sum(int(row[place]) for row in series[1:]), dated)

    check_without_script(browser, checks, page)
    check_restored(browser, checks)
    check_bars(browser, checks, codes)
    browser.open()
    check_business(browser, checks, page, read_rows(out, "skan_daily"))
    check_filters(browser, checks, rejects, postbacks, time_source)
    check_layout(browser, checks)
    if truth:
        check_tampering(checks, page, [json.loads(line) for line in truth.read_text().splitlines()])
    check_rows(browser, checks, json.loads(page.by_id["data"]), codes)
    checks.equal("requests", browser.requested(), {browser.url})
    checks.equal("complaints", browser.complaints(), [])
    return checks.failed


def check_without_script(browser, checks, page):
    """The tables of the page are the same with and without its script, which draws every chart; without it no part is empty."""
    written = Page(browser.text())
    checks.equal("charts", browser.run("""Array.from(document.querySelectorAll('figure[data-chart]')).filter(figure =>
        !figure.querySelector('svg').querySelector('rect, line, circle')).map(figure => figure.id)"""), [])
    for caption, rows in written.tables.items():
        if caption != "Rejects of the sample; + opens a row":
            checks.equal(f"{caption}, by the script", page.tables.get(caption), rows)
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open()
    for shown in ("svg:empty", "#filters", "#controls", "#business-controls"):
        visible = f"Array.from(document.querySelectorAll('{shown}')).filter(one => one.checkVisibility()).length"
        checks.equal(f"{shown} without a script", browser.run(visible), 0)
    checks.equal("the note without a script", browser.run("document.querySelector('noscript p').checkVisibility()"), True)
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)


def check_bars(browser, checks, codes):
    """A bar leads to the rows that it counts."""
    browser.open()
    for figure in ("timeline", "forwarders"):
        name = browser.run(f"""link = document.querySelector('#{figure} svg a'); link === null ? null : (
            link.dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true }})), link.getAttribute('aria-label'))""")
        if name is None:
            continue
        for _ in range(100):
            if browser.run("location.hash.includes('at=rejected-rows') && document.getElementById('filter-reset').disabled === false"):
                break
            time.sleep(0.05)
        shown = set(browser.run("Array.from(document.querySelectorAll('#rows tr:not(.details)')).map(row => row.cells[2].textContent)"))
        checks.equal(f"rows of a bar of {figure}", shown <= ({name.split(",")[0]} if figure == "timeline" else set(codes)), True)
        browser.run("document.getElementById('filter-reset').click(); 0")


def check_restored(browser, checks):
    """After a choice was undone, each figure is as it was."""
    parts = """Object.fromEntries(Array.from(document.querySelectorAll('figure, #codes, #completeness'), figure => [figure.id,
        Array.from(figure.querySelectorAll('svg, tbody, p.note'), part => part.innerHTML)]))"""
    choose = "select = document.getElementById('%s'); select.value = '%s'; select.dispatchEvent(new Event('%s')); 0"
    browser.open()
    before = browser.run(parts)
    for control, event in [("filter-forwarder", "change"), ("filter-code", "change"), ("business-network", "change")]:
        if not browser.run(f"document.getElementById('{control}') && document.getElementById('{control}').options.length > 2"):
            continue
        browser.run(choose % (control, "1", event))
        chosen = browser.run(parts)
        checks.equal(f"figures change with {control}", chosen != before, True)
        browser.run(choose % (control, "", event))
        after = browser.run(parts)
        for figure in before:
            checks.equal(f"{figure} after {control}", after[figure], before[figure])


def check_business(browser, checks, page, daily):
    """Installs, revenue and costs by day, campaign and network, of all and of a choice."""
    rows = [row for row in daily if row["date_type"] == "install" and row["postback_sequence_index"] == 0]
    for link in page.links:
        section = urllib.parse.parse_qs(link[1:]).get("at", [link[1:]])[0]
        checks.equal(f"link {link}", section in page.ids, True)
    findings = browser.run("document.querySelectorAll('#findings li').length")
    checks.equal("at most five findings", findings <= 5, True)
    checks.equal("a link in each finding", browser.run("document.querySelectorAll('#findings li a').length"), findings)
    if not rows:
        checks.equal("empty state", "There is no daily report" in page.text, True)
        return
    dated = [row for row in rows if row["date"] is not None]
    installs = collections.Counter()
    for row in dated:
        installs[row["date"]] += row["installs"]
    shown = {row[0]: int(row[2]) for row in page.tables["Installs of each day"][1:]}
    checks.equal("installs by day", {day: count for day, count in shown.items() if count},
                 {day: count for day, count in sorted(installs.items())[-120:] if count and day in shown})
    currency = next(name for name in page.tables if name.startswith("Revenue of each day in "))[-3:]
    # With a currency for all, an amount in another one has no rate, and a sum that needs it is not known.
    is_converted = any(row["unconverted_rows"] for row in daily)

    def part(row, name, of):
        if row[name + "_by_currency"] is None:
            return decimal.Decimal(row[name] or 0) if row[of] == currency else decimal.Decimal()
        return None if is_converted else decimal.Decimal(row[name + "_by_currency"].get(currency, 0))

    def known(parts):
        parts = list(parts)
        return None if None in parts else sum(parts, decimal.Decimal())

    revenue = {day: known(part(row, "revenue", "currency") for row in dated if row["date"] == day) for day in installs}
    later = {}
    for row in daily:
        if row["date_type"] != "install" or row["revenue_basis"] is None:
            continue
        is_several = row["revenue_all_windows"] is None and (row["revenue"] is not None or row["revenue_by_currency"] is not None)
        own = row["revenue_all_windows"] if row["currency"] == currency else 0
        later.setdefault(row["date"], []).append(None if is_several else decimal.Decimal(own or 0))
    shown = lambda cell: amount(cell) if cell else None
    rounded = lambda one: None if one is None else cents(one)
    for day, *cells in page.tables[f"Revenue of each day in {currency}"][1:]:
        checks.equal(f"revenue of {day}", shown(cells[0]), rounded(revenue.get(day, decimal.Decimal())))
        checks.equal(f"revenue of {day} in all windows", shown(cells[6]), rounded(known(later.get(day, []))))
    lists = [name for name in page.tables if name.startswith("Campaigns, the largest cost first")]
    lines = [line for name in lists for line in page.tables[name][1:]]
    campaigns = collections.defaultdict(list)
    for row in rows:
        if row["cost_level"] == "row":
            campaigns[row["network_name"], row["campaign_id"]].append(part(row, "cost", "cost_currency"))
    costs = [cost for cost in map(known, campaigns.values()) if cost is not None]
    checks.equal("cost", sum((amount(line[2]) for line in lines if line[2]), decimal.Decimal()).quantize(decimal.Decimal("0.1")),
                 sum(costs, decimal.Decimal()).quantize(decimal.Decimal("0.1")))
    others = collections.Counter()
    for row in rows:
        for name, of in ("revenue", "currency"), ("cost", "cost_currency"):
            amounts = row[name + "_by_currency"] or ({row[of]: row[name]} if row[name] is not None else {})
            for other, value in amounts.items():
                if other != currency:
                    others[name, other] += decimal.Decimal(value)
    for (name, other), value in others.items():
        note = re.search(rf"{name.capitalize()} of (.*?) (has no exchange rate|is left out)", page.text)
        listed = {code: decimal.Decimal(text) for text, code in re.findall(r"([\d.]+) ([A-Z]{3}) \(", note[1] if note else "")}
        checks.equal(f"{name} in {other}", listed.get(other), value)
    if others:
        for line in lines:
            network, campaign = line[0].removeprefix("⚠ ").split(":")[0], line[1] or None
            of = [row for row in rows if row["network_name"] == network and row["campaign_id"] == campaign]
            if any(row["revenue_by_currency"] or row["cost_by_currency"] for row in of):
                checks.equal(f"return of {line[:2]}", line[6], "")
    ordered = [amount(line[2]) if line[2] else decimal.Decimal() for line in lines]
    checks.equal("the largest cost first", ordered, sorted(ordered, reverse=True))
    for name, nulls, values, *_ in page.tables["Postbacks without a value"][1:]:
        of = [row for row in rows if row["network_name"] == name]
        checks.equal(f"nulls of {name}", [int(nulls), int(values)], [sum(row[key] for row in of) for key in ("nulls", "values")])

    if not browser.run("!document.getElementById('business-controls').hidden"):
        return
    names = browser.run("Array.from(document.getElementById('business-network').options).map(option => option.textContent)")
    for value, name in enumerate(names[1:]):
        browser.run(f"select = document.getElementById('business-network'); select.value = '{value}';"
                    "select.dispatchEvent(new Event('change')); 0")
        filtered = browser.run("document.getElementById('business-status').textContent")
        of = sum(row["installs"] for row in rows if row["network_name"] == name)
        checks.equal(f"installs of {name}", number(filtered.split(" installs")[0]), of)
    day = max(installs)
    if not day_is_known(browser, day):
        return
    browser.run("select.value = ''; select.dispatchEvent(new Event('change')); 0")
    browser.run(f"from = document.getElementById('filter-from'); from.value = {json.dumps(day)};"
                "from.dispatchEvent(new Event('change')); 0")
    filtered = browser.run("document.getElementById('business-status').textContent")
    checks.equal(f"installs from {day}", number(filtered.split(" installs")[0]), installs[day])


def is_install(row):
    """A first postback that is neither a redownload nor a re-engagement."""
    return not row["postback_sequence_index"] and row["redownload"] is not True and row["conversion_type"] in (None, "download")


def day_is_known(browser, day):
    """Whether a day of installs is also one of the days of receipt, which can be chosen."""
    return browser.run(f"document.getElementById('filter-from').min <= {json.dumps(day)}"
                       f" && {json.dumps(day)} <= document.getElementById('filter-from').max")


# The name of records that do not name one.
UNNAMED = {"forwarder": "no forwarder (devices)", "ad_network_id": "unknown", "app_id": "unknown", "reject_code": "unknown"}
COLUMNS = {"forwarder": "forwarder", "network": "ad_network_id", "app": "app_id", "code": "reject_code"}


def check_filters(browser, checks, rejects, postbacks, time_source):
    """A choice in the address changes every chart to the sums of the rows, the way back works, and hostile addresses do nothing."""
    rows = rejects + postbacks
    for row in rows:
        row.setdefault("reject_code", "accepted")
    day = lambda row: row["received_at"][:10] if row["received_at_source"] == time_source and row["received_at"] else None

    def known(dimension):
        return browser.run(f"Array.from(document.getElementById('filter-{dimension}').options).slice(1).map(one => one.textContent)")

    browser.open()
    options = {dimension: known(dimension) for dimension in COLUMNS}
    days = sorted({day(row) for row in rows if day(row)})
    choices = []
    for dimension, column in COLUMNS.items():
        names = options[dimension]
        for name in names[:3] + [name for name in names[3:] if "<" in name][:2]:
            if name not in (*UNNAMED.values(), "others"):
                choices.append({dimension: name})
    if days:
        middle = days[len(days) // 2]
        choices += [{"from": middle}, {"to": middle}, {"from": days[0], "to": days[0]}]
        choices += [{"from": middle, "forwarder": name} for name in options["forwarder"][:2] if name not in (*UNNAMED.values(), "others")]
    everything = browser.run("document.getElementById('filter-status').textContent")
    checks.equal("all records", everything, f"All {grouped(len(rows))} records")
    text = lambda value: escaped("" if value is None else str(value))
    for choice in choices:
        browser.open(**{name: "~" + value if value.startswith("~") else value for name, value in choice.items()})
        found = browser.page()
        chosen = [row for row in rows if all(
            day(row) is not None and day(row) >= value if name == "from" else day(row) is not None and day(row) <= value if name == "to"
            else row[COLUMNS[name]] is not None and text(row[COLUMNS[name]]) == value for name, value in choice.items())]
        rejected = [row for row in chosen if row["reject_code"] != "accepted"]
        checks.equal(f"records of {choice}", found.by_id["filter-status"],
                     f"{grouped(len(chosen))} of {grouped(len(rows))} records: " + ", ".join(
                         f"{grouped(sum(class_of(row['reject_code']) == one for row in chosen))} {one}" for one in ("accepted", *CLASSES)))
        codes = collections.Counter(row["reject_code"] for row in rejected)
        checks.equal(f"codes of {choice}", {row[0]: int(row[1]) for row in found.tables["Rejects by code"][1:]}, dict(codes))
        stages = collections.Counter(row["stage"] for row in rejected)
        unique = len(chosen) - len(rejected)
        verified = unique + stages["dedup"]
        parsed = verified + stages["signature"] + stages["policy"]
        decoded = sum(row.get("decode_status") == "decoded" for row in chosen)
        checks.equal(f"funnel of {choice}", [int(row[1]) for row in found.tables["Records after each stage"][1:]],
                     [len(chosen), parsed, verified, unique, decoded])
        for title, dimension in [("Rejects by ad network", "network"), ("Rejects by forwarder", "forwarder")]:
            names = set(options[dimension])
            unnamed = UNNAMED[COLUMNS[dimension]]
            name = lambda row: (unnamed if unnamed in names else "others") if row[COLUMNS[dimension]] is None else \
                text(row[COLUMNS[dimension]]) if text(row[COLUMNS[dimension]]) in names else "others"
            read = collections.Counter(map(name, chosen))
            # Without the whole page nobody knows whose the copies with other values are.
            lost = collections.Counter(
                (name(row), "unresolved" if dimension == "forwarder" and row["reject_code"] == "duplicate_conflict"
                 else class_of(row["reject_code"])) for row in rejected)
            shown = {row[0]: [int(row[place]) for place in (1, 3, 5, 6, 7)] for row in found.tables[title][1:]}
            checks.equal(f"{title} of {choice}", shown, {
                key: [lost[key, "suspicious"], read[key], lost[key, "noise"], lost[key, "copies"], lost[key, "unresolved"]]
                for key in read})
        series = found.tables["Rejects by code and time of receipt (UTC)"]
        for place, code in enumerate(series[0][1:], 1):
            dated = [row for row in rejected if row["reject_code"] == code and day(row)]
            checks.equal(f"{code} over time of {choice}", sum(int(row[place]) for row in series[1:]), len(dated))
        won = [row for row in chosen if row["reject_code"] == "accepted" and row["did_win"] is not False]
        for row in found.tables["Won postbacks by window and value"][1:]:
            of = [one for one in won if (one["postback_sequence_index"] or 0) == int(row[0])]
            fine = sum(one["conversion_value"] is not None for one in of)
            coarse = sum(one["conversion_value"] is None and one["coarse_conversion_value"] is not None for one in of)
            checks.equal(f"window {row[0]} of {choice}", [int(cell) for cell in row[1:4]], [fine, coarse, len(of) - fine - coarse])
        dated = [row for row in won if is_install(row) and row["estimated_install_date"] is not None and row["received_at_source"] == time_source]
        checks.equal(f"installs of {choice}", sum(int(row[1]) for row in found.tables["Installs by day (UTC)"][1:]), len(dated))
        if "Decoded revenue by app" in found.tables:
            priced = [row for row in won if row["currency"] is not None and row["skan_revenue"] is not None]
            shown = sum(int(row[2]) for row in found.tables["Decoded revenue by app"][1:])
            checks.equal(f"postbacks with revenue of {choice}", shown, len(priced))
            if not any(row["cumulative"] for row in priced):
                sums = collections.defaultdict(decimal.Decimal)
                for row in priced:
                    sums[row["currency"]] += decimal.Decimal(row["skan_revenue"])
                shown = collections.defaultdict(decimal.Decimal)
                for row in found.tables["Decoded revenue by app"][1:]:
                    shown[row[1]] += decimal.Decimal(row[4])
                checks.equal(f"revenue of {choice}", dict(shown), dict(sums))

    # A choice by hand is an entry of the history, and so is the way back.
    browser.open()
    before = browser.run("document.querySelector('#networks svg').innerHTML + document.querySelector('#codes tbody').innerHTML")
    browser.run("select = document.getElementById('filter-code'); select.value = '0'; select.dispatchEvent(new Event('change')); 0")
    checks.equal("address", browser.run("location.hash"), "#code=accepted")
    checks.equal("no rejects", browser.run("document.querySelectorAll('#codes tbody tr').length"), 0)
    browser.run("history.back(); 0")
    for _ in range(100):
        if browser.run("document.getElementById('filter-status').textContent") == everything:
            break
        time.sleep(0.05)
    after = browser.run("document.querySelector('#networks svg').innerHTML + document.querySelector('#codes tbody').innerHTML")
    checks.equal("the way back", after == before, True)
    browser.run("document.querySelector('#findings a[href=\"#signals\"]').click(); 0")
    checks.equal("section", browser.run("location.hash"), "#signals")

    # Nothing of a hostile address becomes a choice or an element.
    elements = browser.page().elements
    for value in ["<img src=x onerror=\"document.title='pwned'\">", "</script><script>alert(1)</script>", "__proto__", "~", "\u202e\u0000", "%", "9" * 10000]:
        browser.open(**{"forwarder": value, "network": value, "app": value, "code": value, "from": value, "to": value, "at": value,
                        "open": value, "sort": value, value: value})
        checks.equal(f"status of {value[:20]}", browser.run("document.getElementById('filter-status').textContent"), everything)
        checks.equal(f"elements of {value[:20]}", browser.page().elements, elements)
        checks.equal(f"title of {value[:20]}", browser.run("document.title"), "Postback report")


def check_layout(browser, checks):
    """Headings in order, nothing wider than a telephone but in a part that scrolls, and at most 15 printed pages."""
    browser.open()
    levels = browser.run("Array.from(document.querySelectorAll('h1, h2, h3'), one => Number(one.tagName[1]))")
    checks.equal("headings", levels[0] == 1 and all(later <= level + 1 for level, later in zip(levels, levels[1:])), True)
    checks.equal("headings of tables", browser.run("document.querySelectorAll('th:not([scope])').length"), 0)
    for width in (390, 1400):
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        checks.equal(f"width at {width}", browser.run("document.documentElement.scrollWidth <= innerWidth"), True)
        wide = browser.run("""Array.from(document.querySelectorAll('body *')).filter(one => one.getBoundingClientRect().right > innerWidth + 1
            && !one.closest('.scroll') && one.checkVisibility()).map(one => one.tagName + ' ' + one.id)""")
        checks.equal(f"parts that leave the page at {width}", wide, [])
    browser.ask("Emulation.setEmulatedMedia", media="print", features=[])
    browser.ask("Emulation.setDeviceMetricsOverride", width=718, height=1000, deviceScaleFactor=1, mobile=False)
    wide = browser.run("""Array.from(document.querySelectorAll('body *')).filter(one => one.getBoundingClientRect().right > innerWidth + 1
        && one.checkVisibility()).map(one => one.tagName + ' ' + one.id + one.className + one.textContent.slice(0, 20))""")
    checks.equal("parts that leave the paper", wide, [])
    browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    browser.ask("Emulation.clearDeviceMetricsOverride")
    pages = len(re.findall(rb"/Type\s*/Page[^s]", browser.paper()))
    checks.equal(f"{pages} printed pages, at most 15", pages <= 15, True)


def grouped(count):
    return f"{count:,}".replace(",", "\u202f")


def amount(text):
    return decimal.Decimal(text.replace("\u202f", "").replace("−", "-"))


def cents(value):
    return value.quantize(decimal.Decimal("0.01"), decimal.ROUND_HALF_EVEN)


def attributed(rejects, postbacks):
    """Of copies with other values: the rejects of devices, those that are nobody's, and the accepted postbacks that devices contradict."""
    firsts = {row["postback_key"]: row for row in postbacks}
    elsewhere, unresolved, contradicted = collections.Counter(), collections.Counter(), {}
    for row in rejects:
        if row["reject_code"] != "duplicate_conflict":
            continue
        first, name = firsts.get(row["first_seen_postback_key"]), row["forwarder"] or UNNAMED["forwarder"]
        if first is None or (row["channel"] == "apple_direct") == (first["channel"] == "apple_direct"):
            unresolved[name] += 1
        elif row["channel"] == "apple_direct":
            elsewhere[name] += 1
            contradicted.setdefault(first["forwarder"] or UNNAMED["forwarder"], set()).add(first["postback_key"])
    return elsewhere, unresolved, {name: len(keys) for name, keys in contradicted.items()}


def check_tampering(checks, page, truth):
    """Every edit, with before and after, and the transactions of which there is more than one story."""
    edits = collections.Counter(
        (row["field"], row["original"] or "absent", row["edited"] or "absent") for row in truth if row["kind"] == "edited"
    )
    rows = page.tables["Signed fields, before and after: what Apple signed, and what arrived"][1:]
    checks.equal("edits", {tuple(row[:3]): int(row[3]) for row in rows}, dict(edits))
    differing = {
        row["transaction_id"] for row in truth if row["kind"] in ("duplicate_conflict", "duplicate_transaction")
    }
    checks.equal("transactions", page.by_id["one-transaction"].split()[0], str(len(differing)))
    checks.equal("signatures", page.by_id["one-signature"].split()[0], "0")


def check_rows(browser, checks, sample, codes):
    """Opening, filtering and sorting, and that what was sent stays text meanwhile."""
    rows, columns = sample["rows"], sample["columns"]
    browser.open()
    scripts = browser.page().elements["script"]
    for index in hostile(rows):
        browser.open(open=index, filter=rows[index]["raw_sha256"])
        opened = browser.page()
        checks.equal(f"elements {index}", set(opened.elements) - OWN, set())
        checks.equal(f"handlers {index}", opened.handlers, [])
        checks.equal(f"scripts {index}", opened.elements["script"], scripts)
        checks.equal(f"title {index}", browser.run("document.title"), "Postback report")
        cells = browser.run("Array.from(document.querySelectorAll('.details dt, .details dd')).map(cell => cell.textContent)")
        checks.equal(f"row {index}", dict(zip(cells[::2], cells[1::2])), rows[index])

    cells = "Array.from(document.querySelectorAll('#rows tr:not(.details)')).map(row => row.cells[%d].textContent)"
    code, transaction = (1 + columns.index(name) for name in ("reject_code", "transaction_id"))
    browser.open()
    for name in codes:
        of = [row for row in rows if row["reject_code"] == name]
        browser.run("select = document.getElementById('filter-code'); select.value = Array.from(select.options)"
                    f".find(one => one.textContent === {json.dumps(name)}).value; select.dispatchEvent(new Event('change')); 0")
        status = browser.run("document.getElementById('status').textContent")
        checks.equal(f"status of {name}", status.split(" rejects")[0], f"{len(of)} of {len(rows)}")
        checks.equal(f"codes of {name}", set(browser.run(cells % code)), {name})
    browser.run("select.value = ''; select.dispatchEvent(new Event('change')); 0")
    texts = sorted((row.get("transaction_id", "") for row in rows), key=lambda text: text.encode("utf-16-be"))
    for direction, expected in [("ascending", texts), ("descending", texts[::-1])]:
        browser.run(f"document.querySelectorAll('#rejects th')[{transaction}].querySelector('button').click()")
        checks.equal(direction, browser.run(cells % transaction), expected[:50])
        state = browser.run(f"document.querySelectorAll('#rejects th')[{transaction}].getAttribute('aria-sort')")
        checks.equal("aria-sort", state, direction)
        checks.equal("order in the address", f"sort={'-' if direction == 'descending' else ''}{transaction - 1}" in
                     browser.run("location.hash"), True)

    # By keyboard: words into the filter, then the first row is opened and closed.
    word = rows[0]["raw_sha256"][:10]
    browser.run("document.getElementById('filter').focus()")
    browser.ask("Input.insertText", text=word)
    checks.equal("filter", browser.run(cells % 0), ["+"])
    browser.run("document.querySelector('#rows button').focus()")
    for expected in (1, 0):
        for kind in ("keyDown", "keyUp"):
            key = {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32}
            browser.ask("Input.dispatchKeyEvent", type=kind, **(key | ({"text": " "} if kind == "keyDown" else {})))
        checks.equal("opened by keyboard", browser.run("document.querySelectorAll('.details').length"), expected)


def hostile(rows):
    """The rows that hold markup."""
    return [index for index, row in enumerate(rows) if any("<" in text for text in row.values())][:8]


def escaped(text):
    """As the page has control characters."""
    return "".join(f"\\u{{{ord(c):x}}}" if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("out")
    parser.add_argument("--truth", type=pathlib.Path)
    parser.add_argument("--pictures")
    arguments = parser.parse_args()
    browser = Browser(arguments.report)
    try:
        browser.open()
        opening = browser.opening()
        failed = check(browser, arguments.out, arguments.truth)
        if arguments.pictures:
            browser.open(open=0)
            for name, width, dark in [("light", 1400, False), ("dark", 1400, True), ("narrow", 390, False)]:
                browser.picture(f"{arguments.pictures}/{name}.png", width, dark)
            browser.print(f"{arguments.pictures}/print.pdf")
    finally:
        browser.close()
    print(f"all is well, opened in {opening} ms" if failed == 0 else f"{failed} problems")
    sys.exit(1 if failed else 0)


main()
