#!/usr/bin/env python3
"""Fills the disk of the state while `postback watch` runs, and looks whether it goes on by itself once there is room.

The state is on a file system of 16 MB. Files come one by one, so that each has a commit of its own, and the write-ahead log
of the ledger would outgrow the disk if it were not bounded. Then the disk is filled up, and room is made again.
After that `postback retain` removes old parts from a disk without a free byte, tables and state on it, with the reserve of the state.
Exit status: 0 everything is in the tables once and the state is sound, 1 otherwise, 77 where nothing can be mounted.
"""

import argparse, os, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path


def wait(seconds, what, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"after {seconds} s: {what}")
        time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback")
    parser.add_argument("--files", type=int, default=3000, help="files before the disk is full; 3000 unless given")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="postback-disk-") as work:
        work = Path(work)
        (work / "state").mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", work / "state"], capture_output=True).returncode:
            print("skipped: no file system can be mounted")
            sys.exit(77)
        try:
            retain(work, binary)
            fill(work, binary, options.files)
        finally:
            subprocess.run(["umount", work / "state"])


def retain(work, binary):
    """Old parts go from a disk on which nothing is free, and the reserve is there again after that."""
    disk = work / "state"
    (disk / "spool/new").mkdir(parents=True)
    subprocess.run([binary, "generate", "--count", "600", "--seed", "3", "--out", disk / "spool/new/a", "--keys", "old-keys", "--quiet"],
                   cwd=work, check=True)
    keys = (work / "old-keys").read_text().split()
    subprocess.run([binary, "watch", "spool", "--out", "out", "--once", "--received-at", "2024-01-01T00:00:00Z", "--quiet", *keys], cwd=disk, check=True)
    with open(disk / "filler", "wb", buffering=0) as filler:
        for size in 4096, 1:
            try:
                while True:
                    filler.write(bytes(size))
            except OSError:
                pass
    ended = subprocess.run([binary, "retain", "--out", "out", "--older-than", "400d", "--yes-remove-all"], cwd=disk, capture_output=True, text=True)
    print(f"on a full disk: {ended.stdout.strip()} {ended.stderr[-300:].strip()}")
    check = subprocess.run([binary, "state", "check", "out"], cwd=disk, capture_output=True, text=True)
    if ended.returncode != 0 or check.stdout != "sound\n" or not (disk / "out/_state/reserve").exists():
        sys.exit(f"nothing can be removed from a full disk: {ended.returncode} {check.stdout}")
    for name in "spool", "out":
        shutil.rmtree(disk / name)
    (disk / "filler").unlink()


def fill(work, binary, count):
    made = ["generate", "--count", str(count + 200), "--seed", "1", "--out", "dump", "--keys", "keys", "--quiet"]
    subprocess.run([binary, *made], cwd=work, check=True)
    lines = (work / "dump").read_bytes().splitlines(keepends=True)[: count + 200]
    new, done, log = work / "spool/new", work / "spool/done", work / "log"
    new.mkdir(parents=True)
    (work / "spool/tmp").mkdir()
    arguments = ["watch", "spool", "--out", "out", "--state", "state", *(work / "keys").read_text().split()]
    longest = 0

    def put(number):
        (work / "spool/tmp/file").write_bytes(lines[number])
        (work / "spool/tmp/file").rename(new / f"{number:06}")

    with open(log, "wb") as errors:
        process = subprocess.Popen([binary, *arguments], cwd=work, stderr=errors)
        try:
            for number in range(count):
                put(number)
                longest = max(longest, (work / "state/ledger.sqlite-wal").stat().st_size) if number > 50 else 0
                time.sleep(0.004)
            wait(60, "files wait though the disk has room", lambda: not any(new.iterdir()))
            size = sum(path.stat().st_size for path in (work / "state").iterdir())
            print(f"{count} files: the write-ahead log had up to {longest} bytes, the state has {size}")
            with open(work / "state/filler", "wb", buffering=0) as filler:
                try:
                    while True:
                        filler.write(bytes(4096))
                except OSError:
                    pass
            for number in range(count, count + 200):
                put(number)
            wait(30, "a full disk was not noticed", lambda: b"disk_full" in log.read_bytes() or b"full" in log.read_bytes())
            time.sleep(6)
            if process.poll() is not None:
                sys.exit(f"the consumer ended with {process.returncode}: {log.read_text()[-500:]}")
            (work / "state/filler").unlink()
            start = time.monotonic()
            wait(30, "files wait though there is room again", lambda: not any(new.iterdir()))
            print(f"200 files were taken {time.monotonic() - start:.1f} s after there was room again")
            process.send_signal(signal.SIGTERM)
            if process.wait(30) != 0:
                sys.exit(f"the consumer ended with {process.returncode}")
        finally:
            process.kill()
    check = subprocess.run([binary, "state", "check", "--state", "state", "--out", "out"], cwd=work, capture_output=True, text=True)
    rows = sum(len(path.read_bytes().splitlines()) for path in (work / "out").glob("skan_*s/part-*.jsonl")
               if path.parent.name in ("skan_postbacks", "skan_rejects"))
    print(check.stdout.strip(), f"{rows} rows of {len(set(lines))} different postbacks in {len(list(done.glob('*/*/*')))} files")
    sys.exit(0 if check.stdout == "sound\n" and rows == len(set(lines)) and len(lines) == len(list(done.glob('*/*/*'))) and longest <= 9 << 20 else 1)


if __name__ == "__main__":
    main()
