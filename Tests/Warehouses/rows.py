"""The rows of a table as Python has them, read from its files without DuckDB; and rows that are hard to load."""

import datetime
import decimal
import json

decimal.getcontext().prec = 60


def value(text, sql):
    """A value of JSON as Python has one of the SQL type."""
    if text is None:
        return None
    if sql == "TIMESTAMP WITH TIME ZONE":
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if sql == "DATE":
        return datetime.date.fromisoformat(text)
    return decimal.Decimal(text) if sql.startswith("DECIMAL") else text


def of_csv(text, sql):
    """A value of JSON for a cell of CSV."""
    if text is None or sql == "VARCHAR":
        return text
    if sql == "VARCHAR[]":
        return text.split(";")
    if sql == "BOOLEAN":
        return {"true": True, "false": False}[text]
    return text if sql in ("DATE", "TIMESTAMP WITH TIME ZONE") else json.loads(text, parse_float=decimal.Decimal)


def read_csv(data):
    """The rows of CSV, with None for a cell that is empty and not quoted."""
    rows, row, cell, quoted, position = [], [], "", None, 0
    text = data.decode()
    while position < len(text):
        character = text[position]
        if quoted:
            if character == '"' and text[position + 1:position + 2] == '"':
                cell, position = cell + '"', position + 1
            elif character == '"':
                quoted = False
            else:
                cell += character
        elif character == '"':
            quoted = True
        elif character in ",\n":
            row.append(None if cell == "" and quoted is None else cell)
            cell, quoted = "", None
            if character == "\n":
                rows.append(row)
                row = []
        elif character != "\r":
            cell += character
        position += 1
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def written(files, columns):
    """The rows in files, exactly. A file is a path, or a path with the number of its bytes that count."""
    rows = []
    for path, length in (file if isinstance(file, tuple) else (file, None) for file in files):
        data = path.read_bytes()[:length]
        if ".csv" in path.name:
            rows += [{name: value(of_csv(row[name], sql), sql) for name, sql in columns.items()} for row in read_csv(data)]
        else:
            lines = [json.loads(line, parse_float=decimal.Decimal) for line in data.split(b"\n") if line]
            rows += [{name: value(row.get(name), sql) for name, sql in columns.items()} for row in lines]
    return rows


def comparable(cell, sql):
    """A value in a form that is equal only to the same value."""
    if cell is None:
        return None
    if sql == "JSON":
        content = json.loads(cell, parse_float=decimal.Decimal) if isinstance(cell, str) else cell
        return json.dumps(content, sort_keys=True, default=lambda number: f"\0{number.normalize()}")
    if sql == "TIMESTAMP WITH TIME ZONE":
        return cell.astimezone(datetime.timezone.utc).isoformat()
    if sql.startswith("DECIMAL"):
        return cell.normalize().as_tuple()
    expected = {"VARCHAR": str, "BIGINT": int, "BOOLEAN": bool, "VARCHAR[]": list, "DATE": datetime.date}[sql]
    if type(cell) is not expected:
        raise TypeError(f"{cell!r} is no {sql}")
    return tuple(cell) if expected is list else cell


def limits(schema, types):
    """Rows with the values of each type that are most likely to be changed, and one of nulls."""
    texts = ['007', "", "it's \"quoted\", \\ and\nlines\r\n\t\u0000é😀\u2028", ',"skan_revenue":5,', "}]},", "null", "{", "1e5", "\x01\x1f"]
    rows = [{name: None for name in types}]
    for number in range(len(texts) * 2):
        row = {}
        for name, sql in types.items():
            allowed = schema["properties"][name]
            if sql == "VARCHAR":
                row[name] = texts[number % len(texts)]
            elif sql == "BIGINT":
                row[name] = [2**63 - 1, 0, 9007199254740993, -(2**63)][number % 4]
            elif sql == "BOOLEAN":
                row[name] = number % 2 == 0
            elif sql.startswith("DECIMAL"):
                precision, scale = map(int, sql[8:-1].split(","))
                digits = ("123456789" * 5)[:precision]
                nines = "9" * precision
                row[name] = decimal.Decimal([f"{digits[:precision - scale]}.{digits[precision - scale:]}", "0.1", "0", f"-{nines[scale:]}.{nines[:scale]}",
                                             nines[scale:], "0." + "0" * (scale - 1) + "1"][number % 6])
            elif sql == "DATE":
                row[name] = ["2026-03-01", "1970-01-01", "9999-12-31", "0001-01-01"][number % 4]
            elif sql.startswith("TIMESTAMP"):
                row[name] = ["2026-03-01T23:59:59.999Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"][number % 4]
            elif sql == "VARCHAR[]":
                row[name] = allowed["items"]["enum"][:1 + number % 3]
            elif "items" in allowed:
                row[name] = [{"field": "}],\"source_line\":1", "first": None, "later": "{\"a\":[1,2.50]}"}] * (1 + number % 2)
            elif number % 2:
                row[name] = {"EUR": decimal.Decimal("12345678901234567890123456789.1234567"), "USD": decimal.Decimal("-0.1")}
            else:
                row[name] = {"x": 1} if number % 3 else None
        rows.append(row)
    return rows


def write_lines(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        for row in rows:
            text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=lambda number: f"\ue000{number:f}\ue000")
            file.write(text.replace('"\ue000', "").replace('\ue000"', "") + "\n")
