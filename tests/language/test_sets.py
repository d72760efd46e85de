"""Sets: displays, methods, operators, and sets that come from Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language.support import assert_same, compiled, result_type
from numjit import njit
from numjit.errors import TypingError


def test_displays():
    def f(a, b):
        return {a, b, a}, {1.0, 2.5}, {i % 3 for i in range(b)}, {(a, b), (b, a)}, set(range(b))

    assert_same(f, 3, 4)
    assert result_type(f).startswith("Tuple(reflected set(int64)")


@pytest.mark.parametrize("n", [0, 1, 5, 4095, 4096, 4097, 100_000])
def test_made_of_many_items(n):
    """Room is made for all of them at once where they are known to differ."""

    def f(n):
        items = [i % 1000 for i in range(n)]
        made = set(range(n))
        made.add(-1)
        squares = {i * i: i for i in range(n)}
        counts = len(made), len(set(range(n, -n, -3))), len(set(np.arange(n))), len(set(squares))
        return counts, sorted(set(items)), len(set(made)), len(frozenset(squares.values()))

    assert_same(f, n)


def test_made_of_more_than_there_is_memory_for():
    for n in (2**40, 2**62):
        with pytest.raises(MemoryError):
            njit(lambda n: len(set(range(n))))(n)


@pytest.mark.parametrize(
    "keys",
    [
        np.arange(3000),
        np.arange(3000)[::-1] * 512,
        np.arange(-2000, 1000) << 40,
        np.concatenate([np.arange(1500), np.arange(1500) + (1 << 20), np.arange(1500) - (1 << 20)]),
        np.array([[i * 1000 + j, -(i << 32) - j] for i in range(40) for j in range(40)]).ravel(),
        np.arange(3000) * 0.25,
        -1e300 / np.arange(1, 3000),
        np.arange(3000, dtype=np.float32) * np.float32(1024),
    ],
    ids=["near", "strided", "shifted", "ranges", "pairs", "quarters", "tiny", "float32"],
)
def test_keys_with_patterns(keys):
    def f(keys):
        seen, twice = set(), 0
        for k in keys:
            if k in seen:
                twice += 1
            seen.add(k)
        for k in keys[::3]:
            seen.discard(k)
        for k in keys[::2]:
            seen.add(k + 1)
        return sorted(seen), twice, keys[0] in seen, keys[-1] + 1 in seen

    assert_same(f, np.concatenate([keys, keys[::7]]))
    # Python looks into the tables that compiled code fills, and the other way round.
    members = set(keys[::2].tolist())
    assert compiled(lambda members, key: key in members)(members, keys[2]) is True
    assert compiled(lambda members, key: key in members)(members, keys[1]) is (keys[1] in members)


def test_empty_set_gets_its_type_from_what_is_put_in():
    def by_add(a):
        s = set()
        for x in a:
            s.add(x)
        return s

    def by_update(a):
        s = set()
        s.update(a)
        return s

    def by_operator(a):
        s = set()
        s |= set(a)
        return s

    for f in (by_add, by_update, by_operator):
        assert_same(f, np.array([1.5, 2.5, 1.5]))


def test_methods():
    def f(s, t):
        s.add(100)
        s.discard(1)
        s.discard(1000)
        s.remove(2)
        n = len(s)
        found = 100 in s, 1 in s, 1 not in s
        c = s.copy()
        c.add(55)
        u = s.union(t), s.intersection(t), s.difference(t), s.symmetric_difference(t)
        r = s.isdisjoint(t), s.issubset(t), s.issuperset(t), s.issubset(c), c.issuperset(s)
        return n, found, c, u, r

    assert_same(f, {1, 2, 3, 4}, {3, 4, 5})


def test_updates():
    def f(s, t):
        a = s.copy()
        a.update(t)
        b = s.copy()
        b.intersection_update(t)
        c = s.copy()
        c.difference_update(t)
        d = s.copy()
        d.symmetric_difference_update(t)
        e = s.copy()
        e |= t
        g = s.copy()
        g &= t
        h = s.copy()
        h -= t
        i = s.copy()
        i ^= t
        return a, b, c, d, e, g, h, i

    assert_same(f, {1, 2, 3, 4}, {3, 4, 5})


def test_items_of_sets_with_removed_ones():
    def f(s, t):
        for i in range(0, 40, 3):
            s.discard(i)
        a, b = s | t, t | s
        s.update(s)
        c = s.union(s, t)
        t |= s
        d = t.copy()
        d.clear()
        d |= t
        return s, t, a, b, c, d, len(a), len(b), sorted(c), sorted(d)

    assert_same(f, set(range(40)), set(range(30, 50)))


def test_items_of_a_set_of_other_items():
    def f(s, t):
        s.discard(7)
        a, t = t | s, t.copy()
        t.update(s)
        return len(a), len(t), sum(a), sum(t), 1.5 in a, 7 in t

    assert_same(f, set(range(40)), {1.5, 3.0, 36.0, -0.0, 7.0})


def test_methods_take_iterables():
    def f(s, a):
        s.update([7, 8], (9, 10), a)
        return (
            s.union([1]),
            s.intersection(a, [3, 4]),
            s.difference([3], (4,)),
            s.issuperset([1, 2]),
        )

    assert_same(f, {1, 2, 3, 4}, np.array([3, 4, 5]))


def test_operators():
    def f(s, t):
        return s | t, s & t, s - t, s ^ t, s < t, s <= t, s > t, s >= t, s == t, s != t

    for s in ({1, 2, 3}, {1}, {2, 4}):
        for t in ({1, 2, 3}, {3, 2}, {7}):
            assert_same(f, s, t)


def test_pop_and_clear():
    def f(s):
        total = 0
        while s:
            total += s.pop()
        s.add(5)
        t = {1.5}
        t.clear()
        return total, len(s), len(t)

    assert_same(f, {1, 2, 3})


def test_errors():
    for f in (lambda s: s.remove(9), lambda s: [s.pop() for i in range(5)]):
        with pytest.raises(KeyError) as error:
            njit(f)({1, 2})
    assert error.value.args == ("pop from an empty set",)

    def grow(s):
        for x in s:
            s.add(x + 10)

    with pytest.raises(RuntimeError, match="Set changed size during iteration"):
        njit(grow)({1, 2})
    with pytest.raises(TypingError, match="Cannot infer the type of an empty set"):
        njit(lambda: set().pop())()
    assert_same(lambda s: len(s), set())
    with pytest.raises(TypeError, match="heterogeneous set"):
        njit(lambda s: len(s))({1, "a"})


def test_reflection():
    def f(s):
        s.add(10)
        s.discard(1)
        return s

    s = {1, 2}
    assert compiled(f)(s) is s
    assert s == {2, 10}

    def reads(s):
        return 1 in s

    s = {1}
    assert compiled(reads)(s)
    assert s == {1}

    def fails(s):
        s.add(5)
        raise ValueError("now")

    s = {1}
    with pytest.raises(ValueError):
        njit(fails)(s)
    assert s == {1, 5}


@pytest.mark.parametrize(
    "s", [{1.5, -0.0}, {(1, 2), (3, 4)}, {True}, {1j}, {(1, 2.5)}, {"a", "häß"}]
)
def test_sets_from_python(s):
    def f(s, others):
        for x in others:
            s.add(x)
        return len(s), s

    assert_same(f, s, list(s))


def test_iteration_and_builtins():
    def f(s):
        return sorted(s), sum(s), max(s), min(s), len([x for x in s]), any(s), all(s)

    assert_same(f, {5, 3, 9})


def test_isinstance():
    def f(s):
        return isinstance(s, set), isinstance(s, dict), bool(s)

    assert_same(f, {1})


def run_operations(operations):
    s = {0}
    t = {1, 2}
    log = []
    for op, x in operations:
        if op <= 1:
            s.add(x)
        elif op == 2:
            s.discard(x)
        elif op == 3:
            log.append(x in s)
        elif op == 4:
            s ^= t
        elif op == 5:
            t = s - t
        elif op == 6:
            t.add(x)
        elif x == 0:
            s.clear()
        else:
            s |= t
    return s, t, log, len(s), s <= t, s == t


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 12)), max_size=60))
def test_any_sequence_of_operations(operations):
    assert_same(run_operations, [*operations, (3, 1)])
