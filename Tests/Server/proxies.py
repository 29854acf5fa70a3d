#!/usr/bin/env python3
"""Runs nginx and Caddy with the files of deploy/ before `postback serve`, and looks at what clients are answered.

    proxies.py --binary .build/release/postback [--nginx /usr/sbin/nginx] [--caddy /usr/bin/caddy]

The files are used as they are, apart from the name, the ports and the certificate, which are those of the test. Postbacks are
sent with and without slashes at the end of the path, in large bodies, by slow clients, from several addresses, and to paths
that do not exist; then the server is stopped behind its proxy. Whatever was answered with 200 must be in the spool exactly
once, and nothing else. Exit status: 0 where all of that is so, else 1.
"""

import argparse, http.client, json, os, shutil, socket, ssl, subprocess, sys, tempfile, time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
NAME = "postbacks.example.com"
TOKEN = "a-token-of-more-than-16-bytes"
APP = 525463029
PARTNER_TOKEN = "a-token-of-a-partner-with-more-than-16-bytes"
DEVICES = ["/.well-known/skadnetwork/report-attribution", "/.well-known/appattribution/report-attribution"]
UNKNOWN = ["/", "/v1", "/v1/", "/v1/postback", "/v1/postbacksx", "/v1/postbacks/x", "/v2/postbacks", "/healthz", "/metrics",
           "/.well-known/skadnetwork", "/.well-known/skadnetwork/report-attributions", "/.well-known/x/report-attribution/",
           "/api/v3/conversion_value", "/x/v1/postbacks", "/v1/eventsx", "/v1/events/x", "/v1/schema", "/v1/schema/1/x", "/metrics/"]


class Failed(Exception):
    """A statement of this test that is not true."""


def check(is_so, sentence):
    if not is_so:
        raise Failed(sentence)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port, process):
    for _ in range(1000):
        check(process.poll() is None, f"{process.args[0]} has ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise Failed(f"{process.args[0]} does not listen on port {port}")


class Receiver:
    """`postback serve` with its spool, which is stopped and started at one port."""

    def __init__(self, binary, work):
        self.port, self.metrics, self.work, self.process = free_port(), free_port(), work, None
        self.spool = work / "spool"
        self.spool.mkdir()
        (work / "events").mkdir()
        (work / "token").write_text(TOKEN)
        (work / "partner").write_text(PARTNER_TOKEN)
        settings = {"listen": f"127.0.0.1:{self.port}", "spool": str(self.spool), "trusted_proxies": ["127.0.0.1"],
                    "metrics_listen": f"127.0.0.1:{self.metrics}", "events": str(work / "events"),
                    "models": [str(PROJECT / "Fixtures/models")], "schema_token_files": [str(work / "partner")],
                    "forwarders": [{"name": "network", "bearer_token_file": str(work / "token")}],
                    "limits": {"requests_per_minute": 0}}
        (work / "server.json").write_text(json.dumps(settings))
        self.command = [binary, "serve", "--config", str(work / "server.json"), "--quiet"]

    def start(self):
        self.process = subprocess.Popen(self.command)
        wait_for(self.port, self.process)

    def stop(self):
        self.process.terminate()
        check(self.process.wait(20) == 0, "serve did not end well")

    def envelopes(self):
        """The lines in the spool, in order."""
        return [json.loads(line) for path in sorted((self.spool / "new").iterdir()) for line in path.open()]

    def connections(self):
        """The number of connections to the server that are open or were open in the last minute."""
        port = f"{self.port:04X}"
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
        # Each open connection has a line at both ends; states 01 and 06 are ESTABLISHED and TIME_WAIT.
        return sum(1 for line in lines if line.split()[2].endswith(":" + port) and line.split()[3] in ("01", "06"))


def replaced(path, *changes):
    """The text of a file of deploy/ with changes, each of which must apply."""
    text = (PROJECT / "deploy" / path).read_text()
    for old, new in changes:
        check(old in text, f"deploy/{path} does not hold {old!r}")
        text = text.replace(old, new)
    return text


def start_nginx(program, work, port, upstream):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", f"/CN={NAME}", "-keyout", work / "key", "-out", work / "certificate"], check=True,
                   capture_output=True)
    site = replaced("nginx/postback.conf", ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
                    ("127.0.0.1:8080", f"127.0.0.1:{upstream}"),
                    (f"/etc/letsencrypt/live/{NAME}/fullchain.pem", str(work / "certificate")),
                    (f"/etc/letsencrypt/live/{NAME}/privkey.pem", str(work / "key")))
    paths = "".join(f"{kind}_temp_path {work}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "scgi", "uwsgi"))
    user = "user root;" if os.geteuid() == 0 else ""
    (work / "nginx.conf").write_text(f"daemon off; {user} pid {work}/pid; worker_processes 2; events {{ }}\n"
                                     f"http {{ access_log off; {paths}\n{site}}}\n")
    return [program, "-p", str(work), "-e", "stderr", "-c", str(work / "nginx.conf")]


def start_caddy(program, work, port, upstream):
    site = replaced("caddy/Caddyfile", (NAME, f"http://{NAME}:{port}"), ("127.0.0.1:8080", f"127.0.0.1:{upstream}"))
    (work / "Caddyfile").write_text("{\n\tadmin off\n}\n" + site)
    return [program, "run", "--config", str(work / "Caddyfile"), "--adapter", "caddyfile"]


class Proxy:
    """A client of the proxy, which counts the postbacks that are acknowledged."""

    def __init__(self, port, is_tls):
        self.port, self.is_tls, self.stored = port, is_tls, 0

    def connection(self, address="127.0.0.1"):
        source = (address, 0)
        if not self.is_tls:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30, source_address=source)
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, source_address=source, context=trust)

    def request(self, method, path, body=None, headers={}, connection=None, count=1):
        """Sends a request and returns the status; a postback that is acknowledged counts as stored."""
        own = connection or self.connection()
        own.request(method, path, body=body, headers={"Host": NAME, **headers})
        response = own.getresponse()
        response.read()
        if connection is None:
            own.close()
        if method == "POST" and response.status == 200:
            self.stored += count
        return response.status


