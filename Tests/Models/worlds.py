#!/usr/bin/env python3
"""Makes the sessions and events of the users of an app, as CSV that `postback model fit` reads.

    worlds.py WORLD [--users N] [--seed S]

WORLD is lognormal: three of ten users pay, amounts are lognormal; or rare_payers: three of a hundred pay, with a heavy tail.
Amounts are of whole cents, like prices of many countries in one currency. A paying user pays once to five times in 35 days, more often early. Each user opens the app at the
installation, and signs up (event sign_up) in six of ten cases. The installations are spread over 20 days. The same world, number and
seed give the same bytes on any machine: random numbers are those of SplitMix64, and amounts are rounded.
"""

import argparse
import datetime
import math
import sys


class Numbers:
    """SplitMix64 (Steele, Lea and Flood 2014)."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = self.state
        mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        return mixed ^ mixed >> 31

    def uniform(self):
        return (self.bits() >> 11) / 2**53

    def normal(self):
        return math.sqrt(-2 * math.log(1 - self.uniform())) * math.cos(2 * math.pi * self.uniform())


def cents(amount):
    """An amount in cents, from 0.10 to 20 000."""
    return max(10, min(round(amount * 100), 2_000_000))


def price(world, numbers):
    if world == "lognormal":
        return cents(math.exp(1.2 + 1.1 * numbers.normal()))
    # A Pareto tail with the exponent 1.7: the variance is that of a few large payments.
    return cents(2.5 * (1 - numbers.uniform()) ** (-1 / 1.7))


SHARES = {"lognormal": 0.3, "rare_payers": 0.03}
BEGIN = 1782864000  # 2026-07-01


def rows(world, users, seed):
    numbers = Numbers(seed)
    for user in range(users):
        device = f"{numbers.bits():016x}"
        install = BEGIN + int(numbers.uniform() * 20 * 86400)
        steps = [(0, "__SESSION__", 0)]
        if numbers.uniform() < 0.6:
            steps.append((int(60 + 3000 * numbers.uniform()), "sign_up", 0))
        if numbers.uniform() < SHARES[world]:
            for _ in range(1 + int(5 * numbers.uniform() ** 2)):
                # Half of the payments come in the first two days.
                age = 35 * 86400 * numbers.uniform() ** 4.1
                steps.append((int(300 + age), "purchase", price(world, numbers)))
        total = 0
        for age, event, amount in sorted(steps, key=lambda step: step[0]):
            total += amount
            yield install + age, device, install, event, total
    # The last row says that the windows of all users have ended.
    yield BEGIN + 56 * 86400, "f" * 16, BEGIN + 55 * 86400, "__SESSION__", 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("world", choices=sorted(SHARES))
    parser.add_argument("--users", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write = sys.stdout.write
    write("received_at,i,idfv,n,skan_first_call_to_skadnetwork_timestamp,skan_total_revenue_by_currency\n")
    for time, device, install, event, total in rows(arguments.world, arguments.users, arguments.seed):
        text = datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        revenue = f'"{{""USD"":{total // 100}.{total % 100:02d}}}"' if total else ""
        write(f"{text},com.example.game,{device},{event},{install},{revenue}\n")


if __name__ == "__main__":
    main()
