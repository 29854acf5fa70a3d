"""An output that was restored from a backup, rows that are removed on request, and rows that were removed before a load."""

import json, shutil

from values import TABLES, hold


def lines(site, path, numbers):
    """A file of records that are no postbacks, whose rows have equal lengths."""
    path.write_text("".join(f'{{"rubbish":{number:06d}}}\n' for number in numbers))
    return path


def restored(site):
    """Rows of a lost time are found, refused, and taken back by --reload; the others stay."""
    schema, output, backup = site.new_schema(), site.written("restored", site.inputs[0]), site.work / "backup"
    site.load(output, schema)
    early = site.server.sql(f"SELECT count(*), max(loaded_at) FROM {schema}.skan_rejects")
    shutil.copytree(output, backup)
    site.append(output, lines(site, site.work / "lost.jsonl", range(800)))
    site.load(output, schema)
    shutil.rmtree(output)
    shutil.copytree(backup, output)
    site.append(output, lines(site, site.work / "late.jsonl", range(1000, 1800)))
    before = {table: site.server.sql(f"SELECT count(*) FROM {schema}.{table}") for table in TABLES}
    for _ in range(2):
        refusal = site.load(output, schema, status=65)
        hold(f"--reload {','.join(TABLES)}" in refusal and "restored from an older backup" in refusal, refusal)
    after = {table: site.server.sql(f"SELECT count(*) FROM {schema}.{table}") for table in TABLES}
    hold(before == after, f"{before} became {after}")
    answer = site.load(output, schema, "--reload", ",".join(TABLES))
    hold(answer["skan_rejects"]["removed"] >= 800 and answer["skan_rejects"]["loaded"] >= 800, f"{answer}")
    site.compare(schema, output)
    # What was loaded before the backup was not touched.
    count, time = early.split("|")
    kept = site.server.sql(f"SELECT count(*) FROM {schema}.skan_rejects WHERE loaded_at <= '{time}'")
    hold(kept == count, f"{kept} rows of {count} were kept")
    hold(site.load(output, schema, "--reload", ",".join(TABLES)) == {}, "a second --reload changes something")
    # A state that was restored and not yet written again.
    site.append(output, site.inputs[1])
    site.load(output, schema)
    shutil.rmtree(output)
    shutil.copytree(backup, output)
    site.load(output, schema, status=65)
    # Where another table is behind too, nothing is taken back of this one.
    before = site.server.sql(f"SELECT count(*) FROM {schema}.skan_rejects")
    site.load(output, schema, "--reload", "skan_rejects", status=65)
    after = site.server.sql(f"SELECT count(*) FROM {schema}.skan_rejects")
    hold(before == after, f"{before} rows became {after}")
    site.load(output, schema, "--reload", ",".join(TABLES))
    site.compare(schema, output)


def reload_killed(site):
    """The loader killed while it takes back rows: the next one does it again, or goes on."""
    schema, output, backup = site.new_schema(), site.written("rekilled", site.inputs[0]), site.work / "rebackup"
    site.load(output, schema)
    shutil.copytree(output, backup)
    site.append(output, site.inputs[1])
    points = 0
    for number in range(1, 200, 3 * site.every):
        shutil.rmtree(output)
        shutil.copytree(backup, output)
        site.append(output, lines(site, site.work / f"first-{number}.jsonl", range(50)))
        site.load(output, schema, "--reload", ",".join(TABLES))
        shutil.rmtree(output)
        shutil.copytree(backup, output)
        site.append(output, lines(site, site.work / f"second-{number}.jsonl", range(50, 100)))
        before = [site.count(schema, table) for table in TABLES]
        ended = site.postback(
            "load", "postgres", output, "--dsn", site.server.dsn, "--schema", schema, "--reload", ",".join(TABLES),
            status=None,
            tracer=["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=sendto",
                    "-e", f"inject=sendto:signal=KILL:when={number}"])
        if [site.count(schema, table) for table in TABLES] != before:
            site.compare(schema, output)
        site.load(output, schema, "--reload", ",".join(TABLES))
        site.compare(schema, output)
        if ended.returncode == 0:
            break
        points += 1
    hold(points > 3, f"only {points} points")
    print(f"  {points} points", end="")


