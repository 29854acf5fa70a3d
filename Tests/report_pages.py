#!/usr/bin/env python3
"""Opens pages of `postback report` in Chromium: report_pages.py POSTBACK

The pages are of texts that would act as markup, of edited postbacks with their truth, and of campaigns, whose names have
markup too. `report_in_browser.py` holds each against its tables.
"""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Texts that would escape from a page, or act as markup, without escaping.
HOSTILE = [
    "</script><img src=x onerror=\"document.title='pwned'\">", "<script src=http://pwned.invalid/x.js></script>",
    "\"><svg onload=fetch('http://pwned.invalid')>", "'-alert(1)-'", "]]><!--<script>", "&lt;b&gt;&amp;",
    "\u2028\u2029\u202e\u0007", "javascript:alert(1)", "{{7*7}}${7*7}",
]


def hostile_lines():
    """Postbacks with markup in every column that a sender can fill."""
    for day, text in enumerate(HOSTILE, 1):
        body = {"version": text, "ad-network-id": text, "transaction-id": text, "app-id": text}
        yield json.dumps({"received_at": f"2026-03-0{day}T00:00:00Z", "channel": "network_forwarded", "forwarder": text,
                          "body": body})
        yield text
        yield json.dumps({
            "version": "4.0", "ad-network-id": text, "source-identifier": text, "app-id": 1, "transaction-id": text,
            "redownload": False, "source-domain": text, "fidelity-type": 1, "did-win": True, "postback-sequence-index": 0,
            "attribution-signature": "MEUCIQCMf2zVe0SbN8GLZ8mYcBAVgBtd",
        })


class Site:
    """A folder with a generated dump, its tables, and the page of their report."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, pathlib.Path(folder)
        self.out, self.page = self.folder / "out", self.folder / "report.html"

    def call(self, *words):
        subprocess.run([self.binary, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def generate(self, *words):
        self.call("generate", "--out", self.folder / "dump", "--keys", self.folder / "keys", *words)

    @property
    def keys(self):
        return shlex.split((self.folder / "keys").read_text())

    def look(self, name, *words):
        subprocess.run([sys.executable, ROOT / "Tests/report_in_browser.py", self.page, self.out, *words], check=True)
        print("ok", name)


def hostile(site):
    site.generate("--count", 1500, "--seed", 9, "--envelopes", "--forged", 0.05, "--edited", 0.1, "--duplicate", 0.15,
                  "--malformed", 0.05)
    lines = site.folder / "hostile"
    lines.write_text("".join(line + "\n" for line in hostile_lines()))
    site.call("run", site.folder / "dump", lines, "--out", site.out, "--models", ROOT / "Fixtures/models", "--received-at",
              "2026-03-10T00:00:00Z", *site.keys)
    site.call("report", site.out, "--html", site.page)
    site.look("texts that would act as markup")


def edits(site):
    truth = site.folder / "truth"
    site.generate("--count", 200, "--seed", 3, "--versions", "4.0=2,3.0=1", "--edit", "did-win", "--edited", 0.2, "--forged", 0,
                  "--malformed", 0, "--duplicate", 0.3, "--truth", truth)
    site.call("run", site.folder / "dump", "--out", site.out, *site.keys)
    site.call("report", site.out, "--html", site.page, "--diagnose", *site.keys)
    site.look("edited postbacks", "--truth", truth)


def campaigns(site):
    reporting = site.folder / "campaigns"
    site.generate("--count", 4000, "--seed", 4, "--campaigns", 12, "--days", 10, "--cost", "--reporting", reporting)
    names = reporting / "lookups/campaigns.csv"
    names.write_text(names.read_text().replace("Campaign 1 ", "<img src=x onerror=alert(1)>&amp; "))
    lookups = ["--lookups", reporting / "lookups"]
    site.call("run", site.folder / "dump", "--out", site.out, "--models", reporting / "models", *site.keys)
    site.call("settle", site.out, *lookups)
    export = site.folder / "export.csv"
    export.write_text("received_at,app_id,ad_network_id,count\n"
                      + "".join(f"2026-03-{day:02},525463029,a.skadnetwork,{day}\n" for day in range(1, 10)))
    site.call("import", export, "--vendor", "<img src=x onerror=alert(2)>", "--out", site.out)
    costs = ["--cost", reporting / "cost.csv", "--rates", reporting / "rates.csv", "--currency", "USD"]
    for dimensions in [[], ["--dimensions", "app_id,network_name,campaign_id"]]:
        site.call("daily", site.out, *lookups, "--environment", "custom", *costs, *dimensions)
        site.call("report", site.out, "--html", site.page, "--force")
        site.look("campaigns " + " ".join(dimensions))


def currencies(site):
    """Revenue and costs in several currencies: with rates from a day on, and without."""
    reporting = site.folder / "campaigns"
    site.generate("--count", 3000, "--seed", 5, "--campaigns", 12, "--days", 10, "--cost", "--reporting", reporting)
    models = reporting / "models/models.json"
    several = [{**model, "currency": ["USD", "EUR", "JPY"][number % 3]} for number, model in enumerate(json.loads(models.read_text()))]
    models.write_text(json.dumps(several))
    rates = [line.split(",") for line in (reporting / "rates.csv").read_text().splitlines()]
    late = site.folder / "rates.csv"
    late.write_text("".join(",".join(line) + "\n" for line in rates if line[1] != "EUR" or line[0] >= "2026-03-28"))
    lookups = ["--lookups", reporting / "lookups"]
    site.call("run", site.folder / "dump", "--out", site.out, "--models", reporting / "models", *site.keys)
    site.call("settle", site.out, *lookups)
    for conversion in ["--rates", late, "--currency", "USD"], []:
        for dimensions in "network_name", "app_id,network_name,campaign_id":
            site.call("daily", site.out, *lookups, "--environment", "custom", "--cost", reporting / "cost.csv", *conversion,
                      "--dimensions", dimensions)
            site.call("report", site.out, "--html", site.page, "--force")
            site.look(f"several currencies by {dimensions}, {'some' if conversion else 'not'} converted")


for page in hostile, edits, campaigns, currencies:
    with tempfile.TemporaryDirectory() as folder:
        page(Site(sys.argv[1], folder))
