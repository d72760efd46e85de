"""Frozensets: in and out, made in compiled code, as keys and items, beside sets."""

import threading

import numpy as np
import pytest
from language.support import assert_same, compiled, result_type
from numjit import njit, typed, typeof, types
from numjit.errors import TypingError

SETS = [
    frozenset({1, 2, 3}),
    frozenset({-1, 0, 2**62, -(2**63)}),
    frozenset({1.5, -0.0, float("inf")}),
    frozenset({"a", "bc", "µ"}),
    frozenset({(1, 2.5), (3, 4.5)}),
    frozenset({b"x", b"yz"}),
    frozenset({True, False}),
    frozenset({1j, 2 + 3j}),
    frozenset({np.datetime64("2020-01-01"), np.datetime64("2021-01-01")}),
]


@pytest.mark.parametrize("value", SETS, ids=range(len(SETS)))
def test_in_and_out(value):
    same = njit(lambda s: s)
    assert same(value) is value  # as in Python

    def parts(s):
        items = [x for x in s]
        return items, len(s), bool(s), frozenset(items)

    items, count, truth, made = njit(parts)(value)
    assert set(items) == value and count == len(value) and truth
    assert type(made) is frozenset and made == value


@pytest.mark.parametrize("value", SETS[:-1], ids=range(len(SETS) - 1))
def test_hash_is_that_of_python(value):
    assert njit(lambda s: hash(s))(value) == hash(value)


def test_hash_of_many():
    made = njit(lambda n: hash(frozenset(range(n))))
    for n in (1, 2, 3, 7, 100, 1000):
        assert made(n) == hash(frozenset(range(n)))
    empty = njit(lambda s: hash(s - s))
    assert empty(frozenset({1})) == hash(frozenset())
    nested = frozenset({frozenset({1, 2}), frozenset({3})})
    assert njit(lambda s: hash(s))(nested) == hash(nested)


def test_type():
    value = frozenset({1, 2})
    assert str(typeof(value)) == "frozenset(int64)"
    assert typeof(value) == types.FrozenSet(types.int64)

    def union(s):
        return s | {3}

    assert_same(union, value)
    assert result_type(union) == "frozenset(int64)"
    signed = njit("FrozenSet(int64)(FrozenSet(int64), int64)")(lambda s, x: s | {x})
    assert signed(value, 3) == {1, 2, 3}
    with pytest.raises(TypeError):
        signed({1, 2}, 3)

    def asked(s):
        return isinstance(s, frozenset), isinstance(s, set), type(s) is frozenset

    assert_same(asked, value)
    assert_same(asked, {1, 2})


@pytest.mark.parametrize("left", [frozenset, set])
@pytest.mark.parametrize("right", [frozenset, set])
def test_operators(left, right):
    def f(a, b):
        return (a | b, a & b, a - b, a ^ b), (a == b, a != b, a < b, a <= b, a > b, a >= b)

    pairs = [({1, 2, 3}, {3, 4}), ({1}, {1, 2}), ({1, 2}, {1}), ({5}, {5}), ({1, 2}, {3})]
    for a, b in pairs:
        made, wanted = compiled(f)(left(a), right(b)), f(left(a), right(b))
        assert made == wanted
        assert list(map(type, made[0])) == list(map(type, wanted[0]))


def test_augmented_assignments():
    def frozen(s, t):
        u = s
        u |= t
        v = s
        v &= t
        w = s
        w -= t
        return s, u, v, w

    def changed(s, t):
        s |= t
        s -= frozenset({1})
        s ^= frozenset({77})
        s &= frozenset({2, 3, 77})
        return len(s)

    assert_same(frozen, frozenset({1, 2}), frozenset({2, 3}))
    assert_same(frozen, frozenset({1, 2}), {2, 3})
    assert_same(changed, {1, 2}, frozenset({2, 3}))


def test_methods():
    def f(s, t, items):
        u = s.union(t), s.intersection(t), s.difference(t), s.symmetric_difference(t)
        v = s.union(items, t), s.intersection(items), s.difference(items, t)
        w = s.isdisjoint(t), s.issubset(t), s.issuperset(t), s.isdisjoint(items), s.copy() is s
        return u, v, w

    for t in (frozenset({2, 3, 9}), {2, 3, 9}, [2, 2, 3], np.array([2, 3]), (1, 2)):
        made, wanted = njit(f)(frozenset({1, 2}), t, [2, 7]), f(frozenset({1, 2}), t, [2, 7])
        assert made == wanted
        assert all(type(x) is frozenset for part in made[:2] for x in part)


def test_sets_take_frozensets():
    def f(s, t):
        s.update(t)
        return s.union(t), s.issuperset(t), set(t), frozenset(s), sorted(t)

    assert_same(f, {1, 2}, frozenset({2, 3}))


