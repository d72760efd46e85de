"""Slices of which a bound may be None at run time: `a[:end]`."""

import numpy as np
import pytest
from language.support import check_same
from numjit import njit

BOUNDS = [(0, 0), (1, 0), (0, -2), (1, 3)]


def bounds(start, end):
    return None if start == 0 else start, None if end == 0 else end


@njit
def parts(a, start, end):
    first = None if start == 0 else start
    last = None if end == 0 else end
    return a[first:last], a[:last:2], a[last::-1]


@pytest.mark.parametrize("start, end", BOUNDS)
@pytest.mark.parametrize("items", [np.arange(6.0), [1, 2, 3, 4], "abcdé", b"abcde"], ids=str)
def test_reads(items, start, end):
    first, last = bounds(start, end)
    due = items[first:last], items[:last:2], items[last::-1]
    for ours, expected in zip(parts(items, start, end), due):
        check_same(ours, expected)


@pytest.mark.parametrize("start, end", BOUNDS)
def test_stores(start, end):
    @njit
    def f(a, items, start, end):
        first = None if start == 0 else start
        last = None if end == 0 else end
        a[first:last, ..., :last] = 7
        items[first:last] = [9, 9]
        del items[last:]
        return items

    a, due = np.zeros((4, 5)), np.zeros((4, 5))
    ours, expected = f(a, [1, 2, 3, 4], start, end), f.py_func(due, [1, 2, 3, 4], start, end)
    check_same(a, due)
    assert ours == expected


def test_slices_as_values_tuples_and_ranges():
    @njit
    def f(end):
        last = None if end == 0 else end
        part = slice(1, last)
        return part.stop is None, part.indices(5), (1, 2, 3)[1:last], list(range(9)[2:last])

    for end in (0, 2, -1):
        assert f(end) == f.py_func(end)


def test_names_of_attributes_made_of_numbers():
    @njit
    def at_least(x, ndim):
        return getattr(np, f"atleast_{ndim}d")(x)

    @njit
    def f(x):
        return at_least(x, 2), at_least(x, ndim=1), f"{-3}{'x'}{7:03d}"

    for ours, due in zip(f(2.5), f.py_func(2.5)):
        check_same(ours, due)
    check_same(at_least(np.ones(2), 2), np.ones((1, 2)))
    check_same(at_least(np.ones(2), 3), np.ones((1, 2, 1)))
