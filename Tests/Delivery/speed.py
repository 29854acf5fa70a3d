#!/usr/bin/env python3
"""Measures `postback deliver`: deliveries a second to nginx, and the memory with many pending deliveries of a dead partner.

    Tests/Delivery/speed.py --nginx PROGRAM [--binary POSTBACK] [--count N]

nginx answers 204 and logs each request with its id, and the log is counted: no code of ours says what has arrived.
"""

import argparse
import collections
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def start_nginx(program, folder, port):
    (folder / "nginx.conf").write_text(f"""
        daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
        events {{ worker_connections 512; }}
        http {{
          log_format id '$http_webhook_id $status';
          access_log {folder}/requests.log id buffer=64k flush=1s;
          client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
          uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
          keepalive_requests 1000000;
          server {{ listen 127.0.0.1:{port}; location / {{ return 204; }} }}
        }}""")
    process = subprocess.Popen([program, "-c", folder / "nginx.conf", "-e", folder / "error.log"])
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process
        except OSError:
            time.sleep(0.05)
    sys.exit("nginx does not listen")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=".build/release/postback")
    parser.add_argument("--nginx", default="nginx")
    parser.add_argument("--count", type=int, default=100_000)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="deliver-speed-") as folder:
        folder = pathlib.Path(folder)
        run = lambda *arguments: subprocess.run([binary, *arguments], cwd=folder, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        run("generate", "--count", str(options.count), "--valid-only", "--seed", "1", "--out", "dump.jsonl", "--keys", "keys", "--quiet")
        run("run", "dump.jsonl", *(folder / "keys").read_text().split(), "--out", "out", "--quiet")
        port = free_port()
        common = {"networks": "all", "environments": ["production", "custom"], "max_age_s": 10**9, "allow_addresses": ["127.0.0.1"],
                  "send": ["install", "redownload", "reengagement"], "body": "json", "include": {"lost": True}}
        partners = [{"id": "alive", "url": f"http://127.0.0.1:{port}/", "secret": "env:SECRET", **common},
                    {"id": "dead", "url": f"http://127.0.0.1:{free_port()}/", **common}]
        (folder / "partners.json").write_text(json.dumps({"partners": partners}))
        nginx = start_nginx(options.nginx, folder, port)
        try:
            begun = time.monotonic()
            deliver = subprocess.Popen(
                [binary, "deliver", "out", "--partners", "partners.json", "--quiet", "--metrics-file", "m.prom"],
                cwd=folder, env=dict(os.environ, SECRET="0123456789abcdef"), stdout=subprocess.DEVNULL)
            pending = 'postback_deliveries_pending{partner="alive"} 0\n'
            delivered = 'postback_deliveries_delivered_total{partner="alive"} 0\n'
            while True:
                text = (folder / "m.prom").read_text() if (folder / "m.prom").exists() else ""
                if pending in text and delivered not in text:
                    break
                if deliver.poll() is not None or time.monotonic() - begun > 600:
                    sys.exit("the deliveries do not end")
                time.sleep(0.05)
            seconds = time.monotonic() - begun
            status = pathlib.Path(f"/proc/{deliver.pid}/status").read_text()
            memory = int(status.partition("VmHWM:")[2].split()[0]) // 1024
            deliver.send_signal(signal.SIGTERM)
            deliver.wait(60)
            time.sleep(1.5)
        finally:
            nginx.terminate()
            nginx.wait()
        ids = collections.Counter(line.split()[0] for line in open(folder / "requests.log", encoding="utf-8"))
        rows = [json.loads(line) for path in sorted((folder / "out/partner_deliveries").glob("*.jsonl")) for line in open(path, encoding="utf-8")]
        expected = {row["delivery_id"] for row in rows if row["partner"] == "alive"}
        waiting = sum(row["state"] == "pending" for row in rows)
        if set(ids) != expected or sum(ids.values()) != len(expected) or waiting != len(expected):
            sys.exit(f"{sum(ids.values())} requests of {len(ids)} deliveries, {len(expected)} expected, {waiting} pending")
        print(f"{len(expected)} deliveries in {seconds:.1f} s with their planning, {len(expected) / seconds:.0f} a second; "
              f"{waiting} pending for a dead partner; {memory} MB at most")


if __name__ == "__main__":
    main()
