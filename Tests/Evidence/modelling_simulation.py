"""Many sets of the worlds of modelling.py with the method of modelling_method.py, which modelling.py --simulations compares with postback.

Users of the worlds of payers have a null or the fine value of an exact price. Those of the worlds of dates have later postbacks too,
and only estimated install dates.
"""

import dataclasses

import numpy

from modelling_method import WRONG_DAYS, total
from modelling_worlds import CAMPAIGNS, LATER_AMOUNTS, Scenario, world

HOUR = 3600
FIRST, LATER = (72, 96), {1: (192, 312), 2: (864, 984)}
PAYERS = [  # the share of payers, its deviation between campaigns, and the installs
    ("3 % payers, 1500 installs", 0.03, 0.3, 1500),
    ("the same share in all campaigns", 0.03, 0.0, 1500),
    ("3 % payers, 5000 installs", 0.03, 0.3, 5000),
    ("1.5 % payers, 5000 installs", 0.015, 0.3, 5000),
    ("1 % in all campaigns, 3000 installs", 0.01, 0.0, 3000),
    ("20 % payers, 1500 installs", 0.2, 0.3, 1500),
    ("3 % payers, 500 installs", 0.03, 0.3, 500),
]
DATES = [  # the growth a day, the day of the first install, the installs a day, and the share that sends a later postback
    (growth, first, installs, sends)
    for growth, first in [(1, 0), (1, -5), (1.03, -5), (0.97, -5)] for installs in (50, 500) for sends in (0.3, 0.8)
]
FINAL_DAYS = [1, 3, 7, 14, 30]


def payers(world_number, seed):
    """The users of a set of the worlds of payers, all of one day, with nulls and fine values only."""
    _, share, appeal, installs = PAYERS[world_number]
    scenario = Scenario("", payers=share, tail="price", appeal=appeal, spread=0.5 if appeal else 0)
    users = world(numpy.random.default_rng([seed, 100 + world_number]), scenario, installs)
    return dataclasses.replace(users, tier=numpy.where(users.tier > 0, 2, 0), day=0 * users.day)


def payers_total(users):
    """The number of payers with a value, the true revenue, and the total."""
    counts = numpy.zeros((CAMPAIGNS, len(users.edges) + 1))
    campaign, valued = users.source % 100 - 10, users.tier > 0
    numpy.add.at(counts, (campaign[valued], users.fine[valued]), 1)
    nulls = numpy.bincount(campaign[~valued], minlength=CAMPAIGNS)
    # A campaign without installs is no stratum.
    there = counts.sum(1) + nulls > 0
    result = total(counts[there], nulls[there], numpy.concatenate([[0.0], users.edges]))
    return (users.fine[valued] > 0).sum(), users.revenue.sum(), result


