#!/usr/bin/env python3
"""Feeds a spool at a steady rate, and kills `postback watch` every few seconds and starts it again.

At the end every line that was fed must be in exactly one row, as many must be accepted as of the same lines in one run that
nobody disturbs, and the state must be sound. By minute the largest resident size and number of open descriptors are printed:
neither may grow by more than the ids of postbacks take. Exit status: 0 where all of that is so, else 1.
"""

import argparse, json, os, random, subprocess, sys, tempfile, time
from collections import Counter
from pathlib import Path


def usage(process):
    """Resident bytes and open descriptors of a process; nothing where it has ended."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        resident = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))
        return resident, len(os.listdir(f"/proc/{process.pid}/fd"))
    except (OSError, StopIteration):
        return 0, 0


def rows(folder, table):
    for part in sorted((folder / table).iterdir()):
        for line in part.read_text().splitlines():
            row = json.loads(line)
            yield Path(row["source_file"]).name, row["source_line"]


def soak(options, work):
    chance, per_file = random.Random(options.seed), 50
    count = int(options.minutes * 60 * options.rate)
    generate = ["generate", "--count", count, "--seed", options.seed, "--out", "dump", "--keys", "keys"]
    subprocess.run([options.binary, *map(str, generate)], cwd=work, check=True, stderr=subprocess.DEVNULL)
    keys, lines = (work / "keys").read_text().split(), (work / "dump").read_bytes().splitlines(keepends=True)
    at = ["--received-at", "2026-03-10T00:00:00Z"]
    watch = ["watch", "spool", "--out", "out", "--part-bytes", "3000000", "--commit-ms", "100", *at, *keys]
    for name in ["tmp", "new"]:
        (work / "spool" / name).mkdir(parents=True)
    start, fed, kills, minutes, truth, process, due = time.monotonic(), 0, 0, [], Counter(), None, 0
    while fed < len(lines):
        now = time.monotonic() - start
        if process is None or process.poll() is not None:
            if process is not None and process.returncode != -9:
                sys.exit(f"watch has ended by itself with {process.returncode}: {(work / 'log').read_text()[-500:]}")
            process = subprocess.Popen([options.binary, *watch], cwd=work, stderr=open(work / "log", "ab"))
            due = now + chance.uniform(0.05, options.kill_seconds * 2)
        while fed < min(len(lines), now * options.rate):
            name, chunk = f"{fed:09}.jsonl", lines[fed : fed + per_file]
            (work / "spool/tmp" / name).write_bytes(b"".join(chunk))
            (work / "spool/tmp" / name).rename(work / "spool/new" / name)
            truth.update((name, line + 1) for line in range(len(chunk)))
            fed += len(chunk)
        minute = int(now // 60)
        minutes += [(0, 0)] * (minute + 1 - len(minutes))
        minutes[minute] = tuple(map(max, minutes[minute], usage(process)))
        if now >= due:
            process.kill()
            process.wait()
            kills += 1
        time.sleep(0.02)
    process.kill()
    process.wait()
    drained = subprocess.run([options.binary, *watch, "--once"], cwd=work, capture_output=True)
    undisturbed = subprocess.run([options.binary, "run", "dump", "--out", "once", *at, *keys], cwd=work, capture_output=True)
    check = subprocess.run([options.binary, "state", "check", "--state", "out/_state", "--out", "out"], cwd=work, capture_output=True)
    accepted = Counter(rows(work / "out", "skan_postbacks"))
    found = accepted + Counter(rows(work / "out", "skan_rejects"))
    wanted = sum(1 for _ in rows(work / "once", "skan_postbacks"))
    print(f"{len(truth)} lines in {fed // per_file} files, {kills + 1} kills, {sum(found.values())} rows")
    for number, (resident, descriptors) in enumerate(minutes):
        print(f"minute {number + 1}: {resident / 1e6:.1f} MB resident, {descriptors} open descriptors")
    grown = minutes[-1][0] - minutes[0][0]
    problems = {
        "watch could not finish": drained.returncode != 0,
        "the run to compare with failed": undisturbed.returncode != 0,
        f"lost: {len(truth - found)} lines": bool(truth - found),
        f"there twice, or never fed: {len(found - truth)} rows": bool(found - truth),
        f"accepted {sum(accepted.values())}, of the same lines in one run {wanted}": sum(accepted.values()) != wanted,
        "files are left in new/ or hidden ones elsewhere": bool(
            os.listdir(work / "spool/new") or [p for p in (work / "out").rglob(".*") if "_state" not in p.parts]),
        f"the state: {check.stdout.decode()[:500]}": check.stdout != b"sound\n",
        # 24 bytes of an id, twice while the table that holds them grows, and what an allocator keeps.
        f"{grown} bytes more resident at the end": len(minutes) > 1 and grown > 96 * len(truth) + 32_000_000,
        "more descriptors open at the end": len(minutes) > 1 and minutes[-1][1] > minutes[0][1] + 8,
    }
    for problem in (text for text, is_so in problems.items() if is_so):
        print(problem)
    print("conserved" if not any(problems.values()) else "NOT CONSERVED")
    sys.exit(1 if any(problems.values()) else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=int, default=200, help="lines a second; 200 unless given")
    parser.add_argument("--kill-seconds", type=float, default=3, help="between two kills on average; 3 unless given")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="postback-soak-") as work:
        soak(options, Path(work))


if __name__ == "__main__":
    main()
