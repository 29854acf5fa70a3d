#!/usr/bin/env python3
"""Turns dumps of postbacks into tables with Apache Spark, as `postback run` does on one machine.

Spark distributes, shuffles and retries; `postback records read`, `verify` and `finish` are the functions that it maps. The
rows are, as a set, those of `postback run` over the same files. The keys of accepted postbacks are kept in the folder
--seen, so that later batches recognise their copies. A batch is committed by renaming one folder there, and its tables are
then published by renaming another; a batch that was interrupted in between is published by the next start.
"""

import argparse
import atexit
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time

import postback_records
from postback_batches import Batches, Failure, bins, found_inputs, publish, splits_of, synchronize, synchronize_all

KEYS = "postback_key STRING, content_digest BIGINT, unsigned_fields BIGINT, unsigned_number BIGINT"
TABLES = ("skan_postbacks", "skan_events", "skan_rejects")


def arrange(source, target, extension):
    """Moves the parts that Spark wrote into a folder, numbered, without its other files."""
    os.makedirs(target)
    parts = sorted(name for name in os.listdir(source) if name.startswith("part-")) if os.path.isdir(source) else []
    for number, name in enumerate(parts, 1):
        os.rename(os.path.join(source, name), os.path.join(target, f"part-{number:08}.{extension}"))
    if not parts and extension == "jsonl":
        open(os.path.join(target, "part-00000001.jsonl"), "w").close()


def counted(frame, column):
    """The number of rows by the value of a column."""
    return {row[0]: row[1] for row in frame.groupBy(column).count().collect()}


def summary_of(spark, folder, elapsed, known, verification):
    """The summary of the rows, with the members of `postback run --json`."""
    tables = {table: spark.read.parquet(os.path.join(folder, "parquet", table)) for table in TABLES}
    statuses = counted(tables["skan_postbacks"], "decode_status")
    codes = {(row.stage, row.reject_code): row["count"]
             for row in tables["skan_rejects"].groupBy("stage", "reject_code").count().collect()}
    accepted, rejected = sum(statuses.values()), sum(codes.values())
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
        "by_code": {code: count for (_, code), count in sorted(codes.items())}, "by_decode_status": statuses,
        "rows": {"skan_postbacks": accepted, "skan_events": tables["skan_events"].count(), "skan_rejects": rejected},
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


def columns_of(postback, table):
    """The columns of a table, as Spark's SQL declares them."""
    text = subprocess.run([postback, "schema", table, "--dialect", "spark"], check=True, capture_output=True).stdout
    return re.search(r"\(\n(.*)\n\)\nUSING", text.decode(), re.DOTALL).group(1)


def write_rows(spark, arguments, options, names, splits, earlier, target):
    """Writes the rows of a batch as JSON Lines, with a folder for each table: the one stage that runs `postback`."""
    from pyspark import StorageLevel
    from pyspark.sql import functions

    context = spark.sparkContext
    partitions = arguments.partitions or context.defaultParallelism
    lists = bins(splits, arguments.split_bytes)
    source = spark.createDataFrame(context.parallelize(lists, len(lists)).flatMap(lambda part: [(s,) for s in part]),
                                   "split STRING")
    # Only the tasks of this job have the secret, which shows finish that a line is from verify and was not changed since.
    secret = secrets.token_hex(32)
    columns = "key STRING, file INT, line BIGINT, index BIGINT, text STRING"
    verified = source.mapInArrow(postback_records.verifier(arguments.postback, options, secret, names), columns)
    verified = verified.persist(StorageLevel.MEMORY_AND_DISK)
    seen = spark.read.schema(KEYS).parquet(*earlier) if earlier else spark.createDataFrame([], KEYS)
    seen = seen.withColumn("seen", functions.lit(True))
    seen = seen.select(functions.col("postback_key").alias("key"), functions.lit(-1).alias("file"),
                       functions.lit(0).cast("bigint").alias("line"), functions.lit(0).cast("bigint").alias("index"),
                       functions.to_json(functions.struct("*")).alias("text"))
    order = ["key", "file", "line", "index"]
    ordered = verified.filter("key IS NOT NULL").union(seen).repartition(partitions, "key")
    ordered = ordered.sortWithinPartitions(*order).select("key", "file", "text")
    models = [word for path in arguments.models for word in ("--models", os.path.abspath(path))]
    finish = postback_records.finisher(arguments.postback, [*options, *models], secret)
    rows = ordered.mapInArrow(finish, "table STRING, row STRING")
    rejects = verified.filter("key IS NULL").select(functions.lit("skan_rejects").alias("table"), "text")
    rows = rows.union(rejects)
    rows.write.partitionBy("table").text(target)
    verified.unpersist()


