#!/usr/bin/env python3
"""A partner for tests: an HTTP server that appends each request to a file as a line of JSON, and answers by its path.

    receiver.py FILE [PORT]     prints the port that it listens on, a free one unless given

/ok answers 200, /status/N the status N, /hang never, /redirect a redirect to /stolen. /later/TEXT answers 429
with this Retry-After. /flaky/N fails N times for each
webhook-id, then 200.
"""

import collections
import http.server
import json
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    failures = collections.Counter()

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        line = {"method": self.command, "path": self.path, "headers": headers, "body": body.decode()}
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        words = self.path.partition("?")[0].split("/")
        if words[1] == "hang":
            time.sleep(30)
        status = int(words[2]) if words[1] == "status" else 302 if words[1] == "redirect" else 200
        if words[1] == "later":
            status = 429
        if words[1] == "flaky":
            identifier = headers["webhook-id"]
            self.failures[identifier] += 1
            status = 503 if self.failures[identifier] <= int(words[2]) else 200
        self.send_response(status)
        if status == 429:
            self.send_header("retry-after", words[2])
        if status == 302:
            self.send_header("location", "/stolen")
        self.send_header("content-length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, *_):
        pass  # A sender that is killed cuts its connections.


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
