#!/usr/bin/env python3
"""Turns dumps of postbacks into tables with Apache Spark, as `postback run` does on one machine.

Spark distributes, shuffles and retries; `postback records read` and `finish` are the functions that it maps. The
rows are, as a set, those of `postback run` over the same files. The keys of accepted postbacks are kept in the folder
--seen, so that later batches recognise their copies. A batch is committed by renaming one folder there, and its tables are
then published by renaming another; a batch that was interrupted in between is published by the next start.
"""

import argparse
import atexit
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time

import postback_records
import postback_tables
from postback_batches import Batches, Failure, bins, found_inputs, publish, splits_of, synchronize, synchronize_all
from postback_tables import KEYS, TABLES, Part, columns_of


def arrange(parts, source, columns, hidden, keys):
    """Moves the parts that tasks wrote to the folders of their tables, numbered."""
    for table in columns:
        names = [part["name"] for part in parts if part["table"] == table and part["rows"]]
        if not names:
            empty = Part(source, table, columns[table])
            empty.open()
            names = [empty.end()["name"]]
        targets = {"parquet": keys} if table == "seen_keys" else {
            kind: os.path.join(hidden, kind, table) for kind in ("jsonl", "parquet")}
        for kind, target in targets.items():
            os.makedirs(target)
            for number, name in enumerate(names, 1):
                shutil.move(os.path.join(source, f"{name}.{kind}"), os.path.join(target, f"part-{number:08}.{kind}"))


def summary_of(parts, elapsed, known, verification):
    """The summary of the rows, with the members of `postback run --json`."""
    rows, counts = collections.Counter(), collections.Counter()
    for part in parts:
        rows[part["table"]] += part["rows"]
        for values, count in part["counts"]:
            counts[part["table"], *values] += count
    statuses = {key[1]: count for key, count in sorted(counts.items()) if key[0] == "skan_postbacks"}
    codes = {key[1:]: count for key, count in sorted(counts.items()) if key[0] == "skan_rejects"}
    accepted, rejected = rows["skan_postbacks"], rows["skan_rejects"]
    warnings = []
    if statuses.get("no_model") and not {"decoded", "unmapped", "ambiguous"} & set(statuses):
        warnings.append({"code": "no_model", "message": f"None of {statuses['no_model']} conversion values could be "
                         "decoded (no_model). The models of --models are for other apps or other install dates."})
    failed = sum(count for (stage, _), count in codes.items() if stage == "signature")
    if failed and not accepted and not any(stage in ("policy", "dedup") for stage, _ in codes):
        warnings.append({"code": "no_signature", "message": f"None of {failed} signatures is valid under a trusted key. "
                         "If another key signed them, name it with --trust-key."})
    return {
        "read": accepted + rejected, "accepted": accepted, "rejected": rejected,
        "by_code": {code: count for (_, code), count in codes.items()}, "by_decode_status": statuses,
        "rows": {table: rows[table] for table in TABLES},
        "parts": [], "known_inputs": known, "from_rejects": None, "changed_settings": [], "warnings": warnings,
        "elapsed_s": round(elapsed, 3), "postbacks_per_s": int((accepted + rejected) / max(elapsed, 0.001)),
        "verification": verification,
    }


def text_of(summary, out):
    """The summary as lines of text, as `postback run` prints it."""
    rows = [("read", summary["read"]), ("accepted", summary["accepted"])]
    rows += [(f"  {name}", count) for name, count in summary["by_decode_status"].items()]
    rows += [("rejected", summary["rejected"])]
    rows += [(f"  {name}", count) for name, count in summary["by_code"].items()]
    rows += [(f"{out}/{name}", count) for name, count in summary["rows"].items()]
    width, digits = max(len(name) for name, _ in rows), max(len(str(count)) for _, count in rows)
    lines = [f"{name:{width}}  {count:>{digits}}" for name, count in rows]
    if summary["known_inputs"]:
        lines.append(f"passed over {summary['known_inputs']} inputs, whose content is in the tables already")
    return "\n".join([*lines, f"{summary['elapsed_s']} s, {summary['postbacks_per_s']} postbacks/s"])


def write_rows(context, arguments, options, splits, earlier, folder, columns):
    """Writes the rows of a batch to parts in the folder, and returns what tells of each."""
    lists = bins(splits, arguments.split_bytes)
    partitions = arguments.partitions or context.defaultParallelism
    read = postback_records.reader(arguments.postback, options, partitions)
    blocks = context.parallelize(lists, len(lists)).mapPartitionsWithIndex(
        lambda task, parts: read(task, [split for part in parts for split in part]))
    if earlier:
        seen = context.parallelize(earlier, len(earlier))
        blocks = blocks.union(seen.flatMap(lambda path: postback_records.seen_blocks(path, partitions)))
    models = [word for path in arguments.models for word in ("--models", os.path.abspath(path))]
    finish = postback_records.finisher(arguments.postback, [*options, *models], folder, columns)
    return blocks.repartitionAndSortWithinPartitions(partitions, lambda key: key[0]).mapPartitions(finish).collect()


