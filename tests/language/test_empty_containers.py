"""Lists, sets and dicts that stay empty."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit


def test_only_the_length_is_used():
    def f(n):
        found = []
        steps = 0
        while len(found) < 3 and steps < n:
            steps += 1
        if not found:
            steps += 10
        for _ in found:
            steps += 100
        return steps, len(found), bool(found), 3 in found

    assert_same(f, 5)


@pytest.mark.parametrize("make", [lambda: [], lambda: {}, lambda: set(), lambda: list()])
def test_returned(make):
    assert list(njit(make)()) == []


def test_beside_none_and_others():
    def f(n):
        if n == 0:
            return None
        return []

    assert_same(f, 0)
    assert_same(f, 1)

    def g(n):
        if n == 0:
            return []
        return [n * 0.5]

    assert_same(g, 0)
    assert_same(g, 1)


def test_sorted_and_copied():
    def f():
        found = []
        return sorted(found), list(found), len(tuple(found))

    assert_same(f)


def test_nothing_is_put_in():
    def f():
        found = []
        found.reverse()
        return len(found), found

    assert njit(f)() == f()


def test_empty_ones_beside_others():
    def f(n):
        if n < 4:
            return [{0: 1}, {}, {2: 1}, {3: 1}][n]
        return {n: 1}

    def g(n):
        lists = [[], [1.5]]
        table = {"a": [2.5], "b": []}
        return lists[n], table["a"], table["b"]

    def h(*args):
        found = [np.asarray(x).size for x in args]
        chosen = [{}, {found[0]: "a"}][len(found) - 1]
        return chosen, [*args]

    for n in range(5):
        assert_same(f, n)
    assert_same(g, 0)
    assert_same(g, 1)
    assert_same(h, np.ones(2))
    assert_same(h, np.ones(2), np.ones((2, 2)))
