#!/usr/bin/env python3
"""Validates what postback reads and writes against schemas/.

    validate.py OUT                 every row of OUT's tables, the CSV files against the JSON Lines beside them
    validate.py --models DIR        conversion models
    validate.py --postbacks FILE…   postbacks and envelopes that should be right, one a line
    validate.py --summary FILE      what `postback run --json` printed
    validate.py --status FILE       what `postback status --json` printed
    validate.py --rejects FILE      what `postback rejects --format json` printed
    validate.py --case FILE         what `postback case --json` printed
    validate.py --model-fit FILE    what `postback model fit --json` printed
    validate.py --diagnoses FILE    what `postback explain --json` printed, one postback a line

Ends with 0 where all is valid, 1 where something is not, and 77 where the Python package jsonschema is not there.
"""

import argparse
import base64
import hashlib
import json
import pathlib
import re
import sys
from decimal import Decimal

try:
    from jsonschema import Draft202012Validator, ValidationError, validators
except ImportError:
    print("validate.py needs the Python package jsonschema", file=sys.stderr)
    sys.exit(77)

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "schemas"
TABLES = ["skan_postbacks", "skan_events", "skan_rejects"]
DERIVED = ["skan_enriched", "skan_settled", "skan_settled_events", "skan_daily", "skan_daily_events", "skan_daily_values", "skan_daily_changes", "skan_modelled", "partner_deliveries", "asa_attributions", "asa_daily", "skan_imported", "skan_vendor_daily", "s2s_events"]


class Problems:
    """Counts what is valid, and prints what is not with the place where it stands."""

    def __init__(self):
        self.valid = 0
        self.found = 0

    def add(self, place, problem):
        self.found += 1
        print(f"{place}: {problem}", file=sys.stderr)

    def validate(self, validator, value, place):
        errors = list(validator.iter_errors(value))
        for error in errors:
            self.add(place, f"{error.json_path}: {error.message[:300]}")
        self.valid += not errors
        return not errors


# JSON as RFC 8259 has it: numbers exact, no key twice, no NaN.


def members(pairs):
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is there twice in one object")
    return value


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def parse(text):
    return json.loads(text, parse_float=Decimal, object_pairs_hook=members, parse_constant=refuse)


# JSON Schema, with two things that the package does not do: `$` is the very end of a text, and not also before a last
# line end; and the parts of a JWS are looked at, which to JSON Schema is a mere remark (contentSchema).


