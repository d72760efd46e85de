"""Loops that keep the best item so far and where it is: their choices are branches."""

import numpy as np
import pytest
from numjit import njit


def first_least(a):
    least, where = a[0], 0
    for i in range(1, len(a)):
        if a[i] < least:
            least, where = a[i], i
    return where, least


def last_least(a):
    least, where = a[0], 0
    for i in range(len(a)):
        if least >= a[i]:
            where, least = i, a[i]
    return where, least


def least_of_open(a):
    least, where = np.inf, -1
    for i in range(len(a)):
        if i % 3 != 1 and a[i] < least:
            least, where = a[i], i
    return where, least


def largest_difference(a):
    worst, where, before = 0 * a[0], -1, a[0]
    for i in range(1, len(a)):
        gap = abs(a[i] - a[i - 1])
        if gap > worst:
            worst, where, before = gap, i, a[i - 1]
    return where, worst, before


def second_best(a):
    best, second, where = -np.inf, -np.inf, -1
    for i in range(len(a)):
        if a[i] > best:
            best, second, where = a[i], best, i
        elif a[i] > second:
            second = a[i]
    return best, second, where


def both_ends(a):
    low = high = 0
    for i in range(len(a)):
        if a[i] < a[low]:
            low = i
        if not a[i] <= a[high]:
            high = i
    return low, high


def best_and_sum(a):
    best, where, total = a[0], 0, 0.0
    for i in range(len(a)):
        if a[i] > best:
            best, where = a[i], i
        total += best
    return best, where, total


def selection_sorted(a):
    a = a.copy()
    for i in range(len(a)):
        least = i
        for j in range(i + 1, len(a)):
            if a[j] < a[least]:
                least = j
        a[i], a[least] = a[least], a[i]
    return a


def best_trade(a):
    low, bought, sold, gain = 0, 0, 0, 0 * a[0]
    for i in range(len(a)):
        if a[i] < a[low]:
            low = i
        if a[i] - a[low] > gain:
            gain, bought, sold = a[i] - a[low], low, i
    return bought, sold


def farthest_row(a):
    b = a.reshape(-1, 1)
    where = 0
    for i in range(len(b)):
        where = i if b[i, 0] * 0.5 > b[where, 0] * 0.5 else where
    return where


def longest_run(a):
    best = best_end = length = 0
    for i in range(1, len(a)):
        length = length + 1 if a[i] > a[i - 1] else 0
        if length > best:
            best, best_end = length, i
    return best, best_end


ORDERS = {
    "random": lambda n: np.random.default_rng(2).permutation(n),
    "rising": np.arange,
    "falling": lambda n: np.arange(n)[::-1].copy(),
    "equal": lambda n: np.full(n, 3),
    "zigzag": lambda n: np.arange(n) * (1 - 2 * (np.arange(n) % 2)),
}


@pytest.mark.parametrize("dtype", ["int64", "float64", "int32", "float32", "int8"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "function",
    [
        first_least,
        last_least,
        least_of_open,
        largest_difference,
        second_best,
        both_ends,
        best_and_sum,
        best_trade,
        farthest_row,
        longest_run,
    ],
)
def test_records(function, order, dtype):
    compiled = njit(function)
    for n in (1, 2, 3, 4, 5, 17, 63):
        a = ORDERS[order](n).astype(dtype)
        assert compiled(a) == function(a)


@pytest.mark.parametrize("order", ORDERS)
def test_selection(order):
    for n in (1, 2, 9, 40):
        a = ORDERS[order](n).astype(np.float64)
        got = njit(selection_sorted)(a)
        np.testing.assert_array_equal(got, np.sort(a))


@pytest.mark.parametrize("function", [first_least, last_least, second_best, least_of_open])
def test_nan_is_no_record(function):
    a = np.array([2.0, np.nan, 1.0, -0.0, 0.0, np.nan, -np.inf, np.inf, 5.0])
    compiled = njit(function)
    for start in range(len(a)):
        got, wanted = compiled(a[start:]), function(a[start:])
        np.testing.assert_array_equal(got, wanted)
        assert np.signbit(got).tolist() == np.signbit(wanted).tolist()


@pytest.mark.parametrize("unit", ["s", "D"])
def test_times(unit):
    days = np.array([5, 1, 9, 2, 30, 3], f"m8[{unit}]")
    times = np.datetime64("2024-01-01", unit) + np.cumsum(days)

    def latest(a):
        best, where = a[0], 0
        for i in range(1, len(a)):
            if a[i] > best:
                best, where = a[i], i
        return where

    def gap(a):
        worst, where = a[1] - a[0], 1
        for i in range(2, len(a)):
            if a[i] - a[i - 1] > worst:
                worst, where = a[i] - a[i - 1], i
        return where

    for function in (latest, gap):
        for a in (times, times[::-1].copy()):
            assert njit(function)(a) == function(a)
    holes = times.copy()
    holes[[0, 4]] = np.datetime64("NaT", unit)
    assert njit(gap)(holes) == gap(holes)
