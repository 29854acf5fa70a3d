#!/usr/bin/env python3
"""Steals 500 signatures with `postback generate`, and looks if `postback rejects --stolen-signatures` finds each of them.

    Tests/stolen_signatures.py [POSTBACK]

The dump is processed in two runs into one output, the frauds last, so that no signature belongs to a postback of the same run. Then
the thefts come again in other encodings: as the counterpart with n - s, in the other alphabet of base64, in hexadecimal digits, as r
and s without DER, and in DER with surplus zeros. The exit status is 1 if a theft is not found, or an honest reject is called one.
"""

import base64
import csv
import json
import os
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ORDERS = {32: 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
          24: 0xFFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22831}


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def integers(der):
    """r and s of a signature in DER."""
    r = der[4:4 + der[3]]
    return int.from_bytes(r), int.from_bytes(der[6 + len(r):])


def element(tag, content):
    return bytes([tag, len(content)]) + content


def encoded(r, s, zeros=1):
    parts = b"".join(element(2, bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8)) for number in (r, s))
    return element(0x30, parts)


def other_forms(text):
    """The signature in other encodings, each as text."""
    der = base64.b64decode(text)
    r, s = integers(der)
    size = 32 if max(r, s).bit_length() > 192 else 24
    yield base64.b64encode(encoded(r, ORDERS[size] - s, 0 if r.bit_length() % 8 else 1)).decode()
    yield base64.urlsafe_b64encode(der).decode()
    yield der.hex()
    yield base64.b64encode(r.to_bytes(size) + s.to_bytes(size)).decode()
    yield base64.b64encode(encoded(r, s, 3)).decode()
    yield text.replace("/", "\\/").replace("+", "%2B")


def answer(postback, out):
    found = json.loads(call(postback, "rejects", out, "--stolen-signatures", "--json"))["stolen_signatures"]
    return found, {theft["transaction_id"]: theft["owner"]["transaction_id"] for theft in found["thefts"]}


def main():
    postback = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else f"{PROJECT}/.build/release/postback")
    with tempfile.TemporaryDirectory() as folder:
        dump, keys, files, out = (f"{folder}/{name}" for name in ("dump", "keys", "files", "out"))
        call(postback, "generate", "--count", "20000", "--seed", "7", "--campaigns", "20", "--days", "14", "--reporting", files,
             "--fraud", "steal-signature,postbacks=500", "--out", dump, "--keys", keys, "--quiet")
        with open(keys, encoding="utf-8") as file:
            trusted = file.read().split()
        with open(f"{files}/truth_fraud.csv", encoding="utf-8") as file:
            truth = {row["transaction_id"]: row["original"] for row in csv.DictReader(file)}
        with open(f"{files}/truth_fraud.csv", encoding="utf-8") as file:
            numbers = {int(row["line"]) for row in csv.DictReader(file)}
        # Some lines are no UTF-8.
        with open(dump, "rb") as file:
            records = list(enumerate(file, 1))
        thefts = [line for number, line in records if number in numbers]
        for name, wanted in (("first", [line for number, line in records if number not in numbers]), ("second", thefts)):
            with open(f"{folder}/{name}", "wb") as file:
                file.writelines(wanted)
            call(postback, "run", f"{folder}/{name}", *trusted, "--out", out, "--quiet")
        found, owners = answer(postback, out)
        print(f"{len(owners)} of {len(truth)} thefts found, of {found['compared']} rejects; {found['accepted_postbacks']} victims")
        if owners != truth or found["rejects"] != len(truth) or len(truth) != 500:
            sys.exit("the thefts are not those of the truth")

        count, expected = 0, dict(truth)
        with open(f"{folder}/third", "w", encoding="utf-8") as file:
            for line in thefts:
                body = json.loads(line)["body"]
                if "attribution-signature" not in body or count == 60:
                    continue
                for form, text in enumerate(other_forms(body["attribution-signature"])):
                    transaction = f"{body['transaction-id']}-{form}"
                    record = json.dumps({**body, "transaction-id": transaction, "attribution-signature": "@"})
                    file.write(record.replace("@", text) + "\n")
                    expected[transaction] = truth[body["transaction-id"]]
                count += 1
        call(postback, "run", f"{folder}/third", *trusted, "--out", out, "--quiet")
        found, owners = answer(postback, out)
        print(f"{len(owners)} of {len(expected)} found with those in other encodings")
        missing = sorted(set(expected) - set(owners))
        if owners != expected:
            sys.exit(f"{len(missing)} thefts are not found, such as {missing[:6]}")


if __name__ == "__main__":
    main()
