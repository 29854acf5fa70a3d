#!/usr/bin/env python3
"""Writes Fixtures/hostile and Fixtures/hostile.truth.jsonl: bad input, each wrong in exactly one way.

Deterministic, standard library only. Every record is a real postback of Fixtures/postbacks with one thing changed.
Where a file ends with a postback that is `GOOD`, what stands before it must not take it along.
"""

import base64
import gzip
import json
import pathlib
import shutil

HERE = pathlib.Path(__file__).resolve().parent
HOSTILE = HERE / "hostile"

P256_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
P192_N = 0xFFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22831

TEXTS = {}
for line in (HERE / "postbacks.truth.jsonl").read_text("utf-8").splitlines():
    entry = json.loads(line)
    TEXTS[entry["name"]] = (HERE / "postbacks" / entry["file"]).read_text("utf-8").splitlines()[entry["line"] - 1]

V1 = "real-1.0-ironsource"
V20 = "apple-doc-2.0"
V21 = "real-2.1-ironsource"
V22 = "apple-doc-2.2"
V3 = "apple-doc-3.0-win"
V4 = "apple-doc-4.0-web-high-tier"
AAK = "apple-doc-aak-dev1"
AAK_PRODUCTION = "apple-doc-aak-prod-example"
GOOD = TEXTS["apple-doc-4.0-web-low-tier"].encode()

truth = []


class JSON(str):
    """A value as it is to be written."""


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def written(value):
    return value if isinstance(value, JSON) else compact(value)


def fields(name):
    return json.loads(TEXTS[name])


def text(members):
    return "{" + ",".join(compact(key) + ":" + written(value) for key, value in members) + "}"


def edited(name, **changes):
    """The postback with fields changed (`app_id` is `app-id`), added at the end, or left out where the value is `...`."""
    values = fields(name)
    for key, value in changes.items():
        key = key.rstrip("_").replace("_", "-")
        if value is ...:
            del values[key]
        else:
            values[key] = value
    return text(values.items()).encode()


def without(name, key):
    return edited(name, **{key: ...})


def with_extra(name, extra):
    """The postback with a member added, as it is to be written."""
    return (TEXTS[name][:-1] + "," + extra + "}").encode()


def file(name, rejects, content, accepted=0, judge="parser"):
    """A file, and the rejects it must give in order: (code) or (code, field) or (code, field, found).

    `judge` is who can tell: `parser` (the postback parser, given the file line by line), `reader` (whoever finds the
    records in a file), `verifier` (whoever holds the keys) or `pipeline` (whoever knows the times and the postbacks
    before).
    """
    if isinstance(content, list):
        content = b"".join(line + b"\n" for line in content)
    (HOSTILE / name).write_bytes(content)
    rejects = [(reject,) if isinstance(reject, str) else reject for reject in rejects]
    rejects = [(reject + (None, None))[:3] for reject in rejects]
    truth.append(
        {
            "file": name,
            "accepted": accepted,
            "codes": [code for code, _, _ in rejects],
            "fields": [field for _, field, _ in rejects],
            "found": [found for _, _, found in rejects],
            "judge": judge,
        }
    )


def each(name, code, field, found, contents, judge="parser"):
    """A file with a line for each value of a field; all give the same code."""
    file(name, [(code, field, value) for value in found], contents, judge=judge)


# Signatures and JWS


def length(count):
    return bytes([count]) if count < 0x80 else bytes([0x81, count])


def integer(value):
    content = value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)
    return b"\x02" + length(len(content)) + content


def sequence(content):
    return b"\x30" + length(len(content)) + content


def signature(r, s):
    return sequence(integer(r) + integer(s))


def standard(data):
    return base64.b64encode(data).decode()


def url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def signed(name, signature_bytes):
    return edited(name, attribution_signature=standard(signature_bytes))


def der(name):
    return base64.b64decode(fields(name)["attribution-signature"])


def numbers(name):
    data = der(name)
    r_end = 4 + data[3]
    return int.from_bytes(data[4:r_end], "big"), int.from_bytes(data[r_end + 2 :], "big")


def parts(name):
    return fields(name)["jws-string"].split(".")


def jws(name, header=None, payload=None, raw=None):
    """The JWS with parts replaced."""
    old = parts(name)
    new = [part if data is None else url(data) for part, data in zip(old, (header, payload, raw))]
    return ".".join(new)


