"""Users, their revenue, and what Apple leaves of their conversion values, for modelling.py.

A world has one app, three ad networks and 24 campaigns of very different sizes. A user has a country of the campaign's mix, a day, and a
revenue: most pay nothing, and payers pay a lognormal or a Pareto amount. Campaigns and countries differ in the share of payers and
in what these pay.
"""

import dataclasses

import numpy

APP = 525463029
NETWORKS = ["one.skadnetwork", "two.skadnetwork", "three.skadnetwork"]
CAMPAIGNS, DAYS = 24, 28
# The amounts of the coarse values of window 1.
LATER_AMOUNTS = numpy.array([0.0, 4.99, 29.99])


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    payers: float = 0.08
    tail: str = "lognormal"  # or pareto, or price: exactly one of the model's amounts
    crowd: bool = False  # tiers by the size of campaign × country × day; else at random within a campaign
    countries: int = 10
    spread: float = 0.5  # the deviation of the logarithm of what countries are worth
    slope: float = 0.0  # how far large countries are worth more (above 0) or less (below 0) than small ones
    appeal: float = 0.3  # the deviation of the logarithm of the share of payers between campaigns
    rise: float = 0.0  # how far the shares of payers and of nulls rise over the days; window 1 is measured
    odds: float = 1.0  # the odds of a null of payers beside those of others
    is_held: bool = True


SCENARIOS = [
    Scenario("at random"),
    Scenario("at random, exact prices", tail="price"),
    Scenario("lognormal", payers=0.05),
    Scenario("pareto", payers=0.05, tail="pareto"),
    Scenario("1.5 % payers", payers=0.015),
    Scenario("1.5 % payers, pareto", payers=0.015, tail="pareto"),
    Scenario("1.5 % payers, exact prices", payers=0.015, tail="price"),
    Scenario("crowd", crowd=True),
    Scenario("crowd, exact prices", crowd=True, tail="price"),
    Scenario("crowd, large countries richer", crowd=True, slope=0.5, tail="price"),
    Scenario("crowd, small countries richer", crowd=True, slope=-0.5, tail="price"),
    Scenario("crowd, 1.5 % payers, pareto", crowd=True, slope=0.3, payers=0.015, tail="pareto"),
    Scenario("payers lose 2 x", odds=2.0),
    Scenario("payers lose 2 x, exact prices", odds=2.0, tail="price"),
    Scenario("payers lose half, exact prices", odds=0.5, tail="price"),
    Scenario("payers lose 3 x, exact prices", odds=3.0, tail="price", is_held=False),
    Scenario("payers and nulls rise", rise=0.6, tail="price"),
]


@dataclasses.dataclass
class Users:
    source: numpy.ndarray
    network: numpy.ndarray
    country: numpy.ndarray
    day: numpy.ndarray
    tier: numpy.ndarray
    fine: numpy.ndarray
    coarse: numpy.ndarray
    revenue: numpy.ndarray
    by_stratum: dict
    edges: numpy.ndarray
    is_exact: bool
    later: numpy.ndarray = None  # the coarse value of window 1, -1 for no postback
    later_by_stratum: dict = None  # the revenue of window 1
    received: list = None  # the seconds after the first day at which the postbacks of each window are received


def world(random, scenario, installs):
    edges = numpy.round(numpy.geomspace(0.99, 99.99, 15), 2)
    volume = random.lognormal(0, 0.9, CAMPAIGNS)
    campaign = random.choice(CAMPAIGNS, installs, p=volume / volume.sum())
    mix = random.dirichlet(2 / numpy.arange(1, scenario.countries + 1), CAMPAIGNS)
    country = (random.random(installs)[:, None] > mix.cumsum(1)[campaign]).sum(1).clip(0, scenario.countries - 1)
    weekdays = 1 + 0.3 * numpy.sin(2 * numpy.pi * numpy.arange(DAYS) / 7)
    day = random.choice(DAYS, installs, p=weekdays / weekdays.sum())
    size = mix.mean(0)
    worth = numpy.exp(random.normal(0, scenario.spread, scenario.countries)) * (size / size.max()) ** scenario.slope
    appeal = numpy.exp(random.normal(0, scenario.appeal, CAMPAIGNS))
    risen = scenario.rise * (2 * day / (DAYS - 1) - 1)
    share = scenario.payers * appeal[campaign] * numpy.sqrt(worth[country]) * (1 + risen)
    pays = random.random(installs) < numpy.clip(share, 0, 0.9)
    amount = 2 * (1 + random.pareto(1.6, installs)) if scenario.tail == "pareto" else numpy.exp(random.normal(numpy.log(8), 1.2, installs))
    revenue = numpy.where(pays, numpy.maximum(0.99, numpy.round(amount * numpy.sqrt(worth[country]), 2)), 0)
    fine = numpy.searchsorted(edges, revenue, side="right")
    is_exact = scenario.tail == "price"
    if is_exact:
        revenue = numpy.where(fine > 0, edges[fine - 1], 0)
    tier = crowd_tiers(random, campaign, country, day, installs, scenario) if scenario.crowd else random_tiers(random, campaign, pays, scenario, risen)
    network = campaign % len(NETWORKS)
    source = 1000 * random.integers(0, 10, installs) + 100 * random.integers(0, 10, installs) + campaign + 10
    by_stratum = {}
    for one in range(CAMPAIGNS):
        by_stratum[(one % len(NETWORKS), one + 10)] = float(revenue[campaign == one].sum())
    return Users(source, network, country, day, tier, fine, numpy.digitize(fine, [6, 11]), revenue, by_stratum, edges, is_exact)


def random_tiers(random, campaign, pays, scenario, risen):
    """A null rate for each campaign, which may rise over the days; other tiers at random."""
    rate = random.beta(2, 5, CAMPAIGNS)[campaign]
    odds = rate / (1 - rate) * numpy.where(pays, scenario.odds, 1) * numpy.exp(2.5 * risen)
    others = random.choice([1, 2, 3], len(campaign), p=[0.25, 0.3, 0.45])
    return numpy.where(random.random(len(campaign)) < odds / (1 + odds), 0, others)


def crowd_tiers(random, campaign, country, day, installs, scenario):
    """The tier by the number of users of the campaign in the country on the day; thresholds follow the size of the set."""
    cell = (campaign * scenario.countries + country) * DAYS + day
    crowd = numpy.bincount(cell, minlength=CAMPAIGNS * scenario.countries * DAYS)[cell]
    scale = max(1.0, installs / 12000)
    return numpy.digitize(crowd, [max(2, round(2.5 * scale)), round(6 * scale) + 1, round(15 * scale) + 1])


def model(users):
    """The conversion model of a world: 16 values, of which the last has no upper limit unless amounts are exact."""
    values = {"0": []}
    for value, edge in enumerate(users.edges, 1):
        most = None if value == len(users.edges) else float(users.edges[value])
        event = {"event": "purchase", "min_revenue": float(edge), "max_revenue": float(edge) if users.is_exact else most}
        if not users.is_exact and most is None:
            event["value"] = 150
        values[str(value)] = [event]
    windows = [{"postback_sequence_index": 0, "fine": values, "coarse_from": {"medium": 6, "high": 11}}]
    if users.later is not None:
        windows.append({"postback_sequence_index": 1, "coarse": {
            name: [{"event": "purchase", "min_revenue": amount, "max_revenue": amount}] if amount else []
            for name, amount in zip(["low", "medium", "high"], LATER_AMOUNTS)}})
    return {
        "app_id": APP, "model_id": "revenue", "version": 1, "effective_from": None, "effective_to": None, "currency": "USD",
        "windows": windows,
    }
