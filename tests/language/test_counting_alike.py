"""Loops with several variables that count, and such that step down to a value."""

import numpy as np
import pytest
from numjit import njit

pytestmark = pytest.mark.one_python


def counter(n):
    i = 0
    while i < n:
        yield i
        i += 1


@njit
def counter_compiled(n):
    i = 0
    while i < n:
        yield i
        i += 1


def enumerated(n, count):
    s = 0
    for i, v in enumerate(count(n)):
        s = s * 3 + i * 5 + v
    return s


def enumerated_from(n, count):
    s = 0
    for i, v in enumerate(count(n), 7):
        s = s * 3 + i * 5 + v
    return s


@pytest.mark.parametrize("n", [-1, 0, 1, 2, 3, 17, 30])
@pytest.mark.parametrize("function", [enumerated, enumerated_from])
def test_number_of_a_generators_item(function, n):
    assert njit(function)(n, counter_compiled) == function(n, counter)


def several(n, start):
    i, k, behind, down, twice = 0, 5, -1, start, 0
    out = []
    while i < n:
        out.append((i, k, behind, down, twice))
        behind = i
        i += 1
        k += 1
        down -= 1
        twice += 2
    return out, i, k, behind, down, twice


def late(n, start):
    """`seen` is behind, but does not start one step before."""
    i, seen = 0, start
    total = 0
    while i < n:
        total = total * 3 + seen
        seen = i
        i += 1
    return total, seen


def skipping(n, start):
    i, k = 0, 0
    total = 0
    while i < n:
        total += k * start
        if i % 3 != start:
            k += 1
        i += 1
    return total, k


def other_bound(n, start):
    i, k = 0, 0
    while i < n and k < start:
        i += 1
        k += 1
    return i, k


@pytest.mark.parametrize("n", [0, 1, 2, 5, 29])
@pytest.mark.parametrize("start", [-1, 0, 1, 2, 9])
@pytest.mark.parametrize("function", [several, late, skipping, other_bound])
def test_variables_beside_the_index(function, n, start):
    assert njit(function)(n, start) == function(n, start)


def wrapping(n):
    i, k = 0, 2**63 - 3
    while i < n:
        i += 1
        k += 1
    return k


def test_sums_wrap_around():
    assert njit(wrapping)(2) == 2**63 - 1
    assert njit(wrapping)(3) == -(2**63)


def insertion_sort(x):
    a = x.copy()
    for i in range(1, len(a)):
        v, j = a[i], i - 1
        while j >= 0 and a[j] > v:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = v
    return a


def sift(x):
    """Every row of 8 by itself: the steps have a known number."""
    a = x.copy()
    for k in range(0, len(a) - 7, 8):
        for i in range(1, 8):
            j = i
            while j > 0 and a[k + j - 1] > a[k + j]:
                a[k + j - 1], a[k + j] = a[k + j], a[k + j - 1]
                j -= 1
    return a


def from_behind(x):
    """`j` goes to -1, which is the last item, and back up."""
    total = 0 * x[:1].sum()
    j = len(x) - 1
    while j >= -1:
        total += x[j] * (j + 2)
        j -= 1
    while j < len(x) - 1:
        j += 1
        total -= x[j]
    return total


def shifted(x):
    """What an iteration stores is what the next one loads."""
    a = x.copy()
    j = 0
    while j < len(a) - 1 and a[j] <= a[j + 1] + 1:
        a[j + 1] = a[j]
        j += 1
    return a


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 9, 40])
@pytest.mark.parametrize("function", [insertion_sort, sift, from_behind, shifted])
def test_steps_through_memory(function, dtype, n):
    x = np.random.default_rng(n).integers(0, 50, n).astype(dtype)
    wide = x.astype(np.int64) if function is from_behind and x.dtype.kind in "iu" else x
    np.testing.assert_array_equal(njit(function)(wide), function(wide))
