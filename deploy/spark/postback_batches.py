"""The folder of committed batches, and the files that a batch reads."""

import fcntl
import hashlib
import json
import os
import re
import stat
import time

import postback_records


class Failure(Exception):
    """The end of the job: a message for the user, and an exit status of sysexits.h."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def found_inputs(paths):
    """The files that the paths name, as `postback run` finds them: a folder stands for its files, by the bytes of names."""
    for path in paths:
        try:
            status = os.stat(path)
            if stat.S_ISDIR(status.st_mode):
                names = sorted(os.listdir(path), key=os.fsencode)
                files = [path + ("" if path.endswith("/") else "/") + name for name in names]
                files = [file for file in files if os.path.isfile(file)]
                if not files:
                    raise Failure(66, f"{path}: There is no regular file in this directory.")
                yield from files
            elif stat.S_ISREG(status.st_mode):
                yield path
            else:
                raise Failure(66, f"{path} is no file and no folder. Give files, which several tasks can read.")
        except OSError as failure:
            raise Failure(66, f"{path} cannot be read: {failure.strerror}. Give a file or a folder.")


def is_json_lines(path):
    """Tells if a file begins with an object on a line of its own, so that it may be split between lines."""
    with open(path, "rb") as file:
        line = file.readline(postback_records.BLOCK)
        while line and not line.strip():
            line = file.readline(postback_records.BLOCK)
    line = line.removeprefix(b"\xef\xbb\xbf").strip()
    return line.startswith(b"{") and line.endswith(b"}")


def splits_of(context, names, split_bytes, known):
    """The parts of the files to read, the digest of each file, and the number of files whose content is known."""
    files = []
    for name in names:
        status = os.stat(name)
        milliseconds = status.st_mtime_ns // 1_000_000
        modified = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(milliseconds // 1000)) + f".{milliseconds % 1000:03}Z"
        files.append((name, os.path.abspath(name), status.st_size, modified))
    parts = [(path, start, min(start + split_bytes, size))
             for _, path, size, _ in files for start in range(0, size, split_bytes)]
    results = iter(context.parallelize(parts, max(len(parts), 1)).map(postback_records.measured).collect())
    splits, digests, skipped = [], [], 0
    for name, path, size, modified in files:
        found = [next(results) for _ in range(0, size, split_bytes)]
        digest = hashlib.sha256(b"".join(part for _, part in found)).hexdigest()
        digests.append(digest)
        if digest in known:
            skipped += 1
            continue
        if size > 0:
            known.add(digest)
        split = {"name": name, "path": path, "modified": modified, "start": 0, "end": None, "line": 1}
        if len(found) < 2 or not is_json_lines(path):
            splits.append((size, split))
            continue
        line = 1
        with open(path, "rb") as file:
            for number, (count, _) in enumerate(found):
                start = number * split_bytes
                file.seek(max(start - 1, 0))
                behind = start > 0 and file.read(1) != b"\n"
                end = min(start + split_bytes, size)
                splits.append((end - start, {**split, "start": start, "end": end, "line": line + behind}))
                line += count
    return splits, digests, skipped


def bins(splits, limit):
    """The splits, small ones together, as lists for one task each."""
    lists, room = [], 0
    for size, split in splits:
        if size > room:
            lists.append([])
            room = limit
        lists[-1].append(split)
        room -= size
    return lists or [[]]


class Batches:
    """The folder of committed batches: the keys that each has added, its inputs and its summary."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        try:
            os.makedirs(self.folder, exist_ok=True)
            self.lock = open(os.path.join(self.folder, "lock"), "w")
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(75, f"Another job uses {folder}. Wait until it has ended.")
        except OSError as failure:
            raise Failure(73, f"{folder} cannot be used: {failure.strerror}. Check the path and its permissions.")
        self.names = sorted(name for name in os.listdir(self.folder) if re.fullmatch(r"batch-\d{8}", name))
        self.records = [json.load(open(os.path.join(self.folder, name, "batch.json"))) for name in self.names]
        for name, record in zip(self.names, self.records):
            publish(record["out"], name)

    def key_files(self):
        folders = [os.path.join(self.folder, name, "keys") for name in self.names]
        return [os.path.join(folder, file) for folder in folders for file in sorted(os.listdir(folder))]

    def next_name(self):
        return f"batch-{int(self.names[-1][6:]) + 1 if self.names else 1:08}"


def publish(out, name):
    """Makes the tables of a committed batch visible, if they are not yet."""
    hidden = os.path.join(out, f".{name}.inprogress")
    if os.path.isdir(hidden):
        os.rename(hidden, os.path.join(out, name))
        synchronize(out)


def synchronize(path):
    """Makes a file or folder durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def synchronize_all(folder):
    for root, _, files in os.walk(folder):
        for name in files:
            synchronize(os.path.join(root, name))
        synchronize(root)
