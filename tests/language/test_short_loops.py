"""Remainders that need no division, and loops that end soon without counting.

The compiler takes `(i + 1) % n` for a comparison where the loop says how large `i` is, and leaves
interrupt points out of loops that walk through an array or take a number apart. What they compute
must stay what the interpreter computes, at all the ends.
"""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit

pytestmark = pytest.mark.one_python

RINGS = """
def f(n, low, high, out):
    for i in range(low, high):
        out[i - low] = (i + OFFSET) % n
"""
SIZED_RINGS = """
def f(a, out):
    n = len(a)
    for i in range(n):
        out[i] = a[(i + OFFSET) % n]
"""


def compiled(source, **names):
    for name, value in names.items():
        source = source.replace(name, value)
    space = {"np": np}
    exec(source, space)
    return space["f"], njit(space["f"])


@pytest.mark.parametrize("offset", range(-3, 4))
def test_rings_of_an_array(offset):
    plain, fast = compiled(SIZED_RINGS, OFFSET=str(offset))
    for n in range(7):
        a = np.arange(n) * 10 + 1
        wanted, got = np.zeros(n, np.int64), np.zeros(n, np.int64)
        plain(a, wanted)
        fast(a, got)
        assert got.tolist() == wanted.tolist()


@pytest.mark.parametrize("offset", range(-2, 3))
def test_rings_of_any_bounds(offset):
    plain, fast = compiled(RINGS, OFFSET=str(offset))
    for n in (-3, -1, 1, 2, 5):
        for low in range(-4, 4):
            for high in range(low, 7):
                wanted, got = np.zeros(12, np.int64), np.zeros(12, np.int64)
                plain(n, low, high, wanted)
                fast(n, low, high, got)
                assert got.tolist() == wanted.tolist(), (n, low, high)


@pytest.mark.parametrize("offset", ["0", "1", "-1", "2"])
@pytest.mark.parametrize("bound", ["n", "n - 1", "n + 1", "2 * n", "m"])
@pytest.mark.parametrize("start", ["0", "1", "2"])
def test_rings_of_bounds_made_of_their_size(offset, bound, start):
    source = """
def f(n, m):
    total = 0
    for i in range(START, BOUND):
        total = total * 31 % 1009 + (i + OFFSET) % n
    return total
"""
    plain, fast = compiled(source, OFFSET=offset, BOUND=bound, START=start)
    for n in (1, 2, 3, 8):
        for m in (0, 1, 5, 20):
            assert fast(n, m) == plain(n, m)


def test_zero_divisors_still_raise():
    @njit
    def last(n, m):
        x = 0
        for i in range(m):
            x = (i + 1) % n
        return x

    assert last(0, 0) == 0
    with pytest.raises(ZeroDivisionError):
        last(0, 1)


def test_sums_of_remainders():
    def fibonacci(n, m):
        a, b = 0, 1
        for _ in range(n):
            a, b = b, (a + b) % 1000003
        c, d = 0, 1
        for _ in range(n):
            c, d = d, (c + d) % m
        return a, c

    assert njit(fibonacci)(300, 97) == fibonacci(300, 97)


SHRINKING = {
    "bits": """
    while x:
        x &= x - 1
        n += 1
    """,
    "digits": """
    while x > 0:
        n = n * 10 + x % 10
        x //= 10
    """,
    "halves": """
    while x > 0:
        x >>= 1
        n += 1
    """,
    "common divisor": """
    y = 360
    while y:
        x, y = y, x % y
    n = x
    """,
    "squares": """
    p = 3
    while x > 0:
        if x & 1:
            n = n * p % 1009
        p = p * p % 1009
        x >>= 1
    """,
}


@pytest.mark.parametrize("body", SHRINKING.values(), ids=SHRINKING)
@pytest.mark.parametrize("sign", ["", "if x < 0:\n        return -1\n    "])
def test_numbers_taken_apart(body, sign):
    source = f"def f(x):\n    n = 0\n    {sign}{body}\n    return n\n"
    plain, fast = compiled(source)
    for x in [*range(300), 2**31, 2**40 - 1, 2**62 + 123456, -1, -7, -(2**40)]:
        if x < 0 and "x - 1" in body:  # Python's bits of a negative number do not end
            continue
        assert fast(x) == plain(x)


