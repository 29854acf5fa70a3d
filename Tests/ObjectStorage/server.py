"""A server of objects for tests: plain GET with ranges, and S3's GetObject and ListObjectsV2 below /BUCKET with path-style addresses.

It checks the signatures of S3 requests by itself, and makes the faults that a test asks for. `Site.faults` has the faults of the next
requests for an object, one each: "slow_down", "refuse", ("cut", N), ("status", N), "whole" (ignores the range), "change"
(other content with another tag), ("length", N) for a lie of N bytes, "weak" and "untagged" for the tag, or None.
"""

import collections
import datetime
import hashlib
import hmac
import http.server
import re
import ssl
import threading
import urllib.parse

MODIFIED = "2026-03-10T00:00:00.000Z"


class Site:
    def __init__(self, key="AKIDEXAMPLE", secret="secret/of+tests", region="eu-central-1", token=None, tls=None):
        self.objects = {}
        self.versions = collections.Counter()
        self.faults = collections.defaultdict(list)
        self.requests = []
        self.page = 1000
        self.listing_faults = []
        self.key, self.secret, self.region, self.token = key, secret, region, token
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.site = self
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tag(self, path):
        return f'"{hashlib.md5(self.objects[path]).hexdigest()}-{self.versions[path]}"'

    def take(self):
        """The requests since the last call."""
        taken, self.requests = self.requests, []
        return taken


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, *_):
        pass  # A reader that has enough cuts its connection.


def canonical_query(query):
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
    quoted = sorted((urllib.parse.quote(k, safe="-_.~"), urllib.parse.quote(v, safe="-_.~")) for k, v in pairs)
    return "&".join(f"{k}={v}" for k, v in quoted)


def signature(secret, region, request, headers, signed, time):
    """AWS Signature Version 4, as its documentation describes it."""
    method, path, query = request
    lines = [method, path, canonical_query(query)]
    lines += [f"{name}:{headers.get(name, '').strip()}" for name in signed] + ["", ";".join(signed)]
    lines.append(headers["x-amz-content-sha256"])
    scope = f"{time[:8]}/{region}/s3/aws4_request"
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{digest}"
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def do_GET(self):
        site = self.server.site
        path, _, query = self.path.partition("?")
        site.requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
        is_s3 = not path.startswith("/web/")
        if is_s3 and (problem := self.problem(site, path, query)):
            return self.refuse(403, problem)
        if is_s3 and path.count("/") < 2:
            return self.list(site, path, urllib.parse.parse_qs(query, keep_blank_values=True))
        return self.get(site, urllib.parse.unquote(path))

    def problem(self, site, path, query):
        if site.key is None:
            return None
        headers = {k.lower(): v for k, v in self.headers.items()}
        match = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
            headers.get("authorization", ""),
        )
        if not match:
            return "AccessDenied"
        key, day, region, names, given = match.groups()
        time, signed = headers["x-amz-date"], names.split(";")
        unsigned = [name for name in headers if name.startswith("x-amz-") and name not in signed]
        age = datetime.datetime.utcnow() - datetime.datetime.strptime(time, "%Y%m%dT%H%M%SZ")
        if region != site.region:
            return "AuthorizationHeaderMalformed"
        if key != site.key or unsigned or "host" not in signed or abs(age.total_seconds()) > 900 or day != time[:8]:
            return "AccessDenied"
        if site.token != headers.get("x-amz-security-token"):
            return "InvalidToken"
        expected = signature(site.secret, region, (self.command, path, query), headers, signed, time)
        return None if hmac.compare_digest(expected, given) else "SignatureDoesNotMatch"

    def refuse(self, status, code):
        if code == "AuthorizationHeaderMalformed":
            status = 400
        body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>Text of {code} &amp; more</Message></Error>".encode()
        self.send_response(status)
        self.send_header("content-type", "application/xml")
        self.send_header("content-length", str(len(body)))
        if status in (301, 400):
            self.send_header("x-amz-bucket-region", self.server.site.region)
        self.end_headers()
        self.wfile.write(body)

    def list(self, site, path, query):
        fault = site.listing_faults.pop(0) if site.listing_faults else None
        if fault == "slow_down":
            return self.refuse(503, "SlowDown")
        bucket, prefix = path.strip("/"), query.get("prefix", [""])[0]
        keys = sorted(
            (key for key in site.objects if key.startswith(f"/{bucket}/{prefix}")), key=lambda key: key.encode()
        )
        start = int(query.get("continuation-token", ["p=0"])[0].removeprefix("p="))
        if fault == "again":
            start = 0
        shown = keys[start : start + site.page]
        quote = urllib.parse.quote_plus if query.get("encoding-type") == ["url"] else str
        entries = "".join(
            f"<Contents><Key>{quote(key.removeprefix(f'/{bucket}/'))}</Key><LastModified>{MODIFIED}</LastModified>"
            f"<ETag>{site.tag(key).replace(chr(34), '&quot;')}</ETag><Size>{len(site.objects[key])}</Size>"
            "<StorageClass>STANDARD</StorageClass></Contents>"
            for key in shown
        )
        more = start + site.page < len(keys) or fault == "again"
        token = f"<NextContinuationToken>p={start + site.page}</NextContinuationToken>" if more else ""
        encoding = "<EncodingType>url</EncodingType>" if quote is not str else ""
        body = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{bucket}</Name>{encoding}<IsTruncated>{str(more).lower()}</IsTruncated>{token}{entries}</ListBucketResult>"
        ).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def get(self, site, path):
        fault = site.faults[path].pop(0) if site.faults[path] else None
        if path not in site.objects:
            return self.refuse(404, "NoSuchKey")
        if fault == "slow_down":
            return self.refuse(503, "SlowDown")
        if isinstance(fault, tuple) and fault[0] == "status":
            return self.refuse(fault[1], "Fault")
        if isinstance(fault, tuple) and fault[0] == "to":
            self.send_response(302)
            self.send_header("location", fault[1])
            self.send_header("content-length", "0")
            return self.end_headers()
        if fault == "refuse":
            self.close_connection = True
            return None
        if fault == "change":
            site.objects[path] = bytes(reversed(site.objects[path]))
            site.versions[path] += 1
        content, tag = site.objects[path], site.tag(path)
        if fault == "weak":
            tag = "W/" + tag
        if self.headers.get("if-match", tag) != tag:
            return self.refuse(412, "PreconditionFailed")
        start, end, status = 0, len(content), 200
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range", ""))
        if match and fault != "whole":
            start, end, status = int(match[1]), min(int(match[2] or len(content)) + bool(match[2]), len(content)), 206
            if start >= len(content):
                self.send_response(416)
                self.send_header("content-range", f"bytes */{len(content)}")
                self.send_header("content-length", "0")
                return self.end_headers()
        body = content[start:end]
        lie = fault[1] if isinstance(fault, tuple) and fault[0] == "length" else 0
        self.send_response(status)
        if fault == "chunked":
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(len(body) + lie))
        if status == 206:
            self.send_header("content-range", f"bytes {start}-{end - 1}/{len(content) + lie}")
        if fault != "untagged":
            self.send_header("etag", tag)
            self.send_header("last-modified", "Tue, 10 Mar 2026 00:00:00 GMT")
        self.end_headers()
        if fault == "chunked":
            for place in range(0, len(body), 5000):
                piece = body[place : place + 5000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            return self.wfile.write(b"0\r\n\r\n")
        if isinstance(fault, tuple) and fault[0] == "cut":
            body = body[: fault[1]]
            self.close_connection = True
        if lie > 0:
            self.close_connection = True
        return self.wfile.write(body)

    def log_message(self, *_):
        pass
