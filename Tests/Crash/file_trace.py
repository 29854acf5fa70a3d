"""The file operations of a traced program, in order: writes, cuts, new and removed names, fsyncs, and answers to clients."""

import os, re, subprocess
from dataclasses import dataclass, field

CALLS = ("open openat creat close write pwrite64 writev pwritev pwritev2 sendto sendmsg read recvfrom recvmsg accept accept4 "
         "dup dup2 dup3 fcntl lseek ftruncate truncate fallocate fsync fdatasync sync syncfs msync mmap rename renameat "
         "renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir copy_file_range sendfile chdir").split()
LINE = re.compile(r"^(\d+) +(.*)$", re.S)
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$", re.S)
CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+)(?:<(.*?)>)?(?: .*)?$", re.S)
HEX = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')


@dataclass
class Call:
    """A system call: when it began and ended, as numbers of lines, its arguments, and its result."""

    name: str
    arguments: str
    result: int
    start: int
    end: int
    strings: list = field(default_factory=list)

    def __post_init__(self):
        self.strings = [bytes.fromhex(found[1].replace("\\x", "")) for found in HEX.finditer(self.arguments)]
        if any(found[2] for found in HEX.finditer(self.arguments)) and not self.name.startswith(("read", "recv")):
            raise ValueError(f"strace has cut an argument of {self.name}")
        self.words = [word.strip() for word in HEX.sub('""', self.arguments).split(",")]

    def descriptor(self, index=0):
        return int(self.words[index].partition("<")[0])

    def path(self, index=0):
        """The path that strace shows for a descriptor."""
        shown = self.words[index].partition("<")[2].rstrip(">")
        return os.fsdecode(re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), shown.encode()))

    def number(self, index):
        return int(self.words[index], 0)


def tracer(trace):
    """The command that traces another one into a file, before that command."""
    return ["strace", "-f", "-qq", "-xx", "-y", "-s", str(1 << 24), "-o", str(trace), "-e", f"trace={','.join(CALLS)}"]


def can_trace():
    try:
        return subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def calls(trace):
    """The calls of a trace that succeeded, in the order in which they ended. A descriptor is free as soon as its close begins."""
    found, begun = [], {}
    for number, line in enumerate(trace.read_text(errors="replace").splitlines()):
        matched = LINE.match(line)
        if not matched:
            continue
        thread, text = matched[1], matched[2]
        start = number
        if text.endswith("<unfinished ...>"):
            begun[thread] = (number, text[: -len("<unfinished ...>")].rstrip())
            continue
        resumed = RESUMED.match(text)
        if resumed:
            if thread not in begun:
                continue
            start, before = begun.pop(thread)
            text = before + resumed[2].lstrip()
        matched = CALL.match(text)
        if matched and int(matched[3]) >= 0:
            found.append(Call(matched[1], matched[2], int(matched[3]), start, number))
    return sorted(found, key=lambda call: call.start if call.name == "close" else call.end)


class Replay:
    """Tells a model the calls of a trace, and follows its descriptors."""

    def __init__(self, model, acknowledged=None):
        self.model, self.acknowledged = model, acknowledged
        # By descriptor the node, the offset, and if it appends; by descriptor of a connection what came in on it.
        self.open, self.received = {}, {}

    def run(self, found):
        for call in found:
            action = getattr(self, call.name, None)
            if action:
                action(call)

    # Files.

    def openat(self, call):
        path, flags = call.strings[0], call.words[2]
        node = self.model.found(path)
        if node is None and "O_CREAT" in flags:
            node = self.model.make(path, "file", call)
        if node is not None:
            if "O_TRUNC" in flags:
                self.model.cut(node, 0, call)
            self.open[call.result] = [node, 0, "O_APPEND" in flags]
        else:
            self.open.pop(call.result, None)

    def close(self, call):
        self.open.pop(call.descriptor(), None)
        self.received.pop(call.descriptor(), None)

    def write(self, call):
        entry = self.open.get(call.descriptor())
        data = b"".join(call.strings)[: call.result]
        if entry is None:
            self.answer(call, data)
            return
        offset = entry[0].size if entry[2] else entry[1]
        self.model.write(entry[0], offset, data, call)
        entry[1] = offset + call.result

    writev = write

    def pwrite64(self, call):
        entry = self.open.get(call.descriptor())
        if entry is not None:
            self.model.write(entry[0], call.number(-1), call.strings[0][: call.result], call)

    def lseek(self, call):
        if call.descriptor() in self.open:
            self.open[call.descriptor()][1] = call.result

    def ftruncate(self, call):
        if call.descriptor() in self.open:
            self.model.cut(self.open[call.descriptor()][0], call.number(1), call)

    def fallocate(self, call):
        """Room that a file grows by. Holes punched into a file are not modelled."""
        if call.number(1) != 0:
            self.unknown(call)
        elif call.descriptor() in self.open:
            node = self.open[call.descriptor()][0]
            self.model.cut(node, max(node.size, call.number(2) + call.number(3)), call)

    def fsync(self, call):
        if call.descriptor() in self.open:
            self.model.sync(self.open[call.descriptor()][0], call.path(), call)

    fdatasync = fsync

    # Whose effect is not modelled must not go unnoticed.

    def unknown(self, call):
        if call.descriptor() in self.open and not self.open[call.descriptor()][0].is_volatile:
            raise ValueError(f"{call.name} is not modelled")

    pwritev = pwritev2 = dup = dup2 = dup3 = copy_file_range = sendfile = unknown

    def mmap(self, call):
        if "MAP_SHARED" in call.words[3] and "PROT_WRITE" in call.words[2]:
            self.unknown(Call("mmap", call.words[4], 0, 0, 0))

    # Names.

    def mkdir(self, call):
        self.model.make(call.strings[0], "directory", call)

    mkdirat = mkdir

    def symlink(self, call):
        self.model.make(call.strings[1], "link", call, content=call.strings[0])

    symlinkat = symlink

    def rename(self, call):
        self.model.rename(call.strings[0], call.strings[1], call, "RENAME_EXCHANGE" in call.words[-1])

    renameat = renameat2 = rename

    def link(self, call):
        self.model.name(call.strings[1], self.model.found(call.strings[0]), call)

    linkat = link

    def unlink(self, call):
        self.model.remove(call.strings[0], call)

    rmdir = unlinkat = unlink

    # Connections: what is acknowledged with 200 is promised.

    def read(self, call):
        if call.descriptor() in self.received:
            self.received[call.descriptor()] += b"".join(call.strings)

    recvfrom = recvmsg = read

    def accept4(self, call):
        self.open.pop(call.result, None)
        self.received[call.result] = b""

    accept = accept4

    def answer(self, call, data):
        received = self.received.get(call.descriptor())
        if received is not None and data.startswith(b"HTTP/1.1 200"):
            self.received[call.descriptor()] = b""
            self.model.promise(self.acknowledged(received), call)

    def sendto(self, call):
        self.answer(call, b"".join(call.strings))

    sendmsg = sendto