def check_pattern(validator, pattern, value, schema):
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def check_content(validator, schema, value, parent):
    if parent.get("contentMediaType") != "application/jose" or not isinstance(value, str):
        return
    try:
        parts = [parse(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in value.split(".")[:2]]
    except ValueError as error:
        yield ValidationError(f"the JWS cannot be read: {error}")
        return
    yield from validator.descend(parts, schema, schema_path="contentSchema")


Validator = validators.extend(Draft202012Validator, {"pattern": check_pattern, "contentSchema": check_content})


def schema(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


def validator(name):
    whole = schema(name)
    if name == "envelope":  # Bundled, so that the reference needs no look-up.
        whole["$defs"]["postback"] = schema("postback")
    if name == "case":
        whole["$defs"]["rejects"] = schema("rejects")
    if name == "model_fit":
        whole["$defs"]["conversion_model"] = schema("conversion_model")
    Validator.check_schema(whole)
    return Validator(whole)


# CSV as RFC 4180 has it.


def read_csv(text):
    """The records; a field that is absent, neither text nor quotes, is None."""
    field = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)')
    position, record = 0, []
    while position < len(text):
        match = field.match(text, position)
        if not match:
            raise ValueError(f"not RFC 4180 at character {position}: {text[position:position + 40]!r}")
        quoted, plain, end = match.groups()
        record.append(quoted.replace('""', '"') if quoted is not None else plain or None)
        if end != ",":
            yield record
            record = []
        position = match.end()
    if record:
        raise ValueError("the last line does not end")


def as_csv(value, is_safe):
    """How a value of a JSON Lines row stands in CSV."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return ";".join(value)
    if isinstance(value, (list, dict)):
        return value
    if isinstance(value, Decimal):
        return format(value, "f")
    text = str(value)
    return "'" + text if is_safe and isinstance(value, str) and text[:1] in tuple("=+-@\t\r") else text


def check_csv(path, columns, rows, is_safe, problems):
    try:
        records = list(read_csv(path.read_bytes().decode()))
    except ValueError as error:
        return problems.add(path, error)
    if not records or records[0] != columns:
        return problems.add(path, f"the header is not {','.join(columns)}")
    if len(records) - 1 != len(rows):
        return problems.add(path, f"{len(records) - 1} rows, where the JSON Lines have {len(rows)}")
    for number, (record, row) in enumerate(zip(records[1:], rows), 1):
        place = f"{path}: row {number}"
        if len(record) != len(columns):
            problems.add(place, f"{len(record)} fields, not {len(columns)}")
            continue
        for column, cell in zip(columns, record):
            expected = as_csv(row.get(column), is_safe)
            try:
                found = parse(cell) if isinstance(expected, (list, dict)) and cell is not None else cell
            except ValueError as error:
                found = error
            if found != expected:
                problems.add(place, f"{column} is {found!r}, where the JSON Lines have {expected!r}")


def read_lines(path, problems):
    """The JSON values of a file with the places where they stand; blank lines are none."""
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line.strip():
            place = f"{path}:{number}"
            try:
                yield place, parse(line.decode())
            except ValueError as error:
                problems.add(place, error)


def check_row(table, row, keys, place, problems):
    """What of a row a schema cannot say."""
    if table == "skan_postbacks":
        if row["postback_key"] in keys:
            problems.add(place, "the postback_key is there twice")
        keys.add(row["postback_key"])
    elif table in ("skan_events", "skan_enriched", "skan_settled", "skan_settled_events"):
        if row["postback_key"] not in keys:
            problems.add(place, "no row of skan_postbacks has the postback_key")
    elif table.startswith("skan_daily"):
        check_daily_row(table, row, place, problems)
    elif table == "skan_modelled":
        check_modelled_row(row, place, problems)
    elif table == "asa_attributions":
        if row["attribution_key"] in keys:
            problems.add(place, "the attribution_key is there twice")
        keys.add(row["attribution_key"])
        if row["token_sha256"] and not row["token_sha256"].startswith(row["attribution_key"]):
            problems.add(place, "the attribution_key is not of the token")
    elif table == "skan_imported":
        if row["import_key"] in keys:
            problems.add(place, "the import_key is there twice")
        keys.add(row["import_key"])
    elif table == "skan_rejects" and row["reject_code"] != "too_large":
        raw = row["raw_body"].encode() if row["raw_body"] is not None else base64.b64decode(row["raw_body_base64"])
        if hashlib.sha256(raw).hexdigest() != row["raw_sha256"]:
            problems.add(place, "raw_sha256 is not that of the raw bytes")


def check_daily_row(table, row, place, problems):
    if table != "skan_daily":
        return
    if row["values"] != sum(row[name] for name in ("fine_values", "coarse_low", "coarse_medium", "coarse_high")):
        problems.add(place, "values is not the sum of its parts")
    if row["fine_values"] != row["cv_zero"] + row["cv_positive"]:
        problems.add(place, "fine_values is not the sum of its parts")
    if row["postbacks"] != row["postbacks_won"] + row["assists"]:
        problems.add(place, "postbacks is not the sum of its parts")
    if row["installs"] is not None:
        if row["conversions"] != row["installs"] + row["redownloads"] + row["reengagements"]:
            problems.add(place, "conversions is not the sum of its parts")
        parts = row["installs_click"] + row["installs_view"] + row["installs_interaction_unknown"]
        if row["installs"] != parts:
            problems.add(place, "installs is not the sum of its parts")
    valued = row["values"] + row["nulls"] + row["no_value_possible"] + row["ambiguous_zeros"]
    conversions = row["postbacks_won"] if row["conversions"] is None else row["conversions"]
    if valued != conversions and not conversions - (row["conflicts"] or 0) <= valued <= conversions:
        problems.add(place, "the conversions are not those with a value and those without")


def check_modelled_row(row, place, problems):
    if row["conversions"] < row["nulls"]:
        problems.add(place, "there are more nulls than installs")
    names = ("modelled_revenue_low", "modelled_revenue", "modelled_revenue_high")
    if row["modelled_revenue"] is not None and not row["observed_revenue"] <= row[names[1]]:
        problems.add(place, "modelled_revenue is below observed_revenue")
    # The mean of a very skewed distribution may be beyond both limits of its interval, and an upper limit may be missing. In later windows
    # the interval has the error of install dates, and the bounds have not.
    ordered = [names[0], names[2]]
    if row["postback_sequence_index"] == 0:
        ordered = ["bound_low", *ordered, "bound_high"]
    ends = [row[name] for name in ordered if row[name] is not None]
    if row["modelled_revenue"] is not None and ends != sorted(ends):
        problems.add(place, "the limits of modelled_revenue are not in order, or beyond the bounds")
    high = row["bound_high"]
    if high is not None and row["modelled_revenue"] is not None and row["modelled_revenue"] > high + Decimal("0.000001"):
        problems.add(place, "modelled_revenue is above bound_high")


def check_tables(folder, is_safe, problems):
    keys = set()
    for table in TABLES + [name for name in DERIVED if (folder / name).exists()]:
        row_validator = validator(table)
        columns = row_validator.schema["required"]
        parts = sorted((folder / table).glob("part-*.jsonl"))
        if not parts:
            problems.add(folder / table, "no part-*.jsonl")
        for part in parts:
            rows = []
            for place, row in read_lines(part, problems):
                rows.append(row)
                if not problems.validate(row_validator, row, place):
                    continue
                if list(row) != columns:
                    problems.add(place, "the columns are not in the schema's order")
                check_row(table, row, keys, place, problems)
            if part.with_suffix(".csv").exists():
                check_csv(part.with_suffix(".csv"), columns, rows, is_safe, problems)


def check_models(folder, problems):
    model_validator = validator("conversion_model")
    for path in sorted(folder.glob("*.json")):
        try:
            problems.validate(model_validator, parse(path.read_bytes().decode()), path)
        except ValueError as error:
            problems.add(path, error)


def check_postbacks(paths, problems):
    postback, envelope = validator("postback"), validator("envelope")
    for path in paths:
        for place, value in read_lines(path, problems):
            is_envelope = isinstance(value, dict) and "body" in value and set(value) <= set(envelope.schema["properties"])
            problems.validate(envelope if is_envelope else postback, value, place)


def check_summary(path, problems):
    summary_validator = validator("summary")
    for place, summary in read_lines(path, problems):
        if not problems.validate(summary_validator, summary, place):
            continue
        rows = summary["rows"]
        if summary["read"] != summary["accepted"] + summary["rejected"]:
            problems.add(place, "read is not accepted + rejected")
        if summary["rejected"] != sum(summary["by_code"].values()):
            problems.add(place, "rejected is not the sum of by_code")
        if (rows["skan_postbacks"], rows["skan_rejects"]) != (summary["accepted"], summary["rejected"]):
            problems.add(place, "the tables do not have a row for each record")


def check_status(path, problems):
    status_validator = validator("status")
    for place, status in read_lines(path, problems):
        if not problems.validate(status_validator, status, place):
            continue
        if status["rejected"] != sum(status["by_code"].values()):
            problems.add(place, "rejected is not the sum of by_code")
        if status["running"] != (status["holder"] is not None):
            problems.add(place, "running is not whether there is a holder")


def check_case(path, problems):
    case_validator = validator("case")
    for place, case in read_lines(path, problems):
        if not problems.validate(case_validator, case, place):
            continue
        if case["accepted"] + case["rejected"] != case["read"]:
            problems.add(place, "read is not the sum of accepted and rejected")
        for name, groups in [("days", case["days"])] + list(case["senders"].items()):
            sums = [sum(group[outcome] for group in groups) for outcome in ("accepted", "rejected")]
            if sums != [case["accepted"], case["rejected"]] and len(groups) < 1000:
                problems.add(place, f"{name} has {sums}, not all records")
        if sum(code["rejects"] for code in case["rejected_by_code"]) != case["rejected"]:
            problems.add(place, "rejected is not the sum of the codes")


def check_rejects(path, problems):
    rejects_validator, row_validator = validator("rejects"), validator("skan_rejects")
    for place, answer in read_lines(path, problems):
        if not problems.validate(rejects_validator, answer, place):
            continue
        others = answer["other_groups"] or {"rejects": 0}
        if answer["rejects"] != sum(group["rejects"] for group in answer["groups"]) + others["rejects"]:
            problems.add(place, "rejects is not the sum of the groups")
        for group in answer["groups"]:
            if list(group["values"]) != answer["group_by"]:
                problems.add(place, "the values of a group are not those of group_by")
            if group["read"] is not None and group["read"] < group["rejects"]:
                problems.add(place, "a group has more rejects than were read")
        for row in answer["rows"]:
            for error in row_validator.iter_errors(row):
                problems.add(place, f"a row: {error.message[:300]}")


def check_enrich(path, problems):
    summary_validator = validator("enrich")
    for place, summary in read_lines(path, problems):
        if problems.validate(summary_validator, summary, place):
            networks = summary["networks"]
            for counted, total in [(summary["by_status"], summary["rows"])] + [(n["by_status"], n["rows"]) for n in networks]:
                if sum(counted.values()) != total:
                    problems.add(place, "the rows by status do not add up")
            if sum(network["rows"] for network in networks) != summary["rows"]:
                problems.add(place, "the rows of the networks do not add up")


def check_daily(path, problems):
    summary_validator = validator("daily")
    for place, summary in read_lines(path, problems):
        if problems.validate(summary_validator, summary, place):
            if sum(window["postbacks"] for window in summary["windows"]) != summary["postbacks"]:
                problems.add(place, "the postbacks of the windows do not add up")
            if summary["since"] is None and summary["until"] is None:
                if summary["postbacks"] + sum(summary["left_out"].values()) != summary["rows_read"]:
                    problems.add(place, "the rows are not those that are counted and those that are left out")


def check_implementation(path, problems):
    answer_validator = validator("implementation")
    for place, answer in read_lines(path, problems):
        if problems.validate(answer_validator, answer, place):
            for finding in answer["findings"]:
                if finding["devices"] > answer["devices"] and finding["rule"] != "postback_cross_check":
                    problems.add(place, "a rule is broken by more devices than there are")
            for version in answer["app_versions"]:
                if version["failing_devices"] + version["warned_devices"] > version["devices"]:
                    problems.add(place, "a version has more findings than devices")


def check_model_fit(path, problems):
    answer_validator = validator("model_fit")
    for place, answer in read_lines(path, problems):
        if problems.validate(answer_validator, answer, place):
            if [error["model"] for error in answer["errors"]][:3] != ["fitted", "equal_frequency", "logarithmic"]:
                problems.add(place, "the errors are not in order")
            if len(answer["model"]["windows"]) != len(answer["installs"]):
                problems.add(place, "the model has other windows than the installs")
            if sum(lock["chosen"] for lock in answer["locks"]) != len(answer["installs"]):
                problems.add(place, "a window does not have one chosen lock")


def check_settle(path, problems):
    summary_validator = validator("settle")
    for place, summary in read_lines(path, problems):
        if not problems.validate(summary_validator, summary, place):
            continue
        parties = [party for group in summary["groups"] for party in [group] + group["forwarders"]]
        for party in parties:
            for field in party["fields"].values():
                differing = field["changed"] + field["dropped"] + field["added"] + field["zero_for_null"]
                if field["agree"] + differing != field["compared"]:
                    problems.add(place, "the differences of a field do not add up")
            if party["both"] > min(party["direct"], party["forwarded"]):
                problems.add(place, "more postbacks have both copies than one of them")
        if sum(group["direct"] + group["forwarded"] - group["both"] for group in summary["groups"]) != sum(
            summary["trust_levels"]
        ):
            problems.add(place, "the trust levels do not add up")


def check_diagnoses(path, problems):
    diagnosis_validator = validator("diagnosis")
    for place, explanation in read_lines(path, problems):
        if "diagnosis" in explanation:
            problems.validate(diagnosis_validator, explanation["diagnosis"], place)


def main():
    parser = argparse.ArgumentParser(description="Validates what postback reads and writes against schemas/.")
    parser.add_argument("out", nargs="?", type=pathlib.Path, help="a folder with the tables of a run")
    parser.add_argument("--csv-safe", action="store_true", help="the run had --csv-safe")
    parser.add_argument("--models", type=pathlib.Path, metavar="DIR", help="a folder with conversion models")
    parser.add_argument("--postbacks", nargs="+", type=pathlib.Path, metavar="FILE", default=[], help="JSON Lines")
    parser.add_argument("--summary", type=pathlib.Path, metavar="FILE", help="what postback run --json printed")
    parser.add_argument("--status", type=pathlib.Path, metavar="FILE", help="what postback status --json printed")
    parser.add_argument("--case", type=pathlib.Path, metavar="FILE", help="what postback case printed as JSON")
    parser.add_argument("--rejects", type=pathlib.Path, metavar="FILE", help="what postback rejects printed as JSON")
    parser.add_argument("--enrich", type=pathlib.Path, metavar="FILE", help="what postback enrich --json printed")
    parser.add_argument("--daily", type=pathlib.Path, metavar="FILE", help="what postback daily --json printed")


    parser.add_argument("--implementation", type=pathlib.Path, metavar="FILE", help="what postback validate-implementation --json printed")
    parser.add_argument("--model-fit", type=pathlib.Path, metavar="FILE", help="what postback model fit --json printed")
    parser.add_argument("--settle", type=pathlib.Path, metavar="FILE", help="what postback settle --json printed")
    parser.add_argument("--diagnoses", type=pathlib.Path, metavar="FILE", help="what postback explain --json printed")
    options = parser.parse_args()
    if not any(vars(options).values()):
        parser.error("say what to validate")
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    problems = Problems()
    if options.out:
        check_tables(options.out, options.csv_safe, problems)
        print(f"{problems.valid} rows valid")
    for check, given, things in [
        (check_models, options.models, "models"),
        (check_postbacks, options.postbacks, "postbacks"),
        (check_summary, options.summary, "summaries"),
        (check_status, options.status, "statuses"),
        (check_rejects, options.rejects, "answers"),
        (check_case, options.case, "cases"),
        (check_enrich, options.enrich, "enrichments"),
        (check_daily, options.daily, "daily reports"),


        (check_implementation, options.implementation, "answers"),
        (check_model_fit, options.model_fit, "answers"),
        (check_settle, options.settle, "settlements"),
        (check_diagnoses, options.diagnoses, "diagnoses"),
    ]:
        if given:
            before = problems.valid
            check(given, problems)
            print(f"{problems.valid - before} {things} valid")
    if problems.found:
        print(f"{problems.found} problems", file=sys.stderr)
    sys.exit(1 if problems.found else 0)


main()