def dated(world_number, seed):
    """The users of a set of the worlds of dates, with the seconds after the first day at which postbacks are received."""
    growth, first, installs, sends = DATES[world_number]
    random = numpy.random.default_rng([seed, 200 + world_number])
    days = numpy.arange(first, max(FINAL_DAYS) + 5)
    weights = growth ** (days - days.mean())
    users = world(random, Scenario("", tail="price"), installs * len(days))
    number = len(users.day)
    campaign = users.source % 100 - 10
    time = (random.choice(days, number, p=weights / weights.sum()) + random.random(number)) * 24 * HOUR
    share = random.beta(20 * sends, 20 * (1 - sends), CAMPAIGNS)[campaign]
    # Users of nulls would send no less: their revenue is part of the truth, and only their postbacks are missing.
    later = numpy.where(random.random(number) < share, numpy.digitize(users.fine, [1, 8]), -1)
    received = [(time + HOUR * random.uniform(*hours, number)).astype(int) for hours in (FIRST, LATER[1])]
    return dataclasses.replace(
        users, tier=numpy.where(users.tier > 0, 2, 0), day=(time // (24 * HOUR)).astype(int), later=later, received=received)


def with_later(random, users):
    """Users whose half sends a postback of window 1, with a value by their revenue, and nothing from nulls."""
    number = len(users.day)
    later = numpy.where(random.random(number) < 0.5, numpy.digitize(users.fine, [1, 8]), -1)
    time = (users.day + random.random(number)) * 24 * HOUR
    received = [(time + HOUR * random.uniform(*hours, number)).astype(int) for hours in (FIRST, LATER[1])]
    revenue = numpy.where(later >= 0, LATER_AMOUNTS[later], 0)
    by_stratum = {one: float(revenue[users.source % 100 == one[1]].sum()) for one in users.by_stratum}
    return dataclasses.replace(users, later=later, received=received, later_by_stratum=by_stratum)


def dated_counts(users, first, last):
    """The counts of the strata of estimated install dates: installs with a value, nulls, and later postbacks by value."""
    campaign = users.source % 100 - 10
    estimated = [(received - HOUR * sum(hours) // 2) // (24 * HOUR) for received, hours in zip(users.received, (FIRST, LATER[1]))]
    inside = [(first <= dates) & (dates <= last) for dates in estimated]
    valued, sent = users.tier > 0, (users.tier > 0) & (users.later >= 0)
    later = numpy.zeros((CAMPAIGNS, len(LATER_AMOUNTS)))
    numpy.add.at(later, (campaign[inside[1] & sent], users.later[inside[1] & sent]), 1)
    return (numpy.bincount(campaign[inside[0] & valued], minlength=CAMPAIGNS),
            numpy.bincount(campaign[inside[0] & ~valued], minlength=CAMPAIGNS), later)


# The shares of later postbacks by the days of their dates from that of the install.
DISTANCES = list(zip(range(-3, 4), [0.025, 0.175, 0.2, 0.2, 0.2, 0.175, 0.025]))


def uneven(users, first, last, begins):
    """Tells for each campaign, and at the end for all together, if later postbacks that cross an end of dates change their number."""
    valued = users.tier > 0
    campaign = (users.source % 100 - 10)[valued]
    day = (users.received[0][valued] - HOUR * sum(FIRST) // 2) // (24 * HOUR)
    inside = (first <= day) & (day <= last)
    came, left = numpy.zeros(CAMPAIGNS + 1), numpy.zeros(CAMPAIGNS + 1)
    for distance, share in DISTANCES:
        sent = day + distance
        for sums, crosses, outside in [(came, ~inside & (first <= sent) & (sent <= last), day), (left, inside & ((sent < first) | (sent > last)), sent)]:
            crosses = crosses & ((outside > last) if begins else True)
            sums[:-1] += share * numpy.bincount(campaign[crosses], minlength=CAMPAIGNS)
    installs = numpy.append(numpy.bincount(campaign[inside], minlength=CAMPAIGNS), inside.sum())
    came[-1], left[-1] = came.sum(), left.sum()
    return (abs(came - left) > 0.05 * installs) & ((came - left) ** 2 > 4 * (came + left))


def dated_total(users, first, last, begins):
    """The true revenue of the campaigns that are modelled, the total without the error of dates, and that with it.

    Where the installs begin with the range, the postbacks with earlier dates are theirs too.
    """
    values, nulls, later = dated_counts(users, first - 9 * begins, last)
    crossed = uneven(users, first, last, begins)
    modelled = (later.sum(1) <= values) & (values + nulls + later.sum(1) > 0) & ~crossed[:-1] & ~crossed[-1]
    counts = later.copy()
    counts[:, 0] += values - later.sum(1)
    inside = (users.day >= first) & (users.day <= last) & (users.later >= 0) & modelled[users.source % 100 - 10]
    truth = LATER_AMOUNTS[users.later[inside]].sum()
    share = min(1, (1 if begins else 2) * WRONG_DAYS / (last - first + 1))
    parts = counts[modelled], nulls[modelled], LATER_AMOUNTS, later[modelled]
    return truth, total(*parts), total(*parts, share=share)


def ranges(users, whole):
    """The first and the last dates of the ranges of window 1 that are final when the last postback has been received."""
    first = ((users.received[0] - 84 * HOUR) // (24 * HOUR)).min()
    last = (users.received[1][(users.tier > 0) & (users.later >= 0)].max() - 552 * HOUR) // (24 * HOUR)
    # 2026-01-01 was a Thursday.
    return [(first, last)] if whole else [(monday, monday + 6) for monday in range(4, last - 5, 7)]


def locked(window, days=30, number=1_000_000):
    """The share of the later postbacks of a range that are missing, if the app may lock the window and no user's is locked."""
    random = numpy.random.default_rng(window)
    least, most = LATER[window]
    earliest = {1: 72, 2: 192}[window]
    time = random.uniform(0, 24 * days, number)
    estimated = time + random.uniform(least, most, number) - (earliest + most) / 2
    return (estimated >= 24 * days).mean()
