#!/usr/bin/env python3
"""Calculates the errors of `postback model fit` a second time, from the section "Fitting a model" of docs/models.md alone.

    fit.py POSTBACK

POSTBACK is the program. For each world of worlds.py this fits ranges to the users outside of each fold by a plain dynamic
programme in O(K n²), makes ranges of equal frequency and on a logarithmic scale, and measures all on the users of the fold. It
compares the errors of a campaign, in all windows together and in each, with those that the program prints, and draws campaigns
for the error of ranks with numbers of its own. It fails too if the fitted model does not err least, if the values of the
written model are not the means of its ranges, or if its limits are not those of the programme.

Needs numpy. Ends with 0 if all agrees, with 1 if not, and with 77 without numpy.
"""

import csv
import hashlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from decimal import Decimal
from statistics import NormalDist

try:
    import numpy as np
except ImportError:
    print("fit.py needs the Python package numpy", file=sys.stderr)
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
ENDS = [48 * 3600, 7 * 86400, 35 * 86400]
FOLDS, SEED, CAMPAIGN, PAIRS = 5, 1, 1000, 2000
TIERS = [0.25, 0.25, 0.25, 0.25]
WORLDS = [("lognormal", 2000), ("rare_payers", 8000)]


def users_of(path):
    """The revenue of each user in the three windows, in millionths, and the bits that deal the user to a fold."""
    rows = {}
    last = 0
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            time = int(np.datetime64(row["received_at"].rstrip("Z"), "s").astype(int))
            call = int(row["skan_first_call_to_skadnetwork_timestamp"])
            text = row["skan_total_revenue_by_currency"]
            total = json.loads(text, parse_float=Decimal, parse_int=Decimal)["USD"] if text else None
            rows.setdefault(row["idfv"].lower(), []).append((time, call, total))
            last = max(last, time)
    revenue, bits = [], []
    for device, steps in rows.items():
        steps.sort(key=lambda step: step[0])
        begin = min(call for _, call, _ in steps)
        if last - begin < ENDS[2]:
            continue
        totals, total = [0, 0, 0], 0
        for time, _, amount in steps:
            if amount is not None:
                total = int(amount * 1_000_000)
            for window in range(3):
                if time - begin < ENDS[window]:
                    totals[window] = total
        for window in (1, 2):
            totals[window] = max(totals[window], totals[window - 1])
        revenue.append([totals[0], totals[1] - totals[0], totals[2] - totals[1]])
        hidden = hashlib.sha256(device.encode()).hexdigest()[:20]
        bits.append(int.from_bytes(hashlib.sha256(f"{SEED}:{hidden}".encode()).digest()[:8], "big"))
    return np.array(revenue, dtype=np.int64), np.array([value // 200 % FOLDS for value in bits])


def cut(low, high):
    """The limit between two neighbouring amounts."""
    gap, middle = high - low, low + (high - low) // 2
    unit = 10**15
    while unit > 1:
        place = (middle + unit // 2) // unit * unit
        if low < place <= high and abs(place - middle) * 4 <= gap:
            return place
        unit //= 10
    return middle if middle > low else high


def expected(amounts):
    """The amounts of users to come with their weights: amounts of one user are spread over eight points each."""
    values, counts = np.unique(amounts, return_counts=True)
    single = (values > 0) & (counts == 1)
    if not single.any():
        return values, counts.astype(np.float64)
    logs = np.log(amounts[amounts > 0].astype(np.float64))
    bandwidth = 0.9 * logs.std() * len(logs) ** -0.2
    factors = np.exp(bandwidth * np.array([NormalDist().inv_cdf((place + 0.5) / 8) for place in range(8)]))
    unit = np.gcd.reduce(values[values > 0])
    spread = np.maximum(1, np.floor(np.outer(values[single], factors) / unit + 0.5)).astype(np.int64).ravel() * unit
    points, places = np.unique(np.concatenate([values[~single], spread]), return_inverse=True)
    return points, np.bincount(places, np.concatenate([counts[~single] * 8.0, np.ones(len(spread))]))


def fitted(amounts, ranges):
    """The limits of the ranges with the least sum of squares, by trying each last range, and the worths of ranges without users."""
    values, counts = expected(amounts)
    x, w = values.astype(np.float64) / 1e6, counts.astype(np.float64)
    weight, total, square = (np.concatenate([[0], np.cumsum(part)]) for part in (w, w * x, w * x * x))
    n = len(x)
    if n <= ranges:
        limits = [cut(int(a), int(b)) for a, b in zip(values, values[1:])]
    else:
        firsts, ends = np.arange(n)[:, None], np.arange(1, n + 1)[None, :]
        weights = weight[ends] - weight[firsts]
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = (square[ends] - square[firsts]) - (total[ends] - total[firsts]) ** 2 / weights
        costs[firsts >= ends] = np.inf
        least = costs[0]
        choices = []
        for _ in range(ranges - 1):
            # The last range begins at `first`, after the best ranges of the amounts before it.
            candidates = np.concatenate([[np.inf], least[:-1]])[:, None] + costs
            choices.append(np.argmin(candidates, axis=0))
            least = np.min(candidates, axis=0)
        limits, end = [], n
        for choice in reversed(choices):
            first = int(choice[end - 1])
            limits.append(cut(int(values[first - 1]), int(values[first])))
            end = first
        limits.reverse()
    places = np.searchsorted(np.array(limits, dtype=np.int64), values, side="right")
    worths = []
    for number in range(len(limits) + 1):
        own = places == number
        worths.append(int((values[own] * w[own]).sum() / w[own].sum()) if own.any() else middle(limits, number))
    return limits, worths


def middle(limits, number):
    """The worth of a range of which nothing is known."""
    least = limits[number - 1] if number else 0
    return least + (limits[number] - least) // 2 if number < len(limits) else least


def unknown(limits):
    return limits, [middle(limits, number) for number in range(len(limits) + 1)]


def equal_frequency(amounts, ranges):
    """Ranges with as many paying users each: the n-th begins at the first amount below which n/(ranges - 1) of them are."""
    paid = np.sort(amounts[amounts > 0])
    values, counts = np.unique(paid, return_counts=True)
    below = np.concatenate([[0], np.cumsum(counts)])[:-1]
    limits = []
    for rank in range(ranges - 1):
        reached = np.nonzero(below * (ranges - 1) >= rank * len(paid))[0]
        if len(reached) and (not limits or limits[-1] != values[reached[0]]):
            limits.append(int(values[reached[0]]))
    return unknown(limits)


def logarithmic(amounts, ranges):
    paid = amounts[amounts > 0]
    least, most = float(paid.min()), float(paid.max())
    limits = []
    for step in range(ranges - 1):
        limit = round(least * (most / least) ** (step / (ranges - 1)))
        if not limits or limit > limits[-1]:
            limits.append(limit)
    return unknown(limits)


SPACINGS = {"fitted": fitted, "equal_frequency": equal_frequency, "logarithmic": logarithmic}


def learnt(train, test, spacing):
    """The predictions for users by the mean of the others in their range, within its limits."""
    limits, worths = spacing
    edges = np.array(limits, dtype=np.int64)
    ranges = np.searchsorted(edges, train, side="right")
    means = np.empty(len(limits) + 1)
    for value in range(len(limits) + 1):
        own = train[ranges == value]
        low = limits[value - 1] if value else 0
        mean = own.mean() if len(own) else worths[value]
        means[value] = max(mean, low) if value == len(limits) else min(max(mean, low), limits[value] - 1)
    return means[np.searchsorted(edges, test, side="right")] / 1e6


def predictions(revenue, folds, spacing):
    """The predictions by window and kind of value: none, coarse, fine."""
    result = np.zeros((3, 3, len(revenue)))
    for fold in range(FOLDS):
        held = folds == fold
        for window in range(3):
            train, test = revenue[~held, window], revenue[held, window]
            coarse = learnt(train, test, SPACINGS[spacing](train, 3))
            fine = learnt(train, test, SPACINGS[spacing](train, 64)) if window == 0 else coarse
            result[window][0][held] = train.mean() / 1e6
            result[window][1][held] = coarse
            result[window][2][held] = fine
    return result


def campaign_error(predicted, revenue):
    """The root of the expected squared error of the revenue of a campaign."""
    errors = predicted - revenue / 1e6
    shares = [TIERS[0], TIERS[1], TIERS[2] + TIERS[3]]
    users = sum(share * errors[kind] for kind, share in enumerate(shares))
    mean = users.mean()
    square = sum(share * (errors[kind] ** 2).mean() for kind, share in enumerate(shares))
    variance = max(0, square - mean**2)
    learning = users.var() / len(users)
    bias = max(0, mean**2 - learning)
    return math.sqrt(CAMPAIGN * variance + CAMPAIGN**2 * (bias + learning))


def wrong_order(predicted, revenue, numbers):
    shares = np.cumsum([TIERS[0], TIERS[1]])
    sums = np.empty((2, PAIRS, 2))
    for side in range(2):
        for pair in range(PAIRS):
            chosen = numbers.integers(0, len(revenue), CAMPAIGN)
            kinds = np.searchsorted(shares, numbers.random(CAMPAIGN), side="right")
            sums[side, pair] = revenue[chosen].sum() / 1e6, predicted[kinds, chosen].sum()
    true, told = sums[0] - sums[1], None
    difference, told = true[:, 0], true[:, 1]
    wrong = np.where(np.abs(told) < 1e-7, 0.5, (told > 0) != (difference > 0))
    return float(np.where(np.abs(difference) < 1e-7, 0, wrong).mean())


def check_model(model, revenue):
    """Sentences about limits and values of the model that are not those of a fit to all users."""
    for window, described in enumerate(model["windows"]):
        for key, count in (("fine", 64), ("coarse", 3)):
            if key not in described:
                continue
            values = list(described[key].values())
            found = [int(Decimal(str(value[-1]["min_revenue"])) * 1_000_000) for value in values[1:]]
            limits, worths = fitted(revenue[:, window], count)
            if found != limits:
                yield f"the limits of {key} of window {window} are {found}, not {limits}"
                continue
            ranges = np.searchsorted(np.array(limits, dtype=np.int64), revenue[:, window], side="right")
            for number, value in enumerate(values):
                own = revenue[ranges == number, window]
                mean = (own.mean() if len(own) else worths[number]) / 1e6
                if abs(mean - float(value[-1]["value"])) > 2e-6:
                    yield f"value {number} of {key} of window {window} is {value[-1]['value']}, not the mean {mean}"


def compare(program, world, users, folder):
    events, out = folder / f"{world}.csv", folder / f"{world}.json"
    with open(events, "wb") as file:
        subprocess.run([sys.executable, HERE / "worlds.py", world, "--users", str(users)], stdout=file, check=True)
    command = [program, "model", "fit", events, "--app", "6740000001", "--out", out, "--json"]
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    revenue, folds = users_of(events)
    problems = [] if answer["installs"][2] == len(revenue) else [f"{answer['installs']} installs, not {len(revenue)}"]
    numbers = np.random.default_rng(5)
    totals = {}
    for found in answer["errors"]:
        name = found["model"]
        own = predictions(revenue, folds, name)
        totals[name] = campaign_error(own.sum(axis=0), revenue.sum(axis=1))
        pairs = [("all windows", totals[name], found["error"]["value"])]
        pairs += [
            (f"window {window}", campaign_error(own[window], revenue[:, window]), estimate["value"])
            for window, estimate in enumerate(found["window_errors"])
        ]
        for place, mine, printed in pairs:
            if abs(mine - printed) > 1e-6 * mine:
                problems.append(f"{name}, {place}: the error is {printed}, and here {mine}")
        rank, order = wrong_order(own.sum(axis=0), revenue.sum(axis=1), numbers), found["wrong_order"]
        spread = 3 * math.sqrt(2 * max(rank * (1 - rank), 1e-4) / PAIRS)
        if abs(rank - order["value"]) > spread:
            problems.append(f"{name}: {order['value']} of the pairs are in the wrong order, and here {rank}")
        print(f"{world:12} {name:16} error {found['error']['value']:9.3f}  here {totals[name]:9.3f}  wrong order {order['value']:.4f}  here {rank:.4f}")
    if min(totals, key=totals.get) != "fitted":
        problems.append(f"the fitted model does not err least: {totals}")
    problems += check_model(json.loads(out.read_text(), parse_float=Decimal), revenue)
    return [f"{world}: {problem}" for problem in problems]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        problems = [found for world, users in WORLDS for found in compare(sys.argv[1], world, users, pathlib.Path(folder))]
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
