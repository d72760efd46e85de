"""Loops whose bodies are copied and whose indices are known to lie on one side of zero."""

import numpy as np
import pytest
from numjit import njit


def remainders(low, high, out):
    for i in range(low, high):
        out[i % 8] += i % 1000 + i // 1000 + i % 24 * (i // 10)


def remainder_store(n, out):
    for i in range(n):
        out[i % 1000] = i


def quotient_sum(low, high, out):
    for i in range(low, high):
        out[0] += i // 16 + i % 48 + i % 7


def bits_moved(low, high, out):
    r, x = 0, high
    for _ in range(low):
        r = (r << 1) | (x & 1)
        x >>= 1
    out[0] = r


@pytest.mark.parametrize("function", [remainders, quotient_sum, bits_moved])
@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 7), (0, 8), (3, 3003), (5, 65541), (60, 1)])
def test_copies(function, low, high):
    got, wanted = np.zeros(8, np.int64), np.zeros(8, np.int64)
    njit(function)(low, high, got)
    function(low, high, wanted)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("n", [-1, 0, 1, 9, 999, 1001, 65535, 65536, 65537, 131080, 200_003])
def test_chunks_and_copies(n):
    got, wanted = np.full(1000, -1), np.full(1000, -1)
    njit(remainder_store)(n, got)
    remainder_store(n, wanted)
    np.testing.assert_array_equal(got, wanted)


def count_up(low, high, step):
    steps, last = 0, low
    for i in range(low, high):
        if steps == step:
            break
        steps += 1
        last = i
    return steps, last


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0, -(2**63)),
        (1, -(2**63)),
        (2**62, -(2**62) - 5),
        (2**63 - 70_000, 2**63 - 1),
        (-(2**63), -(2**63) + 5),
        (-(2**63), 2**63 - 1),
        (0, 2**63 - 1),
        (5, 2**63 - 1),
    ],
)
def test_far_bounds(low, high):
    f = njit(count_up)
    assert f(low, high, 100_000) == count_up(low, high, 100_000)


def count_down(high, low, step):
    steps, last = 0, high
    for i in range(high, low, -1):
        if steps == step:
            break
        steps += 1
        last = i
    return steps, last


@pytest.mark.parametrize(
    ("high", "low"),
    [(0, 2**63 - 1), (5, -1), (2**62, -(2**63)), (2**63 - 1, -(2**63)), (70_000, 0)],
)
def test_far_bounds_downwards(high, low):
    f = njit(count_down)
    assert f(high, low, 100_000) == count_down(high, low, 100_000)


def look_up(a, k):
    if 0 <= k < len(a):
        return a[k]
    if -3 < k:
        return a[k] + 100
    if not k >= -4:
        return -1
    return a[k] + 1000


def test_tests_of_indices():
    a = np.arange(10)
    f = njit(look_up)
    for k in range(-8, 10):
        assert f(a, k) == look_up(a, k), k


def windows(a, low, high):
    total = 0
    for i in range(low, high):
        total = total * 3 + a[i - low] - a[high - i - 1] + a[i]
    for i in range(high, low - 1, -1):
        total = total * 5 + a[i - low] + a[high - i]
    return total


@pytest.mark.parametrize(("low", "high"), [(0, 9), (3, 8), (-4, 4), (-9, -2), (7, 3)])
def test_distances(low, high):
    a = np.arange(11) ** 3 % 17
    assert njit(windows)(a, low, high) == windows(a, low, high)


def carried(a, start):
    i, found = start, []
    while i < len(a):
        j = i
        while j < len(a) and a[j] == a[i]:
            j += 1
        found.append((a[i], j - i))
        i = j
    return found


@pytest.mark.parametrize("start", [0, 2, -1, -3])
def test_carried_positions(start):
    a = np.array([3, 3, 1, 1, 1, 2, 3])
    assert njit(carried)(a, start) == carried(a, start)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_gathered_sums(dtype):
    def gathered(data, indices, x):
        total = x[0] * 0
        for k in range(len(data)):
            total += data[k] * x[indices[k]]
        return total

    random = np.random.default_rng(1)
    data, x = random.random(50).astype(dtype), random.random(20).astype(dtype)
    indices = random.integers(-20, 20, 50)
    assert njit(gathered)(data, indices, x) == gathered(data, indices, x)
