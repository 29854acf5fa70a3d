#!/usr/bin/env python3
"""Lets many people look at the live page of `serve --view` while postbacks come, and watches the memory of both sides.

    view_soak.py POSTBACK [--seconds N] [--viewers N] [--rate N] [--refresh SECONDS] [--apart] [--curve FILE] [--preload FILE]

Postbacks are posted at a steady rate, committed by `serve --watch`, and counted by `serve --refresh`. Each viewer has a session and asks
as the page does: it waits for news, asks for the overview after a commit, at most every two seconds, and sometimes looks at another view
or downloads a table. A real page in Chromium, where there is one, follows the commits too, and goes through the views before each measure.

Measured for equal times: the most resident memory of the server in them, and its least memory that belongs to no file, descriptors and threads,
looked at each second; at their ends the heap, the nodes and the listeners of the page after a collection of garbage. The first third of the
time is for warming up. Of what follows, the least of the last third may not be above that of the first third by more than the bounds below:
what is needed for a moment comes and goes, and what leaks stays.
The server may have 300 MB at most at any time. Ends with 0 where that is so and every request was answered, else
with 1. With --apart the page's server is a process of its own, `view --config`.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import chromium

# A server keeps the ids of postbacks, 24 bytes each and twice while their table grows, and what an allocator rounds up.
SERVER_GROWTH, BYTES_OF_POSTBACK, SERVER_PEAK = 8_000_000, 96, 300_000_000
DESCRIPTOR_GROWTH, THREAD_GROWTH = 16, 4
# A page has the rows of each hour and day that it shows, and code that the browser compiles again for speed.
HEAP_GROWTH, NODE_GROWTH, LISTENER_GROWTH = 1_500_000, 1500, 100
VIEWS = ["/campaigns", "/rejects", "/signals", "/"]


class Site:
    """A receiver with a page, on an output that has a history."""

    def __init__(self, options, folder):
        self.options, self.folder, self.processes = options, pathlib.Path(folder), []
        self.files = self.folder / "campaigns"

    def call(self, *words):
        subprocess.run([self.options.program, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def make(self):
        history, count = 6000, 6000 + int(self.options.seconds * self.options.rate * 1.1) + 100
        self.call("generate", "--count", count, "--seed", 4, "--campaigns", 12, "--days", 20, "--cost", "--reporting", self.files,
                  "--forged", 0.02, "--edited", 0.02, "--out", self.folder / "dump", "--keys", self.folder / "keys")
        lines = (self.folder / "dump").read_bytes().splitlines(keepends=True)
        # Copies come soon after their postback, so the order is kept.
        (self.folder / "history").write_bytes(b"".join(lines[:history]))
        with open(self.folder / "later", "wb") as later:
            for line in lines[history:]:
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    body = json.dumps(json.loads(line)["body"]).encode()
                    # The receiver refuses larger ones.
                    if len(body) < 60_000:
                        later.write(body + b"\n")
        keys = [word for word in (self.folder / "keys").read_text().split() if word != "--trust-key"]
        for name in ("viewers", "browser"):
            (self.folder / name).write_text(f"the-token-of-the-{name}")
        (self.folder / "spool").mkdir()
        (self.folder / "postback.json").write_text(json.dumps({
            "spool": str(self.folder / "spool"), "out": str(self.folder / "out"), "models": [str(self.files / "models")],
            "trusted_keys": [dict(zip(("id", "key"), key.split("=", 1))) for key in keys], "lookups": str(self.files / "lookups"),
            "costs": str(self.files / "cost.csv"), "rates": str(self.files / "rates.csv"), "currency": "USD",
            "environment": ["production", "custom"], "dimensions": ["app_id", "network_name", "campaign_id"],
            "limits": {"requests_per_minute": 0},
            "view": {"listen": "127.0.0.1:0", "tls": False, "users": [
                {"name": name, "token_file": str(self.folder / name)} for name in ("viewers", "browser")]},
        }))
        self.call("run", self.folder / "history", "--config", self.folder / "postback.json")
        self.call("refresh", "--config", self.folder / "postback.json")
        (self.folder / "dump").unlink()

    def start(self):
        """Starts the server. Sets the ports of the receiver and of the page, and the process whose memory counts."""
        configuration = ["--config", self.folder / "postback.json"]
        serve = ["serve", *configuration, "--watch", "--listen", "127.0.0.1:0", "--refresh", f"{self.options.refresh}s", "--log-format", "json"]
        receiver = self.launch("serve", *serve, *([] if self.options.apart else ["--view"]))
        self.port = self.port_in("serve", r"listening.{0,200}?127\.0\.0\.1:(\d+)", r'"event":"listening"')
        if self.options.apart:
            self.measured = self.launch("view", "view", *configuration)
            self.page = self.port_in("view", r"http://127\.0\.0\.1:(\d+) for", "")
        else:
            self.measured = receiver
            self.page = self.port_in("serve", r"http://127\.0\.0\.1:(\d+) for", "view_listening")

    def launch(self, name, *words):
        environment = dict(os.environ, **({"LD_PRELOAD": self.options.preload} if self.options.preload else {}))
        process = subprocess.Popen([self.options.program, *map(str, words)], stderr=open(self.folder / f"{name}.log", "wb"),
                                   stdout=subprocess.DEVNULL, env=environment)
        self.processes.append(process)
        return process

    def port_in(self, name, pattern, word):
        for _ in range(600):
            for line in (self.folder / f"{name}.log").read_text(errors="replace").splitlines():
                found = re.search(pattern, line) if word in line else None
                if found:
                    return int(found.group(1))
            time.sleep(0.05)
        raise RuntimeError(f"{name} names no port: {(self.folder / f'{name}.log').read_text()[-2000:]}")

    def stop(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        return [process.wait(timeout=30) for process in self.processes]

    def usage(self):
        """Resident bytes, those of them that are no file's, descriptors and threads of the server."""
        root = pathlib.Path("/proc", str(self.measured.pid))
        status = dict(line.split(":", 1) for line in (root / "status").read_text().splitlines())
        resident, anonymous = (int(status[name].split()[0]) * 1024 for name in ("VmRSS", "RssAnon"))
        return resident, anonymous, len(os.listdir(root / "fd")), int(status["Threads"])


