"""A file system on which nothing is durable before it was fsynced: the states that a crash may leave, as POSIX allows them.

- A write, a cut, or a growing file is durable after an fsync of the file that began later; before, any part of it may be
  there, in units of sectors, and the file may have its new length without the content.
- A new, changed or removed name is durable after an fsync of its directory. Names are independent of each other, and of the
  content of the file. A rename inside a directory is one step; one between directories is two, a new name and a removed one.
- Operations that are not durable may be there or not, each independently of all others.
"""

import fnmatch, os
from dataclasses import dataclass, field

# Files that nobody reads after a crash: locks, the shared memory of SQLite (which it makes anew), and what a process says of itself.
VOLATILE = ["lock", ".lock", ".*.lock", "*-shm", "status.json", ".status.json.inprogress"]


@dataclass
class Node:
    """A file, directory or symbolic link, with what it had at the start."""

    number: int
    kind: str
    path: str
    content: bytes = b""
    entries: dict = field(default_factory=dict)
    size: int = 0

    @property
    def is_volatile(self):
        return any(fnmatch.fnmatchcase(os.path.basename(self.path), pattern) for pattern in VOLATILE)


@dataclass
class Operation:
    """A change of a node; `end` is the number of the line at which its last call had returned."""

    number: int
    kind: str
    node: Node
    end: int
    offset: int = 0
    data: bytes = b""
    cuts: list = field(default_factory=list)
    names: tuple = ()
    subject: Node = None

    def __str__(self):
        if self.kind == "write":
            return f"write {self.node.path} {self.offset}+{len(self.data)}"
        return f"{self.kind} {self.node.path}{'/' if self.names else ''}{' '.join(self.names) or self.offset}"