def cursors_lost(site):
    """Rows without a position behind them are refused, and --reload loads them again."""
    schema, output = site.new_schema(), site.written("cursorless", site.inputs[0])
    site.load(output, schema)
    for lost in ("postback_cursors", "postback_cursors, {schema}.postback_loads"):
        site.server.sql(f"DROP TABLE {schema}.{lost.format(schema=schema)}")
        for _ in range(2):
            refusal = site.load(output, schema, status=65)
            hold("has no position behind them" in refusal and f"--reload {','.join(TABLES)}" in refusal, refusal)
        site.compare(schema, output)
        site.load(output, schema, "--reload", ",".join(TABLES))
        site.compare(schema, output)
        hold(site.load(output, schema) == {}, "a second load changes something")


def forgotten(site):
    """Rows that forget removes go from the database with the next load, and nothing else does."""
    schema, output = site.new_schema(), site.written("forgotten", site.inputs[0], site.inputs[1])
    site.load(output, schema)
    ids = site.server.sql(
        f"SELECT transaction_id FROM {schema}.skan_postbacks p WHERE EXISTS (SELECT 1 FROM {schema}.skan_events e"
        f" WHERE e.postback_key = p.postback_key) ORDER BY 1 LIMIT 3"
    ).split("\n")
    ids += site.server.sql(
        f"SELECT transaction_id FROM {schema}.skan_rejects WHERE stage = 'signature' AND transaction_id IS NOT NULL"
        " AND transaction_id ~ '^[0-9a-f-]+$' ORDER BY 1 LIMIT 2"
    ).split("\n")
    site.postback("forget", "--out", output, *[word for id in ids for word in ("--transaction-id", id)])
    answer = site.load(output, schema)
    hold("skan_postbacks" in answer, f"nothing was removed: {answer}")
    hold(answer["skan_postbacks"]["removed"] >= 3 and answer["skan_events"]["removed"] >= 3, f"{answer}")
    hold(answer["skan_rejects"]["removed"] >= 2, f"{answer}")
    for table in ("skan_postbacks", "skan_rejects"):
        for id in ids:
            left = site.server.sql(f"SELECT count(*) FROM {schema}.{table} t WHERE t::text LIKE '%{id}%'")
            hold(left == "0", f"{left} rows of {table} have {id}")
    site.compare(schema, output)
    # Once more, with later rows in the same transaction.
    id = site.server.sql(f"SELECT min(transaction_id) FROM {schema}.skan_postbacks")
    site.postback("forget", "--out", output, "--transaction-id", id)
    site.append(output, site.inputs[2])
    site.load(output, schema)
    site.compare(schema, output)


def mentions(path, source, ids):
    """Postbacks of others whose unsigned text names ids, each twice: the second copy is rejected and keeps its bytes."""
    count = 0
    with open(path, "w") as file:
        for line in source.read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            body = record.get("body", record) if isinstance(record, dict) else None
            if count < 40 and isinstance(body, dict) and body.get("transaction-id") not in ids:
                count += 1
                for copy in range(2):
                    body["note"] = f"for {' and '.join(ids[: 1 + count % 2])}, copy {copy}"
                    file.write(json.dumps(record) + "\n")
    return path


