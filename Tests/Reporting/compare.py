#!/usr/bin/env python3
"""Compares the reports of generated campaigns with the truth of the generator.

    Tests/Reporting/compare.py [--program PATH] [--count N] [--seed S]

Makes a dump with campaigns, runs all commands of reporting on it, and holds each number that can be exact against
the truth of each line and against truth_daily.csv.
"""

import argparse
import pathlib
import sys
import tempfile

from dump_checks import check_campaigns, check_lines, check_observed_revenue, check_totals
from generated import Site, wrong
from report_checks import (
    check_cost, check_currency, check_daily, check_daily_settled, check_modelled, check_parts, check_settled,
)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECKS = [
    check_lines, check_campaigns, check_totals, check_observed_revenue, check_daily, check_cost, check_currency,
    check_settled, check_daily_settled, check_parts,
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / ".build" / "release" / "postback")
    parser.add_argument("--count", default=60000, type=int)
    parser.add_argument("--seed", default=4, type=int)
    arguments = parser.parse_args()
    everything = ["--campaigns", 30, "--days", 21]
    # Coarse values of window 0 are worth the mean of their range, and edited values are no sample: neither is a fault of
    # the model.
    at_random = [
        "--campaigns", 150, "--versions", "4.0=1,aak=1", "--tiers", "0=3,2=4,3=3", "--valid-only", "--forwarder-edits", 0,
    ]
    for options, checks in [(everything, CHECKS), (at_random, [check_modelled])]:
        with tempfile.TemporaryDirectory() as folder:
            site = Site(arguments.program, pathlib.Path(folder), arguments.count, arguments.seed, options)
            for part in checks:
                before = len(wrong)
                part(site)
                print(f"{part.__name__}: {len(wrong) - before} differences", flush=True)
    for text in wrong[:30]:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
