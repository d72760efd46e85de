"""Quotients and remainders by variables, for all signs, at the borders, in chains."""

import numpy as np
import pytest
from numjit import njit

pytestmark = pytest.mark.one_python


def both(a, b):
    return a // b, a % b


def arrays(a, b, quotients, remainders):
    for i in range(len(a)):
        for j in range(len(b)):
            quotients[i, j] = a[i] // b[j]
            remainders[i, j] = a[i] % b[j]


def chain(start, factor, modulus, n):
    x = start
    for i in range(n):
        x = (x * factor + i) % modulus
        x += x // modulus
    return x


def borders(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    middle = [high // 3, low // 3] if low else [high // 3]
    small = range(-9, 10) if low else range(20)
    return np.array([low, low + 1, *middle, *small, high - 1, high], dtype)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint64"])
def test_borders(dtype):
    a = borders(dtype)
    b = a[a != 0]
    shape = len(a), len(b)
    quotients, remainders = np.zeros(shape, dtype), np.zeros(shape, dtype)
    njit(arrays)(a, b, quotients, remainders)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(quotients, a[:, None] // b)
        np.testing.assert_array_equal(remainders, a[:, None] % b)


def test_ints():
    compiled = njit(both)
    for a in borders(np.int64).tolist():
        for b in (-(2**63) + 1, -10, -7, -3, -2, 2, 3, 7, 10, 2**62, 2**63 - 1):
            assert compiled(a, b) == both(a, b)
    with pytest.raises(ZeroDivisionError):
        compiled(1, 0)


@pytest.mark.parametrize("modulus", [1, 7, 97, -97, 1_000_003, -1_000_003])
@pytest.mark.parametrize("start", [0, 5, -5])
def test_chains(start, modulus):
    compiled = njit(chain)
    for factor in (1, -3, 12345):
        assert compiled(start, factor, modulus, 50) == chain(start, factor, modulus, 50)


def repeated(n, a, b, out):
    for i in range(n):
        out[0] += i % a
        x = i
        while x > 0:
            if x & 1:
                out[1] += x // b
            out[2] += x % a
            x >>= 1
        out[3] += i // a + (i + 1) % b


@pytest.mark.parametrize("n", [0, 1, 2, 9])
@pytest.mark.parametrize(("a", "b"), [(3, 4), (0, 4), (3, 0), (0, 0), (-3, 5)])
def test_tests_for_zero_that_repeat(n, a, b):
    got, wanted = np.zeros(4, np.int64), np.zeros(4, np.int64)
    results = []
    for function, out in ((repeated, wanted), (njit(repeated), got)):
        try:
            results.append(function(n, a, b, out))
        except ZeroDivisionError as error:
            line = error.__traceback__
            while line.tb_next:
                line = line.tb_next
            results.append((type(error), line.tb_lineno))
    assert results[0] == results[1]
    np.testing.assert_array_equal(got, wanted)