class Connection:
    """A connection that asks one thing after the other."""

    def __init__(self, port, cookie=""):
        self.port, self.cookie, self.streams = port, cookie, None

    async def ask(self, method, path, headers="", body=b""):
        """The status, the headers and the body of an answer. A connection that the server has closed while it was idle is opened again."""
        for attempt in range(3):
            try:
                if self.streams is None:
                    self.streams = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
                return await asyncio.wait_for(self.exchange(method, path, headers, body), 60)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.close()
                if attempt == 2:
                    raise
        raise AssertionError

    async def exchange(self, method, path, headers, body):
        reader, writer = self.streams
        length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
        writer.write(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {self.cookie}\r\n{headers}{length}\r\n".encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in head.split("\r\n")[1:] if ":" in line)}
        content = await reader.readexactly(int(fields.get("content-length", 0)))
        if fields.get("connection", "").lower() == "close":
            self.close()
        return int(head.split()[1]), fields, content

    def close(self):
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


class Crowd:
    """The viewers, and the devices that send postbacks."""

    def __init__(self, site, options):
        self.site, self.options, self.isOver = site, options, False
        self.answers, self.problems, self.posted, self.slowest = {}, [], 0, 0.0
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()))

    async def run(self):
        tasks = [self.viewer(number) for number in range(self.options.viewers)] + [self.devices()]
        await asyncio.gather(*map(self.guarded, tasks))

    async def guarded(self, task):
        try:
            await task
        except Exception as failure:
            self.problems.append(repr(failure))

    async def devices(self):
        connection, start = Connection(self.site.port), time.monotonic()
        with open(self.site.folder / "later", "rb") as lines:
            for line in lines:
                await asyncio.sleep(max(0, start + self.posted / self.options.rate - time.monotonic()))
                if self.isOver:
                    break
                status, _, content = await connection.ask("POST", "/.well-known/skadnetwork/report-attribution/", body=line.strip())
                self.count("post", status, content)
                self.posted += 1
        connection.close()

    def count(self, kind, status, content=b""):
        self.answers[kind, status] = self.answers.get((kind, status), 0) + 1
        if status not in (200, 503):
            self.problems.append(f"{kind}: {status} {content[:200]!r}")

    async def viewer(self, number):
        chance, news = random.Random(number), Connection(self.site.page)
        status, headers, _ = await news.ask("GET", "/?token=the-token-of-the-viewers")
        self.count("enter", status)
        news.cookie = headers["set-cookie"].split(";")[0]
        questions, last, asked, look = Connection(self.site.page, news.cookie), "", 0.0, time.monotonic() + chance.uniform(0, 30)
        while not self.isOver:
            status, _, content = await news.ask("GET", "/api/events", f"Last-Event-ID: {last}\r\n" if last else "")
            self.count("events", status, content)
            last = (re.findall(r"^id: (.*)$", content.decode(), re.M) or [last])[-1]
            if b"event:" in content and time.monotonic() - asked > 2:
                asked = time.monotonic()
                await self.question(questions, "/api/overview")
            if time.monotonic() > look:
                look = time.monotonic() + chance.uniform(10, 50)
                await self.question(questions, chance.choice(self.other_questions))
            # As `retry` of the events says.
            await asyncio.sleep(0.5)
        news.close()
        questions.close()

    other_questions = ["/api/session", "/api/campaigns?by=network_name,campaign_id", "/api/campaigns?by=date", "/api/rejects", "/api/report",
                       "/api/rejects?code=signature_invalid", "/api/rejects?contains=skadnetwork", "/api/postbacks", "/page.js", "/",
                       "/api/rejects.csv", "/api/postbacks.csv", "/api/campaigns.csv", "/api/postback?id=none-has-this-id"]

    async def question(self, connection, path):
        start = time.monotonic()
        status, _, content = await connection.ask("GET", path)
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.count(path, 200 if status == 404 and "none-has" in path else status, content)


