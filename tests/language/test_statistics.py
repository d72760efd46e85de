"""``statistics`` in compiled code, against the interpreter's."""

import math
import random
import statistics

import numpy as np
import pytest
from numjit import njit

ONE = """
    fmean mean variance pvariance stdev pstdev median median_low median_high mode multimode
    geometric_mean harmonic_mean quantiles
""".split()


def data(kind):
    drawn = random.Random(3)
    return {
        "floats": [drawn.uniform(1, 9) for _ in range(31)],
        "integers": [drawn.randrange(1, 9) for _ in range(30)],
        "two": [2.5, 1.5],
        "tuple": (1.5, 2.5, 2.5, 9.0),
        "large": [1e15 + drawn.random() for _ in range(20)],
        "array": np.array([1.0, 4.0, 2.0, 2.0]),
    }[kind]


def close(found, expected):
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(close, found, expected))
    return math.isclose(found, expected, rel_tol=1e-14)


@pytest.mark.parametrize("kind", "floats integers two tuple large array".split())
@pytest.mark.parametrize("name", ONE)
def test_of_one_list(name, kind):
    function = getattr(statistics, name)
    values = data(kind)
    assert close(njit(lambda x: function(x))(values), function(values))


@pytest.mark.parametrize("name", ["covariance", "correlation"])
def test_of_two_lists(name):
    function = getattr(statistics, name)
    x, y = data("floats"), [v * v for v in data("floats")]
    f = njit(lambda x, y: function(x, y))
    assert close(f(x, y), function(x, y))
    for wrong in ([1.0], [1.0, 2.0]):
        with pytest.raises(statistics.StatisticsError):
            f(x, wrong)


def test_parameters():
    x = data("floats")
    weights = [float(i) for i in range(len(x))]
    assert close(
        njit(lambda x, w: statistics.fmean(x, weights=w))(x, weights),
        statistics.fmean(x, weights=weights),
    )
    for n, method in ((4, "exclusive"), (10, "inclusive"), (1, "inclusive")):
        found = njit(lambda x, n, m: statistics.quantiles(x, n=n, method=m))(x, n, method)
        assert close(found, statistics.quantiles(x, n=n, method=method))
    centre = statistics.fmean(x)
    assert close(njit(lambda x, c: statistics.pstdev(x, c))(x, centre), statistics.pstdev(x))
    assert njit(lambda x: statistics.mode(x))(["b", "a", "a"]) == "a"


@pytest.mark.parametrize("name", ONE)
def test_without_data(name):
    function = getattr(statistics, name)

    def f(n):
        return function([1.5 for _ in range(n)])

    if name == "multimode":
        assert njit(f)(0) == f(0)
        return
    with pytest.raises(statistics.StatisticsError):
        f(0)
    with pytest.raises(statistics.StatisticsError):
        njit(f)(0)
