"""Inner functions that compiled code gives to Python."""

import numpy as np
from numjit import njit


def test_closures():
    @njit
    def f(k, a):
        def g(x):
            return x * k + a[0]

        return g

    g = f(3, np.array([0.5]))
    assert g(2) == 6.5 and g(1.5) == 5.0
    assert f(2.5, np.array([1]))(2) == 6.0
    assert njit(lambda x: g(x))(2) == 6.5
    assert g.py_func(2) == 6.5 and g.__name__ == "g"


def test_lambdas_defaults_and_recursion():
    @njit
    def f(n):
        def power(x, times=2, *, plus=1):
            return x**times + n + plus

        return power

    power = f(10)
    assert power(3) == 20 and power(3, 3) == 38 and power(2, plus=0) == 14

    @njit
    def g(k):
        def factorial(n):
            return k if n < 2 else n * factorial(n - 1)

        return factorial

    assert g(2)(4) == 48
    assert njit(lambda: lambda x: x + 1)()(2) == 3


def test_one_of_several():
    @njit
    def f(flag, k):
        def plus(x):
            return x + k

        def times(x):
            return x * 2

        return plus if flag else times

    assert f(True, 5)(3) == 8 and f(False, 5)(3) == 6


def test_in_tuples_and_lists():
    @njit
    def f(k):
        return (lambda x: x + k, lambda x: x - k)

    plus, minus = f(3)
    assert plus(10) == 13 and minus(10) == 7


def test_jitted_functions():
    @njit
    def inner(x):
        return x + 1

    @njit
    def f():
        return inner

    assert f() is inner
