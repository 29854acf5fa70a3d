"""The method of docs/modelling.md once more, for values with exact amounts that are all of one data tier and one day."""

import functools
import math

import numpy

LEVEL, WRONG_DAYS, FEWEST_VALUES = 0.95, 1.25, 30


@functools.lru_cache
def student(probability, degrees):
    """A quantile of Student's t distribution above the median, by bisection of the integral of its density."""
    nodes, weights = numpy.polynomial.legendre.leggauss(64)
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        # The tangent makes the range of the integral finite, so that its density is smooth to the end.
        angles = math.atan(middle / math.sqrt(degrees)) * (nodes + 1) / 2
        below = 0.5 + scale * math.sqrt(degrees) * math.atan(middle / math.sqrt(degrees)) / 2 * (
            weights * numpy.cos(angles) ** (degrees - 1)).sum()
        low, high = (middle, high) if below < probability else (low, middle)
    return low


def end(mean, variance, t):
    """An end of the interval of a gamma distribution, after Wilson and Hilferty."""
    shape = mean * mean / variance
    return mean * max(0, 1 - 1 / (9 * shape) + t / (3 * math.sqrt(shape))) ** 3


def total(counts, nulls, amounts, later=None, share=0.0):
    """The total of the strata of a pool, which are the rows of `counts`; None if there is no pool.

    `later` has the postbacks of a later window, whose values without a revenue are in `counts` with the installs that sent none, and
    `share` the share of these that are on the wrong side of an end. Returns the observed and the modelled revenue, the interval, and
    the upper end without step 12.
    """
    values = counts.sum(1)
    filled = counts[values > 0]
    if len(filled) < 8:
        return None
    sizes = filled.sum(1)
    means = filled @ amounts / sizes
    within = (filled * (amounts - means[:, None]) ** 2).sum() / (sizes.sum() - len(filled))
    if within <= 0:
        return None
    whole = sizes.sum()
    spread = (sizes * (means - sizes @ means / whole) ** 2).sum()
    between = whole / (whole**2 - (sizes**2).sum()) * (spread - (len(filled) - 1) * within)
    ratio = min(max(within / between if between > 0 else math.inf, 1), 100_000)
    factors = sizes / (sizes + ratio)
    pool = factors @ (filled / sizes[:, None]) / factors.sum()
    shares = (counts + ratio * pool) / (values + ratio)[:, None]
    weights = values + ratio
    mean = shares @ amounts
    variance = shares @ amounts**2 - mean**2
    estimate = nulls @ mean
    error = (nulls * (weights + nulls) / (weights + 1) * variance).sum()
    error += (nulls @ (ratio / weights)) ** 2 * within / ratio / factors.sum()
    observed = (counts if later is None else later).sum(0) @ amounts
    fixed, open_sum, missed, degrees = observed, 0.0, 0.0, len(filled) - 1
    if share > 0:
        fixed, open_sum, missed = 0.0, observed, share * (later.sum(0) @ amounts**2)
        error += missed
        degrees = min(degrees, FEWEST_VALUES - 1) if observed > 0 and estimate > 0 else degrees if estimate > 0 else FEWEST_VALUES - 1
    if estimate + open_sum <= 0 or error <= 0:
        low = high = without = estimate + open_sum
    else:
        t = student(1 - (1 - LEVEL) / 2, degrees)
        low, high = end(estimate + open_sum, error, -t), end(estimate + open_sum, error, t)
        without = high
        has = nulls > 0
        if has.sum() > 1 and values[has].sum() > 0:
            odds, greatest = nulls.sum() / values[has].sum(), amounts[pool > 0].max()
            high = max(high, end(estimate + open_sum + odds * greatest, error + odds * (1 + odds) * greatest**2, t))
    # The probability that no null is worth something: that of 0 in a beta-binomial distribution.
    others = weights * shares[:, amounts == 0].sum(1)
    none = sum(math.lgamma(o + k) - math.lgamma(o) + math.lgamma(w) - math.lgamma(w + k)
               for o, w, k in zip(others, weights, nulls) if k > 0)
    if none >= math.log((1 - LEVEL) / 2):
        alone = end(open_sum, missed, -student(1 - (1 - LEVEL) / 2, FEWEST_VALUES - 1)) if missed > 0 else open_sum
        low = min(low, alone)
    low, high, without = fixed + low, fixed + high, fixed + without
    if share == 0:
        most = observed + nulls.sum() * amounts.max()
        low, high, without = max(low, observed), min(high, most), min(without, most)
    return observed, observed + estimate, low, high, without
