#!/usr/bin/env python3
"""Writes Fixtures/inputs: real postbacks in the forms of the built-in mappings. Fixtures/inputs/README.md has their sources.

Use: Fixtures/make_inputs.py
"""

import base64
import csv
import io
import json
import pathlib
import urllib.parse

HERE = pathlib.Path(__file__).parent
FILES = ("skadnetwork-2.2.jsonl", "skadnetwork-3.0.jsonl", "skadnetwork-4.0.jsonl")
TIME, SECONDS = "2026-03-05T10:00:00Z", 1772704800
NOTE = {"app_id": "id1234567890", "app_name": "Example, \"the\" app", "country_code": "US"}


def real_postbacks():
    """One signed postback of each version, two of 4.0, as their lines."""
    lines = [line for name in FILES for line in (HERE / "postbacks" / name).read_text().splitlines() if line]
    wanted = ("6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30",
              "6aafb7a5-0170-41b5-bbe4-fe71dedf1e31")
    return [line for line in lines if json.loads(line)["transaction-id"] in wanted]


def text(value):
    """A value as exports write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def table(rows):
    """Rows as CSV, with the columns of all of them."""
    rows = list(rows)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([text(row.get(column, "")) for column in columns] for row in rows)
    return out.getvalue()


def prefixed(postback, prefix, names=()):
    """A postback with other names: a prefix before snake case, or as the mapping `names` has them."""
    names = dict(names)
    return {prefix + names.get(key, key).replace("-", "_"): value for key, value in postback.items()}


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


def query(postback):
    return urllib.parse.urlencode({key: text(value) for key, value in postback.items()})


def nginx(body):
    """A text as nginx writes it into a log: quotes, backslashes and what is no visible ASCII as \\xHH."""
    return "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else f"\\x{ord(c):02X}" for c in body)


def forms():
    raw = real_postbacks()
    postbacks = [json.loads(line) for line in raw]
    adjust = {"ad-network-id": "network_id"}
    flags = [{key: int(value) if isinstance(value, bool) else value for key, value in p.items()} for p in postbacks]
    yield "postbacks.csv", table(prefixed(p, "") | {"received_at": TIME, "forwarder": "acme"} for p in postbacks)
    yield "adjust.csv", table({"app_name": NOTE["app_name"], "sk_ts": SECONDS, "sk_payload": line} for line in raw)
    yield "adjust-callbacks.log", "".join(
        f"https://example.com/adjust?activity_kind=sk_install&sk_ts={SECONDS}&sk_payload={urllib.parse.quote(line, safe='')}\n"
        for line in raw)
    yield "adjust-placeholders.csv", table(
        NOTE | {"sk_ts": SECONDS} | prefixed(p, "sk_", adjust) for p in flags if p["version"] < "4.0")
    yield "appsflyer.csv", table(
        NOTE | {"timestamp": "2026-03-05 10:00:00", "ad_network_campaign_name": "spring", "media_source": "acme_int"}
        | prefixed(p, "skad_") for p in postbacks)
    yield "appsflyer-push.jsonl", lines(
        NOTE | {"timestamp": "2026-03-05 10:00:00", "event_type": "postback"} | prefixed(p, "skad_") for p in postbacks)
    yield "branch.csv", table(
        {"id": f"m{n}", "timestamp": SECONDS * 1000, "app_id": 638469555697504342, "annotation_dollar_3p": "a_example_ads"}
        | prefixed(p, "body_") for n, p in enumerate(postbacks) if "source-domain" not in p)
    yield "branch-web.csv", table(
        {"id": f"m{n}", "timestamp": SECONDS * 1000, "app_id": 638469555697504342, "annotation_dollar_3p": "a_example_ads"}
        | prefixed(p, "body_") for n, p in enumerate(postbacks) if "source-domain" in p)
    yield "aws-lambda.jsonl", lines([
        {"version": "2.0", "routeKey": "$default", "rawPath": "/skan", "rawQueryString": "campaign=spring",
         "headers": {"content-type": "application/json"},
         "requestContext": {"http": {"method": "POST", "path": "/skan", "sourceIp": "192.0.2.7"},
                            "timeEpoch": SECONDS * 1000},
         "body": raw[0], "isBase64Encoded": False},
        {"resource": "/skan", "path": "/skan", "httpMethod": "POST", "queryStringParameters": None,
         "requestContext": {"identity": {"sourceIp": "192.0.2.7"}, "requestTimeEpoch": SECONDS * 1000},
         "body": base64.b64encode(raw[1].encode()).decode(), "isBase64Encoded": True},
        {"requestContext": {"elb": {"targetGroupArn": "arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/a/b"}},
         "httpMethod": "POST", "path": "/skan", "queryStringParameters": {},
         "body": base64.b64encode(raw[2].encode()).decode(), "isBase64Encoded": True}])
    def message(number, body):
        return {"messageId": f"059f36b4-87a3-44ab-83d2-66197567100{number}", "receiptHandle": "AQEBwJnKyrHigUMZj6rYigCg",
                "body": body, "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": str(SECONDS * 1000),
                                             "SenderId": "AIDAEXAMPLE"},
                "messageAttributes": {}, "eventSource": "aws:sqs", "awsRegion": "eu-west-1"}
    messages = [message(n, line if n % 2 else base64.b64encode(line.encode()).decode()) for n, line in enumerate(raw)]
    yield "aws-sqs.jsonl", lines([{"Records": messages[:3]}, {"Records": messages[3:]}])
    yield "aws-alb.log", "".join(
        f'https {TIME[:-1]}.186641Z app/example/50dc6c495c0c9188 192.0.2.7:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 '
        f'"GET https://www.example.com:443/skan?{query(p)} HTTP/1.1" "ExampleBot/1.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 '
        f'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/example/73e2d6bc24d8a067 "-" "-" "-" 0 '
        f'{TIME} "forward" "-" "-"\n' for p in postbacks)
    yield "aws-cloudfront.log", "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) " \
        "cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type\n" + "".join(
            "\t".join(["2026-03-05", "10:00:00", "LAX1", "2390282", "192.0.2.7", "GET", "d1.cloudfront.net", "/skan", "200",
                       "-", "ExampleBot/1.0", query(p), "-", "Hit"]) + "\n" for p in postbacks)
    yield "gcp-load-balancer.jsonl", lines(
        {"httpRequest": {"requestMethod": "GET", "requestUrl": f"https://example.com/skan?{query(p)}", "status": 200,
                         "remoteIp": "192.0.2.7"},
         "insertId": str(n), "logName": "projects/example/logs/requests", "timestamp": f"{TIME[:-1]}.123456Z"}
        for n, p in enumerate(postbacks))
    yield "nginx.log", "".join(
        f'192.0.2.7 - - [05/Mar/2026:11:00:00 +0100] "POST /skan HTTP/1.1" 200 0 "-" "ExampleBot/1.0" "{nginx(line)}"\n'
        for line in raw)
    yield "nginx-json.jsonl", lines(
        {"time_iso8601": "2026-03-05T11:00:00+01:00", "remote_addr": "192.0.2.7", "request": "POST /skan HTTP/1.1",
         "args": "campaign=spring", "request_body": line} for line in raw)
    yield "unsigned-appsflyer.csv", table(
        {"app_id": "id525463029", "arrival_date": "2026-03-05", "skad_ad_network_id": "com.example", "skad_version": version,
         "ad_network_name": "acme_int", "ad_network_campaign_name": "spring", "skad_campaign_id": campaign,
         "skad_conversion_value": value, "skad_redownload": False, "geo": "US", "count": count}
        for version, campaign, value, count in [("2.2", 42, 20, 3), ("2.2", 42, 21, 5), ("2.2", 43, "null", 2)])
    yield "unsigned-branch.csv", table(
        {"id": f"m{n}", "timestamp": SECONDS * 1000, "annotation_dollar_3p": "a_example_ads",
         "last_attributed_touch_data_tilde_campaign": "spring"}
        | {key: value for key, value in prefixed(p, "body_").items() if "signature" not in key}
        for n, p in enumerate(postbacks + postbacks[:1]))
    yield "unsigned-singular.csv", table(
        {"App": "Example", "Source": "Acme", "SKAN App ID": 525463029, "SKAN Network ID": "com.example", "SKAN Campaign ID": 42,
         "SKAN Publisher ID": 1234567891, "Conversion Value": 20, "Country": "US"} for _ in range(2))
    yield "tables.jsonl", lines(
        {"stage": "policy", "reject_code": "network_not_allowed", "channel": "network_forwarded", "forwarder": "acme",
         "received_at": TIME, "received_at_source": "envelope", "query": None, "raw_body": line, "raw_body_base64": None}
        for line in raw)


def main():
    folder = HERE / "inputs"
    folder.mkdir(exist_ok=True)
    for name, content in forms():
        (folder / name).write_text(content)


if __name__ == "__main__":
    main()
