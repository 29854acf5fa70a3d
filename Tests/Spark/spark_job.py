#!/usr/bin/env python3
"""Holds the tables of the Spark job against those of `postback run`: spark_job.py --binary POSTBACK --python VENV/bin/python

Each scenario compares the rows as a set, in every column. Without --all it is one small dump in two batches, Parquet against
JSON Lines, and a killed child. With --all it is everything at the size of --count: 1, 2 and 8 partitions, a skewed key, a
killed executor, a killed child, and a second batch that is killed half-way and started again.
"""

import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from rows import compare, compare_parquet, job_rows, rows

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "Fixtures" / "models"


def descendants(pid):
    """The processes that a process has started, and theirs, with their command lines."""
    children = collections.defaultdict(list)
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                children[int((entry / "stat").read_text().rpartition(")")[2].split()[1])].append(int(entry.name))
            except OSError:
                continue
    found, waiting = {}, [pid]
    while waiting:
        for child in children[waiting.pop()]:
            try:
                found[child] = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            waiting.append(child)
    return found


class Processor:
    """The processor time of Java and Python in what a process starts, as it was seen last."""

    def __init__(self, process):
        self.last, self.process = {}, process
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while self.process.poll() is None:
            for pid, command in descendants(self.process.pid).items():
                kind = "Java" if command[0].endswith("java") else "Python" if "python" in command[0] else None
                try:
                    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if kind:
                    self.last[pid] = (kind, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
            time.sleep(0.5)

    def end(self):
        """Waits for the end, and returns the seconds by kind."""
        self.thread.join()
        return {kind: sum(used for of, used in self.last.values() if of == kind) for kind in ("Java", "Python")}


class Test:
    def __init__(self, arguments, work):
        self.binary, self.python, self.work = os.path.abspath(arguments.binary), arguments.python, work
        self.keys = []

    def generate(self, name, count, seed, *options):
        path = self.work / name
        subprocess.run([self.binary, "generate", "--count", str(count), "--seed", str(seed), "--out", path, "--truth",
                        f"{path}.truth", "--keys", f"{path}.keys", "--quiet", *options], check=True)
        self.keys = pathlib.Path(f"{path}.keys").read_text().split()
        return path

    def run(self, out, *inputs):
        """Runs `postback run`, and returns its processor time."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([self.binary, "run", *inputs, "--models", MODELS, "--out", out, "--quiet", *self.keys], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def command(self, out, *inputs, partitions=2, master="local[2]", options=()):
        return [self.python, ROOT / "deploy/spark/postback_job.py", *map(str, inputs), "--out", str(out), "--models", str(MODELS),
                "--postback", self.binary, "--json", "--partitions", str(partitions), "--split-bytes",
                str(16 << 20), *self.keys, *options], {
                    **os.environ, "PYSPARK_SUBMIT_ARGS": f"--master {master} pyspark-shell", "SPARK_LOCAL_IP": "127.0.0.1",
                    "SPARK_LOCAL_DIRS": str(self.work / "spark")}

    def job(self, out, *inputs, kill=None, **how):
        """Runs the job, and `kill` beside it; returns its exit status, its summary and its time."""
        command, environment = self.command(out, *inputs, **how)
        start = time.monotonic()
        with open(self.work / "log", "ab") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment, cwd=ROOT)
            processor = Processor(process)
            try:
                if kill:
                    kill(process)
                output = process.communicate(timeout=1800)[0]
            except NothingToKill:
                sys.exit(f"the job ended before there was anything to kill:\n{self.log_end()}")
            finally:
                process.kill()
                self.used = processor.end()
        if process.returncode != 0 and not kill:
            print(self.log_end(), file=sys.stderr)
        return process.returncode, json.loads(output) if process.returncode == 0 else None, time.monotonic() - start

    def log_end(self):
        return (self.work / "log").read_text()[-6000:]

    def phases(self):
        """The times of the last job's phases, as it has printed them."""
        return re.findall(r"postback_job: (start .*)", (self.work / "log").read_text())[-1]


class NothingToKill(Exception):
    """The job ended before a process that was to be killed had started."""


def when(process, wanted, then, delay=0.0):
    """Waits until a process that the job started is the wanted one, and calls `then` with its id."""
    while process.poll() is None:
        for pid, command in descendants(process.pid).items():
            if wanted(command):
                time.sleep(delay)
                try:
                    then(pid)
                except ProcessLookupError:
                    continue
                return True
        time.sleep(0.05)
    raise NothingToKill


def child_of(step):
    """The children of tasks; the job's own check of the options is not quiet."""
    return lambda command: command[1:4] == ["records", step, "--quiet"]


def kill_child(step):
    return lambda process: when(process, child_of(step), lambda pid: os.kill(pid, signal.SIGKILL))


def kill_executor(process):
    """Kills an executor while a child of its task verifies."""
    when(process, child_of("finish"), lambda _: None, delay=0.3)
    when(process, lambda command: "CoarseGrainedExecutorBackend" in " ".join(command),
         lambda pid: os.kill(pid, signal.SIGKILL))


def kill_job(step, delay):
    """Kills the job with all that it started."""
    def kill(process):
        when(process, child_of(step), lambda _: None, delay)
        for pid in [process.pid, *descendants(process.pid)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
    return kill


def dumps(test, count):
    """Postbacks in three inputs: a plain file, a compressed one, and a folder; a quarter are resends from anywhere before."""
    source = test.generate("source.jsonl", count * 3 // 4, 5)
    lines = source.read_bytes().splitlines(keepends=True)
    picked = random.Random(7)
    for place in range(count - len(lines)):
        lines.insert(picked.randrange(len(lines) // 2, len(lines)), lines[picked.randrange(len(lines) // 2)])
    first, second = len(lines) * 6 // 10, len(lines) * 8 // 10
    plain, packed, folder = test.work / "day1.jsonl", test.work / "day2.jsonl.gz", test.work / "day3"
    plain.write_bytes(b"".join(lines[:first]))
    with gzip.open(packed, "wb", 1) as file:
        file.write(b"\n".join(lines[first:second]))
    folder.mkdir()
    for number in range(8):
        (folder / f"part{number}.jsonl").write_bytes(b"".join(lines[second:][number::8]))
    # The same bytes once more are no new input.
    shutil.copy(folder / "part0.jsonl", folder / "part9.jsonl")
    return plain, packed, folder


def skewed(test, count):
    """A dump in which one key has half of the lines, every tenth copy with another conversion value."""
    source = test.generate("skew.jsonl", count // 2, 9, "--valid-only")
    lines = source.read_bytes().splitlines(keepends=True)
    first = json.loads(lines[0])
    copies = [json.dumps({**first, "conversion-value": number % 64} if number % 10 == 0 else first).encode() + b"\n"
              for number in range(count - len(lines))]
    source.write_bytes(b"".join(line for pair in zip(lines, copies) for line in pair))
    return source


def two_batches(test, inputs, kill):
    """Two batches with one folder of keys; the second is killed and started again. Compared with two runs of one state."""
    plain, *others = inputs
    test.run(test.work / "runs", plain)
    test.run(test.work / "runs", *others)
    out, seen = test.work / "batches", ("--seen", str(test.work / "seen"))
    assert test.job(out, plain, options=seen)[0] == 0
    if kill:
        status, _, _ = test.job(out, *others, options=seen, kill=kill)
        assert status == -signal.SIGKILL, status
        assert not (out / "batch-00000002").exists()
    status, summary, _ = test.job(out, *others, options=seen)
    assert status == 0, status
    assert summary["known_inputs"] == 1, summary
    compare("two batches, the second killed and started again" if kill else "two batches",
            rows([test.work / "runs"]), job_rows(out))
    again = test.job(out, *others, options=seen)
    assert again[:2] == (0, summary), again
    assert len(list(out.glob("batch-*"))) == 2


def small(test, count):
    inputs = dumps(test, count)
    two_batches(test, inputs, None)
    compare_parquet(test.work / "batches")
    status, _, _ = test.job(test.work / "dead", *inputs, kill=kill_child("finish"))
    assert status not in (0, -signal.SIGKILL), status
    assert not list((test.work / "dead").glob("batch-*")), "a batch with a dead child was committed"
    print("   ok  a child that dies ends the job, and nothing is committed")


def same_rows(test, inputs, count, expected, name, **how):
    """Runs the job over the inputs, and compares its rows with those of run."""
    out = test.work / "job"
    status, summary, took = test.job(out, *inputs, **how)
    assert status == 0, (name, status)
    compare(name, expected, job_rows(out))
    assert sum(summary["rows"].values()) == sum(sum(table.values()) for table in expected.values())
    shares = ", ".join(f"{kind} {seconds / count * 1e6:.1f} µs" for kind, seconds in test.used.items())
    print(f"       processor time a postback: {shares}; elapsed {took:.1f} s: {test.phases()}", flush=True)
    shutil.rmtree(out)
    shutil.rmtree(test.work / "spark", ignore_errors=True)


def large(test, count, only):
    inputs = dumps(test, count)
    ran = test.run(test.work / "out", *inputs)
    expected = rows([test.work / "out"])
    print(f"       postback run: {ran / count * 1e6:.1f} µs of processor time a postback", flush=True)
    cluster = {"master": "local-cluster[2,1,1024]", "partitions": 4}
    scenarios = {f"partitions-{number}": ((inputs, count, expected, f"{number} partitions"), {"partitions": number})
                 for number in (2, 1, 8)}
    for name, kill in (("executor", kill_executor), ("read", kill_child("read")), ("finish", kill_child("finish"))):
        scenarios[name] = ((inputs, count, expected, f"{name} killed, in a cluster of two"), {"kill": kill, **cluster})
    for name, (place, how) in scenarios.items():
        if name in only or not only:
            same_rows(test, *place, **how)
    if "batches" in only or not only:
        two_batches(test, inputs, kill_job("finish", 0.5))
    if "skew" in only or not only:
        skew = [skewed(test, count)]
        test.run(test.work / "skew-out", *skew)
        same_rows(test, skew, count, rows([test.work / "skew-out"]), "a key with half of the lines", partitions=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--python", default=sys.executable, help="the Python with PySpark")
    parser.add_argument("--count", type=int, help="postbacks; default 6000, with --all 400000")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", action="append", default=[], metavar="SCENARIO",
                        help="of --all: partitions-1, partitions-2, partitions-8, executor, read, finish, batches, skew")
    parser.add_argument("--work", help="the folder for the data; default a temporary one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        test = Test(arguments, pathlib.Path(work))
        if arguments.all or arguments.only:
            large(test, arguments.count or 400_000, arguments.only)
        else:
            small(test, arguments.count or 6000)
    print("ok")


if __name__ == "__main__":
    main()
