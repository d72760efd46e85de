"""functools, getters of operator, and functions that decorators made."""

import collections.abc
import functools
import math
import numbers
import operator
from collections import namedtuple

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import TypingError

Point = namedtuple("Point", "x y")


def plain(x, y, z=3):
    return x * 100 + y * 10 + z


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@functools.cache
def doubled(n):
    return n * 2


first_given = functools.partial(plain, 1)
last_given = functools.partial(plain, z=7)
of_partial = functools.partial(first_given, 2)
compiled_given = functools.partial(njit(plain), 1, 2)
second = operator.itemgetter(1)
outer = operator.itemgetter(0, -1)
get_x = operator.attrgetter("x")
upper = operator.methodcaller("upper")
split = operator.methodcaller("split", ",", maxsplit=1)


def test_partial_objects():
    def f(n):
        return first_given(n), last_given(n, 2), last_given(n, 2, z=1), of_partial(), of_partial(n)

    assert_same(f, 5)
    assert compiled(lambda n: compiled_given(n))(5) == 125


def test_partial_in_the_function():
    def f(n):
        a = functools.partial(plain, n, z=5)
        b = functools.partial(a, 2, z=6)
        return a(1), a(1, z=2), b(), b(z=n)

    assert_same(f, 4)


def test_partial_as_an_argument():
    def f(g, n):
        return g(n)

    assert compiled(f)(functools.partial(plain, 2), 3) == 233
    assert compiled(f)(functools.partial(plain, 1, z=1), 3) == 131


def test_partial_of_what_is_mapped():
    def f(items):
        return list(map(functools.partial(operator.mul, 3), items)), sorted(
            items, key=functools.partial(operator.sub, 0)
        )

    assert_same(f, [3, 1, 2])


cached_root = functools.lru_cache(math.sqrt)
cached_plain = functools.lru_cache(njit(plain))


def test_cached_functions():
    def f(n):
        return fibonacci(n), doubled(n), cached_root(n), cached_plain(n, 2)

    assert_same(f, 10)


def test_getters_from_outside():
    def f(pairs, p):
        return (
            second(pairs[0]),
            outer(pairs),
            sorted(pairs, key=second),
            get_x(p),
            upper("abc"),
            split("a,b,c"),
        )

    assert_same(f, [(1, 5), (2, 3)], Point(2, 3.5))


def test_getters_made_in_the_function():
    def f(pairs, z):
        return (
            sorted(pairs, key=operator.itemgetter(1)),
            max(pairs, key=operator.itemgetter(1)),
            operator.itemgetter(0, 1)((z, "text", 2)),
            operator.attrgetter("real", "imag")(z),
            operator.methodcaller("conjugate")(z),
        )

    assert_same(f, [(1, 5.5), (2, 3.5)], 3 + 4j)


def test_items_of_getters_must_be_known():
    @njit
    def f(t, i):
        return operator.itemgetter(i)(t)

    with pytest.raises(TypingError, match="must be known at compile time"):
        f((1, 2), 1)


def test_reduce():
    def f(x):
        return (
            functools.reduce(operator.add, [1, 2, 3]),
            functools.reduce(lambda a, b: a * b, [1, 2, 3], x),
            functools.reduce(max, (3, 1, 2)),
        )

    assert_same(f, 3)


def test_functions_in_tuples_and_dicts():
    def f(x):
        def add(n):
            return lambda z: z + n

        functions = (add(x), add(2), abs)
        named = {"a": add(x), "b": add(10)}
        return functions[0](1) + functions[2](-3), named["a"](1), named["b"](2)

    assert_same(f, 3)


def test_captured_variables_that_are_assigned_again():
    def f(x):
        y = x + 1

        def inner(x):
            return x * y

        y = inner(x)
        return y

    assert_same(f, 3)


def test_type_of_values():
    def f(a, t, n):
        return (
            type(a) is np.ndarray,
            type(n) is int,
            type(2.5) == float,  # noqa: E721 - that is what is tested
            type(n) is float,
            type(t) is tuple,
            type("a") is str,
            type([1]) is list,
        )

    assert_same(f, np.arange(3), (1, 2.5), 4)


def test_issubclass_and_callable():
    def f(n):
        return (
            issubclass(int, float),
            issubclass(bool, (float, int)),
            issubclass(KeyError, LookupError),
            callable(abs),
            callable(lambda: 1),
            callable(n),
        )

    assert_same(f, 3)


def test_isinstance_of_classes_that_python_knows():
    class Own:
        pass

    def f(n, x, a, items, text):
        return (
            isinstance(n, numbers.Integral),
            isinstance(n, numbers.Real),
            isinstance(x, numbers.Integral),
            isinstance(x, numbers.Number),
            isinstance(a, collections.abc.Iterable),
            isinstance(items, collections.abc.Sequence),
            isinstance(text, (collections.abc.Mapping, collections.abc.Hashable)),
            isinstance(n, Own),
            isinstance(None, Own),
            isinstance(a, np.ma.MaskedArray),
        )

    assert_same(f, 1, 2.5, np.arange(3), [1], "abc")


def test_issubclass_of_dtypes():
    def f(a):
        return (
            issubclass(a.dtype.type, np.integer),
            issubclass(a.dtype.type, (np.floating, np.complexfloating)),
            issubclass(a.dtype.type, np.inexact),
        )

    for dtype in (np.int64, np.uint8, np.float32, np.complex128, np.bool_):
        assert_same(f, np.zeros(2, dtype))
