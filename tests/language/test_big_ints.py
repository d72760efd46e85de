"""Ints beyond 64 bits beside ints that are not known: Python's values where these have 64 bits."""

import itertools
import operator

import pytest
from numjit import njit

BIG = [2**63 + 1 << 1, 2**64, 2**70, 2**70 + 12345, 10**30 + 7, 3**200, -(2**64), -(10**25) - 3]
SMALL = [0, 1, -1, 2, 3, -7, 64, 2**31, -(2**31), 2**32 - 1, 2**32, 2**32 + 1, 1000000007**2]
SMALL += [2**62 + 5, 2**63 - 1, -(2**63), 1 - 2**63]
OPERATORS = {"%": operator.mod, "//": operator.floordiv, "&": operator.and_, "|": operator.or_}


def function_of(text):
    scope = {}
    exec(f"def f(n):\n    return {text}\n", scope)
    return scope["f"]


def outcome(function, n):
    try:
        result = function(n)
    except (ZeroDivisionError, OverflowError) as error:
        return type(error)
    return result if -(2**63) <= result < 2**63 else OverflowError


@pytest.mark.parametrize("symbol", OPERATORS)
@pytest.mark.parametrize("big", BIG)
def test_operators(symbol, big):
    for text in (f"({big}) {symbol} n", f"n {symbol} ({big})"):
        plain = function_of(text)
        compiled = njit(plain)
        for n in SMALL:
            assert outcome(compiled, n) == outcome(plain, n), (text, n)


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize("big", [2**70, -(2**70)])
def test_comparisons(symbol, big):
    for text in (f"({big}) {symbol} n", f"n {symbol} ({big})"):
        plain = function_of(text)
        compiled = njit(plain)
        for n in SMALL:
            assert compiled(n) == plain(n), (text, n)


def residues(n, count):
    total = 0
    for k in range(1, count):
        total += 2**100 % (n + k) + 10**20 % (n * n + k)
        n &= 2**64 - 1
    return total


def test_in_loops():
    for n in (1, 5, 2**20 - 3):
        assert njit(residues)(n, 40) == residues(n, 40)


def test_in_place_and_powers():
    def f(n):
        x = n
        x %= 2**64
        y = pow(n, 3) & 2**80 - 1
        return x, y

    assert njit(f)(77) == f(77)
    with pytest.raises(OverflowError, match="more than 64 bits"):
        njit(f)(-1)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "^"])
def test_what_cannot_fit_is_refused(symbol):
    for text in itertools.chain([f"n {symbol} 2**70", f"2**70 {symbol} n"]):
        with pytest.raises(Exception, match="compiled ints have 64 bits"):
            njit(function_of(text))(3)
