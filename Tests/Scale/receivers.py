#!/usr/bin/env python3
"""Kills receivers that share a spool and its consumer, again and again, and looks whether an acknowledged postback was lost or doubled.

    Tests/Scale/receivers.py [--binary POSTBACK] [--receivers 2] [--kills 30]

Clients post generated postbacks to each receiver; what is not answered with 200 is sent again, so that some come twice. One
consumer takes the files of the shared folder. Every half second a receiver or the consumer is killed with SIGKILL and started
again. At the end each acknowledged transaction must be in skan_postbacks exactly once.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "Tests/Server"))
from kill_under_load import Load, start, transaction  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=PROJECT / ".build/release/postback")
    parser.add_argument("--receivers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--count", type=int, default=200_000, help="postbacks to send at most")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    postback, chance = os.path.abspath(options.binary), random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="receivers-") as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run(
            [postback, "generate", "--count", str(options.count), "--seed", "3", "--valid-only", "--versions", "4.0=1", "--windows",
             "0=1", "--out", folder / "dump", "--keys", folder / "keys", "--quiet"],
            check=True,
        )
        lines, keys = (folder / "dump").read_bytes().splitlines(), (folder / "keys").read_text().split()
        (folder / "spool").mkdir()
        (folder / "serve.json").write_text('{"limits":{"requests_per_minute":0}}')
        works = [folder / f"receiver-{number}" for number in range(options.receivers)]
        for work in works:
            work.mkdir()
        serve = [postback, "serve", "--spool", folder / "spool", "--listen", "127.0.0.1:0", "--config", folder / "serve.json"]
        watch = [postback, "watch", folder / "spool", "--out", folder / "out", "--commit-ms", "100", "--quiet", *keys]
        log = open(folder / "log", "ab")
        loads = [Load(lines[number::options.receivers], 3) for number in range(options.receivers)]
        receivers = [start(serve, work) for work in works]
        for load, (_, port) in zip(loads, receivers):
            load.port = port
        consumer = subprocess.Popen(watch, stderr=log)
        for _ in range(options.kills):
            time.sleep(chance.uniform(0.1, 0.9))
            number = chance.randrange(options.receivers + 1)
            if number < options.receivers:
                receivers[number][0].kill()
                receivers[number][0].wait()
                receivers[number] = start(serve, works[number])
                loads[number].port = receivers[number][1]
            else:
                consumer.kill()
                consumer.wait()
                consumer = subprocess.Popen(watch, stderr=log)
        ran_dry = not all(load.waiting for load in loads)
        for load in loads:
            load.is_over = True
            for thread in load.threads:
                thread.join()
        for process, _ in receivers:
            process.terminate()
            process.wait(60)
        consumer.terminate()
        consumer.wait(60)
        drained = subprocess.run([*watch, "--once", "--part-bytes", "1"], capture_output=True, text=True)
        rows = collections.Counter(
            json.loads(line)["transaction_id"]
            for part in (folder / "out/skan_postbacks").iterdir() for line in part.read_bytes().splitlines()
        )
        acknowledged = [{transaction(line) for line in load.acknowledged} for load in loads]
        total = set().union(*acknowledged)
        print(f"{options.kills} kills (seed {options.seed}), {[len(share) for share in acknowledged]} postbacks acknowledged by each "
              f"receiver, {sum(rows.values())} rows")
        problems = {
            f"the consumer could not finish: {drained.stderr[-500:]}": drained.returncode != 0,
            f"lost: {len(total - rows.keys())} acknowledged postbacks": bool(total - rows.keys()),
            f"doubled: {sum(1 for count in rows.values() if count > 1)}": any(count > 1 for count in rows.values()),
            "a receiver acknowledged hardly anything": min(map(len, acknowledged)) < 10 * options.kills,
            "there was nothing more to send before the last kill: raise --count": ran_dry,
        }
        found = [problem for problem, is_so in problems.items() if is_so]
        print("\n".join(found) or "every acknowledged postback is in the tables exactly once")
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
