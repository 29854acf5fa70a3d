#!/usr/bin/env python3
"""Runs over s3:// inputs: s3.py POSTBACK [--moto PYTHON].

A server of the standard library checks the signatures, and makes faults. With --moto the same is read from moto's server of S3, which
boto3 fills; PYTHON has both installed.
"""

import argparse
import gzip
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time

import server
import web

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret/of+tests", "AWS_EC2_METADATA_DISABLED": "true"}


def put(site, lines):
    """A bucket with a folder for each day, beside what is no dump."""
    parts = [b"".join(lines[place::4]) for place in range(4)]
    names = ["dt=2026-03-20/part-0.jsonl", "dt=2026-03-20/part 1+é&<%41>.jsonl", "dt=2026-03-21/part-0.jsonl.gz", "z.jsonl"]
    for name, part in zip(names, parts):
        site.objects[f"/dumps/acme/{name}"] = gzip.compress(part) if name.endswith(".gz") else part
    for name in ["_SUCCESS", ".hidden", "dt=2026-03-21/", "dt=2026-03-21/_temporary/part-9.jsonl"]:
        site.objects[f"/dumps/acme/{name}"] = b""
    site.objects["/dumps/acme-other/part.jsonl"] = b"not a postback\n"
    return parts


def check_listing(site, runs, lines, expected):
    put(site, lines)
    summary = runs.run("s3://dumps/acme", options=["--context", "dt={received_at}"])
    assert summary["accepted"] == len(expected) and sorted(key for key, _ in runs.rows()) == sorted(key for key, _ in expected)
    assert summary["left_out"] == {"hidden": 3, "unmatched": 0, "others": 1}, summary["left_out"]
    files = {json.loads(line)["source_file"] for line in runs.lines()}
    assert "s3://dumps/acme/dt=2026-03-20/part 1+é&<%41>.jsonl" in files, files

    site.take()
    summary = runs.run("s3://dumps/acme/", fresh=False)
    assert (summary["read"], summary["known_inputs"]) == (0, 4)
    assert [request[1].partition("?")[0] for request in site.take()] == ["/dumps"], "one page of the list says that all is known"
    site.objects["/dumps/acme/new.jsonl"] = b"one more\n"
    summary = runs.run("s3://dumps/acme", fresh=False)
    assert (summary["read"], summary["known_inputs"]) == (1, 4)
    del site.objects["/dumps/acme/new.jsonl"]

    assert runs.run("s3://dumps/acme", options=["--include", "*.gz"])["left_out"]["unmatched"] == 3
    assert runs.run("s3://dumps/acme", options=["--exclude", "dt=*"])["left_out"]["unmatched"] >= 3
    assert runs.run("s3://dumps/acme/dt=2026-03-2*")["left_out"]["hidden"] == 1
    assert runs.run("s3://dumps/acme/z.jsonl")["read"] == len(lines[3::4])
    assert "404 NoSuchKey" not in runs.run("s3://dumps/nothing", status=66)
    assert "no object" in runs.run("s3://dumps/acm", status=66)
    assert "name of a bucket" in runs.run("s3:///acme", status=66)
    site.page = 1
    assert runs.run("s3://dumps/acme")["accepted"] == len(expected)
    site.listing_faults = [None, "slow_down", None, "slow_down", None]
    assert runs.run("s3://dumps/acme")["accepted"] == len(expected)
    site.listing_faults = [None, "again", "again", "again"]
    assert "not in the order" in runs.run("s3://dumps/acme", status=74)
    site.listing_faults, site.page = [], 1000


def check_transfers(site, runs, dump, expected):
    site.objects["/dumps/one.jsonl"] = dump
    path, half = "/dumps/one.jsonl", len(dump) // 2
    for faults in [
        ["slow_down", None, "slow_down", ("cut", half), "slow_down", ("cut", 1000), "refuse", None],
        [None, ("cut", half), "whole"],
    ]:
        site.faults[path] = faults
        runs.run("s3://dumps/one.jsonl")
        assert runs.rows() == expected and not site.faults[path], faults
    for faults, words in [
        ([None, ("cut", half), "change"], "has changed while it was read"),
        ([None] + [("length", 10)] * 9, "contradicts itself"),
        ([("length", 10)], "contradicts itself"),
        ([None] + ["slow_down"] * 9, "503"),
    ]:
        site.faults[path] = faults
        message = runs.run("s3://dumps/one.jsonl", status=74)
        assert words in message, message
        site.faults[path], site.objects[path] = [], dump
        runs.run("s3://dumps/one.jsonl", fresh=False)
        assert runs.rows() == expected, "the next run continues"


