"""zip(*rows) of rows whose number is known at run time only."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit


def columns(rows):
    return [list(column) for column in zip(*rows)]


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2, 3], [4, 5, 6]],
        [[1, 2, 3], [4]],
        [[1.5], [2.5]],
        [["a", "b"], ["c", "d"]],
        [(1, 2), (3, 4)],
        [[(1, 2.5)], [(3, 4.5)]],
        np.arange(6).reshape(2, 3),
        np.zeros((0, 3)),
        [[]],
        ((1, 2), (3, 4)),
    ],
    ids=repr,
)
def test_rows_of_one_type(rows):
    if isinstance(rows, list) and rows == [[]]:
        assert njit(columns)([[0][:0]]) == []
    else:
        assert_same(columns, rows)


def test_rows_that_are_empty_lists():
    def f(n):
        rows = [[i, i * i] for i in range(n)]
        return [list(column) for column in zip(*rows)]

    for n in (0, 1, 3):
        assert_same(f, n)


@pytest.mark.parametrize(
    "rows", [[(1, 2.5), (3, 4.5)], [(1, "a"), (2, "bc")], [(1, (2.5, "x"))]], ids=repr
)
def test_tuples_of_several_types(rows):
    def unpacked(rows):
        first, second = zip(*rows)
        return first, second, len(first)

    assert_same(unpacked, rows)


def test_tuples_without_rows():
    def unpacked(n):
        rows = [(i, i * 0.5) for i in range(n)]
        first, second = zip(*rows)
        return first, second

    assert_same(unpacked, 2)
    with pytest.raises(ValueError, match="not enough values to unpack"):
        compiled(unpacked)(0)


def test_other_iterables():
    def of_dict(d):
        keys, values = zip(*d.items())
        return keys, values

    def of_generator(n):
        a, b = zip(*((i, i + 1) for i in range(n)))
        return a, b

    def of_set(n):
        s = {(i, i) for i in range(n)}
        return [sorted(c) for c in zip(*s)]

    assert njit(of_dict)({"a": 1.5, "b": 2.5}) == (("a", "b"), (1.5, 2.5))
    assert_same(of_generator, 4)
    assert_same(of_set, 3)


def test_iterators_that_are_kept():
    def f(rows):
        columns = zip(*rows)
        first = next(columns)
        return list(first), [list(rest) for rest in columns]

    assert_same(f, [[1, 2, 3], [4, 5, 6]])


def test_columns_as_arguments():
    def f(rows):
        return [sum(c) for c in zip(*rows)], dict(enumerate(zip(*rows)))[1], max(zip(*rows))

    assert_same(f, [[1, 2], [3, 4]])
