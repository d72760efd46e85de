"""Functions of the vector library: used in loops, right over the whole range of floats."""

import math

import numpy as np
import pytest
from language.support import check_same
from numjit import njit

FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p cbrt sin cos tan arcsin arccos arctan sinh cosh tanh "
    "arcsinh arccosh arctanh"
).split()


def assembly(function, *arguments):
    function(*arguments)
    return function.inspect_asm(function.signatures[0])


def edges(dtype):
    info = np.finfo(dtype)
    x = [
        0,
        1,
        0.5,
        1e-30,
        88.5,
        89.2,
        700,
        709.5,
        710.3,
        711,
        1e10,
        1e30,
        1e38,
        info.max,
        info.tiny,
    ]
    x += [info.eps, np.inf, math.pi / 2, 103.5, 745.0, 1e300]
    with np.errstate(over="ignore"):
        x = np.array(x).astype(dtype)
    return np.concatenate([x, -x, np.full(4, np.nan, dtype)])


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_edges(name, dtype):
    function = getattr(np, name)
    f = njit(lambda a: function(a))
    x = edges(dtype)
    exact = np.longdouble
    with np.errstate(all="ignore"):
        expected = function(x.astype(exact)).astype(dtype)
    check_same(f(x), expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_denormal_numbers(name, dtype):
    """Within one unit, which may take the smallest ones to 0."""
    function = getattr(np, name)
    f = njit(lambda a: function(a))
    unit = np.finfo(dtype).smallest_subnormal
    x = np.arange(1, 33).astype(dtype) * unit
    with np.errstate(all="ignore"):
        expected = function(x.astype(np.longdouble)).astype(dtype)
    tolerance = np.maximum(unit, 2 * np.finfo(dtype).eps * abs(expected))
    right = (abs(f(x) - expected) <= tolerance) | np.isnan(expected)
    assert np.all(right | (f(x) == expected))


def test_edges_of_pow():
    f = njit(lambda a, b: a**b)
    values = np.array(
        [0.0, -0.0, 1, -1, 0.5, -2, 3, 1e300, -1e300, 1e-320, np.inf, -np.inf, np.nan]
    )
    a, b = (part.ravel() for part in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        expected = a**b
    check_same(f(a, b), expected, rtol=4e-16)


def test_edges_of_arctan2():
    f = njit(lambda a, b: np.arctan2(a, b))
    values = np.array([0.0, -0.0, 1, -1, 1e300, -1e-300, np.inf, -np.inf, np.nan])
    a, b = (part.ravel() for part in np.meshgrid(values, values))
    check_same(f(a, b), np.arctan2(a, b), rtol=4e-16)


def test_expressions_loops_sums_and_conditions_call_vector_functions():
    def expression(a):
        return 2 * np.exp(a) + 1

    def loop(a):
        out = np.empty_like(a)
        for i in range(len(a)):
            out[i] = math.exp(a[i])
        return out

    def total(a):
        s = 0.0
        for i in range(len(a)):
            s += math.exp(a[i])
        return s

    def condition(a):
        out = np.zeros_like(a)
        for i in range(len(a)):
            if a[i] > 0.5:
                out[i] = math.log(a[i])
        return out

    for function in (expression, loop, total, condition):
        assert "Sleef_" in assembly(njit(function), np.ones(100)), function.__name__


def test_fastmath_takes_the_faster_forms():
    def f(a):
        return np.sin(a)

    assert "u10" in assembly(njit(f), np.ones(9))
    assert "u35" in assembly(njit(fastmath=True)(f), np.ones(9))


def test_sum_in_order_is_the_interpreters():
    def f(a):
        s = 0.0
        for i in range(len(a)):
            s += math.sqrt(a[i]) * a[i]
        return s

    a = np.random.default_rng(1).random(1003) * 1e6
    assert njit(f)(a) == f(a)
