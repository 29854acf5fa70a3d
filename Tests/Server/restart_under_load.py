#!/usr/bin/env python3
"""Restarts and reloads `postback serve --watch` under load, on a socket that this program keeps open as systemd does.

    restart_under_load.py --binary .build/release/postback [--restarts 10] [--clients 8]

Half of the clients open a connection for each postback, the others keep theirs open until the server closes it. Between two
restarts with SIGTERM the configuration is changed and SIGHUP is sent, with a wrong configuration each second time. No
connection may be refused, no request on a new connection may stay without an answer, and at the end every postback that was
acknowledged must be in skan_postbacks exactly once. Exit status: 0 where all of that is so, else 1.
"""

import argparse, collections, http.client, json, os, random, signal, socket, subprocess, sys, tempfile, threading, time
from pathlib import Path

DEVICE = "/.well-known/skadnetwork/report-attribution/"


class Load:
    """Posts lines from several threads, and counts what comes of them."""

    def __init__(self, lines, clients, port):
        self.waiting = collections.deque(lines)
        self.acknowledged, self.count = [], collections.Counter()
        self.lock, self.is_over, self.port = threading.Lock(), False, port
        self.threads = [threading.Thread(target=self.run, args=(number % 2 == 0,)) for number in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self, keeps):
        connection = None
        while not self.is_over and self.waiting:
            line, isNew = self.waiting.popleft(), connection is None
            connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.connect() if isNew else None
            except OSError:
                self.end(line, "refused connections")
                connection = None
                continue
            try:
                connection.request("POST", DEVICE, body=line, headers={} if keeps else {"Connection": "close"})
                response = connection.getresponse()
                response.read()
                self.end(line, response.status)
                if not keeps or response.will_close:
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException):
                self.end(line, "lost requests of new connections" if isNew else "lost requests of kept connections")
                connection.close()
                connection = None
            time.sleep(0.001)

    def end(self, line, outcome):
        with self.lock:
            self.count[outcome] += 1
            if outcome == 200:
                self.acknowledged.append(line)
            else:
                self.waiting.append(line)


def start(command, work, listener):
    """Starts the server on the socket, which is file descriptor 3 in it."""
    log = open(work / "log", "ab")
    text = 'exec env LISTEN_PID=$$ LISTEN_FDS=1 "$@" 3<&%d' % listener.fileno()
    return subprocess.Popen(["sh", "-c", text, "sh", *command], cwd=work, stderr=log, pass_fds=[listener.fileno()])


def events(work, name):
    lines = (line for line in (work / "log").read_text().splitlines() if line.startswith("{"))
    return [event for event in map(json.loads, lines) if event["event"] == name]


def wait_for(condition, sentence):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    sys.exit(f"waited in vain until {sentence}")


def test(options, work):
    chance = random.Random(options.seed)
    generate = ["generate", "--count", options.count, "--seed", options.seed, "--valid-only", "--versions", "4.0=1",
                "--windows", "0=1", "--out", "dump", "--keys", "keys"]
    subprocess.run([options.binary, *map(str, generate)], cwd=work, check=True, stderr=subprocess.DEVNULL)
    keys = [word.split("=", 1) for word in (work / "keys").read_text().split() if "=" in word]
    lines = (work / "dump").read_bytes().splitlines()
    (work / "spool").mkdir()
    configuration = {"spool": "spool", "out": "out", "trusted_keys": [{"id": id, "key": key} for id, key in keys],
                     "limits": {"requests_per_minute": 0, "connections_per_address": 4096}}

    def configure(**changes):
        (work / "server.json").write_text(json.dumps(configuration | changes))

    configure()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(4096)
        command = [options.binary, "serve", "--watch", "--config", "server.json", "--log-format", "json", "--commit-ms", "50"]
        begin, longest = time.monotonic(), 0
        process = start(command, work, listener)
        load = Load(lines, options.clients, listener.getsockname()[1])
        reloads = {"reloaded": 0, "reload_failed": 0}
        for number in range(options.restarts):
            wait_for(lambda: len(events(work, "watching")) == number + 1, "the server has started")
            time.sleep(chance.uniform(0.1, 1))
            for name, changes in (("reloaded", {"apps": {"a": number + 1}}), ("reload_failed", {"trusted_keys": [7]})):
                configure(**changes)
                process.send_signal(signal.SIGHUP)
                reloads[name] += 1
                wait_for(lambda: len(events(work, name)) == reloads[name], f"the log has {name}")
            configure()
            time.sleep(chance.uniform(0, 0.5))
            restart = time.monotonic()
            process.terminate()
            if process.wait(60) != 0:
                sys.exit(f"serve ended with {process.returncode}: {(work / 'log').read_text()[-2000:]}")
            process = start(command, work, listener)
            wait_for(lambda: len(events(work, "listening")) == number + 2, "the server listens")
            longest = max(longest, time.monotonic() - restart)
        time.sleep(1)
        load.is_over = True
        for thread in load.threads:
            thread.join()
        process.terminate()
        process.wait(60)
    watch = [options.binary, "watch", "--config", "server.json", "--once", "--part-bytes", "1"]
    drained = subprocess.run(watch, cwd=work, capture_output=True)
    rows = collections.Counter()
    for part in sorted((work / "out/skan_postbacks").iterdir()):
        rows.update(json.loads(line)["transaction_id"] for line in part.read_bytes().splitlines())
    rejects = collections.Counter()
    for part in sorted((work / "out/skan_rejects").iterdir()):
        rejects.update(json.loads(line)["reject_code"] for line in part.read_bytes().splitlines())
    acknowledged = {json.loads(line)["transaction-id"] for line in load.acknowledged}
    print(f"{options.restarts} restarts and {sum(reloads.values())} reloads in {time.monotonic() - begin:.0f} s, the longest "
          f"restart {longest:.2f} s; {dict(load.count)}; {sum(rows.values())} rows, rejects {dict(rejects)}")
    problems = {
        "connections were refused": load.count["refused connections"] > 0,
        "requests on new connections had no answer": load.count["lost requests of new connections"] > 0,
        f"watch could not finish: {drained.stderr.decode()[-500:]}": drained.returncode != 0,
        f"lost: {len(acknowledged - rows.keys())} acknowledged postbacks": bool(acknowledged - rows.keys()),
        f"doubled: {sum(1 for count in rows.values() if count > 1)}": any(count > 1 for count in rows.values()),
        "rejects that are no copies": bool(set(rejects) - {"duplicate_identical"}),
        "hardly anything was acknowledged": len(acknowledged) < 50 * options.restarts,
        "there was nothing more to send: raise --count": not load.waiting,
    }
    for problem in (text for text, is_so in problems.items() if is_so):
        print(problem)
    sys.exit(1 if any(problems.values()) else 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback")
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--count", type=int, default=60_000, help="postbacks to send at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="postback-restart-") as work:
        test(options, Path(work))
