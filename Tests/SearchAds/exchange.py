#!/usr/bin/env python3
"""Exchanges tokens with a stand-in for Apple's server, kills the command in the middle, and counts what comes out.

    Tests/SearchAds/exchange.py --binary .build/release/postback
"""

import argparse
import collections
import datetime
import http.server
import json
import os
import signal
import subprocess
import tempfile
import threading
import time

CLICK = {"attribution": True, "orgId": 40669820, "campaignId": 542370539, "conversionType": "Download", "claimType": "Click",
         "clickDate": "2024-10-08T17:17Z", "adGroupId": 542317095, "countryOrRegion": "US", "keywordId": 87675432}
TEST = {"attribution": True, "orgId": 1234567890, "campaignId": 1234567890, "adGroupId": 1234567890, "countryOrRegion": "US"}


class StandIn(http.server.BaseHTTPRequestHandler):
    """Answers by the beginning of the token."""

    protocol_version = "HTTP/1.1"
    seen = collections.Counter()
    lock = threading.Lock()
    pause = 0.0

    def do_POST(self):
        token = self.rfile.read(int(self.headers["content-length"])).decode()
        with self.lock:
            self.seen[token] += 1
            count = self.seen[token]
        assert self.headers["content-type"] == "text/plain", self.headers
        time.sleep(self.pause)
        status, body = 200, json.dumps(CLICK)
        if token.startswith("late-") and count < 3 or token.startswith("never-"):
            status, body = 404, ""
        elif token.startswith("bad-"):
            status, body = 400, ""
        elif token.startswith("down-") and count <= 1 or token.startswith("dead-"):
            status, body = 500, ""
        elif token.startswith("test-"):
            body = json.dumps(TEST)
        elif token.startswith("html-"):
            body = "<html>"
        elif token.startswith("none-"):
            body = '{"attribution":false}'
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A server without words about clients that are killed."""

    def handle_error(self, request, client_address):
        pass


def rows(out):
    with open(f"{out}/asa_attributions/part-00000001.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check(name, isTrue):
    if not isTrue:
        raise SystemExit(f"not as it must be: {name}")
    print(f"ok: {name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = parser.parse_args().binary
    server = Server(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = ["--endpoint", f"http://127.0.0.1:{server.server_port}/api/v1/"]
    now = datetime.datetime.now(datetime.timezone.utc)

    def record(token, hours=1):
        return json.dumps({"token": token, "received_at": (now - datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ"),
                           "app_id": 525463029}) + "\n"

    with tempfile.TemporaryDirectory() as work:
        tokens, out = f"{work}/tokens.jsonl", f"{work}/out"
        names = ["ok-1", "late-1", "never-1", "bad-1", "down-1", "dead-1", "test-1", "html-1", "none-1", "ok-1"]
        with open(tokens, "w", encoding="utf-8") as file:
            file.write("".join(map(record, names)) + record("old-1", 25) + "not json\n" + '{"token":"a b"}\n')

        def exchange(*more):
            return subprocess.run([binary, "asa", "exchange", tokens, "--out", out, *endpoint, *more], capture_output=True, text=True)

        result = exchange("--json")
        check("the exchange ends with 0", result.returncode == 0)
        summary = json.loads(result.stdout)
        expected = {"payload": 5, "token_invalid": 1, "token_expired": 1, "not_found": 1, "unavailable": 2, "malformed": 2}
        check("each record has one result", summary["by_outcome"] == expected and summary["rows"] == 12)
        check("a test is no attribution", (summary["attributed"], summary["tests"], summary["not_attributed"]) == (3, 1, 1))
        check("bad records are named", "tokens.jsonl: line 12" in result.stderr and "line 13" in result.stderr)
        late = [row for row in rows(out) if row["outcome"] == "payload" and row["attempts"] == 3]
        check("404, 404, 200 is one row with three attempts", len(late) == 1 and StandIn.seen["late-1"] == 3)
        check("an expired token is not sent, a refused one once", (StandIn.seen["old-1"], StandIn.seen["bad-1"]) == (0, 1))
        check("a token that is there twice is sent once", StandIn.seen["ok-1"] == 1)

        before = dict(StandIn.seen)
        again = json.loads(exchange("--json").stdout)
        asked = {token for token, count in StandIn.seen.items() if count > before[token]}
        check("only tokens without a result are asked for again", asked == {"never-1", "dead-1", "html-1"} and again["rows"] == 12)
        check("attempts are added up", sorted(row["attempts"] for row in rows(out))[-2:] == [8, 8])

        # A crash in the middle: what has a result is not asked for again.
        StandIn.pause = 0.01
        tokens, out = f"{work}/many.jsonl", f"{work}/many"
        with open(tokens, "w", encoding="utf-8") as file:
            file.writelines(record(f"ok-many-{number}") for number in range(3000))
        for _ in range(3):
            process = subprocess.Popen([binary, "asa", "exchange", tokens, "--out", out, *endpoint], stdout=subprocess.DEVNULL)
            time.sleep(1)
            process.send_signal(signal.SIGKILL)
            process.wait()
        check("nothing is published before the end", not os.path.exists(f"{out}/asa_attributions"))
        result = exchange("--quiet")
        found = rows(out)
        repeated = sum(count - 1 for token, count in StandIn.seen.items() if token.startswith("ok-many-"))
        check("after kills each token has one payload",
              result.returncode == 0 and len(found) == len({row["token_sha256"] for row in found}) == 3000)
        check(f"few requests are repeated ({repeated})", repeated <= 3 * 300)
        server.shutdown()

        # Without a server all tokens wait for a later exchange.
        tokens, out = f"{work}/one.jsonl", f"{work}/gone"
        with open(tokens, "w", encoding="utf-8") as file:
            file.write(record("ok-gone"))
        server.server_close()
        result = exchange("--quiet")
        check("without a server a token is unavailable", result.returncode == 0 and rows(out)[0]["outcome"] == "unavailable")


if __name__ == "__main__":
    main()
