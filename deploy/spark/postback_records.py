"""What the tasks of the Spark job run: processes of `postback`, which read and write blocks of lines.

Spark moves blocks as they are, and nothing but `postback` looks into one. A process that dies, or an input that breaks,
fails its task, so that no record is lost.
"""

import hashlib
import json
import os
import subprocess
import tempfile
import threading

from postback_tables import Part

BLOCK = 1 << 20
COMPARED = ["content_digest", "unsigned_fields", "unsigned_number"]


class Child:
    """A process of `postback` in a task: its input comes from a thread, and every failure is the task's failure."""

    def __init__(self, command, feed):
        self.command, self.feed, self.failure = command, feed, None
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            for block in self.feed:
                self.process.stdin.write(block)
            self.process.stdin.close()
        except BaseException as failure:
            self.failure = failure
            self.process.kill()

    def blocks(self, sizes):
        """The blocks of the output: the head of each, and its bytes, whose number is the sum of some members of the head.

        Ends only if process and input ended well.
        """
        try:
            rest = b""
            while head := self.process.stdout.readline():
                rest = head
                if not head.endswith(b"\n"):
                    break
                block = json.loads(head)
                size = sum(block[name] for name in sizes)
                text = self.process.stdout.read(size)
                if len(text) < size:
                    break
                yield block, text
                rest = b""
            status = self.process.wait()
            self.thread.join()
            if status != 0 or self.failure or rest:
                self.errors.seek(0)
                said = self.errors.read(4096).decode(errors="replace").strip()
                raise RuntimeError(f"{' '.join(self.command[:3])} ended with status {status}: {said}") from self.failure
        finally:
            self.process.kill()
            self.process.wait()


def lines_of_split(path, start, end):
    """The bytes of the lines that begin from `start` to before `end`."""
    with open(path, "rb") as file:
        file.seek(max(start - 1, 0))
        if start > 0:
            file.readline()
        while file.tell() < end:
            block = file.read(min(BLOCK, end - file.tell()))
            if not block:
                return
            yield block
            if file.tell() >= end and not block.endswith(b"\n"):
                yield file.readline()


def reader(postback, options, partitions):
    """The function of a task that reads splits. It yields blocks of lines under the partition, the task and their place."""
    def read(task, splits):
        place = 0
        for split in splits:
            command = [postback, "records", "read", "--quiet", "--partitions", str(partitions), "--source-file",
                       split["name"], *options]
            if split["end"] is None:
                child = Child([*command, "--", split["path"]], ())
            else:
                command += ["--first-line", str(split["line"]), "--file-modified-at", split["modified"], "-"]
                child = Child(command, lines_of_split(split["path"], split["start"], split["end"]))
            for head, lines in child.blocks(["bytes"]):
                yield (head["partition"], task, place), lines
                place += 1
    return read


def seen_blocks(path, partitions):
    """The keys of an earlier batch as blocks of lines for `finish`, which come before those of records."""
    import pyarrow.compute
    import pyarrow.parquet
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(columns=["postback_key", *COMPARED]):
        key, digest, fields, number = (column.cast("string") for column in batch.columns)
        lines = pyarrow.compute.binary_join_element_wise(
            '{"postback_key":"', key, '","seen":true,"content_digest":', digest, ',"unsigned_fields":', fields,
            ',"unsigned_number":', number.fill_null("null"), "}\n", "")
        blocks = [[] for _ in range(partitions)]
        for key, line in zip(key.to_pylist(), lines.cast("binary").to_pylist()):
            blocks[int(key[:8], 16) % partitions].append(line)
        yield from (((partition, -1, 0), b"".join(block)) for partition, block in enumerate(blocks) if block)


def finisher(postback, options, folder, columns):
    """The function of a task that verifies, deduplicates and decodes the records of a partition, and writes the tables.

    It returns what it wrote.
    """
    def finish(blocks):
        parts = {table: Part(folder, table, columns[table]) for table in columns}
        counts = dict.fromkeys(columns, 0)
        child = Child([postback, "records", "finish", "--quiet", "--blocks", *options], (block for _, block in blocks))
        for head, rows in child.blocks(["jsonl_bytes", "csv_bytes"]):
            rows, table = memoryview(rows), head["table"]
            parts[table].write(rows[:head["jsonl_bytes"]], rows[head["jsonl_bytes"]:])
            counts[table] += head["rows"]
        written = [part.end() for part in parts.values()]
        if counts != {part["table"]: part["rows"] for part in written}:
            raise RuntimeError("postback records finish wrote other numbers of rows than it says")
        return written
    return finish


def measured(split):
    """The number of line ends in a part of a file, and the digest of the part by blocks."""
    path, start, end = split
    count, digests = 0, []
    with open(path, "rb") as file:
        file.seek(start)
        while start < end:
            block = file.read(min(BLOCK, end - start))
            if not block:
                break
            count, start = count + block.count(b"\n"), start + len(block)
            digests.append(hashlib.sha256(block).digest())
    return count, b"".join(digests)
