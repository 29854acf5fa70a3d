"""The files of an app's side in the crash tests: the events that `serve --events` takes, and the journal of Apple Search Ads."""

import collections, hashlib, http.client, http.server, json, os, re, subprocess, threading, time
from pathlib import Path

EVENTS = ["serve", "--listen", "127.0.0.1:0", "--spool", "spool", "--config", "server.json", "--events", "out/s2s_events"]
MODELS = str(Path(__file__).parents[2] / "Fixtures/implementation/models")
CLICK = {"attribution": True, "orgId": 40669820, "campaignId": 542370539, "conversionType": "Download", "claimType": "Click",
         "clickDate": "2024-10-08T17:17Z", "adGroupId": 542317095, "countryOrRegion": "US", "keywordId": 87675432}


def bodies():
    """Bodies of one to four events, whose lines have more than a sector."""
    number, found = 0, []
    for request in range(12):
        events = []
        for _ in range(1 + request % 4):
            events.append({"a": "key", "p": "iOS", "v": "17.4", "i": "com.example.shop", "app_v": "3.1", "n": f"event_{number}",
                           "idfa": "", "idfv": f"device-{number % 5}", "skan_current_conversion_value": 1, "more": f"é{number}" * 60})
            number += 1
        found.append(json.dumps(events, ensure_ascii=False).encode())
    return found


def names(body):
    return {found.decode() for found in re.findall(rb'"n"\s*:\s*"(event_\d+)"', body)}


def prepare(folder):
    (folder / "spool").mkdir()
    (folder / "out").mkdir()
    (folder / "server.json").write_text(json.dumps({"limits": {"requests_per_minute": 0}, "models": [MODELS]}))


def send(binary, folder, log, bodies, environment, tracer=()):
    """Starts `serve`, posts bodies, three at a time, and ends it. Returns its exit status, and the names that were acknowledged."""
    done = set()
    with open(log, "wb") as file:
        process = subprocess.Popen([*tracer, binary, *EVENTS], cwd=folder, env=environment, stderr=file)
    try:
        port = None
        while port is None and process.poll() is None:
            found = re.search(rb"http://127\.0\.0\.1:(\d+)", log.read_bytes())
            port = found and int(found[1])
            time.sleep(0.01)
        for start in range(0, len(bodies), 3):
            clients = []
            try:
                for body in bodies[start : start + 3] if port else []:
                    client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                    client.request("POST", "/v1/events", body=body)
                    clients.append((client, body))
                for client, body in clients:
                    if client.getresponse().status == 200:
                        done |= names(body)
            except (OSError, http.client.HTTPException):
                pass
            for client, _ in clients:
                client.close()
        if process.poll() is None:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            os.kill(int(children[0]) if tracer and children else process.pid, 15)
    except (FileNotFoundError, ProcessLookupError):
        pass
    return process.wait(timeout=60), done


def rows(folder):
    """The rows by their names without the time, as often as they are there. Throws if a line is no row."""
    found = collections.defaultdict(list)
    for part in sorted((folder / "out/s2s_events").glob("part-*.jsonl")):
        for line in part.read_bytes().split(b"\n")[:-1]:
            row = json.loads(line)
            del row["received_at"]
            found[row["n"]].append(hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest())
        if part.read_bytes()[-1:] not in (b"", b"\n"):
            raise ValueError(f"{part.name} ends in the middle of a line")
    return dict(found)


class Apple(http.server.BaseHTTPRequestHandler):
    """A stand-in for Apple's server, with another payload for each token."""

    protocol_version = "HTTP/1.1"
    # An answer in one piece, so that the client does not wait for the rest.
    wbufsize = 1 << 16

    def do_POST(self):
        token = self.rfile.read(int(self.headers["content-length"])).decode()
        body = json.dumps({**CLICK, "adId": 542317000 + int(token.rsplit("-", 1)[1])}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A server without words about clients that are killed."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


def exchange():
    """Starts the stand-in. Returns the arguments of an exchange there, whose results come in order."""
    server = Server(("127.0.0.1", 0), Apple)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{server.server_port}/api/v1/"
    return ["asa", "exchange", "tokens.jsonl", "--out", "out", "--endpoint", endpoint, "--concurrency", "1"]


IMPORT = ["asa", "import", "a.jsonl", "b.jsonl", "--out", "out", "--format", "both"]


def payloads(folder, count=40):
    """Two files with payloads, of which some are in both, and one that is malformed."""
    def record(number):
        return json.dumps({"received_at": "2026-11-01T10:00:00Z", "token": f"token-{number}", "app_id": 525463029,
                           "payload": {**CLICK, "adId": number, "more": "x" * 700}}) + "\n"
    (folder / "a.jsonl").write_text("".join(map(record, range(count))))
    (folder / "b.jsonl").write_text("".join(map(record, range(count - 10, 2 * count))) + "not json\n")


def tokens(folder, count=210):
    """Tokens for two groups of results."""
    received = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    (folder / "tokens.jsonl").write_text("".join(
        json.dumps({"token": f"token-{number}", "received_at": received}) + "\n" for number in range(count)))
