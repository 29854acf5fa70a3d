#!/usr/bin/env python3
"""Kills `postback serve --watch` under load, again and again, and looks whether an acknowledged postback was lost or doubled.

    kill_under_load.py --binary .build/release/postback [--kills 50] [--clients 8]

Clients post generated postbacks over connections that stay open; what is not answered with 200 is sent again, as Apple's
devices do, so that some come twice. Every second or so the server is killed with SIGKILL and started again. At the end it
is asked to leave, `postback watch --once` takes what is left in the spool, and then every transaction id that was
acknowledged must be in skan_postbacks exactly once, no id may be there twice, and none that was not sent. Exit status: 0
where all of that is so, else 1.
"""

import argparse, collections, http.client, json, os, random, re, subprocess, sys, tempfile, threading, time
from pathlib import Path

DEVICE = "/.well-known/skadnetwork/report-attribution/"


class Load:
    """Posts lines from several threads, and keeps which were acknowledged."""

    def __init__(self, lines, clients):
        self.waiting = collections.deque(lines)
        self.acknowledged, self.refused, self.lost_connections = [], collections.Counter(), 0
        self.lock, self.port, self.is_over = threading.Lock(), None, False
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self):
        connection, port = None, None
        while not self.is_over:
            if port != self.port or connection is None:
                port = self.port
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20) if port else None
            try:
                line = self.waiting.popleft()
            except IndexError:
                return
            if connection is None:
                self.waiting.appendleft(line)
                time.sleep(0.005)
                continue
            try:
                connection.request("POST", DEVICE, body=line)
                response = connection.getresponse()
                response.read()
                with self.lock:
                    if response.status == 200:
                        self.acknowledged.append(line)
                    else:
                        self.refused[response.status] += 1
                        self.waiting.append(line)
            except (OSError, http.client.HTTPException):
                connection = None
                with self.lock:
                    self.lost_connections += 1
                    self.waiting.appendleft(line)
                time.sleep(0.005)


def start(command, work):
    """Starts the server; the process and its port."""
    log = work / "log"
    offset = log.stat().st_size if log.exists() else 0
    process = subprocess.Popen(command, cwd=work, stderr=open(log, "ab"))
    while True:
        found = re.search(r"listening: at http://127\.0\.0\.1:(\d+)", log.read_bytes()[offset:].decode(errors="replace"))
        if found:
            return process, int(found[1])
        if process.poll() is not None:
            sys.exit(f"serve has ended by itself with {process.returncode}: {log.read_text()[-2000:]}")
        time.sleep(0.005)


def transaction(line):
    return json.loads(line)["transaction-id"]


def test(options, work):
    chance = random.Random(options.seed)
    generate = ["generate", "--count", options.count, "--seed", options.seed, "--valid-only", "--versions", "4.0=1",
                "--windows", "0=1", "--out", "dump", "--keys", "keys"]
    subprocess.run([options.binary, *map(str, generate)], cwd=work, check=True, stderr=subprocess.DEVNULL)
    keys, lines = (work / "keys").read_text().split(), (work / "dump").read_bytes().splitlines()
    (work / "spool").mkdir()
    (work / "server.json").write_text('{"limits":{"requests_per_minute":0}}')
    tables = ["--out", "out", "--commit-ms", "100", "--part-seconds", "3600", "--delete", *keys]
    serve = [options.binary, "serve", "--listen", "127.0.0.1:0", "--spool", "spool", "--config", "server.json", "--watch", *tables]
    load, begin = Load(lines, options.clients), time.monotonic()
    for _ in range(options.kills):
        process, load.port = start(serve, work)
        time.sleep(chance.uniform(0.1, 2 * options.seconds))
        process.kill()
        process.wait()
    ran_dry = not load.waiting
    process, load.port = start(serve, work)
    time.sleep(options.seconds)
    load.is_over = True
    process.terminate()
    status = process.wait(timeout=60)
    for thread in load.threads:
        thread.join()
    watch = [options.binary, "watch", "spool", "--once", "--part-bytes", "1", *tables]
    drained = subprocess.run(watch, cwd=work, capture_output=True)
    check = subprocess.run([options.binary, "state", "check", "--state", "out/_state", "--out", "out"], cwd=work, capture_output=True)
    rows, rejects = collections.Counter(), collections.Counter()
    for part in sorted((work / "out/skan_postbacks").iterdir()):
        rows.update(json.loads(line)["transaction_id"] for line in part.read_bytes().splitlines())
    for part in sorted((work / "out/skan_rejects").iterdir()):
        rejects.update(json.loads(line)["reject_code"] for line in part.read_bytes().splitlines())
    acknowledged = {transaction(line) for line in load.acknowledged}
    sent = {transaction(line) for line in lines}
    seconds = time.monotonic() - begin
    print(f"{options.kills} kills in {seconds:.0f} s, {len(load.acknowledged)} postbacks acknowledged, "
          f"{load.lost_connections} requests without an answer, {dict(load.refused)} refused")
    print(f"{sum(rows.values())} rows in skan_postbacks, {dict(rejects)} in skan_rejects")
    problems = {
        "serve did not leave when asked to": status != 0,
        f"watch could not finish: {drained.stderr.decode()[-500:]}": drained.returncode != 0,
        f"lost: {len(acknowledged - rows.keys())} acknowledged postbacks": bool(acknowledged - rows.keys()),
        f"doubled: {sum(1 for count in rows.values() if count > 1)}": any(count > 1 for count in rows.values()),
        f"never sent: {len(rows.keys() - sent)}": bool(rows.keys() - sent),
        "rejects that are no copies": bool(set(rejects) - {"duplicate_identical"}),
        "there was nothing more to send before the last kill: raise --count": ran_dry,
        "hardly anything was acknowledged": len(acknowledged) < 10 * options.kills,
        "files are left in new/": bool(os.listdir(work / "spool/new")),
        f"the state: {check.stdout.decode()[:500]}": check.stdout != b"sound\n",
    }
    for problem in (text for text, is_so in problems.items() if is_so):
        print(problem)
    print("every acknowledged postback is in the tables exactly once" if not any(problems.values()) else "NOT SO")
    sys.exit(1 if any(problems.values()) else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=1, help="between two kills on average; 1 unless given")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--count", type=int, default=300_000, help="postbacks to send at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="postback-kill-") as work:
        test(options, Path(work))


if __name__ == "__main__":
    main()
