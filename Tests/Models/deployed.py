#!/usr/bin/env python3
"""Holds the error that `postback model fit` prints against that of the fitted models on other users of the same world.

    deployed.py POSTBACK [--draws N]

POSTBACK is the program. Each line is a world, in which a share of users pays in up to three windows: lognormal amounts (sigma 1.2), or
one of four prices. N times users are drawn, a model is fitted to them, and campaigns of 400 000 other users are decoded with it. The
printed and the true error are roots of the mean square over the draws; an interval is right if it contains the true one.

Needs numpy. Ends with 77 without it, with 1 if a printed error is less than three quarters of the true one, and else with 0.
"""

import argparse
import json
import math
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("deployed.py needs the Python package numpy", file=sys.stderr)
    sys.exit(77)

# The amounts, the share of payers, the users of the fit, and the installs of a campaign.
CASES = [
    ("prices", 0.1, 20000, 1000), ("prices", 0.1, 1000, 50), ("prices", 0.1, 1000, 10000),
    ("lognormal", 0.2, 300, 1000), ("lognormal", 0.1, 1000, 50), ("lognormal", 0.1, 3000, 50),
]
BEGIN, AGES, END = 1767225600, (0, 3 * 86400, 10 * 86400), 40 * 86400
SHARES = (0.25, 0.25, 0.5)


def draw(numbers, world, share, users):
    """The revenue of users in the three windows, in cents."""
    pays = numbers.random(users) < share
    windows = []
    for chance in (0.6, 0.4, 0.4):
        if world == "prices":
            amounts = numbers.choice([199, 499, 999, 1999], users)
        else:
            amounts = np.round(100 * np.exp(numbers.normal(2, 1.2, users)))
        windows.append(np.where(pays & (numbers.random(users) < chance), amounts, 0).astype(np.int64))
    return np.stack(windows, axis=1)


def rows(revenue):
    """The rows of users, as JSON Lines."""
    for user, windows in enumerate(revenue):
        totals = np.cumsum(windows)
        for window, age in enumerate(AGES):
            if window == 0 or windows[window]:
                yield json.dumps({"received_at": BEGIN + age, "idfv": f"user-{user}", "skan_total_revenue_by_currency": {"USD": int(totals[window]) / 100}})
    yield json.dumps({"received_at": BEGIN + END, "idfv": "user-0"})


def decoded(values, revenue):
    """The worths of the values of users."""
    values = list(values.values())
    limits = [round(value[-1]["min_revenue"] * 100, 4) for value in values[1:]]
    return np.array([value[-1]["value"] for value in values])[np.searchsorted(limits, revenue, side="right")]


def true_error(answer, others, installs):
    """The error of campaigns of other users, decoded with the model."""
    windows = answer["model"]["windows"]
    coarse = [decoded(windows[window]["coarse"], others[:, window]) for window in range(3)]
    told = [sum(answer["mean_revenue"]), sum(coarse), decoded(windows[0]["fine"], others[:, 0]) + coarse[1] + coarse[2]]
    errors = [worth - others.sum(axis=1) / 100 for worth in told]
    mean = sum(share * error.mean() for share, error in zip(SHARES, errors))
    square = sum(share * (error**2).mean() for share, error in zip(SHARES, errors))
    return math.sqrt(installs * (square - mean**2) + (installs * mean) ** 2)


def fitted(program, revenue, installs, seed):
    command = [program, "model", "fit", "-", "--app", "1", "--json", "--campaign-installs", str(installs), "--seed", str(seed)]
    text = "\n".join(rows(revenue)).encode()
    return json.loads(subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--draws", type=int, default=80)
    options = parser.parse_args()
    mean_square = lambda errors: math.sqrt(np.mean(np.square(errors)))
    is_low = False
    print("amounts    payers   users  campaign  printed     true  intervals that are right")
    for world, share, users, installs in CASES:
        numbers = np.random.default_rng(users + installs)
        others = draw(numbers, world, share, 400_000)
        estimates, true = [], []
        for seed in range(options.draws):
            answer = fitted(options.program, draw(numbers, world, share, users), installs, seed)
            estimates.append(answer["errors"][0]["error"])
            true.append(true_error(answer, others, installs))
        printed, whole = mean_square([estimate["value"] for estimate in estimates]), mean_square(true)
        right = sum(estimate["low"] <= whole <= estimate["high"] for estimate in estimates)
        print(f"{world:10} {share:6.0%} {users:7} {installs:9} {printed:8.1f} {whole:8.1f}  {right} of {options.draws}", flush=True)
        is_low = is_low or printed < 0.75 * whole
    sys.exit(1 if is_low else 0)


if __name__ == "__main__":
    main()
