"""Variables of loops that never get negative, and such that seem so."""

import numpy as np
import pytest
from numjit import njit

pytestmark = pytest.mark.one_python


def palindromes(n):
    best = 0
    for a in range(n, n // 2, -1):
        for b in range(a, n // 2, -1):
            product = a * b
            if product <= best:
                break
            reverse, x = 0, product
            while x:
                reverse = 10 * reverse + x % 10
                x //= 10
            if reverse == product:
                best = product
    return best


def digits_of_steps(n, start):
    """x begins where the caller says: its quotients may be negative."""
    out, x = [], start
    for i in range(n):
        out.append((x // 3, x % 3, x >> 1))
        x = x // 3 if i % 2 else x - 5
    return out


def least(values):
    best = 0
    for x in values:
        if x < best:
            best = x
    return best // 7, best % 7, best


def greatest(values, start):
    best = start
    for x in values:
        if x > best:
            best = x
    return best // 7, best % 7, best


def by_subtraction(a, b):
    x, y = a & 1023, b & 1023
    steps = []
    while x != y and x and y:
        if x > y:
            x -= y
        else:
            y -= x
        steps.append((x // 4, y // 4))
    return steps


def crossing(a, b):
    """x >= y, but y may be negative: the difference wraps around."""
    x, y = a & 1023, b
    for _ in range(3):
        if x >= y:
            x = x - y
    return x, x // 10


def swapped(n):
    x, y = 5, 7
    out = 0
    for i in range(n):
        x, y = y, x % (y * y + 1)
        y = y - i if i % 3 == 2 else y
        out += x // 2 + y // 2
    return out


def grows_over_the_end(n):
    x = 1
    out = 0
    for _ in range(n):
        x = x * 3
        out ^= x // 10
    return out


def masks(n, m):
    x = n & 0xFFFF
    out = []
    for i in range(10):
        x = (x >> 1) ^ (0xA001 if x & 1 else 0)
        m = m >> 1 | (x & m)
        out.append((x // 3, m // 3, min(x, m) // 3, max(x, m) // 3))
    return out


NUMBERS = [-(2**63), -(2**62), -1000, -7, -1, 0, 1, 6, 1000, 2**62, 2**63 - 1]


def wrapped(x):
    return (x + 2**63) % 2**64 - 2**63


def test_palindromes():
    assert [njit(palindromes)(n) for n in (0, 1, 9, 99)] == [palindromes(n) for n in (0, 1, 9, 99)]


@pytest.mark.parametrize("start", [0, 1, -1, 7, -20, 10**15])
def test_quotients(start):
    assert njit(digits_of_steps)(9, start) == digits_of_steps(9, start)


def test_extremes():
    values = np.array(NUMBERS)
    for start in NUMBERS:
        assert njit(greatest)(values[:5], start) == greatest(values[:5].tolist(), start)
    for count in range(len(NUMBERS)):
        assert njit(least)(values[:count]) == least(values[:count].tolist())


def test_differences():
    compiled = njit(by_subtraction)
    for a in range(0, 40, 3):
        for b in range(0, 40, 7):
            assert compiled(a, b) == by_subtraction(a, b)


def test_differences_that_wrap():
    def expected(a, b):
        x = a & 1023
        for _ in range(3):
            if x >= b:
                x = wrapped(x - b)
        return x, x // 10

    for a in (0, 5, 1023):
        for b in NUMBERS:
            assert njit(crossing)(a, b) == expected(a, b)


def test_swapped_variables():
    assert njit(swapped)(3) == swapped(3)
    assert njit(swapped)(20) == swapped(20)


def test_products_wrap():
    def expected(n):
        x, out = 1, 0
        for _ in range(n):
            x = wrapped(x * 3)
            out ^= x // 10
        return out

    assert [njit(grows_over_the_end)(n) for n in range(90)] == [expected(n) for n in range(90)]


def test_bits():
    for n in NUMBERS:
        for m in NUMBERS:
            assert njit(masks)(n, m) == masks(n, m)