def run(arguments):
    start, phases = time.monotonic(), []

    def done(phase):
        phases.append((phase, time.monotonic()))

    options = [word for name in VALUES for value in getattr(arguments, name.replace("-", "_")) or ()
               for word in (f"--{name}", value)]
    options += [f"--{name}" for name in FLAGS if getattr(arguments, name.replace("-", "_"))]
    names = list(found_inputs(arguments.inputs))
    arguments.postback = shutil.which(arguments.postback) and os.path.abspath(shutil.which(arguments.postback))
    if not arguments.postback:
        raise Failure(66, "There is no program postback. Install it on each machine, or name it with --postback.")
    models = [word for path in arguments.models for word in ("--models", path)]
    check = subprocess.run([arguments.postback, "records", "finish", "--blocks", *options, *models], stdin=subprocess.DEVNULL)
    if check.returncode != 0:
        raise Failure(max(check.returncode, 0) or 70, "The options are not those of postback run.")
    version = subprocess.run([arguments.postback, "--version"], capture_output=True, text=True).stdout
    method = (arguments.verification or re.findall(r"verification: ([a-z-]+)", version) or ["fixed-base"])[-1]
    out = os.path.abspath(arguments.out)
    batches = Batches(arguments.seen or os.path.join(out, "_seen"))

    from pyspark import SparkConf, SparkContext
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    context = SparkContext(conf=SparkConf().setAppName("postback").set("spark.ui.showConsoleProgress", "false"))
    atexit.register(context.stop)
    context.setLogLevel("WARN")
    for module in (postback_records, postback_tables):
        context.addPyFile(module.__file__)
    done("start")
    options += ["--jobs", context.getConf().get("spark.task.cpus", "1")]
    known = {digest for record in batches.records for digest in record["inputs"]}
    splits, digests, skipped = splits_of(context, names, arguments.split_bytes, known)
    done("lines counted")
    for name, record in zip(batches.names, batches.records):
        if record["inputs"] == digests and not splits:
            print(f"postback_job: {name} in {record['out']} has these inputs already.", file=sys.stderr)
            return record["summary"], os.path.join(record["out"], name)

    name = batches.next_name()
    hidden, keys = os.path.join(out, f".{name}.inprogress"), os.path.join(batches.folder, f".{name}.inprogress")
    if os.path.exists(os.path.join(out, name)):
        raise Failure(73, f"{out}/{name} exists, and is of other --seen keys. Give another --out or the keys' folder.")
    tasks = os.path.join(out, f".{name}.tasks")
    for folder in (hidden, keys, tasks):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    columns = {table: columns_of(arguments.postback, table) for table in TABLES}
    columns["seen_keys"] = KEYS
    parts = write_rows(context, arguments, options, splits, batches.key_files(), tasks, columns)
    done("rows")
    arrange(parts, tasks, columns, hidden, os.path.join(keys, "keys"))
    shutil.rmtree(tasks, ignore_errors=True)
    summary = summary_of(parts, time.monotonic() - start, skipped, method)
    summary["parts"] = [f"{arguments.out}/{name}/jsonl/{table}/{part}" for table in TABLES
                        for part in sorted(os.listdir(os.path.join(hidden, "jsonl", table)))]
    with open(os.path.join(hidden, "summary.json"), "w") as file:
        json.dump(summary, file)
    with open(os.path.join(keys, "batch.json"), "w") as file:
        json.dump({"out": out, "inputs": digests, "summary": summary}, file)
    synchronize_all(hidden)
    synchronize_all(keys)
    synchronize(out)
    os.rename(keys, os.path.join(batches.folder, name))
    synchronize(batches.folder)
    publish(out, name)
    done("summary and commit")
    times = [f"{phase} {end - before:.1f} s" for (phase, end), before in
             zip(phases, [start, *(end for _, end in phases)])]
    print(f"postback_job: {', '.join(times)}", file=sys.stderr)
    return summary, f"{arguments.out}/{name}"


VALUES = ("trust-key", "apple-key", "verification", "allow-app", "allow-network", "received-at", "received-at-field",
          "max-postback-bytes")
FLAGS = ("allow-development", "keep-raw", "keep-addresses")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: sys.exit(print(f"postback_job: {message}. See --help.", file=sys.stderr) or 64)
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="A file, or a folder: every file in it, by name.")
    parser.add_argument("--out", required=True, metavar="DIR", help="The folder of the batches, one folder each.")
    parser.add_argument("--models", action="append", default=[], metavar="PATH", help="Conversion models.")
    parser.add_argument("--seen", metavar="DIR", help="The folder of the keys of all batches; default _seen in --out.")
    parser.add_argument("--partitions", type=int, metavar="N", help="Partitions of the shuffle; default Spark's.")
    parser.add_argument("--split-bytes", type=int, default=64 << 20, metavar="N",
                        help="Split files of JSON Lines into parts of N bytes, in whole MiB; default 64 MiB.")
    parser.add_argument("--postback", default="postback", metavar="PATH", help="The program, on each machine.")
    parser.add_argument("--json", action="store_true", help="Print the summary as JSON.")
    for name in VALUES:
        parser.add_argument(f"--{name}", action="append", metavar="VALUE", help="As in postback run.")
    for name in FLAGS:
        parser.add_argument(f"--{name}", action="store_true", help="As in postback run.")
    arguments = parser.parse_args()
    arguments.split_bytes = max(1, -(-arguments.split_bytes // postback_records.BLOCK)) * postback_records.BLOCK
    try:
        summary, folder = run(arguments)
    except Failure as failure:
        print(f"postback_job: {failure}", file=sys.stderr)
        return failure.status
    except OSError as failure:
        print(f"postback_job: {failure.filename}: {failure.strerror}. Start it again with the same inputs.", file=sys.stderr)
        return 74
    except Exception as failure:
        reason = re.search(r"RuntimeError: (.*)", str(failure)) or re.search(r"(.*)", str(failure))
        print(f"postback_job: Spark ended the job: {reason.group(1)}. Start it again with the same inputs.", file=sys.stderr)
        return 70
    for warning in summary["warnings"]:
        print(f"postback_job: warning: {warning['message']}", file=sys.stderr)
    print(json.dumps(summary) if arguments.json else text_of(summary, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