def test_made_of():
    def f(items):
        return frozenset(items), frozenset([x for x in items]), frozenset({x for x in items})

    for items in ([1, 2, 2], (1.5, 2.5), np.array([3, 1, 3]), {4, 5}, range(4), "hello"):
        assert_same(f, items)

    def by_generator(n):
        return frozenset(i * i % 7 for i in range(n))

    assert_same(by_generator, 10)

    def copies(s):
        made = frozenset(s)
        s.add(100)
        return made, s

    assert_same(copies, {1, 2})


def test_literals():
    def f(x):
        found = 0
        for y in frozenset({1, 2, 3}):
            found += y
        return x in {1, 2, 3}, x in frozenset((4, 5)), found

    for x in (1, 4, 9):
        assert_same(f, x)


GLOBAL = frozenset({"red", "green"})
NUMBERS = frozenset(range(5))


def test_globals():
    captured = frozenset({(1, 2), (3, 4)})

    def f(s):
        return s in GLOBAL, len(GLOBAL), GLOBAL, (1, 2) in captured, sum(NUMBERS), NUMBERS | {9}

    assert_same(f, "red")
    assert_same(f, "blue")


def test_as_keys_and_items():
    def count(rows):
        seen = {rows[0]: 0}
        for row in rows:
            seen[row] = seen.get(row, 0) + 1
        return seen

    rows = [frozenset({1, 2}), frozenset({3}), frozenset({2, 1})]
    assert_same(count, rows)

    def groups(rows):
        return {frozenset(row) for row in rows}

    assert_same(groups, [[1, 2], [2, 1], [3]])

    def look(d, s, key):
        return d[key], key in s, key in d, len(s)

    key = frozenset({"b", "a"})
    for group in ({frozenset({"a", "b"})}, frozenset({frozenset({"c"}), key})):
        arguments = {frozenset({"a", "b"}): 5}, group, key
        assert njit(look)(*arguments) == look(*arguments)


def test_dict_that_is_changed():
    def f(d, extra):
        d[extra] = 7
        d[frozenset([1])] += 1

    mine, plain = ({frozenset({1}): 1, frozenset({2}): 2} for _ in range(2))
    njit(f)(mine, frozenset({3, 4}))
    f(plain, frozenset({3, 4}))
    assert list(mine.items()) == list(plain.items())


def test_in_containers():
    def f(rows):
        rows.append(rows[0] | rows[-1])
        return rows, (rows[0], 1), [rows[0]] * 2

    rows = [frozenset({1}), frozenset({2})]
    first = rows[0]
    assert_same(f, rows)
    assert rows[0] is first

    table = typed.Dict.empty(types.FrozenSet(types.int64), types.int64)
    table[frozenset({1, 2})] = 3
    assert table[frozenset({2, 1})] == 3
    assert njit(lambda d, k: d[k])(table, frozenset({1, 2})) == 3
    rows = typed.List([frozenset({1}), frozenset({1, 5})])
    assert njit(lambda rows: rows[1])(rows) == {1, 5}


def test_optional():
    def f(s, x):
        return None if s is None else s | frozenset({x})

    function = njit(f)
    assert function(None, 1) is None
    assert function(frozenset({2}), 1) == {1, 2}

    def maybe(x):
        return frozenset({x}) if x > 0 else None

    assert_same(maybe, 1)
    assert_same(maybe, -1)


def test_text():
    assert_same(lambda s: (str(s), repr(s), f"{s}"), frozenset({1}))
    assert_same(lambda s: str(s - s), frozenset({1}))


def test_empty():
    def f(s):
        t = s - s
        return t, len(t), bool(t), [x for x in t], 1 in t

    assert_same(f, frozenset({1}))
    with pytest.raises(TypingError, match="empty frozenset"):
        njit(lambda: frozenset())()


def test_never_changes():
    for change in (
        lambda s: s.add(1),
        lambda s: s.discard(1),
        lambda s: s.clear(),
        lambda s: s.pop(),
        lambda s: s.update([1]),
    ):
        with pytest.raises(TypingError, match="frozenset"):
            njit(change)(frozenset({1}))


def test_mixed_numbers():
    assert_same(lambda s: s, frozenset({1, 2.5}))
    assert njit(lambda s: sorted(s))(frozenset({1, 2.5, True})) == [1.0, 2.5]
    with pytest.raises((TypingError, TypeError)):
        njit(lambda s: s)(frozenset({1, "a"}))


def test_sets_and_frozensets_have_specialisations_of_their_own():
    function = njit(lambda s: s | {9})
    assert type(function({1})) is set and type(function(frozenset({1}))) is frozenset
    assert type(function({2})) is set and len(function.signatures) == 2


def test_threads():
    function = njit(lambda s, n: (frozenset(range(n)) | s, len(s)))
    shared, failed = frozenset(range(50)), []

    def work():
        for n in range(200):
            if function(shared, n) != (frozenset(range(n)) | shared, 50):
                failed.append(n)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed
