"""heapq, bisect, functools.reduce, map, filter and key functions."""

import bisect
import functools
import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language.support import assert_same
from numjit import njit, types
from numjit.errors import TypingError
from numjit.typed import List


def all_heap_functions(a, b):
    h = list(a)
    heapq.heapify(h)
    first = h.copy()
    for x in b:
        heapq.heappush(h, x)
    pushed = h.copy()
    r = heapq.heapreplace(h, 5)
    p = heapq.heappushpop(h, -100)
    q = heapq.heappushpop(h, 100)
    popped = [heapq.heappop(h) for _ in range(len(h))]
    return first, pushed, r, p, q, popped, heapq.nsmallest(3, a), heapq.nlargest(3, a)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=1), st.lists(st.integers(-50, 50), min_size=1))
def test_heaps(a, b):
    assert_same(all_heap_functions, a, b)


def test_heap_of_tuples():
    def f(n):
        h = [(5.0, 0)]
        for i in range(n):
            heapq.heappush(h, ((i * 7919 % 31) * 0.5, i))
        return [heapq.heappop(h) for _ in range(n)]

    assert_same(f, 50)


def test_empty_heap():
    with pytest.raises(IndexError):
        njit(lambda h: [heapq.heappop(h) for _ in range(3)])([1, 2])


def test_bisect():
    def f(a, x):
        l = list(a)
        bisect.insort(l, x)
        bisect.insort_left(l, x)
        return (
            bisect.bisect(a, x),
            bisect.bisect_left(a, x),
            bisect.bisect_right(a, x, 1, 3),
            bisect.bisect_left(l, -x, key=lambda y: -y),
            l,
        )

    for x in (0, 1, 2, 5, 9):
        assert_same(f, [1, 2, 2, 4, 5], x)


def test_reduce():
    def f(a):
        return (
            functools.reduce(lambda x, y: x * 2 + y, a),
            functools.reduce(lambda x, y: x + y, a, 0.5),
            functools.reduce(max, a),
        )

    assert_same(f, [3, 1, 4])
    with pytest.raises(TypeError, match="empty"):
        njit(lambda a: functools.reduce(lambda x, y: x + y, a))(np.empty(0))


def test_map_and_filter():
    def f(a, b):
        doubled = [x for x in map(lambda x: x * 2, a)]
        sums = list(map(lambda x, y: x + y, a, b))
        odd = list(filter(lambda x: x % 2 == 1, a))
        return doubled, sums, odd, list(filter(None, a)), sum(map(abs, a))

    assert_same(f, [3, 0, -4, 5], [1.5, 2.5, 3.5])


def test_sort_keys():
    def f(l):
        a = sorted(l, key=lambda x: -x)
        b = sorted(l, key=lambda x: (x % 3, -x))
        c = sorted(l, key=lambda x: x % 4, reverse=True)
        l.sort(key=lambda x: x % 5)
        return a, b, c

    assert_same(f, [5, 3, 9, 12, 7, 3, 1, 8])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=1))
def test_sorting_is_stable(l):
    assert_same(sort_by_first, l)


def sort_by_first(l):
    by_key = sorted(l, key=lambda t: t[0])
    down = sorted(l, key=lambda t: t[0] * 0.5, reverse=True)
    pairs = sorted(l)
    l.sort(reverse=True)
    return by_key, down, pairs


def test_of_nothing():
    def popped(h):
        return heapq.heappop(h)

    def replaced(h):
        return heapq.heapreplace(h, 5)

    for f in (popped, replaced):
        h = List.empty_list(types.int64)
        with pytest.raises(IndexError, match="^index out of range$"):
            njit(f)(h)


def test_keys_are_asked_of_each_item_once():
    def by_sorted(l, asked):
        return sorted(l, key=lambda v: asked.append(v) or v), asked

    def by_sort(l, asked):
        l.sort(key=lambda v: asked.append(v) or v, reverse=True)
        return l, asked

    def by_heap(l, asked):
        return heapq.nsmallest(2, l, key=lambda v: 1 // v), heapq.nlargest(
            0, l, key=lambda v: 1 // v
        )

    for l in ([3], [0], [5, 1, 4]):
        for f in (by_sorted, by_sort):
            assert_same(f, l, [7])
        assert_same(by_heap, l, [7])


POWERS = [-(1 << 80), -(1 << 63), -1, *(1 << k for k in range(100))]
HIGH = [1 << 63, 1 << 64]


def test_bisect_of_a_list_with_ints_beyond_64_bits():
    def f(x):
        return (
            bisect.bisect(POWERS, x),
            bisect.bisect_left(POWERS, x),
            bisect.bisect(HIGH, x),
            bisect.bisect((2, 3.5, 1 << 70) if x is None else (2, 4, 1 << 70), x),
        )

    for x in (-(2**63), -2, -1, 0, 1, 2, 12345, 2**62, 2**63 - 1, np.int8(3), True):
        assert_same(f, x)


def test_bisect_of_other_mixed_tuples_is_refused():
    with pytest.raises(TypingError, match="can only be indexed by constants"):
        njit(lambda x: bisect.bisect(POWERS, x))(0.5)
    with pytest.raises(TypingError, match="can only be indexed by constants"):
        njit(lambda x: bisect.bisect((1 << 70, 2), x))(1)
