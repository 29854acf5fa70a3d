#!/usr/bin/env python3
"""Builds every state that a crash of the system may leave while `postback` works, as POSIX allows it, and recovers from each.

A run is traced. At each of its file operations those that were not fsynced by then may be there or not, independently, and
writes may be torn at sectors (crash_model.py). Each state is built in a folder, `postback` is started again undisturbed, and
must leave the tables of a run that was never disturbed, byte for byte, with every file of the spool in one place and a sound
state. For `serve` every postback that was acknowledged by then must be in the tables, and each once.

With --without-sync PATTERN fsyncs of files whose path fits are left out of the trace: that must be found, if the fsync is
needed. With --each-sync this is done for the paths of all fsyncs in turn.
Exit status: 0 no violation (with --without-sync or --failpoint: at least one), 1 otherwise, 77 where strace cannot trace.
"""

import argparse, collections, concurrent.futures, fnmatch, os, random, re, shutil, subprocess, sys, tempfile
from pathlib import Path

import crash_model, crash_points, file_trace
from crash_scenarios import scenarios


class Hunt:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.environment = dict(os.environ, POSTBACK_FAILPOINT=options.failpoint or "")
        self.states = self.bad = 0

    def run(self, folder, arguments, tracer=()):
        command = [*tracer, self.options.binary, *arguments]
        return subprocess.run(command, cwd=folder, env=self.environment, capture_output=True, timeout=120)

    def trace(self, scenario, folder, perform):
        """The model of the traced run in a folder, and a folder with the inputs by their inodes, which recovery must find again."""
        pool = folder.with_name(f"{folder.name}-pool")
        shutil.rmtree(pool, ignore_errors=True)
        pool.mkdir()
        model = crash_model.FileModel(folder)
        for node in model.nodes:
            if node.kind == "file" and node.path.startswith(scenario.inputs):
                os.link(folder / node.path, pool / str(node.number))
        trace = self.work / "trace"
        perform(self, folder, file_trace.tracer(trace))
        file_trace.Replay(model, scenario.acknowledged).run(file_trace.calls(trace))
        self.compare(scenario, model, folder)
        for path, (kind, number, content) in model.tree(everything(model)).items():
            if kind == "file" and path.startswith(scenario.inputs) and not (pool / str(number)).exists():
                os.link(folder / path, pool / str(number))
        # Who is told that a run has succeeded may remove its input.
        model.forget(scenario.removed)
        return model, pool

    def compare(self, scenario, model, template):
        """What the model says must be what is there: else an operation was missed."""
        said = model.tree(everything(model))
        there = crash_model.FileModel(template)
        found = there.tree({})
        for path in sorted({*said, *found}):
            before, after = said.get(path), found.get(path)
            is_volatile = after and there.nodes[after[1]].is_volatile
            if not is_volatile and (before and (before[0], before[2])) != (after and (after[0], after[2])):
                sys.exit(f"{scenario.name}: the trace does not tell of {path}")

    def distinct(self, model, seed):
        """The distinct trees of all crash states, each with the most that was promised when it was possible."""
        chance, found, points = random.Random(seed), {}, 0
        for kept, promised in crash_points.crash_states(model, self.options.bound, self.options.samples, chance):
            points += 1
            key = crash_points.digest(model.tree(kept))
            if key not in found or found[key][1] < promised:
                found[key] = (kept, promised)
        return found, points

    def hunt(self, scenario):
        template = self.work / scenario.name
        template.mkdir()
        scenario.prepare(self, template)
        model, pool = self.trace(scenario, template, scenario.perform)
        want = scenario.digest(template)
        syncs = [event for event in model.events if event[1] == "sync"]
        found, points = self.distinct(model, self.options.seed)
        largest = largest_pending(model)
        if self.options.each_sync or self.options.without_sync:
            paths = self.options.without_sync or sorted({general(event[4]) for event in syncs})
            for path in paths:
                self.hunt_without(scenario, model, pool, want, path, found)
            return
        before = (self.states, self.bad)
        self.examine_all(scenario, model, pool, want, list(found.values()))
        print(f"{scenario.name}: {len(model.operations)} operations, {len(syncs)} fsyncs, at most {largest} not durable; "
              f"{points} subsets, {len(found)} distinct states, {self.states - before[0]} tried, "
              f"{self.bad - before[1]} violations", flush=True)
        if self.options.twice:
            self.hunt_twice(scenario, model, pool, want, list(found.values()))

    def hunt_twice(self, scenario, model, pool, want, states):
        """The same for the recovery from some states: a crash may come again while it works."""
        before, total = (self.states, self.bad), 0
        chosen = random.Random(self.options.seed).sample(states, min(self.options.twice, len(states)))
        for number, (kept, promised) in enumerate(chosen):
            folder = self.work / f"{scenario.name}-again-{number}"
            self.build(model.tree(kept), folder, pool)
            again, inputs = self.trace(scenario, folder, scenario.again)
            again.promises = model.promises[:promised]
            found, _ = self.distinct(again, self.options.seed)
            total += len(found)
            self.examine_all(scenario, again, inputs, want, [(kept, promised) for kept, _ in found.values()])
            shutil.rmtree(folder)
        print(f"{scenario.name}, crashed again: {total} distinct states, {self.states - before[0]} tried, "
              f"{self.bad - before[1]} violations", flush=True)

    def hunt_without(self, scenario, model, pool, want, path, sound):
        events = model.events
        model.events = [e for e in events if e[1] != "sync" or not fnmatch.fnmatchcase(general(e[4]), path)]
        left_out = len(events) - len(model.events)
        if left_out:
            found, _ = self.distinct(model, self.options.seed)
            new = [state for key, state in found.items() if key not in sound or state[1] > sound[key][1]]
            before = (self.states, self.bad)
            self.examine_all(scenario, model, pool, want, new, stops=True)
            print(f"{scenario.name} without {left_out} fsyncs of {path}: {len(new)} more states, "
                  f"{self.states - before[0]} tried, {'found' if self.bad > before[1] else 'NOT FOUND'}", flush=True)
        model.events = events

    def examine_all(self, scenario, model, pool, want, states, stops=False):
        chance = random.Random(self.options.seed)
        if self.options.states and len(states) > self.options.states:
            states = chance.sample(states, self.options.states)
        elif stops:
            chance.shuffle(states)
        bad = self.bad
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool_of_threads:
            def examine(numbered):
                number, (kept, promised) = numbered
                if stops and self.bad > bad:
                    return
                self.states += 1
                folder = self.work / f"state-{scenario.name}-{number}"
                self.build(model.tree(kept), folder, pool)
                problem = scenario.examine(self, folder, want, model.promises[:promised])
                if problem:
                    self.bad += 1
                    if not stops or self.options.verbose:
                        print(f"{scenario.name}: {problem}\n  {describe(model, kept)}", flush=True)
                if problem and self.options.keep:
                    # As it was before it was examined.
                    shutil.rmtree(folder)
                    self.build(model.tree(kept), Path(self.options.keep) / folder.name, pool)
                    self.options.keep = None
                shutil.rmtree(folder, ignore_errors=True)
            list(pool_of_threads.map(examine, enumerate(states)))

    def build(self, tree, folder, pool):
        folder.mkdir(parents=True)
        placed = {}
        for path, (kind, number, content) in sorted(tree.items()):
            place = folder / path
            if kind == "directory":
                place.mkdir()
            elif number in placed:
                os.link(placed[number], place, follow_symlinks=False)
            elif kind == "link":
                place.symlink_to(os.fsdecode(content))
            elif (pool / str(number)).exists() and (pool / str(number)).read_bytes() == content:
                os.link(pool / str(number), place)
            else:
                # SQLite must not believe what its shared memory holds.
                place.write_bytes(b"\xa5" * 32768 if path.endswith("-shm") else content)
            placed.setdefault(number, place)


