#!/usr/bin/env python3
"""Cuts the power while `postback` runs, and looks whether anything was lost or is there twice.

It runs on ext4 in an image. At moments chosen by chance a copy of the image is taken as it is then: what the file system had
not handed to its disk is not in it. Later each copy is mounted, the command is run again to the end, and what it leaves must
be what a run leaves that was never disturbed: the same tables by name and byte, every file of the spool in one place, a
sound state.

This drops what was not written back. It does not reorder or tear what was, and a disk that loses what it has confirmed is
another matter. Exit status: 0 no violation (with --failpoint: at least one), 1 otherwise, 77 where it cannot be done: it
takes root, loop devices, and mkfs.xfs for copies that take no time.
"""

import argparse, os, random, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path

from kill_everywhere import Scenario

TABLES = "--out out --format both --part-bytes 2000000 --commit-ms 20".split()


def call(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout.strip()


class Mounts:
    """Images that are mounted, until the end."""

    def __init__(self):
        self.devices = {}

    def mount(self, image, place):
        place.mkdir(exist_ok=True)
        self.devices[place] = call("losetup", "-f", "--show", image)
        call("mount", self.devices[place], place)

    def make(self, image, size, place, *make):
        call("truncate", "-s", size, image)
        call(*make, image)
        self.mount(image, place)

    def unmount(self, place):
        device = self.devices.pop(place)
        subprocess.run(["umount", place], capture_output=True)
        subprocess.run(["losetup", "-d", device], capture_output=True)

    def unmount_all(self):
        for place in reversed(list(self.devices)):
            self.unmount(place)


class Cutter:
    def __init__(self, options, work, mounts):
        self.options, self.work, self.mounts = options, work, mounts
        self.random = random.Random(options.seed)
        self.environment = dict(os.environ, POSTBACK_FAILPOINT=options.failpoint or "")
        self.cuts = self.bad = 0
        mounts.make(work / "outer.img", "8G", work / "outer", "mkfs.xfs", "-q", "-m", "reflink=1")
        mounts.make(work / "outer/inner.img", "1G", work / "inner", "mkfs.ext4", "-q", "-F")
        (work / "template").mkdir()
        call(options.binary, "generate", "--count", options.lines, "--seed", 1, "--out", work / "dump", "--keys", work / "keys")
        self.keys = (work / "keys").read_text().split()

    def files(self, folder, count):
        folder.mkdir(parents=True)
        lines = (self.work / "dump").read_bytes().splitlines(keepends=True)
        size = -(-len(lines) // count)
        for number in range(count):
            path = folder / f"{number:04}.jsonl"
            path.write_bytes(b"".join(lines[number * size : (number + 1) * size]))
            os.utime(path, (1_750_000_000 + number, 1_750_000_000 + number))

    def scenarios(self):
        run, watch = ["run", "in", *TABLES, *self.keys], ["watch", "spool", "--once", *TABLES, *self.keys]
        return [
            Scenario("run", lambda: run, lambda folder: self.files(folder / "in", 3)),
            Scenario("watch", lambda: watch, lambda folder: self.files(folder / "spool/new", 200)),
            Scenario("watch-delete", lambda: [*watch, "--delete"], lambda folder: self.files(folder / "spool/new", 200)),
        ]

    def run(self, folder, arguments):
        return subprocess.run([self.options.binary, *arguments], cwd=folder, env=self.environment, capture_output=True)

    def cut(self, scenario):
        arguments, template = scenario.arguments(), self.work / "template" / scenario.name
        scenario.prepare(template)
        reference = self.work / "reference" / scenario.name
        shutil.copytree(template, reference)
        start = time.monotonic()
        if self.run(reference, arguments).returncode != 0:
            sys.exit(f"{scenario.name}: the undisturbed run failed")
        want, length = scenario.digest(reference), time.monotonic() - start
        cuts, bad, first = 0, self.bad, True
        while cuts < self.options.cuts and not (self.options.first and self.bad):
            folder = self.work / "inner/folder"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(template, folder)
            call("sync", "-f", folder)
            log = subprocess.DEVNULL
            process = subprocess.Popen(
                [self.options.binary, *arguments], cwd=folder, env=self.environment, stdout=log, stderr=log)
            images = []
            while process.poll() is None:
                images.append(self.work / f"outer/cut-{len(images)}.img")
                call("cp", "--reflink=always", self.work / "outer/inner.img", images[-1])
                time.sleep(self.random.uniform(0, length / 8))
            if process.returncode != 0:
                sys.exit(f"{scenario.name}: the run that was watched ended with {process.returncode}")
            for image in images:
                cuts += 1
                self.examine(scenario, arguments, want, image)
                image.unlink()
        self.cuts += cuts
        print(f"{scenario.name}: {cuts} power cuts in runs of {length:.1f} s, {self.bad - bad} violations", flush=True)

    def examine(self, scenario, arguments, want, image):
        place = self.work / "copy"
        self.mounts.mount(image, place)
        problem = None
        ended = self.run(place / "folder", arguments)
        found = scenario.digest(place / "folder")
        names = sorted(name for name in {*want, *found} if want.get(name) != found.get(name))
        check = self.run(place / "folder", ["state", "check", "--state", "out/_state", "--out", "out"])
        if ended.returncode != 0:
            problem = f"the next run ended with {ended.returncode}: {ended.stderr.decode(errors='replace')[-300:].strip()}"
        elif names:
            problem = f"differs in {' '.join(names)}"
        elif check.stdout != b"sound\n":
            problem = f"the state: {check.stdout.decode(errors='replace')[-300:]}"
        if problem:
            self.bad += 1
            print(f"{scenario.name}: {problem}", flush=True)
        self.mounts.unmount(place)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback; a debug build with --failpoint")
    parser.add_argument("--cuts", type=int, default=40, help="at least so many for each scenario; 40 unless given")
    parser.add_argument("--lines", type=int, default=12_000, help="postbacks in the input; 12000 unless given")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this scenario; may be repeated")
    parser.add_argument("--first", action="store_true", help="stop soon after the first violation")
    parser.add_argument("--failpoint", metavar="NAME", help="have a debug build do this wrong: it must be found")
    parser.add_argument("--seed", type=int, default=1, help="of what is chosen by chance")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    if os.geteuid() != 0 or not all(map(shutil.which, ["losetup", "mkfs.xfs", "mkfs.ext4"])):
        print("skipped: this takes root, losetup, mkfs.xfs (xfsprogs) and mkfs.ext4")
        sys.exit(77)
    # So that what is mounted does not stay so.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    mounts = Mounts()
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="postback-power-", dir=place) as work:
        try:
            try:
                cutter = Cutter(options, Path(work), mounts)
            except subprocess.CalledProcessError as error:
                print(f"skipped: {' '.join(error.cmd)}: {error.stderr.strip()}")
                sys.exit(77)
            for scenario in cutter.scenarios():
                if not options.only or scenario.name in options.only:
                    cutter.cut(scenario)
        finally:
            mounts.unmount_all()
    print(f"{cutter.cuts} power cuts, {cutter.bad} violations")
    sys.exit(0 if (cutter.bad > 0) == bool(options.failpoint) else 1)


if __name__ == "__main__":
    main()