def masked(site):
    """Rows of others that forget masks are replaced by the next load, also after a kill, and rows that are not loaded yet are
    loaded as they are."""
    points = 0
    for number, options in enumerate([[], ["--format", "csv", "--csv-safe"], ["--format", "both", "--partition", "received_day"]]):
        schema, output = site.new_schema(), site.written(f"masked-{number}", site.inputs[0], options=options)
        early, late = site.work / "early.jsonl", site.work / "late-mentions.jsonl"
        site.load(output, schema)
        ids = site.server.sql(
            f"SELECT transaction_id FROM {schema}.skan_postbacks WHERE transaction_id ~ '^[0-9A-Fa-f-]{{36}}$' ORDER BY 1 LIMIT 2"
        ).split("\n")
        site.append(output, mentions(early, site.inputs[1], ids))
        site.load(output, schema)
        before = site.work / f"masked-{number}-before"
        shutil.copytree(output, before)
        named = f"t::text ILIKE '%{ids[0]}%' AND transaction_id <> '{ids[0]}'"
        found = {t: site.server.sql(f"SELECT count(*) FROM {schema}.{t} t WHERE {named}") for t in ("skan_postbacks", "skan_rejects")}
        hold(int(found["skan_postbacks"]) > 9 and int(found["skan_rejects"]) > 9, f"too few rows name the id: {found}")
        other = site.server.sql(f"SELECT min(transaction_id) FROM {schema}.skan_postbacks t WHERE {named}")
        site.append(output, mentions(late, site.inputs[2], ids))
        # The second masks some rows again, the third removes some that were masked.
        for id in (*ids, other):
            site.postback("forget", "--out", output, "--transaction-id", id)
        answer = site.load(output, schema)
        hold(answer["skan_postbacks"]["masked"] == int(found["skan_postbacks"]) - 1, f"{answer} of {found}")
        for table in found:
            for id in (*ids, other):
                left = site.server.sql(f"SELECT count(*) FROM {schema}.{table} t WHERE t::text ILIKE '%{id}%'")
                hold(left == "0", f"{left} rows of {table} have {id}")
        fresh = site.new_schema()
        site.load(output, fresh)
        for table in TABLES:
            rows = [site.server.sql(f"SELECT to_jsonb(t) - 'loaded_at' FROM {s}.{table} t ORDER BY 1") for s in (schema, fresh)]
            hold(rows[0] == rows[1], f"the rows of {table} are not those of a first load")
        hold(site.load(output, schema) == {}, "a second load changes something")
        # Rows of CSV are removed and read in the same way.
        for point in range(8, 200, 6 * site.every) if number == 0 else []:
            schema, after = site.new_schema(), site.work / f"masked-{number}-after"
            shutil.copytree(output, after)
            shutil.rmtree(output)
            shutil.copytree(before, output)
            site.load(output, schema)
            shutil.rmtree(output)
            after.rename(output)
            ended = site.postback(
                "load", "postgres", output, "--dsn", site.server.dsn, "--schema", schema, status=None,
                tracer=["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=sendto",
                        "-e", f"inject=sendto:signal=KILL:when={point}"])
            site.load(output, schema)
            site.compare(schema, output)
            if ended.returncode == 0:
                break
            points += 1
    hold(points > 3, f"only {points} points")
    print(f"  {points} points", end="")


def masked_and_restored(site):
    """A backup from before a forget: --reload loses none of the rows that were masked, and the same forget replaces them again."""
    schema, output, backup = site.new_schema(), site.written("masked-restored", site.inputs[0]), site.work / "masked-backup"
    site.load(output, schema)
    ids = site.server.sql(
        f"SELECT transaction_id FROM {schema}.skan_postbacks WHERE transaction_id ~ '^[0-9A-Fa-f-]{{36}}$' ORDER BY 1 LIMIT 2"
    ).split("\n")
    site.append(output, mentions(site.work / "restored-mentions.jsonl", site.inputs[1], ids))
    site.load(output, schema)
    # The next load notes a position behind these rows.
    site.server.sql(f"DELETE FROM {schema}.postback_loads")
    site.append(output, lines(site, site.work / "behind.jsonl", range(5000, 5010)))
    site.load(output, schema)
    shutil.copytree(output, backup)
    forget = ("forget", "--out", output, "--transaction-id", ids[0])
    site.postback(*forget)
    masked = {table: count["masked"] for table, count in site.load(output, schema).items() if count["masked"]}
    hold(masked.get("skan_postbacks", 0) > 9 and masked.get("skan_rejects", 0) > 9, f"{masked}")
    shutil.rmtree(output)
    shutil.copytree(backup, output)
    site.append(output, lines(site, site.work / "after-forget.jsonl", range(6000, 6010)))
    site.load(output, schema, status=65)
    site.load(output, schema, "--reload", ",".join(TABLES))
    whole = site.new_schema()
    site.load(output, whole)
    for table in TABLES:
        counts = [site.server.sql(f"SELECT count(*) FROM {s}.{table}") for s in (schema, whole)]
        hold(counts[0] == counts[1], f"{table} has {counts[0]} rows and not {counts[1]} after --reload")
    site.postback(*forget)
    site.load(output, schema)
    fresh = site.new_schema()
    site.load(output, fresh)
    for table in TABLES:
        rows = [site.server.sql(f"SELECT to_jsonb(t) - 'loaded_at' FROM {s}.{table} t ORDER BY 1") for s in (schema, fresh)]
        hold(rows[0] == rows[1], f"the rows of {table} are not those of a first load")