class FileModel:
    """The operations of a trace on a folder, and the trees that follow from some of them."""

    def __init__(self, folder):
        self.nodes, self.operations, self.events, self.promises, self.cache = [], [], [], [], {}
        self.folder, self.inodes = os.path.realpath(folder), {}
        self.root = self.read("")
        self.now = {node.number: dict(node.entries) for node in self.nodes if node.kind == "directory"}
        # The last change of each file's content, as long as no fsync has come after it.
        self.last = {}

    def node(self, kind, path, **values):
        self.nodes.append(Node(len(self.nodes), kind, path, **values))
        return self.nodes[-1]

    def read(self, path):
        place = os.path.join(self.folder, path)
        if os.path.islink(place) or os.path.isfile(place):
            inode = os.lstat(place).st_ino
            # Two names of one file are one node.
            self.inodes[inode] = self.inodes.get(inode) or self.read_file(place, path)
            return self.inodes[inode]
        node = self.node("directory", path)
        node.entries = {name: self.read(os.path.join(path, name)).number for name in sorted(os.listdir(place))}
        return node

    def read_file(self, place, path):
        if os.path.islink(place):
            return self.node("link", path, content=os.readlink(place).encode())
        with open(place, "rb") as file:
            content = file.read()
        return self.node("file", path, content=content, size=len(content))

    # What the calls of a trace change.

    def resolve(self, path):
        """The directory's node and the name of a path; nothing for a path that is not in the folder."""
        path = os.path.normpath(os.path.join(self.folder, os.fsdecode(path)))
        if not path.startswith(self.folder + "/"):
            return None
        *above, name = path[len(self.folder) + 1 :].split("/")
        node = self.root
        for part in above:
            node = self.nodes[self.now[node.number][part]]
        return node, name

    def found(self, path):
        if os.path.normpath(os.path.join(self.folder, os.fsdecode(path))) == self.folder:
            return self.root
        place = self.resolve(path)
        number = self.now[place[0].number].get(place[1]) if place else None
        return None if number is None else self.nodes[number]

    def add(self, kind, node, call, **values):
        operation = Operation(len(self.operations), kind, node, call.end, **values)
        self.operations.append(operation)
        subject = operation.subject or node
        self.events.append((call.start, "always" if subject.is_volatile else "change", operation, len(operation.data)))
        if operation.subject is not None:
            apply_names(self.now, operation)
        return operation

    def write(self, node, offset, data, call):
        node.size = max(node.size, offset + len(data))
        if node.is_volatile or not data:
            return
        last = self.last.get(node.number)
        if last and last.kind == "write" and last.offset + len(last.data) == offset:
            # Of what is written piece by piece any piece may be there too.
            last.cuts.append(len(last.data))
            last.data += data
            last.end = call.end
            self.events.append((call.start, "change", last, len(last.data)))
        else:
            self.last[node.number] = self.add("write", node, call, offset=offset, data=data)

    def cut(self, node, size, call):
        if node.is_volatile or node.size == size:
            return
        node.size = size
        self.last[node.number] = self.add("cut", node, call, offset=size)

    def sync(self, node, path, call):
        self.last.pop(node.number, None)
        self.events.append((call.end, "sync", node, call.start, os.path.relpath(path, self.folder)))

    def promise(self, what, call):
        self.promises.append(what)
        self.events.append((call.start, "promise", len(self.promises), 0))

    def make(self, path, kind, call, **values):
        place = self.resolve(path)
        if place is None:
            return None
        node = self.node(kind, os.path.relpath(os.path.join(self.folder, os.fsdecode(path)), self.folder), **values)
        if kind == "directory":
            self.now[node.number] = {}
        self.add("name", place[0], call, names=(place[1],), subject=node)
        return node

    def name(self, path, node, call):
        place = self.resolve(path)
        self.add("name", place[0], call, names=(place[1],), subject=node)

    def remove(self, path, call):
        place = self.resolve(path)
        if place is not None:
            self.add("remove", place[0], call, names=(place[1],), subject=self.found(path))

    def rename(self, old, new, call, exchanges=False):
        before, after = self.resolve(old), self.resolve(new)
        if before is None and after is None:
            return
        node = self.found(old)
        if node is self.found(new):
            return
        if before[0] is after[0]:
            kind = "exchange" if exchanges else "rename"
            self.add(kind, before[0], call, names=(before[1], after[1]), subject=node)
        elif exchanges:
            raise ValueError("an exchange between directories is not modelled")
        else:
            self.name(new, node, call)
            self.add("remove", before[0], call, names=(before[1],), subject=node)

    def forget(self, paths):
        """Removes files after the end of the trace, durably, and has the states after that tried."""
        end = 1 + max((event[0] for event in self.events), default=0)
        for path in paths:
            place, node = self.resolve(path), self.found(path)
            if node is not None:
                operation = Operation(len(self.operations), "remove", place[0], end, names=(place[1],), subject=node)
                self.operations.append(operation)
                self.events.append((end, "always", operation, 0))
        self.events.append((end + 1, "promise", len(self.promises), 0))

    # What a part of the operations leaves.

    def tree(self, kept):
        """By path the kind and content of everything that there is; `kept` has the kept operations with what is kept of them."""
        names = {node.number: dict(node.entries) for node in self.nodes if node.kind == "directory"}
        contents = {}
        for number in sorted(kept):
            operation = self.operations[number]
            if operation.subject is not None:
                apply_names(names, operation)
            else:
                contents.setdefault(operation.node.number, []).append((number, kept[number]))
        found = {}
        self.walk(self.root, "", names, contents, found, ())
        return found

    def walk(self, node, path, names, contents, found, above):
        for name, number in sorted(names[node.number].items()):
            child, place = self.nodes[number], f"{path}{name}"
            if child.kind == "directory":
                # A directory that was moved may be found below itself where only half of it happened.
                if number not in above:
                    found[place] = ("directory", number, b"")
                    self.walk(child, f"{place}/", names, contents, found, (*above, number))
            elif child.kind == "link":
                found[place] = ("link", number, child.content)
            else:
                found[place] = ("file", number, self.content(child, tuple(contents.get(number, ()))))

    def content(self, node, kept):
        key = (node.number, kept)
        if key not in self.cache:
            content = bytearray(node.content)
            for number, part in kept:
                apply_content(content, self.operations[number], part)
            self.cache[key] = bytes(content)
        return self.cache[key]


def apply_names(names, operation):
    entries = names[operation.node.number]
    number = operation.subject.number
    if operation.kind == "name":
        entries[operation.names[0]] = number
    elif operation.kind == "remove":
        if entries.get(operation.names[0]) == number:
            del entries[operation.names[0]]
    elif operation.kind == "rename":
        if entries.get(operation.names[0]) == number:
            del entries[operation.names[0]]
        entries[operation.names[1]] = number
    else:
        old, new = operation.names
        entries[old], entries[new] = entries.get(new), entries.get(old)
        for name in [old, new]:
            if entries[name] is None:
                del entries[name]


def apply_content(content, operation, part):
    """Changes a content by a kept part: the ranges of the written bytes, the length that the file has at least, and a byte for gaps."""
    if operation.kind == "cut":
        if len(content) > operation.offset:
            del content[operation.offset :]
        else:
            content.extend(bytes(operation.offset - len(content)))
        return
    ranges, size, gap = part
    end = max([operation.offset + end for _, end in ranges] + [operation.offset + size])
    content.extend(bytes([gap]) * (end - len(content)))
    for start, stop in ranges:
        content[operation.offset + start : operation.offset + stop] = operation.data[start:stop]
