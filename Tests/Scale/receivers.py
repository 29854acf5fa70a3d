#!/usr/bin/env python3
"""Kills receivers that share a spool and its consumer, again and again, and looks whether an acknowledged postback was lost or doubled.

    Tests/Scale/receivers.py [--binary POSTBACK] [--receivers 2] [--kills 30]
    Tests/Scale/receivers.py --mounts /mnt/a /mnt/b /mnt/c

Clients post generated postbacks to each receiver; what is not answered with 200 is sent again, so that some come twice. One
consumer takes the files of the shared folder. Every half second a receiver or the consumer is killed with SIGKILL and started
again. At the end each acknowledged transaction must be in skan_postbacks exactly once.

`--mounts` names several mounts of one network file system: one for each receiver and the last one for the consumer, as on
machines of their own. While the consumer runs, a second one on the first mount must be refused.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "Tests/Server"))
from kill_under_load import Load, start, transaction  # noqa: E402


def is_refused(postback, spool, out, consumer):
    """Tells if the spool is refused because `consumer` consumes it, which may have been started just now."""
    for _ in range(200):
        if consumer.poll() is not None or f" {consumer.pid} " in f" {(spool / '.lock').read_text()} ":
            break
        time.sleep(0.05)
    run = subprocess.run([postback, "watch", spool, "--out", out, "--once", "--quiet"], capture_output=True, text=True)
    return run.returncode == 75 and "The spool is consumed by" in run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=PROJECT / ".build/release/postback")
    parser.add_argument("--receivers", type=int, default=2)
    parser.add_argument("--mounts", type=pathlib.Path, nargs="+", help="of one network file system, the last one for the consumer")
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
        mounts = options.mounts or [folder] * (options.receivers + 1)
        if len(mounts) != options.receivers + 1:
            parser.error(f"{options.receivers} receivers and a consumer need {options.receivers + 1} mounts")
        name = f"spool-{os.getpid()}"
        spools = [mount / name for mount in mounts]
        spools[0].mkdir()
        (folder / "serve.json").write_text('{"limits":{"requests_per_minute":0}}')
        works = [folder / f"receiver-{number}" for number in range(options.receivers)]
        for work in works:
            work.mkdir()
        serve = [
            [postback, "serve", "--spool", spool, "--listen", "127.0.0.1:0", "--config", folder / "serve.json"] for spool in spools
        ]
        watch = [postback, "watch", spools[-1], "--out", folder / "out", "--commit-ms", "100", "--rescan-ms", "500", "--quiet", *keys]
        log = open(folder / "log", "ab")
        loads = [Load(lines[number::options.receivers], 3) for number in range(options.receivers)]
        receivers = [start(command, work) for command, work in zip(serve, works)]
        for load, (_, port) in zip(loads, receivers):
            load.port = port
        consumer = subprocess.Popen(watch, stderr=log)
        for _ in range(options.kills):
            time.sleep(chance.uniform(0.1, 0.9))
            number = chance.randrange(options.receivers + 1)
            if number < options.receivers:
                receivers[number][0].kill()
                receivers[number][0].wait()
                receivers[number] = start(serve[number], works[number])
                loads[number].port = receivers[number][1]
            else:
                consumer.kill()
                consumer.wait()
                consumer = subprocess.Popen(watch, stderr=log)
        is_second_refused = is_refused(postback, spools[0], folder / "second", consumer)
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
            "a second consumer was not refused": not is_second_refused,
            "a receiver acknowledged hardly anything": min(map(len, acknowledged)) < 10 * options.kills,
            "there was nothing more to send before the last kill: raise --count": ran_dry,
        }
        if options.mounts:
            shutil.rmtree(spools[0])
        found = [problem for problem, is_so in problems.items() if is_so]
        print("\n".join(found) or "every acknowledged postback is in the tables exactly once")
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
