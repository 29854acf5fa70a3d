"""The rows of tables in JSON Lines, and those of a database, in one form that can be compared."""

import collections, datetime, decimal, glob, json

TABLES = ["skan_postbacks", "skan_events", "skan_rejects"]


class Wrong(Exception):
    """A statement about the loader that does not hold."""


def hold(truth, what):
    if not truth:
        raise Wrong(what)


def time_of(text):
    """A time as milliseconds since 1970."""
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def form(value, kind):
    """A value by its type in the database, so that equal values are equal texts."""
    if value is None:
        return None
    if kind == "timestamp with time zone":
        return time_of(value)
    if kind.startswith("numeric") or kind == "bigint":
        return str(decimal.Decimal(str(value)).normalize())
    if kind == "text":
        # PostgreSQL has no NUL in texts.
        return str(value).replace("\0", "\ufffd")
    # The server reads no escape of NUL out of JSON either.
    return json.dumps(value, sort_keys=True, default=str).replace("\\u0000", "\\ufffd")


def counted(rows, types):
    """How often each row occurs."""
    return collections.Counter(tuple(form(row.get(name), kind) for name, kind in types.items()) for row in rows)


def written(output, table):
    """The rows of a table in JSON Lines, hidden parts included."""
    paths = sorted(glob.glob(f"{output}/{table}/**/part-*.jsonl", recursive=True))
    paths += sorted(glob.glob(f"{output}/{table}/**/.part-*.jsonl*", recursive=True))
    for path in paths:
        with open(path, encoding="utf-8", newline="\n") as file:
            yield from (json.loads(line, parse_float=decimal.Decimal) for line in file)


def loaded(server, schema, table, types):
    """The rows of a table in the database."""
    names = ", ".join(f'"{name}"' for name in types)
    schema = schema.replace('"', '""')
    text = server.sql(f'SELECT row_to_json(r) FROM (SELECT {names} FROM "{schema}"."{table}") r')
    return [json.loads(line, parse_float=decimal.Decimal) for line in text.split("\n") if line]


def types(server, schema, table):
    """The types of the columns of a table by name."""
    text = server.sql(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute JOIN pg_class c ON c.oid = attrelid"
        " JOIN pg_namespace n ON n.oid = relnamespace WHERE attnum > 0 AND NOT attisdropped"
        f" AND nspname = $${schema}$$ AND relname = $${table}$$ ORDER BY attnum"
    )
    return dict(line.split("|") for line in text.split("\n") if line)


def difference(server, schema, output, table):
    """A sentence about the first row that is not the same in the database and in the output; nothing if all are."""
    kinds = types(server, schema, table)
    kinds.pop("loaded_at", None)
    right, found = counted(written(output, table), kinds), counted(loaded(server, schema, table, kinds), kinds)
    missing, extra = right - found, found - right
    if not missing and not extra:
        return None
    return f"{table}: {sum(missing.values())} rows missing, {sum(extra.values())} too many: {[*missing, *extra][:2]}"
