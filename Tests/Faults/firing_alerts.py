"""Which alerts of deploy/prometheus fire on real scrapes: `promtool test rules` evaluates them."""

import pathlib
import re
import subprocess

RULES = pathlib.Path(__file__).resolve().parents[2] / "deploy/prometheus/alerts.yml"
# Times that a process which lives moves on with each scrape, also while the last scrape of a phase stays.
HEARTBEATS = ("postback_consumer_heartbeat_timestamp_seconds", "postback_deliveries_heartbeat_timestamp_seconds")
SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")
# A scrape that Prometheus did not make, since the service is not among its targets.
NO_TARGET = object()
# The rules see a scrape each 15 s. The scrapes of a phase are thinned out to these numbers.
STEP, BEFORE, FAULT, AFTER = 15, 4, 8, 8
# How long the last scrape of a phase stays as it is before the alerts are looked at.
HOLD_FAULT, HOLD_AFTER = 12 * 60, 90 * 60


def thinned(scrapes, count):
    """At most `count` scrapes, evenly spread, the last among them."""
    if len(scrapes) <= count:
        return scrapes
    return [scrapes[(number + 1) * len(scrapes) // count - 1] for number in range(count)]


def timeline(phases):
    """The scrapes at the times of the rules: pairs of seconds and (time of the scrape, text or None)."""
    moments, time, checks = [], 0, []
    for scrapes, hold in phases:
        for scrape in scrapes:
            moments.append((time, scrape, False))
            time += STEP
        for _ in range(hold // STEP):
            moments.append((time, scrapes[-1], True))
            time += STEP
        checks.append(time - STEP)
    return moments, checks


def series(moments):
    """The values of each series at each moment, as promtool writes them; `_` where it has none."""
    values, since = {}, 0
    for index, (time, (scraped, text), is_held) in enumerate(moments):
        # A value that is held was true when it was scraped: what it says about a time stays, and its age grows.
        since = since if is_held else time
        samples = {} if text is NO_TARGET else {("up", ""): "0" if text is None else "1"}
        for line in ([] if text in (None, NO_TARGET) else text.splitlines()):
            if line.startswith("#"):
                continue
            name, labels, value = SAMPLE.match(line).groups()
            if name.endswith(("_timestamp_seconds", "_start_time_seconds")) and float(value) > 0:
                value = repr((time if name in HEARTBEATS else since) - (scraped - float(value)))
            samples[name, labels or ""] = value
        for key in samples:
            values.setdefault(key, ["_"] * index)
        for key, row in values.items():
            row.append(samples.get(key, "stale" if row and row[-1] not in ("_", "stale") else "_"))
    target = 'job="postback",instance="localhost:8080"'
    return [
        (f"{name}{{{target}{',' + labels if labels else ''}}}", " ".join(row)) for (name, labels), row in values.items()
    ]


def firing(promtool, folder, phases, expected, apart_from=""):
    """Checks that just these alerts fire at the end of each phase, apart from one; returns what promtool says otherwise."""
    moments, checks = timeline(phases)
    lines = [f"rule_files: [{RULES}]", f"evaluation_interval: {STEP}s", "tests:", f"- interval: {STEP}s", "  input_series:"]
    for name, row in series(moments):
        lines += [f"  - series: {quoted(name)}", f"    values: {quoted(row)}"]
    lines.append("  promql_expr_test:")
    for check, names in zip(checks, expected):
        lines.append(f'  - expr: \'count by (alertname) (ALERTS{{alertstate="firing",alertname!="{apart_from}"}} == 1)\'')
        lines += [f"    eval_time: {check}s", "    exp_samples:" + ("" if names else " []")]
        for name, count in sorted(names.items()):
            label = quoted('{alertname="' + name + '"}')
            lines += [f"    - labels: {label}", f"      value: {count}"]
    path = folder / "alerts_test.yml"
    path.write_text("\n".join(lines) + "\n")
    result = subprocess.run([promtool, "test", "rules", str(path)], capture_output=True, text=True)
    return "" if result.returncode == 0 else (result.stdout + result.stderr).strip()


def quoted(text):
    return "'" + text.replace("'", "''") + "'"
