#!/usr/bin/env python3
"""Backs up a `serve --watch` under load, again and again, and restores each backup with the files of the spool.

    backup_under_load.py --binary .build/release/postback [--backups 8] [--postbacks 1500] [--port 18431]

Small parts are completed all the time, and rows are removed for their age meanwhile. Some backups are killed, and the next one
takes their place. Each backup must be sound, also where nobody may write, and hold the postbacks of one moment; restored beside a
copy of the whole spool, each acknowledged postback must be in exactly one row. Exit status: 0 if all of that is so, else 1.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PATH = "/.well-known/skadnetwork/report-attribution/"


class Site:
    def __init__(self, options, work):
        self.binary, self.port, self.work = os.path.abspath(options.binary), options.port, work
        self.acknowledged, self.lines, self.isDone = 0, [], False
        (work / "spool").mkdir()
        (work / "server.json").write_text('{"limits": {"requests_per_minute": 0}}')
        self.run("generate", "--count", options.postbacks, "--seed", 3, "--out", "dump", "--keys", "keys", "--quiet")
        self.keys = (work / "keys").read_text().split()
        self.lines = (work / "dump").read_bytes().splitlines()
        self.server = subprocess.Popen(
            [self.binary, "serve", "--watch", "--spool", "spool", "--out", "out", "--config", "server.json", "--part-bytes", "30000",
             "--commit-ms", "20", "--listen", f"127.0.0.1:{self.port}", *self.keys],
            cwd=work, stderr=open(work / "log", "wb"))

    def run(self, *arguments, **more):
        result = subprocess.run([self.binary, *map(str, arguments)], cwd=self.work, capture_output=True, text=True, **more)
        assert result.returncode == 0, f"{arguments}: {result.returncode} {result.stdout} {result.stderr}"
        return result.stdout

    def load(self, pause):
        """Posts all lines, one after the other."""
        connection = None
        for line in self.lines:
            while True:
                try:
                    connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
                    connection.request("POST", PATH, line)
                    answer = connection.getresponse()
                    answer.read()
                    assert answer.status == 200, answer.status
                    break
                except OSError:
                    connection = None
                    time.sleep(0.05)
            self.acknowledged += 1
            time.sleep(pause)
        self.isDone = True

    def rows(self, out):
        """How often each record is in a row, by file and line."""
        rows = collections.Counter()
        for table in ["skan_postbacks", "skan_rejects"]:
            # A backup of a table without a part has no folder for it.
            for part in (self.work / out / table).glob("*"):
                for line in part.read_text().splitlines():
                    row = json.loads(line)
                    rows[os.path.basename(row["source_file"]), row["source_line"]] += 1
        return rows

    def restore(self, backup):
        """Restores a backup, with all files of the spool, and returns the rows before and after."""
        for name in ["restored", "again"]:
            shutil.rmtree(self.work / name, ignore_errors=True)
        shutil.copytree(self.work / backup, self.work / "restored")
        before = self.rows("restored")
        (self.work / "again/new").mkdir(parents=True)
        (self.work / "again/tmp").mkdir()
        for folder in ["done", "new"]:
            for path in (self.work / "spool" / folder).rglob("*.jsonl"):
                shutil.copy2(path, self.work / "again/new")
        self.run("watch", "again", "--out", "restored", "--once", "--quiet", *self.keys)
        assert self.run("state", "check", "restored") == "sound\n"
        return before, self.rows("restored")


def read_only(site, backup):
    """Checks a backup as a user who may not write it."""
    path = site.work / backup
    for folder, _, files in os.walk(path):
        for name in files:
            os.chmod(os.path.join(folder, name), 0o444)
        os.chmod(folder, 0o555)
    os.chmod(site.work, 0o755)
    before = sorted(os.listdir(path / "_state"))
    command = [site.binary, "state", "check", str(path)]
    if os.geteuid() == 0:
        command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *command]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "sound\n"), f"{result.returncode} {result.stdout} {result.stderr}"
    assert sorted(os.listdir(path / "_state")) == before
    for folder, _, files in os.walk(path):
        os.chmod(folder, 0o755)
        for name in files:
            os.chmod(os.path.join(folder, name), 0o644)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=".build/release/postback")
    parser.add_argument("--backups", type=int, default=8)
    parser.add_argument("--postbacks", type=int, default=1500)
    parser.add_argument("--port", type=int, default=18431)
    parser.add_argument("--pause", type=float, default=0.002)
    options = parser.parse_args()
    chance = random.Random(1)
    work = pathlib.Path(tempfile.mkdtemp(prefix="postback-backup-"))
    os.chmod(work, 0o755)
    site = Site(options, work)
    try:
        thread = threading.Thread(target=site.load, args=[options.pause], daemon=True)
        thread.start()
        while site.acknowledged < 20:
            assert site.server.poll() is None, (work / "log").read_text()
            time.sleep(0.02)
        backups, killed, underLoad = [], 0, 0
        for number in range(options.backups):
            target = f"backup-{number}"
            link = ["--link-to", backups[-1]] if backups and number % 2 else []
            if number % 3 == 2:
                process = subprocess.Popen([site.binary, "state", "backup", "out", "--to", target, *link], cwd=work,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(chance.uniform(0, 0.06))
                process.kill()
                killed += process.wait() == -signal.SIGKILL
            if not (work / target).exists():
                site.run("state", "backup", "out", "--to", target, *link)
            underLoad += not site.isDone
            backups.append(target)
            time.sleep(chance.uniform(0, options.postbacks * options.pause / options.backups))
        thread.join()
        while any((work / "spool/new").iterdir()):
            time.sleep(0.05)
        site.server.send_signal(signal.SIGTERM)
        assert site.server.wait(20) == 0, (work / "log").read_text()
        truth, sizes = site.rows("out"), []
        assert len(truth) == site.acknowledged and set(truth.values()) == {1}, "the rows are not what was acknowledged"
        for number, backup in enumerate(backups):
            assert site.run("state", "check", backup) == "sound\n"
            if number % 2 == 0:
                read_only(site, backup)
            before, after = site.restore(backup)
            sizes.append(sum(before.values()))
            assert set(before.values()) <= {1} and set(before) <= set(truth), f"{backup} has rows that were not received"
            assert after == truth, f"{backup}: {len(set(truth) - set(after))} lost, {sum((after - truth).values())} doubled"
        assert sizes == sorted(sizes), sizes
        print(f"{len(backups)} backups, {underLoad} under load, {killed} others killed: {sizes} of {len(truth)} rows in them; "
              "restored, nothing is lost or doubled")
    finally:
        if site.server.poll() is None:
            site.server.kill()
        shutil.rmtree(work)


if __name__ == "__main__":
    try:
        main()
    except AssertionError as failure:
        sys.exit(f"wrong: {failure}")
