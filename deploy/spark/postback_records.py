"""What the tasks of the Spark job run: processes of `postback`, which read and write lines.

Spark moves lines as they are, under keys of their own, and never looks into one. A process that dies, or an input that
breaks, fails its task, so that no record is lost.
"""

import hashlib
import json
import os
import subprocess
import tempfile
import threading

from postback_tables import Part, from_json

BLOCK = 1 << 20
ACCEPTED, REJECTED = b'{"postback_key":"', b'{"postback_key":null,'
REJECT, LINE_MAC = b',"table":"skan_rejects","row":', b',"line_mac":"'
MAC_SIZE = len(LINE_MAC) + 64 + len(b'"}')
# Behind the digits of the postback's key: the task, and the place among its lines. Both are 0 for a key of an earlier batch.
SEEN = bytes(12)
COMPARED = ["content_digest", "unsigned_fields", "unsigned_number"]


class Child:
    """A process of `postback` in a task: its input comes from a thread, and every failure is the task's failure.

    It reads the secret of the job from a pipe, so that neither its command line nor a file has it.
    """

    def __init__(self, command, secret, feed):
        self.errors = tempfile.TemporaryFile()
        pipe, writer = os.pipe()
        try:
            with open(writer, "w") as file:
                file.write(secret)
            command = [*command, "--line-secret-file", f"/dev/fd/{pipe}"]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                            pass_fds=[pipe])
        finally:
            os.close(pipe)
        self.command, self.feed, self.failure = command, feed, None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            self.feed(self.process.stdin)
            self.process.stdin.close()
        except BaseException as failure:
            self.failure = failure
            self.process.kill()

    def output(self, read):
        """What `read` yields of the output; it returns an incomplete rest. Ends only if process and input ended well."""
        try:
            rest = yield from read(self.process.stdout)
            status = self.process.wait()
            self.thread.join()
            if status != 0 or self.failure or rest:
                self.errors.seek(0)
                said = self.errors.read(4096).decode(errors="replace").strip()
                raise RuntimeError(f"{' '.join(self.command[:3])} ended with status {status}: {said}") from self.failure
        finally:
            self.process.kill()
            self.process.wait()


def lines_of(output):
    """The lines of a process, as a list for each block."""
    rest = b""
    while block := output.read(BLOCK):
        *lines, rest = (rest + block).split(b"\n")
        yield lines
    return rest


def blocks_of(output):
    """The blocks of rows of a process: the table, the number of rows, the rows as JSON Lines, and as CSV."""
    while head := output.readline():
        if not head.endswith(b"\n"):
            return head
        block = json.loads(head)
        middle, size = block["jsonl_bytes"], block["jsonl_bytes"] + block["csv_bytes"]
        text = memoryview(output.read(size))
        if len(text) < size:
            return head
        yield block["table"], block["rows"], text[:middle], text[middle:]
    return b""


def run_to(output, command, source=None):
    """Runs a process that writes to another one, and fails where it fails. `source` yields its input."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE if source else subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.PIPE)
    try:
        for block in source or ():
            process.stdin.write(block)
    finally:
        said = process.communicate()[1].decode(errors="replace").strip()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} ended with status {process.returncode}: {said}")


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


def verifier(postback, options, secret, folder, columns):
    """The function of a task that reads splits and verifies their records.

    It writes the rejects, and yields the other lines under their keys, by which they are sorted as the inputs are.
    """
    def verify(number, splits):
        def feed(output):
            for split in splits:
                command = [postback, "records", "read", "--quiet", "--source-file", split["name"], *options]
                if split["end"] is None:
                    run_to(output, [*command, "--", split["path"]])
                else:
                    command += ["--first-line", str(split["line"]), "--file-modified-at", split["modified"], "-"]
                    run_to(output, command, lines_of_split(split["path"], split["start"], split["end"]))

        rejects, place = Part(folder, "skan_rejects", columns["skan_rejects"], from_json), number << 64
        for lines in Child([postback, "records", "verify", "--quiet", *options], secret, feed).output(lines_of):
            rows = []
            for line in lines:
                if line.startswith(ACCEPTED):
                    place += 1
                    yield line[len(ACCEPTED):len(ACCEPTED) + 32] + place.to_bytes(12, "big"), line
                elif line.startswith(REJECTED) and line.startswith(LINE_MAC, len(line) - MAC_SIZE):
                    rows += line[line.index(REJECT) + len(REJECT):-MAC_SIZE], b"\n"
                else:
                    raise RuntimeError("postback records verify wrote a line of another form")
            if rows:
                text = b"".join(rows)
                rejects.write(text, text)
        yield b"", json.dumps(rejects.end())
    return verify


def seen_lines(path):
    """The keys of an earlier batch as lines for `finish`, under keys that come before those of records."""
    import pyarrow.compute
    import pyarrow.parquet
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(columns=["postback_key", *COMPARED]):
        key, digest, fields, number = (column.cast("string") for column in batch.columns)
        lines = pyarrow.compute.binary_join_element_wise(
            '{"postback_key":"', key, '","seen":true,"content_digest":', digest, ',"unsigned_fields":', fields,
            ',"unsigned_number":', number.fill_null("null"), "}", "")
        yield from zip((key + SEEN for key in key.cast("binary").to_pylist()), lines.cast("binary").to_pylist())


def partition(key):
    """The partition of a key, before Spark takes it modulo their number. What has no key goes to the first one."""
    return int(key[:8] or b"0", 16)


def finisher(postback, options, secret, folder, columns):
    """The function of a task that deduplicates and decodes sorted records, and writes the tables.

    It returns what it wrote, and what the tasks before it did.
    """
    def finish(lines):
        written = []

        def feed(output):
            ready, size, seen = [], 0, None
            for key, line in lines:
                if not key:
                    written.append(json.loads(line))
                elif key.endswith(SEEN):
                    # The key of an earlier batch is of use only before a record that has it.
                    seen = key[:32], line
                else:
                    if seen:
                        ready += [seen[1]] if key.startswith(seen[0]) else []
                        seen = None
                    ready.append(line)
                    size += len(line)
                    if size >= BLOCK:
                        output.write(b"\n".join(ready) + b"\n")
                        ready, size = [], 0
            if ready:
                output.write(b"\n".join(ready) + b"\n")

        parts = {table: Part(folder, table, columns[table]) for table in columns}
        command = [postback, "records", "finish", "--quiet", "--blocks", *options]
        counts = dict.fromkeys(columns, 0)
        for table, count, rows, csv in Child(command, secret, feed).output(blocks_of):
            parts[table].write(rows, csv)
            counts[table] += count
        written += [part.end() for part in parts.values()]
        if counts != {part["table"]: part["rows"] for part in written[-len(parts):]}:
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