def write_tables(spark, arguments, out, keys):
    """Makes the tables of the rows in the folder `out`, and the Parquet files of the keys in the folder `keys`."""
    for table in TABLES:
        target = os.path.join(out, "jsonl", table)
        arrange(os.path.join(out, "rows", f"table={table}"), target, "jsonl")
        parquet(spark, target, columns_of(arguments.postback, table), os.path.join(out, "parquet", table))
    lines = os.path.join(out, "rows", "table=seen_keys")
    os.makedirs(lines, exist_ok=True)
    parquet(spark, lines, KEYS, keys)
    shutil.rmtree(os.path.join(out, "rows"))


def parquet(spark, lines, columns, target):
    """Writes JSON Lines as Parquet, with typed columns. A value of another type is an error."""
    reader = spark.read.schema(columns).option("mode", "FAILFAST").option("lineSep", "\n")
    reader.json(lines).write.parquet(f"{target}.spark")
    arrange(f"{target}.spark", target, "parquet")
    shutil.rmtree(f"{target}.spark")


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
    check = subprocess.run([arguments.postback, "records", "finish", *options, *models], stdin=subprocess.DEVNULL)
    if check.returncode != 0:
        raise Failure(max(check.returncode, 0) or 70, "The options are not those of postback run.")
    version = subprocess.run([arguments.postback, "--version"], capture_output=True, text=True).stdout
    method = (arguments.verification or re.findall(r"verification: ([a-z-]+)", version) or ["fixed-base"])[-1]
    out = os.path.abspath(arguments.out)
    batches = Batches(arguments.seen or os.path.join(out, "_seen"))

    from pyspark.sql import SparkSession
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.appName("postback").config("spark.sql.session.timeZone", "UTC") \
        .config("spark.sql.adaptive.enabled", "false").config("spark.ui.showConsoleProgress", "false") \
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS") \
        .config("spark.sql.maxConcurrentOutputFileWriters", "8") \
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "4096").getOrCreate()
    atexit.register(spark.stop)
    spark.sparkContext.setLogLevel("WARN")
    spark.sparkContext.addPyFile(postback_records.__file__)
    done("start")
    options += ["--jobs", spark.conf.get("spark.task.cpus", "1")]
    known = {digest for record in batches.records for digest in record["inputs"]}
    splits, digests, skipped = splits_of(spark.sparkContext, names, arguments.split_bytes, known)
    done("lines counted")
    for name, record in zip(batches.names, batches.records):
        if record["inputs"] == digests and not splits:
            print(f"postback_job: {name} in {record['out']} has these inputs already.", file=sys.stderr)
            return record["summary"], os.path.join(record["out"], name)

    name = batches.next_name()
    hidden, keys = os.path.join(out, f".{name}.inprogress"), os.path.join(batches.folder, f".{name}.inprogress")
    if os.path.exists(os.path.join(out, name)):
        raise Failure(73, f"{out}/{name} exists, and is of other --seen keys. Give another --out or the keys' folder.")
    for folder in (hidden, keys):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    write_rows(spark, arguments, options, names, splits, batches.paths(), os.path.join(hidden, "rows"))
    done("rows")
    write_tables(spark, arguments, hidden, os.path.join(keys, "keys"))
    done("Parquet")
    summary = summary_of(spark, hidden, time.monotonic() - start, skipped, method)
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