class Page:
    """The page in Chromium, which follows the commits as those of the viewers do."""

    def __init__(self, site):
        self.browser, self.origin = chromium.Chromium(), f"http://127.0.0.1:{site.page}"
        for domain in ("Network", "Log"):
            self.browser.ask(f"{domain}.disable")
        for domain in ("Performance", "HeapProfiler"):
            self.browser.ask(f"{domain}.enable")
        self.browser.ask("Page.navigate", url=f"{self.origin}/?token=the-token-of-the-browser")
        self.wait()
        self.complaints = []

    def wait(self):
        ready = ("document.readyState === 'complete' && document.querySelector('main .results > *') !== null && "
                 "!document.querySelector('main').hasAttribute('aria-busy') && !document.querySelector('.busy')")
        for _ in range(1200):
            with contextlib.suppress(RuntimeError):
                if self.browser.run(ready):
                    return
            time.sleep(0.05)
        raise RuntimeError(f"the page does not settle: {self.browser.run('document.body.innerText.slice(0, 500)')!r}")

    def measure(self):
        """The bytes of the heap, the nodes and the listeners, after a way through the views and back."""
        for path in VIEWS:
            self.browser.run(f"document.querySelector('header nav a[href={json.dumps(path)}]').click()")
            time.sleep(0.2)
            self.wait()
        # Numbers that have changed are marked for a moment.
        time.sleep(2)
        for _ in range(2):
            self.browser.ask("HeapProfiler.collectGarbage")
        self.complaints += self.browser.complaints()
        self.browser.events.clear()
        found = {one["name"]: one["value"] for one in self.browser.ask("Performance.getMetrics")["metrics"]}
        return tuple(int(found[name]) for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners"))

    def number(self, selector):
        return self.browser.run(f"(document.querySelector({json.dumps(selector)}) || {{}}).textContent")


def watch(site, crowd, page, options):
    """Measures at equal times. Each measure is the seconds, what the server uses, the postbacks until then, and what the page uses."""
    every = options.every or min(60.0, max(3.0, options.seconds / 60))
    start, measures = time.monotonic(), []
    curve = open(options.curve, "w", encoding="utf-8") if options.curve else None
    names = ["seconds", "resident", "anonymous", "descriptors", "threads", "posted", "heap", "nodes", "listeners"]
    while time.monotonic() - start < options.seconds and site.measured.poll() is None:
        usages, end = [site.usage()], start + len(measures) * every
        # Memory comes and goes with each refresh. One look at a time would see it at the same place of each, or at another one later.
        while time.monotonic() < end and site.measured.poll() is None:
            time.sleep(min(1, max(0, end - time.monotonic())))
            usages.append(site.usage())
        resident, *others = zip(*usages)
        of_page = page.measure() if page else (0, 0, 0)
        measures.append((round(time.monotonic() - start), max(resident), *map(min, others), crowd.posted, *of_page))
        line = dict(zip(names, measures[-1]))
        print(f"{line['seconds']:6} s  {line['resident'] / 1e6:7.1f} MB resident at most, {line['anonymous'] / 1e6:7.1f} MB anonymous at least, "
              f"{line['descriptors']} descriptors, {line['threads']} threads, {line['posted']} postbacks; page: {line['heap'] / 1e6:.2f} MB, "
              f"{line['nodes']} nodes, {line['listeners']} listeners", flush=True)
        if curve:
            print(json.dumps(line), file=curve, flush=True)
    return measures


def problems(measures, crowd, page, statuses):
    """What grew, or went wrong."""
    warm = measures[len(measures) // 3:]
    third = max(1, len(warm) // 3)
    before, after = ([min(one[place] for one in part) for place in range(len(warm[0]))] for part in (warm[:third], warm[-third:]))
    grown = [late - early for early, late in zip(before, after)]
    bounds = [("bytes of anonymous memory", 2, SERVER_GROWTH + BYTES_OF_POSTBACK * grown[5]), ("descriptors", 3, DESCRIPTOR_GROWTH),
              ("threads", 4, THREAD_GROWTH), ("bytes of the page's heap", 6, HEAP_GROWTH), ("nodes of the page", 7, NODE_GROWTH),
              ("listeners of the page", 8, LISTENER_GROWTH)]
    found = [f"{grown[place]:.0f} more {name}, at most {bound:.0f} are allowed" for name, place, bound in bounds if grown[place] > bound]
    for name, place, bound in bounds:
        print(f"{name}: {before[place]:.0f} after the warm-up, {after[place]:.0f} at the end; bound of the growth {bound:.0f}")
    peak = max(one[1] for one in measures)
    print(f"at most {peak / 1e6:.1f} MB resident; bound {SERVER_PEAK / 1e6:.0f} MB")
    if peak > SERVER_PEAK:
        found.append(f"the server had {peak / 1e6:.1f} MB, at most {SERVER_PEAK / 1e6:.0f} are allowed")
    refused = sum(count for (_, status), count in crowd.answers.items() if status == 503)
    asked = sum(crowd.answers.values())
    print(f"{asked} answers, {refused} of them 503; the slowest took {crowd.slowest:.2f} s; {crowd.posted} postbacks")
    if refused > asked / 100 + 50:
        found.append(f"{refused} of {asked} answers were 503")
    if page and page.complaints:
        found.append(f"the page complains: {page.complaints[:3]}")
    return found + crowd.problems[:10] + [f"a process ended with {status}" for status in statuses if status != 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--viewers", type=int, default=50)
    parser.add_argument("--rate", type=float, default=20, help="postbacks a second; 20 unless given")
    parser.add_argument("--refresh", type=int, default=60)
    parser.add_argument("--every", type=float, help="seconds between two measures")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--without-browser", action="store_true")
    parser.add_argument("--curve", help="also write each measure as a line of JSON to this file")
    parser.add_argument("--preload", help="a library for the server's process, such as that of a heap profiler")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    has_browser = not options.without_browser and bool(shutil.which("chromium") or shutil.which("google-chrome"))
    with tempfile.TemporaryDirectory(prefix="postback-soak-") as folder:
        site = Site(options, folder)
        site.make()
        site.start()
        page, crowd, statuses = None, Crowd(site, options), []
        try:
            page = Page(site) if has_browser else None
            crowd.thread.start()
            measures = watch(site, crowd, page, options)
        finally:
            crowd.isOver = True
            if crowd.thread.is_alive():
                crowd.thread.join()
            if page:
                page.browser.close()
            statuses = site.stop()
        found = problems(measures, crowd, page, statuses)
    for one in found:
        print(one, file=sys.stderr)
    print("nothing grows" if not found else f"{len(found)} problems")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
