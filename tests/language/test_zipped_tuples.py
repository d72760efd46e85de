"""Loops over zip() of tuples whose items have several types, which are copied for each item, and of
what may have fewer items than that."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit

MIXED = (2, "a", 3.5)
numbers = np.arange(6.0)


def first(x):
    return [(a, str(b)) for a, b in zip(x, MIXED)]


def last(x):
    found = []
    for b, a in zip(MIXED, x):
        found.append((a, str(b)))
    return found


def counted(x):
    found = []
    for i, (a, b) in enumerate(zip(x, MIXED)):
        found.append((i, a, str(b)))
    return found


def left(x):
    total = 0.0
    for a, b in zip(x, MIXED):
        if str(b) == "a":
            break
        total += a
    else:
        total = -1.0
    return total


def nested(x):
    total = 0.0
    for a, b in zip(x, MIXED):
        for c, d in zip(x, (b, 1)):
            total += a * c
    return total


def of_three(x):
    return [a + b for a, (b, c), d in zip(x, enumerate(x), MIXED)]


SHORTER = {
    "nothing": numbers[:0],
    "one": numbers[:1],
    "two": numbers[:2],
    "as many": numbers[:3],
    "more": numbers,
}


@pytest.mark.parametrize("x", SHORTER.values(), ids=SHORTER)
@pytest.mark.parametrize("function", [first, last, counted, left, nested, of_three])
def test_array(function, x):
    assert njit(function)(x) == function(x)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_list(count):
    for function in (first, counted, left):
        given = [float(i) for i in range(count)]
        assert njit(function)(given) == function(given)


@pytest.mark.parametrize("start, stop, step", [(0, 1, 1), (0, 9, 1), (7, 0, -4), (2, 2, 5)])
def test_range(start, stop, step):
    def f(start, stop, step):
        found = [0]
        for i, b in zip(range(start, stop, step), MIXED):
            found.append(i)
            found.append(len(str(b)))
        for i, b in zip(range(stop), MIXED):
            found.append(i)
        return found

    assert njit(f)(start, stop, step) == f(start, stop, step)


def test_text():
    def f(text):
        return [a + str(b) for a, b in zip(text, MIXED)]

    for text in ("x", "xyz", "vwxyz"):
        assert njit(f)(text) == f(text)


def total(*arrays):
    return sum(np.sum(a) for a in arrays)


def replaced(*args):
    arrays = list(args)
    for i, (a, ndim) in enumerate(zip(arrays, (2, 1))):
        arrays[i] = np.asarray(a) * ndim
    return np.sum(arrays[0]) + total(*arrays)


@pytest.mark.parametrize("items", [(numbers,), (numbers, numbers.reshape(2, 3)), (numbers,) * 3])
def test_list_that_the_loop_changes(items):
    assert_same(replaced, *items)
