#!/usr/bin/env python3
"""Ships the spools of two receivers to one consumer, kills the shipping again and again, and counts every postback.

    Tests/Server/ship_spool.py [POSTBACK]

Two receivers acknowledge signed postbacks into spools of their own. deploy/spool/ship-spool brings the files to the spool of
a consumer, through a program in place of ssh that runs the command here, and is killed with all its children at random moments.
In the end each postback must be in the table exactly once.
"""

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
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
COUNT = 1500
KILLS = 15


def wait_until(text, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"ship_spool: {text} did not happen in {seconds} s")
        time.sleep(0.05)


def waiting(spool):
    return len(os.listdir(spool / "new"))


def post(port, lines):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for line in lines:
        connection.request("POST", "/.well-known/skadnetwork/report-attribution/", body=line)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"ship_spool: the receiver answered {answer.status}")


def main(postback):
    seed = random.randrange(1 << 30)
    choice = random.Random(seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ship-"))
    ssh = folder / "ssh"
    ssh.write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n')
    ssh.chmod(0o755)
    environment = os.environ | {"POSTBACK_SSH": str(ssh)}
    subprocess.run(
        [postback, "generate", "--count", str(COUNT), "--seed", "5", "--valid-only", "--out", folder / "dump",
         "--keys", folder / "keys", "--quiet"],
        check=True,
    )
    lines = (folder / "dump").read_bytes().splitlines()
    processes, spools = [], []
    try:
        for number in range(2):
            spool = folder / f"receiver-{number}"
            spool.mkdir()
            spools.append(spool)
            receiver = subprocess.Popen(
                [postback, "serve", "--spool", spool, "--listen", "127.0.0.1:0"], stderr=open(folder / f"log-{number}", "w")
            )
            processes.append(receiver)
        central = folder / "central"
        for name in ("tmp", "new"):
            (central / name).mkdir(parents=True)
        keys = (folder / "keys").read_text().split()
        consumer = subprocess.Popen(
            [postback, "watch", central, "--out", folder / "out", *keys, "--quiet"], stderr=open(folder / "log", "w")
        )
        processes.append(consumer)
        kills = posted = 0
        ships = [None, None]
        while kills < KILLS or any(waiting(spool) for spool in spools) or posted < len(lines):
            if posted < len(lines):
                batch = lines[posted:posted + COUNT // KILLS]
                post(port_of(folder / f"log-{posted // len(batch) % 2}"), batch)
                posted += len(batch)
            for number, spool in enumerate(spools):
                ships[number] = subprocess.Popen(
                    [PROJECT / "deploy/spool/ship-spool", spool, f"consumer:{central}"], env=environment, start_new_session=True
                )
            if kills < KILLS:
                # Mostly short, because a transfer of little ends soon.
                time.sleep(choice.random() ** 3 * 1.2)
                for ship in ships:
                    try:
                        os.killpg(ship.pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                    kills += ship.wait() == -signal.SIGKILL
            else:
                for ship in ships:
                    if ship.wait() != 0:
                        sys.exit(f"ship_spool: ship-spool ended with {ship.returncode}")
        wait_until("the end of the consumer's work", lambda: waiting(central) == 0)
        consumer.send_signal(signal.SIGTERM)
        if consumer.wait(60) != 0:
            sys.exit("ship_spool: the consumer failed\n" + (folder / "log").read_text()[-2000:])
        rows = [json.loads(line)["postback_key"] for part in (folder / "out/skan_postbacks").iterdir() for line in open(part)]
        shipped = sum(len(list((spool / "done").glob("**/*.jsonl*"))) for spool in spools)
        arrived = len(list((central / "done").glob("*/*/*")))
        print(f"ship_spool: {COUNT} postbacks in {shipped} files of 2 receivers, {kills} kills (seed {seed}): "
              f"{len(rows)} rows, {len(set(rows))} different")
        if not len(rows) == len(set(rows)) == COUNT or arrived < shipped:
            sys.exit("ship_spool: postbacks are lost or doubled")
    finally:
        for process in processes:
            process.kill()
            process.wait()
        shutil.rmtree(folder)


def port_of(log):
    """The port that a receiver says it listens on."""
    found = []

    def is_told():
        for line in log.read_text().splitlines():
            if "127.0.0.1:" in line:
                found.append(int(line.split("127.0.0.1:")[1].split()[0].strip("/.,")))
        return bool(found)

    wait_until("the start of a receiver", is_told)
    return found[0]


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else PROJECT / ".build/release/postback"))