def missed(site):
    """Rows that are removed before the first load are counted, and retain waits once the database is known."""
    schema, output = site.new_schema(), site.work / "missed"

    def append(number, day):
        site.append(output, lines(site, site.work / f"old-{number}.jsonl", range(number, number + 50)),
                    options=["--received-at", f"2024-01-0{day}T00:00:00Z"])

    def retain(*options):
        return json.loads(site.postback("retain", "--out", output, "--older-than", "400d", "--yes-remove-all", "--json", *options).stdout)

    append(0, 1)
    removed = retain()
    hold(removed["rows"] == 50 and removed["waiting"] == [], f"{removed}")
    append(100, 2)
    first = site.load(output, schema)["skan_rejects"]
    hold(first["missed"] == 50 and first["loaded"] == 50, f"{first}")
    append(200, 3)
    waits = retain()
    name = f"postgresql {site.server.folder}/postgres {schema}"
    hold(waits["waiting"] == [{"follower": name, "rows": 50}] and waits["rows"] == 50, f"{waits}")
    second = site.load(output, schema)["skan_rejects"]
    hold(second["missed"] == 0 and second["loaded"] == 50, f"{second}")
    hold(retain()["rows"] == 50, "the loaded rows were not removed")
    hold(site.load(output, schema) == {}, "rows are loaded or removed after retain")
    hold(site.server.sql(f"SELECT count(*) FROM {schema}.skan_rejects") == "100", "the database has lost rows")
    append(300, 4)
    hold(retain("--without-waiting")["rows"] == 50, "--without-waiting waits")
    answer = site.postback("load", "postgres", output, "--dsn", site.server.dsn, "--schema", schema)
    hold("50 rows were removed" in answer.stderr, answer.stderr)


def csv_safe(site):
    """Texts of CSV with an apostrophe for spreadsheets are loaded without it, and one that had it keeps it."""
    schema = site.new_schema()
    dump = site.work / "formulas.jsonl"
    texts = ["=1+1", "'=1+1", "''=1", "'plain", "-2", "@a", "+\"q\"", "'", "=\"a\"\",b", "\tx"]
    dump.write_text("".join(
        json.dumps({"version": "4.0", "transaction-id": text, "ad-network-id": "com"}) + "\n" for text in texts))
    both = site.written("formulas", dump, options=["--format", "both", "--csv-safe"])
    output = site.written("formulas-csv", dump, options=["--format", "csv", "--csv-safe"])
    site.load(output, schema, "--tables", "skan_rejects")
    found = site.server.sql(f"SELECT json_agg(transaction_id ORDER BY source_line) FROM {schema}.skan_rejects")
    hold(json.loads(found) == texts, found)
    hold("\"'=1+1\"" in (next((both / "skan_rejects").glob("*.csv")).read_text()) or "'=1+1" in
         next((both / "skan_rejects").glob("*.csv")).read_text(), "CSV has no apostrophe")
