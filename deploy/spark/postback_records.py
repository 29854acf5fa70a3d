"""What the tasks of the Spark job run: processes of `postback`, which read and write lines.

A process that dies, or an input that breaks, fails its task, so that no record is lost.
"""

import hashlib
import json
import os
import re
import subprocess
import tempfile
import threading

BLOCK = 1 << 20
VERIFIED = re.compile(
    r'^\{"postback_key":(?:null|"(?P<key>[0-9a-f]{32})"),"source_file":"(?P<file>(?:[^"\\]|\\.)*)",'
    r'"source_line":(?P<line>[0-9]+)(?:,"source_index":(?P<index>[0-9]+))?'
    r'(?:,"file_modified_at":"[^"]*")?(?:,"table":"skan_rejects","row":(?P<row>.*),"line_mac":"[0-9a-f]{64}"\}$)?'
).pattern
TABLES = ("skan_postbacks", "skan_events", "skan_rejects", "seen_keys")


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

    def tables(self):
        """The lines of the output as Arrow arrays of texts. Ends only if the process and its input ended well."""
        import pyarrow
        import pyarrow.compute

        def lines(text):
            return pyarrow.compute.split_pattern(pyarrow.array([text], pyarrow.string()), "\n").flatten()

        rest = b""
        try:
            while block := self.process.stdout.read(BLOCK):
                whole, newline, rest_of_block = block.rpartition(b"\n")
                if newline:
                    yield lines(rest + whole)
                    rest = rest_of_block
                else:
                    rest += block
            status = self.process.wait()
            self.thread.join()
            if status != 0 or self.failure or rest:
                self.errors.seek(0)
                said = self.errors.read(4096).decode(errors="replace").strip()
                raise RuntimeError(f"{' '.join(self.command[:3])} ended with status {status}: {said}") from self.failure
        finally:
            self.process.kill()
            self.process.wait()


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


def verifier(postback, options, secret, names):
    """The function for `mapInArrow` that reads splits and verifies their records."""
    def verify(batches):
        import pyarrow
        import pyarrow.compute as compute
        splits = [json.loads(split) for batch in batches for split in batch.column(0).to_pylist()]
        order = {name: number for number, name in reversed(list(enumerate(names)))}

        def feed(output):
            for split in splits:
                command = [postback, "records", "read", "--quiet", "--source-file", split["name"], *options]
                if split["end"] is None:
                    run_to(output, [*command, "--", split["path"]])
                else:
                    command += ["--first-line", str(split["line"]), "--file-modified-at", split["modified"], "-"]
                    run_to(output, command, lines_of_split(split["path"], split["start"], split["end"]))

        for lines in Child([postback, "records", "verify", "--quiet", *options], secret, feed).tables():
            found = compute.extract_regex(lines, VERIFIED)
            key, file, line, index, row = (compute.struct_field(found, name)
                                           for name in ("key", "file", "line", "index", "row"))
            accepted = compute.not_equal(key, "")
            unread = compute.and_(compute.invert(accepted), compute.equal(row, ""))
            if found.null_count or compute.any(unread).as_py():
                raise RuntimeError("postback records verify wrote a line of another form")
            encoded = file.dictionary_encode()
            numbers = pyarrow.array([order[json.loads(f'"{name}"')] for name in encoded.dictionary.to_pylist()], "int32")
            yield pyarrow.RecordBatch.from_arrays(
                [compute.if_else(accepted, key, None), numbers.take(encoded.indices), line.cast("int64"),
                 compute.if_else(compute.equal(index, ""), "0", index).cast("int64"),
                 compute.if_else(accepted, lines, row)],
                ["key", "file", "line", "index", "text"])
    return verify


def finisher(postback, options, secret):
    """The function for `mapInArrow` that deduplicates and decodes sorted records."""
    def finish(batches):
        import pyarrow
        import pyarrow.compute as compute

        def feed(output):
            for batch in batches:
                key, file, text = batch.columns
                if len(key) > 1:
                    # The key of an earlier batch is of use only before a record that has it.
                    followed = compute.equal(key[:-1], key[1:])
                    kept = compute.or_(compute.greater_equal(file, 0), pyarrow.concat_arrays(
                        [followed, pyarrow.array([True])]))
                    text = text.filter(kept)
                if len(text):
                    output.write("\n".join(text.to_pylist()).encode() + b"\n")

        for lines in Child([postback, "records", "finish", "--quiet", *options], secret, feed).tables():
            count = 0
            for table in TABLES:
                start = f'{{"table":"{table}","row":'
                rows = lines.filter(compute.starts_with(lines, start))
                count += len(rows)
                rows = compute.binary_slice(rows.cast("binary"), len(start), -1).cast("string")
                yield pyarrow.RecordBatch.from_arrays([pyarrow.repeat(table, len(rows)), rows], ["table", "row"])
            if count != len(lines):
                raise RuntimeError("postback records finish wrote a line of another form")
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
