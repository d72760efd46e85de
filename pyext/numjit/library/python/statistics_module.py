"""``statistics`` of numbers that are floats or integers of 64 bits.

CPython adds the data as exact fractions. Sums here are those of ``math.fsum``, correctly rounded,
and squares of differences are added with what is lost in each step, so that the last digit may
differ where CPython's does not.
"""

import math
from statistics import StatisticsError

from ..core.registry import function


def numbers_of(data):
    """The data as floats."""
    return [x * 1.0 for x in data]


def mean_of(values):
    return math.fsum(values) / len(values)


def needs(data, least, what):
    if len(data) < least:
        if least == 1:
            raise StatisticsError(what + " requires at least one data point")
        raise StatisticsError(what + " requires at least two data points")
    return data


@function("statistics.fmean")
def fmean(data, weights=None):
    values = needs(numbers_of(data), 1, "fmean")
    if weights is None:
        return mean_of(values)
    factors = numbers_of(weights)
    if len(factors) != len(values):
        raise StatisticsError("data and weights must be the same length")
    total = math.fsum(factors)
    if total == 0:
        raise StatisticsError("sum of weights must be non-zero")
    return math.fsum([x * w for x, w in zip(values, factors)]) / total


@function("statistics.mean")
def mean(data):
    return mean_of(needs(numbers_of(data), 1, "mean"))


def spread(data, xbar, what, least):
    """The mean square of the distances from `xbar`, or from the mean.

    That is rounded; what the squares have too much is the square of the mean distance from it.
    """
    values = needs(numbers_of(data), least, what)
    count = len(values)
    centre = mean_of(values) if xbar is None else xbar
    distances = [x - centre for x in values]
    squares = math.fsum([x * x for x in distances])
    if xbar is None:
        squares -= math.fsum(distances) ** 2 / count
    return squares / (count - (least - 1))


@function("statistics.variance")
def variance(data, xbar=None):
    return spread(data, xbar, "variance", 2)


@function("statistics.pvariance")
def pvariance(data, mu=None):
    return spread(data, mu, "pvariance", 1)


@function("statistics.stdev")
def stdev(data, xbar=None):
    return math.sqrt(spread(data, xbar, "stdev", 2))


@function("statistics.pstdev")
def pstdev(data, mu=None):
    return math.sqrt(spread(data, mu, "pstdev", 1))


def in_order(data):
    items = sorted(data)
    if len(items) == 0:
        raise StatisticsError("no median for empty data")
    return items


@function("statistics.median")
def median(data):
    items = in_order(data)
    n = len(items)
    if n % 2 == 1:
        return items[n // 2] * 1.0
    return (items[n // 2 - 1] + items[n // 2]) / 2


@function("statistics.median_low")
def median_low(data):
    items = in_order(data)
    return items[(len(items) - 1) // 2]


@function("statistics.median_high")
def median_high(data):
    items = in_order(data)
    return items[len(items) // 2]


def counts_of(data):
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    return counts


@function("statistics.mode")
def mode(data):
    counts = counts_of(data)
    if len(counts) == 0:
        raise StatisticsError("no mode for empty data")
    most = max(counts.values())
    for x, count in counts.items():
        if count == most:
            break
    return x


@function("statistics.multimode")
def multimode(data):
    counts = counts_of(data)
    most = 0
    for count in counts.values():
        most = max(most, count)
    return [x for x, count in counts.items() if count == most]


@function("statistics.geometric_mean")
def geometric_mean(data):
    values = numbers_of(data)
    if len(values) == 0 or not all(x > 0 for x in values):
        raise StatisticsError(
            "geometric mean requires a non-empty dataset containing positive numbers"
        )
    return math.exp(mean_of([math.log(x) for x in values]))


@function("statistics.harmonic_mean")
def harmonic_mean(data):
    values = numbers_of(data)
    if len(values) == 0:
        raise StatisticsError("harmonic_mean requires at least one data point")
    for x in values:
        if x < 0:
            raise StatisticsError("harmonic mean does not support negative values")
        if x == 0:
            return 0.0
    return len(values) / math.fsum([1 / x for x in values])


@function("statistics.quantiles")
def quantiles(data, *, n=4, method="exclusive"):
    if n < 1:
        raise StatisticsError("n must be at least 1")
    items = sorted(data)
    count = len(items)
    if count < 2:
        raise StatisticsError("must have at least two data points")
    if method == "inclusive":
        cuts = [divmod(i * (count - 1), n) for i in range(1, n)]
        return [(items[j] * (n - part) + items[j + 1] * part) / n for j, part in cuts]
    if method == "exclusive":
        cuts = []
        for i in range(1, n):
            j = min(max(i * (count + 1) // n, 1), count - 1)
            part = i * (count + 1) - j * n
            cuts.append((items[j - 1] * (n - part) + items[j] * part) / n)
        return cuts
    raise ValueError("Unknown method: " + repr(method))


def centred(x, y, what):
    """The differences from the means of two lists of numbers."""
    xs, ys = numbers_of(x), numbers_of(y)
    if len(xs) != len(ys):
        raise StatisticsError(what + " requires that both inputs have same number of data points")
    if len(xs) < 2:
        raise StatisticsError(what + " requires at least two data points")
    a, b = mean_of(xs), mean_of(ys)
    return [v - a for v in xs], [v - b for v in ys]


def products(x, y):
    return math.fsum([a * b for a, b in zip(x, y)])


@function("statistics.covariance")
def covariance(x, y, /):
    a, b = centred(x, y, "covariance")
    return products(a, b) / (len(a) - 1)


@function("statistics.correlation")
def correlation(x, y, /):
    a, b = centred(x, y, "correlation")
    xx, yy = products(a, a), products(b, b)
    if xx == 0 or yy == 0:
        raise StatisticsError("at least one of the inputs is constant")
    return products(a, b) / math.sqrt(xx * yy)