def test_paths(proxy):
    for path in DEVICES + ["/v1/postbacks"]:
        for slashes in ("", "/", "//"):
            headers = {"Authorization": f"Bearer {TOKEN}"} if path == "/v1/postbacks" else {}
            status = proxy.request("POST", path + slashes + "?campaign=x", "{}", headers)
            check(status == 200, f"POST {path}{slashes} is answered with {status}")
    check(proxy.request("POST", "/v1/postbacks", "{}") == 401, "an unknown forwarder is not refused")
    for path in UNKNOWN:
        for method in ("GET", "POST"):
            status = proxy.request(method, path, "{}" if method == "POST" else None)
            check(status == 404, f"{method} {path} is answered with {status}")
    for path in ("/api/v2/conversion_value", "/api/v1/conversion_value/"):
        check(proxy.request("GET", path) == 200, f"{path} is not answered")


def test_events_and_schemas(proxy):
    for path in ("/v1/events", "/v1/events/"):
        status = proxy.request("POST", path, "[{}]", count=0)
        check(status == 200, f"POST {path} is answered with {status}")
    for path in ("/launch", "/evt", "/api/v1/launch", "/api/v1/evt/"):
        status = proxy.request("GET", f"{path}?a=key&p=Android&i=com.example.app&n=login")
        check(status == 200, f"GET {path} is answered with {status}")
    headers = {"Authorization": f"Bearer {PARTNER_TOKEN}"}
    for path in (f"/v1/schema/{APP}", f"/v1/schema/{APP}/"):
        check(proxy.request("GET", path, headers=headers) == 200, f"GET {path} is not answered")
    check(proxy.request("GET", f"/v1/schema/{APP}") == 401, "an unknown partner is not refused")


