"""The states that a crash may leave: the points of a trace, and the subsets and parts of what is not durable there."""

import functools, hashlib, itertools

SECTOR = 512


def whole(operation, length):
    return (((0, length),), 0, 0) if operation.kind == "write" else None


def torn(operation, length, chance, count):
    """Parts of a write: cut at a call's or a sector's end, without some sectors, or only the length."""
    first = SECTOR - operation.offset % SECTOR
    edges = [0, *range(first, length, SECTOR), length]
    pieces = list(zip(edges, edges[1:]))
    # The end of a call inside a sector is no place where a crash can cut; that of a killed process is.
    parts = {((((0, cut),), 0, 0)) for cut in operation.cuts if cut < length}
    parts |= {((), length, 0), ((), length, 0xA5)}
    if len(pieces) > 1:
        parts |= {(((0, pieces[-1][0]),), 0, 0), (((pieces[0][1], length),), 0, 0), (((0, pieces[0][1]),), length, 0xA5)}
        for _ in range(count):
            some = tuple(piece for piece in pieces if chance.random() < 0.5)
            parts.add((some, length if chance.random() < 0.5 else 0, chance.choice([0, 0xA5])))
    parts = sorted(parts)
    return parts if len(parts) <= 2 * count + 6 else chance.sample(parts, 2 * count + 6)


def crash_states(model, bound, count, chance):
    """Kept operations with their parts, and what was promised by then, for each point of the trace.

    At each change all subsets of the others that are not durable, if they are at most `bound`; of more of them those with few
    or nearly all, and `count` by chance. Then what is torn, with all, none and some of the others.
    """
    kept, pending, promised = {}, {}, 0
    yield dict(kept), 0
    for _, kind, what, value, *_ in sorted(model.events, key=lambda event: event[0]):
        if kind == "sync":
            for number, length in list(pending.items()):
                operation = model.operations[number]
                if operation.node is what and operation.end < value:
                    kept[number] = whole(operation, length)
                    del pending[number]
            continue
        if kind == "always":
            kept[what.number] = whole(what, value)
            continue
        fixed = {}
        if kind == "change":
            pending[what.number] = value
            fixed = {what.number: whole(what, value)}
        else:
            promised = what
        others = [number for number in pending if number not in fixed]
        for some in subsets(others, bound, count, chance):
            yield {**kept, **fixed, **{n: whole(model.operations[n], pending[n]) for n in some}}, promised
        for number, length in pending.items():
            if model.operations[number].kind != "write":
                continue
            # What has just been written is torn in every way, what waits for longer only by chance.
            parts = torn(model.operations[number], length, chance, count // 8)
            for part in parts if number in fixed else chance.sample(parts, min(2, len(parts))):
                rest = [n for n in others if n != number]
                for some in {tuple(rest), (), tuple(n for n in rest if chance.random() < 0.5)}:
                    yield {**kept, **fixed, **{n: whole(model.operations[n], pending[n]) for n in some}, number: part}, promised


def subsets(items, bound, count, chance):
    if len(items) <= bound:
        for length in range(len(items) + 1):
            yield from itertools.combinations(items, length)
        return
    found = {(), tuple(items)}
    for index, item in enumerate(items):
        found |= {(item,), tuple(items[:index]), tuple(items[index:]), tuple(items[:index] + items[index + 1 :])}
    while len(found) < 4 * len(items) + count:
        share = chance.random()
        found.add(tuple(item for item in items if chance.random() < share))
    yield from sorted(found)


# States share most of their contents.
@functools.lru_cache(1 << 12)
def content_digest(content):
    return hashlib.sha256(content).digest()


def digest(tree):
    state = hashlib.sha256()
    for path, (kind, number, content) in sorted(tree.items()):
        # Two names of one file are not two files.
        state.update(f"{path}\0{kind}\0{number}\0".encode())
        state.update(content_digest(content))
    return state.digest()