def with_jws(name, string):
    return edited(name, jws_string=string)


def with_header(header):
    return with_jws(AAK, jws(AAK, header=header.encode()))


def payload(name):
    return base64.urlsafe_b64decode(parts(name)[1] + "==").decode()


def with_payload(changed):
    return with_jws(AAK, jws(AAK, payload=changed if isinstance(changed, bytes) else changed.encode()))


def with_raw(raw):
    return with_jws(AAK_PRODUCTION, jws(AAK_PRODUCTION, raw=raw))


def make_text():
    v4 = TEXTS[V4].encode()
    file("truncated-line.jsonl", ["not_json"], [v4[:100], GOOD], accepted=1)
    file("truncated-line-in-string.jsonl", ["not_json"], [v4[:60], GOOD], accepted=1)
    file("truncated-last-line.jsonl", ["not_json"], GOOD + b"\n" + v4[:200], accepted=1)
    # Before a value, so that the next line could be it: nothing but what follows tells that it is not.
    before_value = v4[: v4.index(b'"app-id":') + len(b'"app-id":')]
    file(
        "cut-before-indented-lines.jsonl",
        ["not_json"] * 4,
        [v4[:100], b"  " + TEXTS[V3].encode(), before_value, before_value, b"\t" + GOOD, v4[:-1] + b',"list":[']
        + [b"  " + TEXTS[V21].encode()],
        accepted=3,
        judge="reader",
    )
    file("printed-and-broken.json", ["not_json"] * 2, printed_and_broken(), accepted=1, judge="reader")
    file("two-objects-on-a-line.jsonl", ["not_json"], [v4 + b"," + v4, GOOD], accepted=1)
    file("byte-order-mark.jsonl", ["not_json"], [b"\xef\xbb\xbf" + GOOD], accepted=1, judge="reader")
    file(
        "not-utf8.jsonl",
        ["invalid_utf8"] * 5,
        [
            v4.replace(b"example.com", bad)
            for bad in (b"\xff", b"caf\xe9", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80")
        ]
        + [GOOD],
        accepted=1,
    )
    file(
        "nul-bytes.jsonl",
        ["not_json"] * 3,
        [v4.replace(b"example.com", b"example\0.com"), v4.replace(b",", b"\0,", 1), b"\0" * 16, GOOD],
        accepted=1,
    )
    file("lone-surrogate.jsonl", ["not_json"], [v4.replace(b"example.com", b"\\ud800"), GOOD], accepted=1)
    # What nobody signed: JavaScript writes such escapes where it cuts a text in the middle of a character.
    file(
        "lone-surrogate-extra.jsonl",
        ["duplicate_identical"] * 4,
        [
            with_extra(V4, '"note":"cut \\ud83d"'),
            with_extra(V4, '"note":{"deep":["\\udc00\\uD83D"],"whole":"\\ud83d\\ude00"}'),
            with_extra(V4, '"\\uDFFF":1'),
            with_extra(V4, '"note":"\\\\ud83d \\ud83d\\u0041"'),
            with_extra(V4, '"country-code":null,"note":"\\ud83d"'),
        ],
        accepted=1,
        judge="pipeline",
    )
    file("control-character.jsonl", ["not_json"], [v4.replace(b"example.com", b"example\t.com"), GOOD], accepted=1)
    file("trailing-comma.jsonl", ["not_json"], [v4[:-1] + b",}", GOOD], accepted=1)
    file("single-quotes.jsonl", ["not_json"], [v4.replace(b'"', b"'"), GOOD], accepted=1)
    file(
        "not-a-number.jsonl",
        ["not_json"] * 5,
        [edited(V4, app_id=JSON(bad)) for bad in ("NaN", "0525463029", "+525463029", "0x1F51E7B5", "525463029.")]
        + [GOOD],
        accepted=1,
    )
    file("words.jsonl", ["not_json"] * 2, [b"OK", b"<html></html>", GOOD], accepted=1)
    file("not-an-object.jsonl", ["not_an_object"] * 4, [b"42", b"null", b"true", b'"postback"', GOOD], accepted=1)
    array = b'[42,"postback",null,[' + v4 + b"]," + GOOD + b"]\n"
    file("array-of-others.json", ["not_an_object"] * 4, array, accepted=1, judge="reader")
    file("array-cut.json", ["truncated_input"], array_cut(), accepted=1, judge="reader")
    deep = 10_000
    file("deep-closed.jsonl", ["too_deep"], [b'{"a":' * deep + b"1" + b"}" * deep, GOOD], accepted=1)
    file("deep-unclosed.jsonl", ["not_json"], [b'{"a":' * deep, GOOD], accepted=1)
    file(
        "deep-extra.jsonl",
        ["too_deep"],
        [with_extra(V4, '"extra":' + "[" * 100 + "]" * 100), GOOD],
        accepted=1,
    )


def printed_and_broken():
    """A printed object without its first comma, one with a comma too many, and the good one."""
    printed = json.dumps(fields(V4), indent=2).encode()
    return b"\n".join([printed.replace(b",", b"", 1), printed[:-2] + b",\n}", json.dumps(json.loads(GOOD), indent=2).encode()])


def array_cut():
    pretty = json.dumps([json.loads(GOOD), fields(V4), fields(V3)], indent=2)
    return pretty[: pretty.index("5239") + 2].encode()


def make_compressed():
    first = gzip.compress(GOOD + b"\n", 9, mtime=0)
    second = gzip.compress(TEXTS[V3].encode() + b"\n", 9, mtime=0)
    file("cut-short.jsonl.gz", ["truncated_input"], first + second[:12], accepted=1, judge="reader")
    long = with_extra(V4, '"extra":"' + "x" * 65_536 + '"')
    file("too-large.jsonl.gz", ["too_large"], gzip.compress(long + b"\n" + GOOD + b"\n", 9, mtime=0), 1, "reader")


def make_keys():
    file(
        "duplicate-key.jsonl",
        [("duplicate_key", "conversion-value"), ("duplicate_key", "app-id"), ("duplicate_key", "timestamp")],
        [
            with_extra(V4, '"conversion-value":62'),
            with_extra(V4, '"app-id":525463029'),
            with_extra(V4, '"timestamp":1,"timestamp":1'),
            GOOD,
        ],
        accepted=1,
    )
    file("duplicate-key-nested.jsonl", [("duplicate_key", "a")], [with_extra(V4, '"extra":[{"a":1,"b":2,"a":3}]')])
    file("duplicate-key-escaped.jsonl", [("duplicate_key", "app-id")], [with_extra(V4, '"app\\u002did":1')])
    file("duplicate-key-aak.jsonl", [("duplicate_key", "conversion-value")], [with_extra(AAK, '"conversion-value":63')])


COMMON = ["ad-network-id", "transaction-id", "app-id", "attribution-signature"]
REQUIRED = {
    V1: COMMON + ["campaign-id"],
    V20: COMMON + ["campaign-id", "redownload"],
    V21: COMMON + ["campaign-id", "redownload"],
    V22: COMMON + ["campaign-id", "redownload", "fidelity-type"],
    V3: COMMON + ["campaign-id", "redownload", "fidelity-type", "did-win"],
    V4: COMMON + ["source-identifier", "redownload", "fidelity-type", "did-win", "postback-sequence-index"],
}
REQUIRED_IN_PAYLOAD = [
    "ad-network-identifier", "postback-identifier", "advertised-item-identifier", "did-win", "postback-sequence-index",
]


def make_missing():
    required = [(name, key) for name, keys in REQUIRED.items() for key in keys]
    rejects = [("missing_field", key) for _, key in required]
    in_payload = [("missing_field", key) for key in REQUIRED_IN_PAYLOAD]
    values = json.loads(payload(AAK))
    file(
        "missing-field.jsonl",
        rejects + in_payload,
        [without(name, key) for name, key in required]
        + [with_payload(text((k, v) for k, v in values.items() if k != key)) for key in REQUIRED_IN_PAYLOAD],
    )
    rejects = [(code, key, "null") for code, key in rejects + in_payload]
    file(
        "null-field.jsonl",
        rejects,
        [edited(name, **{key: None}) for name, key in required]
        + [with_payload(compact({**values, key: None})) for key in REQUIRED_IN_PAYLOAD],
    )
    file("not-a-postback.jsonl", [("missing_field", "ad-network-id")] * 2, [b"{}", b'{"status":"ok"}'])
    # Without a version it is a 1.0 that Apple did not sign.
    file("version-removed.jsonl", ["signature_invalid"], [without(V20, "version")], judge="verifier")


def make_values():
    for key, code, values in [
        ("redownload", "wrong_type", [2, -1, "yes", [], {}]),
        ("redownload", "missing_field", [""]),
        ("did-win", "wrong_type", [0.5, "yes"]),
        ("app-id", "out_of_range", [-1, -(2**63), 2**63, JSON("9" * 30), "-1", "9" * 30]),
        (
            "app-id",
            "wrong_type",
            [42.5, JSON("5.254630295e8"), JSON("-0"), JSON("-0.0"), "0525463029", " 525463029", "+525463029", "x", True,
             [1], {}],
        ),
        ("source-app-id", "out_of_range", [-1, 2**63]),
        ("source-app-id", "wrong_type", [1.5, "abc", False]),
        ("source-identifier", "out_of_range", ["1", "52390", "52a9", "-239", "５２３９", 52390, -5239]),
        ("source-identifier", "wrong_type", [523.9, True, ["5239"]]),
        ("fidelity-type", "out_of_range", [2, -1]),
        ("fidelity-type", "wrong_type", [True]),
        ("postback-sequence-index", "out_of_range", [3, -1]),
        ("ad-network-id", "wrong_type", [42, ["com.example"]]),
        ("ad-network-id", "out_of_range", [""]),
        ("transaction-id", "wrong_type", [1]),
        ("version", "wrong_type", [True, False]),
        ("version", "unknown_version", ["2.7", "4", "4.0 ", "v4.0", "4.", "4.01", "4.0.1", "100.0", "abc"]),
        ("version", "unsupported_version", ["4.1", "4.10", "5.0", "10.0"]),
    ]:
        found = [value if isinstance(value, str) else compact(value) for value in values]
        contents = [edited(V4, **{key: value}) for value in values]
        each(f"{key}-{code.replace('_', '-')}.jsonl", code, key, found, contents)
    values = [0, 101, -3]
    each("campaign-id-out-of-range.jsonl", "out_of_range", "campaign-id", map(str, values),
         [edited(V3, campaign_id=value) for value in values])
    each("jws-string-wrong-type.jsonl", "wrong_type", "jws-string", ["42", "{}"],
         [edited(AAK, jws_string=value) for value in (42, {})])


def make_respelled():
    """Signed values in another spelling: copies of what Apple signed, or of something else."""
    for key, right, wrong in [
        ("redownload", [0, "0", "FALSE", JSON("0.0")], [1, "TRUE"]),
        ("did-win", [1, "1", "True"], [0, "False"]),
        ("app-id", [JSON("525463029.0"), JSON("5.25463029e8"), JSON("5254630290e-1"), "525463029.0"], [JSON("5.25463028e8")]),
        ("source-identifier", [5239, JSON("5239.0"), JSON("5.239e3")], [39, 523]),
        ("fidelity-type", [JSON("1.0"), "1"], [JSON("0.0")]),
    ]:
        file(
            f"{key}-respelled.jsonl",
            ["duplicate_identical"] * (len(right) - 1) + ["signature_invalid"] * len(wrong),
            [edited(V4, **{key: value}) for value in right + wrong],
            accepted=1,
            judge="pipeline",
        )


def make_unsigned():
    """Unsigned values that cannot be read: none of them rejects a postback, and none tells copies apart."""
    common = [True, [], {}, 1.5, "abc", "U\u2063S", "\0", JSON('"\\ud800"')]
    for name, key, values in [
        (V4, "conversion-value", [64, -1, 10**30, "64", JSON("1e3"), JSON("1e-3"), JSON("1e999"), "0x3F"]),
        (V4, "coarse-conversion-value", ["none", "low ", 2]),
        (V4, "country-code", ["USA", "U1", "Ü", 840]),
        (V1, "redownload", ["yes", 2]),
        (V1, "source-app-id", [-1, 2**63]),
    ]:
        if key == "redownload":
            values = [value for value in values + common if value is not True]
        else:
            values = values + common
        file(
            f"{key}-unreadable.jsonl",
            ["duplicate_identical"] * (len(values) - 1),
            [edited(name, **{key: value}) for value in values],
            accepted=1,
            judge="pipeline",
        )
    # Apple's development key signed it.
    values = ["tap", 1] + common
    file(
        "ad-interaction-type-unreadable.jsonl",
        ["development_key"] * len(values),
        [edited(AAK, ad_interaction_type=value) for value in values],
        judge="verifier",
    )


def make_forbidden():
    separator = "\u2063"
    for name, character, escape in [("separator", separator, "\\u2063"), ("nul", "\0", "\\u0000")]:
        cases = [(V4, "ad-network-id"), (V4, "source-domain"), (V3, "transaction-id"), (V1, "ad-network-id")]
        found = [fields(postback)[key] + character + "1" for postback, key in cases]
        rejects = [("forbidden_character", key, value) for (_, key), value in zip(cases, found)]
        escaped = [
            edited(postback, **{key: JSON(compact(fields(postback)[key])[:-1] + escape + '1"')})
            for postback, key in cases
        ]
        file(f"{name}-escaped.jsonl", rejects, escaped)
        if name == "separator":
            file(f"{name}-raw.jsonl", rejects, [edited(p, **{key: value}) for (p, key), value in zip(cases, found)])
    # The same bytes are signed when a separator moves a value from one field to the next.
    network, campaign = fields(V1)["ad-network-id"], fields(V1)["campaign-id"]
    file(
        "separator-shifts-values.jsonl",
        [("forbidden_character", "ad-network-id", network + separator + str(campaign))],
        [edited(V1, ad_network_id=network + separator + str(campaign), campaign_id=...)],
    )


def make_signatures():
    base = fields(V21)["attribution-signature"]
    r, s = numbers(V21)
    each("signature-not-base64.jsonl", "malformed_signature", "attribution-signature", [None] * 3, [
        edited(V21, attribution_signature=bad)
        for bad in ("signature", "!" + base[1:], base[:10] + "=" + base[11:])
    ], "verifier")
    each("signature-trailing-bits.jsonl", "malformed_signature", "attribution-signature", [None],
         [edited(V21, attribution_signature=base.replace("2k=", "2l="))], "verifier")
    data = der(V21)
    rr, ss = data[2 : 4 + data[3]], data[4 + data[3] :]
    each("signature-not-der.jsonl", "malformed_signature", "attribution-signature", [None] * 9, [
        signed(V21, bad)
        for bad in (
            b"hello",  # nothing of DER
            r.to_bytes(32, "big") + s.to_bytes(32, "big"),  # JWS's form
            data[:-1],  # cut
            sequence(rr),  # one integer
            sequence(rr + ss + integer(1)),  # three
            b"\x31" + data[1:],  # a SET
            b"\x30\x81" + data[1:],  # a length in two bytes that fits into one
            b"\x30\x80" + data[2:] + b"\0\0",  # an indefinite length
            sequence(b"\x02\x22\x00" + rr[2:] + ss) if rr[2] == 0 else b"",  # a zero byte too many
        )
    ], "verifier")
    each("signature-trailing-bytes.jsonl", "malformed_signature", "attribution-signature", [None] * 2,
         [signed(V21, data + b"\0"), signed(V21, data + data)], "verifier")
    r1, s1 = numbers(V1)
    cases = [
        ("signature-r-zero", [signature(0, s), signature(0, s1)]),
        ("signature-s-zero", [signature(r, 0), signature(r1, 0)]),
        ("signature-both-zero", [signature(0, 0), signature(0, 0)]),
        ("signature-r-order", [signature(P256_N, s), signature(P192_N, s1)]),
        ("signature-s-order", [signature(r, P256_N), signature(r1, P192_N)]),
        ("signature-r-plus-order", [signature(r + P256_N, s), signature(r1 + P192_N, s1)]),
        ("signature-negative", [signature(-r, s), signature(-r1, s1)]),
        ("signature-huge", [signature(1 << 400, s), signature(1 << 400, s1)]),
        ("signature-swapped", [signature(s, r), signature(s1, r1)]),
    ]
    for name, (p256, p192) in cases:
        each(f"{name}.jsonl", "signature_invalid", "attribution-signature", [None] * 2,
             [signed(V21, p256), signed(V1, p192)], "verifier")
    file("signed-field-changed.jsonl", ["signature_invalid"] * 7, [
        edited(V4, source_identifier="5238"),
        edited(V4, ad_network_id="com.Example"),
        edited(V4, transaction_id="6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E30"),
        edited(V4, source_domain=...),
        edited(V4, source_app_id=1234567891, source_domain=...),
        edited("apple-doc-3.0-nonwinning", did_win=True),
        edited(V22, version="2.1"),
    ], judge="verifier")
    file("signature-of-another.jsonl", ["signature_invalid"], [signed(V4, der(V3))], judge="verifier")


def make_jws():
    header = '{"alg":"ES256","kid":"apple-development-identifier/1"}'
    old = parts(AAK)
    string = ".".join(old)
    for name, bad in [
        ("one-part", [string.replace(".", "")]),
        ("two-parts", [".".join(old[:2])]),
        ("four-parts", [string + ".", string + "." + old[2]]),
        ("empty-part", ["." + ".".join(old[1:]), old[0] + ".." + old[2]]),
        ("trailing-bits", [string[:-1] + "R"]),
    ]:
        each(f"jws-{name}.jsonl", "malformed_jws", "jws-string", bad, [with_jws(AAK, value) for value in bad])
    values = ["none", "None", "HS256", "ES384", "RS256", "es256", ""]
    each("jws-alg.jsonl", "malformed_jws", "alg", values,
         [with_header(header.replace("ES256", value)) for value in values])
    file("jws-alg-missing.jsonl", [("malformed_jws", "alg"), ("malformed_jws", "alg", "null")],
         [with_header('{"kid":"apple-development-identifier/1"}'), with_header(header.replace('"ES256"', "null"))])
    file("jws-kid-missing.jsonl", [("malformed_jws", "kid"), ("malformed_jws", "kid", "1")],
         [with_header('{"alg":"ES256"}'), with_header('{"alg":"ES256","kid":1}')])
    values = ['["exp"]', "[]", "null"]
    each("jws-crit.jsonl", "malformed_jws", "crit", values,
         [with_header(header[:-1] + ',"crit":' + value + "}") for value in values])
    values = ["identifier/2", "identifier/01", "identifier/1 "]
    file("jws-kid-unknown.jsonl", ["unknown_key"] * 3,
         [with_header(header.replace("identifier/1", value)) for value in values], judge="verifier")
    good = payload(AAK)
    for name, bad in [
        ("header-not-json", [jws(AAK, header=data) for data in (b"", b"header", b"[]", header[:-1].encode(), b"\xff")]),
        ("header-duplicate-key", [jws(AAK, header=(header[:-1] + ',"alg":"none"}').encode())]),
        ("payload-not-json", [jws(AAK, payload=data) for data in (b"payload", b"42", b"[]", good[:-1].encode())]),
        ("payload-byte-order-mark", [jws(AAK, payload=b"\xef\xbb\xbf" + good.encode())]),
        ("payload-duplicate-key", [jws(AAK, payload=(good[:-1] + ',"did-win":false}').encode())]),
    ]:
        each(f"jws-{name}.jsonl", "malformed_jws", "jws-string", bad, [with_jws(AAK, value) for value in bad])
    values = json.loads(good)
    file("jws-payload-values.jsonl", [
        ("wrong_type", "did-win", "yes"), ("out_of_range", "postback-sequence-index", "3"),
        ("out_of_range", "source-identifier", "12345"), ("forbidden_character", "postback-identifier", "a\u2063b"),
        ("out_of_range", "advertised-item-identifier", "-1"),
    ], [
        with_payload(compact({**values, **change})) for change in (
            {"did-win": "yes"}, {"postback-sequence-index": 3}, {"source-identifier": "12345"},
            {"postback-identifier": "a\u2063b"}, {"advertised-item-identifier": -1},
        )
    ])
    raw = base64.urlsafe_b64decode(parts(AAK_PRODUCTION)[2] + "==")
    r, s = raw[:32], raw[32:]
    file("jws-signature-not-64-bytes.jsonl", ["malformed_signature"] * 4, [
        with_raw(b""), with_raw(raw[:-1]), with_raw(raw + b"\0"),
        with_raw(signature(int.from_bytes(r, "big"), int.from_bytes(s, "big"))),
    ], judge="verifier")
    zero, order = bytes(32), P256_N.to_bytes(32, "big")
    file("jws-signature-out-of-range.jsonl", ["signature_invalid"] * 5,
         [with_raw(zero + s), with_raw(r + zero), with_raw(zero + zero), with_raw(order + s), with_raw(r + order)],
         judge="verifier")


def make_envelopes():
    def envelope(**keys):
        return text([(key, value) for key, value in keys.items()]).encode()

    body = JSON(GOOD.decode())
    time = "2026-11-01T10:00:00Z"
    values = [None, "text", 42, [json.loads(GOOD)]]
    found = [value if isinstance(value, str) else compact(value) for value in values]
    each("envelope-body.jsonl", "wrong_type", "body", found, [envelope(received_at=time, body=v) for v in values])
    # The body as text: what a receiver does that did not parse it.
    file("envelope-body-as-string.jsonl", [("wrong_type", "body", GOOD.decode())],
         [envelope(received_at=time, body=GOOD.decode())])
    file("envelope-key-of-another.jsonl", [("missing_field", "ad-network-id")],
         [envelope(received_at=time, status=200, body=body)])
    file("envelope-in-envelope.jsonl", [("missing_field", "ad-network-id")],
         [envelope(received_at=time, body=JSON(envelope(received_at=time, body=body).decode()))])
    file("envelope-channel.jsonl", [("out_of_range", "channel", "carrier_pigeon"), ("wrong_type", "channel", "1")],
         [envelope(received_at=time, channel="carrier_pigeon", body=body), envelope(channel=1, body=body)])
    values = [1793527200, True]
    each("envelope-received-at-wrong-type.jsonl", "wrong_type", "received_at", map(compact, values),
         [envelope(received_at=value, body=body) for value in values])
    values = ["yesterday", "2026-11-01", "2026-13-01T10:00:00Z", "2026-02-30T10:00:00Z", "2026-11-01T10:00:00"]
    each("envelope-received-at-no-time.jsonl", "out_of_range", "received_at", values,
         [envelope(received_at=value, body=body) for value in values], "pipeline")
    file("envelope-bad-body.jsonl", [("missing_field", "app-id")],
         [envelope(received_at=time, body=JSON(without(V4, "app-id").decode()))])

    def encoded(*bodies):
        return [envelope(received_at=time, body_base64=base64.b64encode(body).decode()) for body in bodies]

    # What a receiver could not put into JSON is judged by the bytes that came.
    file("envelope-base64.jsonl",
         ["not_json", "not_json", "not_json", "not_an_object", "not_an_object", ("duplicate_key", "app-id"),
          "invalid_utf8", "too_deep", ("missing_field", "app-id")],
         encoded(b"", b"hello", b"\xef\xbb\xbf" + GOOD, b"[" + GOOD + b"]", b"42",
                 GOOD[:-1] + b',"app-id":1}', GOOD[:-1] + b',"x":"\xff"}',
                 GOOD[:-1] + b',"x":' + b"[" * 64 + b"]" * 64 + b"}",
                 without(V4, "app-id"), GOOD), accepted=1)
    values = ["?", "e30", "e31=", "e30= ", "_w=="]
    each("envelope-base64-out-of-range.jsonl", "out_of_range", "body_base64", values,
         [envelope(received_at=time, body_base64=value) for value in values])
    file("envelope-base64-beside-body.jsonl", [("out_of_range", "body_base64", "e30=")],
         [envelope(received_at=time, body=body, body_base64="e30=")])
    file("envelope-base64-wrong-type.jsonl", [("wrong_type", "body_base64", "null")],
         [envelope(received_at=time, body_base64=None)])


def make_copies():
    original = TEXTS[V4].encode()
    reordered = text(reversed(list(fields(V4).items()))).encode()
    copies = [original, original, reordered, with_extra(V4, '"timestamp":1'), edited(V4, conversion_value=62)]
    file("copies.jsonl", ["duplicate_identical"] * 3 + ["duplicate_conflict"], copies, accepted=1, judge="pipeline")
    copies = [
        edited(V4, country_code=country, coarse_conversion_value=coarse)
        for country, coarse in [("us", "LOW"), ("US", "low"), ("Us", "Low"), ("DE", "low"), (1, "low"), ("us", "high")]
    ]
    file("copies-in-other-spellings.jsonl", ["duplicate_identical"] * 2 + ["duplicate_conflict"] * 3, copies, accepted=1,
         judge="pipeline")
    versions = [TEXTS[name].encode() for name in (V20, "apple-doc-2.1", V22)]
    file("copies-of-other-versions.jsonl", ["duplicate_transaction"] * 2, versions, accepted=1, judge="pipeline")


shutil.rmtree(HOSTILE, ignore_errors=True)
HOSTILE.mkdir()
make_text()
make_compressed()
make_keys()
make_missing()
make_values()
make_respelled()
make_unsigned()
make_forbidden()
make_signatures()
make_jws()
make_envelopes()
make_copies()
truth.sort(key=lambda entry: entry["file"])
(HERE / "hostile.truth.jsonl").write_text("".join(compact(entry) + "\n" for entry in truth), "utf-8")