def everything(model):
    return {o.number: crash_points.whole(o, len(o.data)) for o in model.operations}


def largest_pending(model):
    pending, largest = set(), 0
    for event in sorted(model.events, key=lambda event: event[0]):
        if event[1] == "change":
            pending.add(event[2].number)
        elif event[1] == "sync":
            pending = {n for n in pending if not (model.operations[n].node is event[2] and model.operations[n].end < event[3])}
        largest = max(largest, len(pending))
    return largest


def general(path):
    """The path with its numbers replaced, so that the same step for another file has the same name."""
    path = re.sub(r"part-\d{13}-[0-9a-f]+", "part-N", re.sub(r"serve-[0-9a-f-]+", "serve-N", path))
    return re.sub(r"\d{8}", "N", path)


def describe(model, kept):
    last = max(kept, default=-1)
    lost = [str(o) for o in model.operations[: last + 1] if o.number not in kept]
    changed = [f"{model.operations[n]} torn to {str(part)[:120]}" for n, part in kept.items()
               if part and part != crash_points.whole(model.operations[n], len(model.operations[n].data))]
    return f"up to {last} ({model.operations[last] if last >= 0 else 'the start'}); torn: {changed}; lost: {lost}"[:1000]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the built postback; a debug build with --failpoint")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this scenario; may be repeated")
    parser.add_argument("--bound", type=int, default=9, help="try all subsets of at most so many operations; 9 unless given")
    parser.add_argument("--samples", type=int, default=64, help="subsets by chance of more operations than that; 64 unless given")
    parser.add_argument("--states", type=int, default=0, metavar="N", help="recover from N states of each scenario by chance; all unless given")
    parser.add_argument("--without-sync", action="append", metavar="PATTERN", help="leave these fsyncs out; may be repeated")
    parser.add_argument("--each-sync", action="store_true", help="leave each kind of fsync out in turn")
    parser.add_argument("--twice", type=int, default=0, metavar="N", help="do the same for the recovery from N states of each scenario")
    parser.add_argument("--failpoint", metavar="NAME", help="have a debug build do this wrong: it must be found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="states at a time; as many as there are cores unless given")
    parser.add_argument("--seed", type=int, default=1, help="of what is chosen by chance")
    parser.add_argument("--keep", metavar="DIR", help="build the first state with a violation there too")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    if not file_trace.can_trace():
        print("skipped: strace is not there or may not trace")
        sys.exit(77)
    names = [scenario.name for scenario in scenarios()]
    if unknown := {*(options.only or [])} - {*names}:
        parser.error(f"no scenario {' '.join(unknown)}; there are {' '.join(names)}")
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="postback-states-", dir=place) as work:
        hunt = Hunt(options, Path(work))
        for scenario in scenarios():
            if not options.only or scenario.name in options.only:
                hunt.hunt(scenario)
    print(f"{hunt.states} crash states, {hunt.bad} violations")
    sys.exit(0 if (hunt.bad > 0) == bool(options.failpoint or options.without_sync) else 1)


if __name__ == "__main__":
    main()
