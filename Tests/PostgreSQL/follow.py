"""Checks of a loader that goes on with later commits."""

import contextlib, signal, subprocess, time

from values import TABLES, Wrong, hold

SECONDS = 2.0


@contextlib.contextmanager
def follower(site, output, schema, *options):
    """A loader with --follow, which must end with status 0 on SIGTERM."""
    command = [site.binary, "load", "postgres", output, "--dsn", site.server.dsn, "--schema", schema, "--follow", *options]
    with open(site.work / "follower", "w") as log:
        process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=subprocess.STDOUT)
    try:
        yield process
        hold(process.poll() is None, f"the follower ended: {(site.work / 'follower').read_text()}")
        process.send_signal(signal.SIGTERM)
        hold(process.wait(10) == 0, f"SIGTERM: {process.returncode} {(site.work / 'follower').read_text()}")
    finally:
        if process.poll() is None:
            process.kill()


def reached(site, schema, output, tables, seconds):
    """The time until all rows are in the database."""
    start = time.monotonic()
    while True:
        try:
            site.compare(schema, output, tables)
            return time.monotonic() - start
        except (Wrong, RuntimeError) as error:
            if time.monotonic() - start > seconds:
                raise Wrong(f"after {seconds} s: {error}")
            time.sleep(0.05)


def following(site):
    """With --follow later commits and derived tables arrive within 2 s, and SIGTERM ends it with 0."""
    schema, output = site.new_schema(), site.written("followed", site.inputs[0])
    with follower(site, output, schema) as process:
        reached(site, schema, output, TABLES, 20)
        for path in site.inputs[1:]:
            site.append(output, path)
            # Reading and comparing takes the test some time too.
            taken = reached(site, schema, output, TABLES, 10)
            hold(taken < SECONDS, f"rows arrived after {taken:.1f} s")
        site.derive(output)
        reached(site, schema, output, site.derived(output), 10)
        hold(process.poll() is None, "the follower ended")
    # A new loader that finds a new output waits for its first commit.
    schema, output = site.new_schema(), site.work / "waited"
    (site.work / "nothing").write_text("")
    site.append(output, site.work / "nothing")
    with follower(site, output, schema):
        time.sleep(0.5)
        site.append(output, site.inputs[0])
        reached(site, schema, output, TABLES, 10)


def server_killed(site):
    """The server killed with SIGKILL again and again while it is loaded, and started again: nothing missing, nothing twice."""
    lines = [path.read_bytes() for path in site.inputs]
    schema, output = site.new_schema(), site.written("killed", site.inputs[0])
    with follower(site, output, schema, "--jobs", "1"):
        reached(site, schema, output, TABLES, 20)
        for number in range(8):
            # Another postback of each, so that every part grows while the server goes up and down.
            path = site.work / f"more-{number}.jsonl"
            pieces = lines[1 + number % 2].splitlines(keepends=True)[100 * (number // 2) :][:100]
            path.write_bytes(b"".join(pieces))
            site.append(output, path)
            time.sleep(0.03 * number)
            site.server.kill()
            site.server.start()
        reached(site, schema, output, TABLES, 30)
    # The same with a load of much at once, which the kills interrupt.
    big = site.work / "big.jsonl"
    site.postback("generate", "--count", "60000", "--seed", "6", "--out", big, "--keys", site.work / "big-keys")
    output = site.work / "big"
    site.postback("run", big, *(site.work / "big-keys").read_text().split(), "--out", output, "--quiet")
    schema, killed = site.new_schema(), 0
    for delay in (0.2, 0.5, 0.8, 1.1):
        command = [site.binary, "load", "postgres", output, "--dsn", site.server.dsn, "--schema", schema]
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(delay)
        site.server.kill()
        status = process.wait(30)
        killed += status == 74
        hold(status in (0, 74), f"the loader ended with {status}: {process.stderr.read()}")
        site.server.start()
    hold(killed > 0, "no load was interrupted")
    site.load(output, schema)
    site.compare(schema, output)