def test_metrics(receiver):
    """Metrics have a port of their own, which no proxy passes."""
    def status(port, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text
    check(status(receiver.port, "/metrics")[0] == 404, "the port of the postbacks has /metrics")
    found, text = status(receiver.metrics, "/metrics")
    check(found == 200 and "postback_received_total" in text, f"the port of the metrics answers {found}")
    check(status(receiver.metrics, "/healthz")[0] == 404, "the port of the metrics has other paths")


def test_addresses(proxy, receiver):
    for headers in ({}, {"X-Forwarded-For": "203.0.113.9"}):
        connection = proxy.connection("127.0.0.2")
        check(proxy.request("POST", DEVICES[0], "{}", headers, connection) == 200, "127.0.0.2 is refused")
        found = receiver.envelopes()[-1]["remote_address"]
        check(found == "127.0.0.2", f"the address 127.0.0.2 with {headers} became {found}")


def test_bodies(proxy):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    line = json.dumps({"transaction-id": "y" * 970}) + "\n"
    check(proxy.request("POST", "/v1/postbacks", line * 7000, headers, count=7000) == 200, "a body of 7 MB is refused")
    for body, path in ((line * 9000, "/v1/postbacks"), ("{" + " " * 100_000 + "}", DEVICES[0])):
        try:
            status = proxy.request("POST", path, body, headers)
            # The server answers before the whole body has come; a proxy that is still sending may miss that.
            check(status in (413, 502), f"a body that is too large is answered with {status}")
        except OSError:
            pass  # The proxy has closed the connection in the middle of the body.


def test_slow_clients(proxy):
    for is_whole in (True, False):
        connection = proxy.connection()
        connection.putrequest("POST", DEVICES[0], skip_host=True)
        connection.putheader("Host", NAME)
        connection.putheader("Content-Length", "12")
        connection.endheaders()
        for byte in b'{"slow":true' if not is_whole else b'{"slow":  1}':
            if not is_whole and byte == ord("u"):
                break
            connection.send(bytes([byte]))
            time.sleep(0.2)
        if is_whole:
            status = connection.getresponse().status
            check(status == 200, f"a slow client is answered with {status}")
            proxy.stored += 1
        connection.close()


def test_keepalive(proxy, receiver):
    before, connection = receiver.connections(), proxy.connection()
    for _ in range(400):
        check(proxy.request("POST", DEVICES[0], "{}", connection=connection) == 200, "a request is refused")
    opened = receiver.connections() - before
    check(opened <= 8, f"the proxy has opened {opened} connections for 400 requests")
    print(f"  400 requests over {opened} new connections to the server")


def test_outage(proxy, receiver):
    receiver.stop()
    for path in DEVICES + ["/v1/postbacks"]:
        status = proxy.request("POST", path, "{}")
        check(500 <= status < 600, f"without a server POST {path} is answered with {status}")
    check(proxy.request("POST", "/v1/postback", "{}") == 404, "an unknown path is not refused")
    receiver.start()
    status = proxy.request("POST", DEVICES[0], "{}")
    check(status == 200, f"after the outage a postback is answered with {status}")


def test(name, start, program, binary):
    work = Path(tempfile.mkdtemp(prefix="postback-proxy-"))
    receiver, process = Receiver(binary, work), None
    try:
        receiver.start()
        port = free_port()
        environment = {**os.environ, "HOME": str(work), "XDG_DATA_HOME": str(work), "XDG_CONFIG_HOME": str(work)}
        with open(work / "log", "wb") as log:
            command = start(program, work, port, receiver.port)
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        wait_for(port, process)
        proxy = Proxy(port, is_tls=name == "nginx")
        test_paths(proxy)
        test_events_and_schemas(proxy)
        test_metrics(receiver)
        test_addresses(proxy, receiver)
        test_bodies(proxy)
        test_slow_clients(proxy)
        test_keepalive(proxy, receiver)
        test_outage(proxy, receiver)
        receiver.stop()
        stored = len(receiver.envelopes())
        check(stored == proxy.stored, f"{proxy.stored} postbacks were acknowledged, and {stored} are in the spool")
        print(f"{name}: {stored} postbacks were acknowledged and are in the spool")
    except (Failed, OSError, http.client.HTTPException, subprocess.SubprocessError) as failure:
        log = (work / "log").read_text(errors="replace")[-2000:] if (work / "log").exists() else ""
        sys.exit(f"{name}: {failure!r}\n{log}")
    finally:
        for running in (process, receiver.process):
            if running and running.poll() is None:
                running.terminate()
                running.wait()
        shutil.rmtree(work)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(PROJECT / ".build/release/postback"))
    parser.add_argument("--nginx", default="/usr/sbin/nginx")
    parser.add_argument("--caddy", default="/usr/bin/caddy")
    options = parser.parse_args()
    test("nginx", start_nginx, options.nginx, os.path.abspath(options.binary))
    test("Caddy", start_caddy, options.caddy, os.path.abspath(options.binary))