def test_walks_through_arrays():
    def places(a, key):
        out = np.zeros(len(a), np.int64)
        for i in range(len(a)):
            j = i
            while j >= 0 and a[j] != key:
                j -= 1
            k = i
            while a[k] != key and k + 1 < len(a):
                k += 1
            out[i] = j * 100 + k
        return out

    fast = njit(places)
    for n in range(1, 6):
        for bits in range(2**n):
            a = np.array([bits >> k & 1 for k in range(n)])
            assert fast(a, 1).tolist() == places(a, 1).tolist()


def test_columns_and_distances():
    def f(a, m, j, step, distance):
        best, total = -1.0, 0.0
        for i in range(len(a)):
            v = a[i] + m[i, j]
            if v > best:
                best = v
        for i in range(len(a) - 1, -1, step):
            total = total * 0.5 + m[i, j] * a[i]
        for i in range(distance, len(a)):
            a[i] += a[i - distance]
        for i in range(len(a) - distance):
            if a[i + distance] > a[i]:
                a[i] = a[i + distance]
        return best, total

    fast = njit(f)
    values = np.random.default_rng(2).integers(0, 50, (24, 24)).astype(np.float64)
    for n in range(12):
        for m in (values, values[::-1, ::-2], values.T, values[::2]):
            for distance in range(0, n + 2, 2):
                got, wanted = values[3, :n].copy(), values[3, :n].copy()
                ours = fast(got, m[:n], n % 5, -1 - n % 3, distance)
                assert ours == f(wanted, m[:n], n % 5, -1 - n % 3, distance)
                np.testing.assert_array_equal(got, wanted)


def test_sums_at_loaded_indices():
    def f(sums, queries):
        total, out = 0, np.empty(len(queries), np.int64)
        for k in range(len(queries)):
            total ^= sums[queries[k, 1]] - sums[queries[k, 0]]
            out[k] = sums[queries[k, 0]]
        return total, out.sum()

    sums = np.cumsum(np.arange(20) * 7)
    queries = np.random.default_rng(3).integers(-20, 20, (40, 2))
    fast = njit(f)
    for n in range(20):
        for part in (queries[:n], queries[::-1][:n], queries[:, ::-1][:n]):
            assert fast(sums, part) == f(sums, part)


def two_divisors_of_an_inner_loop(n, m, d, e, g):
    total = 0
    for i in range(n):
        total += i % d
        for j in range(m):
            total += j % e + j // g + i % d
    return total


@pytest.mark.parametrize("zero", [None, 0, 1, 2])
@pytest.mark.parametrize("n, m", [(0, 3), (3, 0), (3, 4)])
def test_tests_leave_nested_loops(n, m, zero):
    divisors = [0 if i == zero else i + 2 for i in range(3)]
    assert_same(two_divisors_of_an_inner_loop, n, m, *divisors)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8, 31, 100])
def test_copies_in_steps_of_work(n):
    """The copy of what was stored just now, of the same array at other places, and of itself."""

    def f(u, steps):
        new, shifted, kept = np.zeros(len(u)), np.zeros(len(u)), u.copy()
        for step in range(steps):
            for i in range(1, len(u) - 1):
                new[i] = u[i] + 0.1 * (u[i - 1] - u[i + 1])
            for i in range(len(u)):
                shifted[i] = new[i]
            for i in range(len(u)):
                u[i] = new[i]
            for i in range(1, len(u)):
                kept[i] = kept[i - 1]
            for i in range(len(u)):
                new[i] = 0
        return new, shifted, kept

    for steps in (0, 1, 3):
        u, v = np.arange(n) * 1.5, np.arange(n) * 1.5
        np.testing.assert_array_equal(f(u, steps), njit(f)(v, steps))
        np.testing.assert_array_equal(u, v)
