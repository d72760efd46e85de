"""Tuples whose length is known at run time only."""

import numpy as np
import pytest
from language.support import assert_same, check_same, compiled
from numjit import njit
from numjit.errors import TypingError

TUPLES = [(1, 2, 3, 4), (1.5, 2.5), (True, False, True), ("a", "bc", ""), ((1, 2), (3, 4)), ()]


@pytest.mark.parametrize("items", TUPLES, ids=str)
def test_parts(items):
    def f(t, i, j):
        return t[i:], t[:j], t[i:j], t[j:i:-1], t[::i]

    for i, j in [(1, 2), (-2, 10), (2, -1), (-9, 9)]:
        assert_same(f, items, i, j)


@pytest.mark.parametrize("items", [[1, 2, 2], [2.5, -0.0], ["x", "yz"], [(1, 2.0)], []], ids=str)
def test_made_of_iterables(items):
    def f(l):
        t = tuple(l)
        return t, len(t), tuple(t), tuple(x for x in l), not t, isinstance(t, tuple)

    assert_same(f, items)


def test_made_of_other_iterables():
    def f(a, n, s):
        d = {x: 2 * x for x in a}
        return tuple(a), tuple(range(n)), tuple(d), tuple(d.items()), tuple(s), tuple(zip(a, a))

    assert_same(f, np.arange(3), 4, "text")

    def axes(a):
        return a.transpose(tuple(range(a.ndim))[::-1]).shape, tuple(range(4, 0, -2))

    assert_same(axes, np.zeros((2, 3, 4)))


def test_what_tuples_can():
    def f(t, i):
        part = t[i:]
        first, *rest = part
        return (
            part[0],
            part[-1],
            part[1:],
            sum(part),
            max(part),
            sorted(part),
            list(part),
            part + (7,),
            (7,) + part,
            part * 2,
            part.index(3),
            part.count(3),
            3 in part,
            9 not in part,
            part == (2, 3, 4),
            part != t[i:],
            part < (2, 4),
            part >= t[:2],
            hash(part) == hash((2, 3, 4)),
            str(part),
            repr(part[:1]),
            first,
            rest,
            [i * x for i, x in enumerate(part)],
        )

    assert_same(f, (1, 2, 3, 4), 1)


def test_items_of_sets_and_keys_of_dicts():
    def f(rows):
        seen = set()
        counts = {}
        for row in rows:
            key = tuple(row)
            seen.add(key)
            counts[key] = counts.get(key, 0) + 1
        return len(seen), counts

    rows = np.array([[1, 2], [1, 2], [2, 1], [1, 3]])
    result = compiled(f)(rows)
    assert result[0] == 3
    assert dict(result[1]) == {(1, 2): 2, (2, 1): 1, (1, 3): 1}


def test_errors():
    def f(t, i, k):
        return t[i:][k]

    assert_same(f, (1, 2, 3), 1, 5)
    assert_same(f, (1, 2, 3), 1, -5)
    assert_same(lambda t, i: t[i:].index(9), (1, 2), 0)
    with pytest.raises(TypingError, match="can only be sliced by constants"):
        njit(lambda t, i: t[i:])((1, 2.5), 1)


def test_loops_over_parts():
    def f(t):
        total = 0
        for i in range(len(t)):
            for x in t[i + 1 :]:
                total += x * t[i]
        return total

    assert_same(f, (1, 2, 3, 4))

    def size(a, axis):
        n = 1
        for extent in a.shape[:axis]:
            n *= extent
        return n

    for axis in range(4):
        assert_same(size, np.zeros((2, 3, 4)), axis)


def test_displays_are_tuples_of_known_length():
    def f(x, y):
        t = tuple([x, y])
        return np.zeros(tuple([x, y])).shape, t[0], t

    assert_same(f, 2, 3)


def test_unpacking():
    def f(l):
        a, b = tuple(l)
        return a + b

    assert_same(f, [1, 2])
    with pytest.raises(ValueError, match="too many values to unpack"):
        compiled(f)([1, 2, 3])
    check_same(compiled(f)([1.5, 2.0]), 3.5)


@pytest.mark.parametrize("items", [[1, 2, 2], [2, 0], []], ids=str)
def test_star_displays(items):
    def f(l, b):
        t = (*l, b)
        return t, (b, *l), (*l, b, *l), len((*l,))

    assert_same(f, items, 5)


def test_star_displays_of_other_iterables():
    def f(a, n):
        return (*a, 7), (*range(n), n), (*{1, 2}, n), (*(x * x for x in range(n)), n)

    assert_same(f, np.arange(3), 4)


def meets_a_tuple(n):
    t = (1, 2)
    if n > 2:
        t = tuple(range(n))
    return t, len(t)


def meets_no_items(n):
    best = ()
    for i in range(n):
        items = tuple([i * 0.5, i + 0.5][:i])
        if len(items) > len(best):
            best = items
    return best


def either_is_returned(n):
    if n > 2:
        return ("a", "b")
    return tuple([str(i) for i in range(n)])


@pytest.mark.parametrize("f", [meets_a_tuple, meets_no_items, either_is_returned])
@pytest.mark.parametrize("n", [0, 2, 5])
def test_beside_tuples_of_known_length(f, n):
    assert_same(f, n)


def points_of(a):
    points = sorted(map(tuple, a.tolist()))
    return np.array(points), np.asarray(points[1:] + points[:1]), np.array([points, points])


def test_lists_of_tuples_become_arrays():
    assert_same(points_of, np.array([[2.0, 1.0, 3.0], [1.0, 5.0, 2.0]]))
    assert_same(points_of, np.arange(8)[::-1].reshape(4, 2))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_repeated_items_of_one_type(n):
    def f(a, n):
        pairs = ((1, 2), (3, 4)) * n
        return np.concatenate((a,) * (n + 1)), pairs, len(("ab",) * n)

    assert_same(f, np.arange(3.0), n)