def check_credentials(folder, keys, site, lines):
    """Each place of credentials gives the rows, and a wrong key a message without it."""
    base = {"AWS_ENDPOINT_URL": site.url}
    count = len(lines[3::4])

    def reads(environment, name="z.jsonl"):
        runs = web.Runs(f"{folder}/keys-{time.monotonic_ns()}", keys, base | environment)
        return runs.run(f"s3://dumps/acme/{name}")["read"] == count

    def fails(environment, status=66):
        return web.Runs(f"{folder}/bad", keys, base | environment).run("s3://dumps/acme/z.jsonl", status=status)

    region = {"AWS_REGION": site.region}
    assert reads(KEYS | region)
    assert reads(KEYS | {"AWS_REGION": "us-west-2"}), "the answer names the region"
    assert reads(KEYS), "without a region, too"
    message = fails(KEYS | region | {"AWS_SECRET_ACCESS_KEY": "another-token"})
    assert "403 SignatureDoesNotMatch: Text of SignatureDoesNotMatch & more" in message, message
    assert "No credentials were found" in fails(region | {"AWS_EC2_METADATA_DISABLED": "true"})

    home = pathlib.Path(f"{folder}/home/.aws")
    home.mkdir(parents=True)
    (home / "credentials").write_text(
        "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key=secret/of+tests\n# aws_session_token = x\n\n[empty]\n"
    )
    (home / "config").write_text(
        f"[default]\nregion = {site.region}\ns3 =\n  max_concurrent_requests = 20\n\n[profile work]\nregion = {site.region}\n"
        f"endpoint_url = {site.url}/\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret/of+tests\n\n"
        "[profile sso]\nsso_session = x\n"
    )
    user = {"HOME": str(home.parent)}
    assert reads(user) and reads(user | {"AWS_PROFILE": "work", "AWS_ENDPOINT_URL": ""})
    assert "sso_session" in fails(user | {"AWS_PROFILE": "sso"}, status=65)
    assert "no profile other" in fails(user | {"AWS_PROFILE": "other"}, status=65)
    assert "No credentials" in fails(user | {"AWS_PROFILE": "empty", "AWS_EC2_METADATA_DISABLED": "true"})

    site.token = "session-token"
    metadata = Metadata(site)
    assert reads(KEYS | region | {"AWS_SESSION_TOKEN": "session-token"})
    container = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{metadata.url}/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "another-token"}
    assert reads(region | container)
    assert reads(region | {"AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata.url})
    # Credentials that end soon are asked for again before the next request.
    before = metadata.given
    metadata.seconds = 100
    assert reads(region | {"AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata.url}) and metadata.given >= before + 2
    metadata.status = 404
    assert "no credentials" in fails(region | container, status=65)
    assert "No credentials were found" in fails(region | {"AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata.url})
    site.token = None
    site.key, key = None, site.key
    assert reads({"AWS_EC2_METADATA_DISABLED": "true"}), "a public bucket needs no credentials"
    site.key = key


class Metadata:
    """The services that give credentials to containers and to instances."""

    def __init__(self, site):
        self.given, self.seconds, self.status, outer = 0, 3600, 200, self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, text):
                self.send_response(outer.status)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def do_PUT(self):
                assert self.path == "/latest/api/token" and int(self.headers["x-aws-ec2-metadata-token-ttl-seconds"]) > 0
                self.answer("imds-token")

            def do_GET(self):
                is_container = self.path == "/container"
                if (self.headers.get("authorization") if is_container else self.headers.get("x-aws-ec2-metadata-token")) != (
                    "another-token" if is_container else "imds-token"
                ):
                    return self.send_error(401)
                if self.path.endswith("/security-credentials/"):
                    return self.answer("role-of-tests\n")
                assert is_container or self.path.endswith("/security-credentials/role-of-tests"), self.path
                outer.given += 1
                end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + outer.seconds))
                keys = {"AccessKeyId": site.key, "SecretAccessKey": site.secret, "Token": site.token, "Expiration": end}
                return self.answer(json.dumps(keys))

            def log_message(self, *_):
                pass

        self.server = server.Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def check_many(site, runs, lines, expected, count=10_000):
    for number in range(count):
        site.objects[f"/many/{number:05}.json"] = lines[number % len(lines)]
    start = time.monotonic()
    summary = runs.run("s3://many")
    first = time.monotonic() - start
    assert summary["read"] + summary["known_inputs"] == count and summary["accepted"] == min(len(expected), count), summary
    start = time.monotonic()
    summary = runs.run("s3://many", fresh=False)
    assert (summary["read"], summary["known_inputs"]) == (0, count)
    print(f"{count} objects in {first:.1f} s, known again in {time.monotonic() - start:.1f} s")


def peak(runs, path):
    """The memory of a run at its most, in MB."""
    runs.number += 1
    words = [web.POSTBACK, "run", path, *runs.keys, "--out", f"{runs.folder}/out-{runs.number}", "--quiet"]
    process = subprocess.Popen(words, env=runs.environment, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, words
    return usage.ru_maxrss // 1024


def check_memory(site, runs, folder, dump, copies=20):
    """An object takes as much memory as a file, however large it is."""
    peaks = []
    for number, content in enumerate([dump * 2, dump * copies]):
        pathlib.Path(f"{folder}/{number}.jsonl").write_bytes(content)
        site.objects[f"/large/{number}.jsonl"] = content
        site.faults[f"/large/{number}.jsonl"] = [None, ("cut", len(content) // 2)]
        peaks += [peak(runs, f"{folder}/{number}.jsonl"), peak(runs, f"s3://large/{number}.jsonl")]
    sizes = [len(dump) * 2 >> 20, len(dump) * copies >> 20]
    print(f"memory for {sizes[0]} MB: file {peaks[0]} MB, object {peaks[1]} MB; for {sizes[1]} MB: {peaks[2]} and {peaks[3]} MB")
    assert max(peaks) < min(peaks) + 40, peaks


def check_moto(folder, keys, lines, expected, python):
    """moto's server of S3 with its own check of signatures, filled by boto3."""
    root = {"AWS_ACCESS_KEY_ID": "root", "AWS_SECRET_ACCESS_KEY": "root", "AWS_DEFAULT_REGION": "eu-central-1"}
    port = server.Site().server.server_address[1] + 1
    binary = pathlib.Path(python).parent / "moto_server"
    # Users, keys and buckets are made by the first requests; later ones must be signed.
    environment = os.environ | {"INITIAL_NO_AUTH_ACTION_COUNT": "17"}
    moto = subprocess.Popen([binary, "-H", "127.0.0.1", "-p", str(port)], env=environment, stderr=subprocess.DEVNULL)
    try:
        script = f"{folder}/fill.py"
        pathlib.Path(script).write_text(FILL)
        parts = [b"".join(lines[place::4]) for place in range(4)]
        for number, part in enumerate(parts):
            pathlib.Path(f"{folder}/part-{number}").write_bytes(part)
        for _ in range(100):
            if subprocess.run(["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}"], capture_output=True).returncode == 0:
                break
            time.sleep(0.2)
        url = f"http://127.0.0.1:{port}"
        filled = subprocess.run([python, script, url, folder], env=os.environ | root, capture_output=True, text=True, check=True)
        key, secret = filled.stdout.split()
        web.SECRETS.append(secret)
        access = {"AWS_ENDPOINT_URL_S3": url, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "eu-central-1"}
        runs = web.Runs(f"{folder}/moto", keys, access)
        assert runs.run("s3://dumps/acme")["accepted"] == len(expected)
        assert sorted(key for key, _ in runs.rows()) == sorted(key for key, _ in expected)
        assert runs.run("s3://dumps/acme", fresh=False)["known_inputs"] == 5
        wrong = web.Runs(f"{folder}/wrong", keys, access | {"AWS_SECRET_ACCESS_KEY": "another-token"})
        assert "403 SignatureDoesNotMatch" in wrong.run("s3://dumps/acme", status=66)
    finally:
        moto.terminate()
        moto.wait()


FILL = '''
import json, sys
import boto3
url, folder = sys.argv[1:]
iam, s3 = (boto3.client(name, endpoint_url=url) for name in ("iam", "s3"))
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.create_user(UserName="reader")
iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="reader")["AccessKey"]
s3.create_bucket(Bucket="dumps", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
names = ["acme/dt=2026-03-20/part-0.jsonl", "acme/dt=2026-03-20/a +b&é<\\"%41>.jsonl", "acme/x/y=z/1~2.jsonl", "acme/z.jsonl"]
for number, name in enumerate(names):
    s3.upload_file(f"{folder}/part-{number}", "dumps", name)
s3.put_object(Bucket="dumps", Key="acme/_SUCCESS", Body=b"")
s3.put_object(Bucket="dumps", Key="acme/empty.jsonl", Body=b"")
s3.put_object(Bucket="dumps", Key="acme-other/x.jsonl", Body=b"not a postback")
s3.list_objects_v2(Bucket="dumps")
print(key["AccessKeyId"], key["SecretAccessKey"])
'''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("postback")
    parser.add_argument("--moto")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        content, keys, expected = web.dump(folder)
        lines = content.splitlines(keepends=True)
        site = server.Site()
        runs = web.Runs(f"{folder}/s3", keys, KEYS | {"AWS_ENDPOINT_URL_S3": site.url, "AWS_REGION": site.region})
        check_listing(site, runs, lines, expected)
        check_transfers(site, runs, content, expected)
        check_credentials(folder, keys, site, lines)
        check_memory(site, runs, folder, content)
        check_many(site, runs, lines, expected)
        if arguments.moto:
            check_moto(folder, keys, lines, expected, arguments.moto)
    print("s3:// inputs give the rows of the same files")


if __name__ == "__main__":
    main()
