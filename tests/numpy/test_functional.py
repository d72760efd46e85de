"""NumPy's functions that call functions: of the user's, and of NumPy's."""

import numpy as np
import pytest
from language.support import assert_same, check, compiled
from numjit import njit
from numjit.errors import TypingError

CUBE = np.arange(24.0).reshape(2, 3, 4)


@njit
def middle(x):
    return x[1:3]


@njit
def add_one(x):
    return x + 1


def test_pieces_that_are_functions():
    check("np.piecewise(a, [a < 2, a >= 2], [lambda x: -x, np.sqrt])", CUBE)
    check("np.piecewise(a, [a < 2], [lambda x, k: x + k, lambda x, k: x * k], 3)", np.arange(5))
    check("np.piecewise(a, [a < 1, a > 3], [lambda x: -x, 2.5, 100])", np.arange(5))
    check("np.piecewise(a, a < 2, [lambda x: -x, lambda x: x * 2])", np.arange(5.0))
    check("np.piecewise(a, [a < 3, a >= 3], [lambda x: -x, lambda x: x])", np.array(2.5))
    check("np.piecewise(a, [a < 2], [1, 2, 3])", np.arange(5))


def test_pieces_need_their_number():
    def f(a, conditions):
        return np.piecewise(a, conditions, [1, 2])

    with pytest.raises(TypingError, match="must be in the program"):
        compiled(f)(np.arange(3), [np.array([True, False, True])])


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_along_axis(axis):
    check(f"np.apply_along_axis(lambda x: x.sum(), {axis}, a)", CUBE)
    check(f"np.apply_along_axis(np.diff, {axis}, a)", CUBE**2)
    check(f"np.apply_along_axis(lambda x, k: np.outer(x, x[:k]), {axis}, a, 2)", CUBE)
    check("np.apply_along_axis(np.sort, b, a)", -CUBE, axis)


def test_along_axis_of_compiled_functions():
    def f(a):
        return np.apply_along_axis(middle, 0, a), np.apply_along_axis(lambda x: (x[0], 2.5), 1, a)

    assert_same(f, np.arange(12).reshape(3, 4))
    check("np.apply_along_axis(np.sum, 0, a)", np.zeros((3, 0)))


def test_over_axes():
    check("np.apply_over_axes(np.sum, a, [0, 2]), np.apply_over_axes(np.max, a, 1)", CUBE)
    check("np.apply_over_axes(lambda x, i: np.cumsum(x, i), a, (0, 1))", CUBE)


def test_vectorize():
    check("np.vectorize(lambda x, y: x + y if x > y else 1.0)(a, b)", CUBE, np.arange(4))
    check("np.vectorize(lambda x: x > 2)([1, 2, 3])")
    check("np.vectorize(lambda x: x + 1)(a).sum()", CUBE)
    assert_same(lambda a: np.vectorize(add_one)(a), np.arange(3.0))


def test_functions_that_capture_functions():
    """A closure over a closure that captures nothing is a value without parts."""

    @njit
    def twice(f):
        def g(x):
            return f(f(x))

        return g

    def program(x):
        return twice(twice(lambda y: y * 3))(x)

    assert njit(program)(2.0) == 162.0


product_of = np.vectorize(lambda x, y: x * y + 1)
halves = np.vectorize(lambda x: x // 2, otypes=[np.float32])


@np.vectorize
def sign(x):
    """A decorated function."""
    return -1 if x < 0 else 1


def test_vectorize_objects():
    """Those that are made outside of compiled code."""

    def f(a):
        return product_of(a, 2.0), product_of(a, a.T), halves(a), sign(a - 2)

    assert_same(f, np.arange(9).reshape(3, 3))
    assert_same(f, np.arange(4.0).reshape(2, 2))
    assert_same(lambda a: np.vectorize(np.sin)(a), np.ones(2))


@pytest.mark.parametrize("otypes", ["[np.float32]", "[float]", "(int,)", "'d'"])
def test_otypes(otypes):
    f = eval(f"lambda a: np.vectorize(lambda x: x * 2, otypes={otypes})(a)", {"np": np})
    assert_same(f, np.arange(3))
    assert_same(f, np.arange(3.0))
    made = eval(f"np.vectorize(lambda x: x * 2, {otypes})", {"np": np})
    assert_same(lambda a: made(a), np.arange(3.0))


def test_vectorize_that_is_refused():
    for made in (np.vectorize(lambda x: x, signature="(n)->()"), np.vectorize(max, excluded=[1])):
        with pytest.raises(TypingError, match="np.vectorize with signature= or excluded="):
            njit(lambda a: made(a))(np.ones(2))
