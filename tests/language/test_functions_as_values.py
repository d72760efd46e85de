"""Functions in variables, tuples and lists; attributes by name; calls with stars and keywords."""

import math

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import TypingError


@njit
def double(x):
    return x * 2


@njit
def square(x):
    return x * x


def third(x):
    return x - 3


def test_by_branch():
    def f(c, x):
        g = double if c > 0 else square
        if c == 2:
            g = third
        return g(x)

    for c in range(4):
        assert_same(f, c, 7)
        assert_same(f, c, 2.5)


def test_tuples_by_index():
    functions = (double, square, third, double)

    def f(i, x):
        return functions[i](x)

    for i in range(-4, 4):
        assert_same(f, i, 7)
    with pytest.raises(IndexError):
        compiled(f)(4, 1)

    def loop(x):
        for g in functions:
            x = g(x)
        return x

    assert_same(loop, 5)


def test_lists():
    def f(n, x):
        steps = [double, third, square]
        steps.append(double)
        for i in range(n):
            x = steps[i % len(steps)](x)
        for g in steps:
            x += g(1)
        return x

    for n in range(5):
        assert_same(f, n, 3)


def test_closures_with_captured_values():
    def f(c, a, b):
        rows = np.arange(4.0) * a
        if c:
            g = lambda x: x * a + rows[1]
        else:
            g = lambda x: x - b
        return g(10) + g(1)

    assert_same(f, True, 2, 3.5)
    assert_same(f, False, 2, 3.5)


def test_exchanged_in_a_loop():
    def f(n):
        g, h = double, square
        x = 3
        for i in range(n):
            x = g(x) % 1000
            g, h = h, g
        return x

    for n in range(6):
        assert_same(f, n)


def test_results_of_different_types_unify():
    @njit
    def half(x):
        return x / 2

    @njit
    def f(c, x):
        return (half if c else double)(x)

    assert f(True, 3) == 1.5 and f(False, 3) == 6.0


def test_returned_to_python():
    @njit
    def pick(c):
        return double if c else square

    assert pick(True) is double and pick(False) is square


def test_getattr_and_hasattr():
    def f(a):
        total = 0.0
        if hasattr(a, "shape"):
            total += getattr(a, "size")
        else:
            total += getattr(a, "imag")
        return total, getattr(a, "nothing", 5), hasattr(a, "real")

    assert_same(f, np.arange(3.0))
    assert_same(f, 2.5)

    @njit
    def unknown(a, name):
        return getattr(a, name)

    with pytest.raises(TypingError):
        unknown(1.0, 3)


def test_star_and_keywords():
    @njit
    def inner(a, b, c=10, *, d=100):
        return a + 2 * b + 3 * c + 4 * d

    def f(t, k):
        return inner(*t, d=k), inner(*t), inner(1, *t, d=2), inner(*t, c=k, d=k)

    t = (1.5, 2)

    def plain(t, k):
        g = inner.py_func
        return g(*t, d=k), g(*t), g(1, *t, d=2), g(*t, c=k, d=k)

    assert njit(f)(t, 7) == plain(t, 7)

    def keyword_only(x):
        def g(a, *, b=2, c=0.5):
            return a * b + c

        return g(x), g(x, b=3), g(x, c=1.0, b=4)

    assert_same(keyword_only, 5)


def test_match():
    def f(t, n):
        match t:
            case (a, b):
                r = a + b
            case (a, *rest, b) if n > 0:
                r = a * b + len(rest)
            case [a, b, c]:
                r = -a - b - c
            case _:
                r = 0
        match n:
            case 0 | 1:
                r += 100
            case k if k > 5:
                r += k
            case -1:
                r += 1000
        return r

    for n in (-1, 0, 1, 3, 9):
        assert_same(f, (1, 2), n)
        assert_same(f, (1, 2, 3), n)
        assert_same(f, (1, 2, 3, 4), n)
        assert_same(f, 5, n)
        assert_same(f, [3, 4], n)


def test_bound_functions_of_modules():
    def f(c, x):
        g = math.sin if c else math.cos
        return g(x)

    assert_same(f, True, 0.5)
    assert_same(f, False, 0.5)
