"""Dicts inside compiled code: types from use, every method, order, errors."""

import enum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language.support import assert_same, check_same, compiled, result_type
from numjit import njit, typed, typeof, types
from numjit.errors import TypingError


def test_displays():
    def f(a, b):
        return {1: a, 2: b}, {a: (a, b)}, {(a, b): 1.5, (b, a): 2.0}, {True: a}

    assert_same(f, 3, 4)
    assert_same(f, 3.5, 4.5)
    assert result_type(f).startswith("Tuple(DictType[int64,float64]")


def test_comprehensions():
    def f(n):
        squares = {i: i * i for i in range(n) if i % 3}
        return squares, {k: {j: v for j in range(2)} for k, v in squares.items()}[1]

    assert_same(f, 20)


def test_empty_dict_gets_its_types_from_what_is_put_in():
    def by_item(a):
        d = {}
        for x in a:
            d[x] = d.get(x, 0) + 1
        return d

    def by_setdefault(a):
        d = dict()
        for x in a:
            d.setdefault(x, 0.5)
        return d

    def by_update(a):
        d = {}
        d.update({1: 2.5})
        return d

    def by_branches(a):
        if len(a) > 2:
            d = {}
        else:
            d = {1: 2}
        return d

    for f in (by_item, by_setdefault, by_update, by_branches):
        assert_same(f, np.array([3, 1, 3, 2]))
    assert result_type(by_item) == "DictType[int64,int64]<iv=None>"


def test_values_widen():
    def f(n):
        d = {}
        for i in range(n):
            d[i % 3] = d.get(i % 3, 0) + 0.5
        return d

    check_same(compiled(f)(7), {0: 1.5, 1: 1.0, 2: 1.0})


def test_nothing_is_put_in():
    with pytest.raises(TypingError, match="Cannot infer the type of an empty dict"):
        njit(lambda: {}.popitem())()


def test_methods():
    def f(n):
        d = {i: i * 0.5 for i in range(n)}
        a = d.pop(3)
        b = d.pop(100, -1.0)
        c = d.popitem()
        e = d.setdefault(7, 9.0)
        g = d.setdefault(100, 9.0)
        h = d.get(2, 0.25)
        k = d.get(99, 0.25)
        del d[0]
        d.update({5: 55.0, 6: 66.0})
        copy = d.copy()
        d[5] = 1.0
        sizes = len(d), len(d.keys()), len(d.values()), len(d.items())
        found = (
            5 in d,
            3 in d,
            5 in d.keys(),
            66.0 in d.values(),
            (6, 66.0) in d.items(),
            3 not in d,
        )
        return a, b, c, e, g, h, k, d, copy, sizes, found, d == copy, d != copy

    assert_same(f, 10)


def test_get_without_default():
    def f(d_size, k):
        d = {i: i * i for i in range(d_size)}
        x = d.get(k)
        return -1 if x is None else x

    assert_same(f, 5, 3)
    assert_same(f, 5, 7)


def test_clear_and_truth():
    def f(n):
        d = {i: [i] for i in range(n)}
        before = bool(d), len(d)
        d.clear()
        after = bool(d), len(d)
        d[7] = [8]
        return before, after, d[7]

    assert_same(f, 5)


def test_iteration_in_order():
    def f(a):
        d = {}
        for x in a:
            d[x] = x * 2
        for x in a[::3]:
            if x in d:
                del d[x]
        d[a[0]] = -1
        keys = [k for k in d]
        values = [v for v in d.values()]
        items = [(k, v) for k, v in d.items()]
        numbered = [(i, k) for i, k in enumerate(d)]
        pairs = [(k, w) for k, w in zip(d, d.values())]
        return keys, values, items, numbered, pairs, sum(d.values()), max(d), sorted(d)

    assert_same(f, np.random.default_rng(0).integers(0, 50, 40))


def test_made_from_pairs():
    def f(a, b):
        x = dict(zip(a, b))
        y = dict([(1, 2.5), (3, 4.5)])
        z = dict(x)
        z[100] = 1.0
        return x, y, z

    assert_same(f, np.arange(5), np.arange(5) * 1.5)


@pytest.mark.parametrize(
    "key",
    [
        lambda i: i,
        lambda i: i * 0.5 - 3.0,
        lambda i: i % 2 == 0,
        lambda i: (i, i * 0.5),
        lambda i: (i % 3, (i, True)),
        lambda i: complex(i, -i),
        lambda i: np.int8(i),
        lambda i: np.float32(i / 4),
        lambda i: np.uint64(i),
        lambda i: -i - 1,
        lambda i: i << 40,
    ],
)
def test_keys(key):
    key = njit(key)

    def f(n):
        d = {}
        for i in range(n):
            d[key(i)] = i
        total = 0
        for i in range(0, 2 * n):
            total += d.get(key(i), 1000)
        for i in range(0, n, 2):
            d.pop(key(i), 0)
        return d, total

    assert_same(f, 40)


def test_zeros_are_one_key():
    def f(x):
        d = {0.0: 1, x: 2}
        return d[0.0], len(d)

    assert_same(f, -0.0)


def test_values_of_any_type():
    def f(n):
        arrays = {i: np.arange(i) for i in range(n)}
        lists = {}
        for i in range(n):
            k = i % 2
            if k not in lists:
                lists[k] = [i]
            else:
                lists[k].append(i)
        nested = {i: {j: i + j for j in range(i + 1)} for i in range(n)}
        nested[0][5] = 50
        total = 0
        for a in arrays.values():
            total += a.sum()
        arrays[1] = np.ones(3, np.int64)
        del arrays[2]
        return total, lists, nested[0], arrays[1], arrays.pop(3), nested.popitem()

    assert_same(f, 6)


def test_key_error_holds_the_key():
    def get(k):
        d = {(1, 2): 3}
        return d[k]

    def remove(k):
        d = {(1, 2): 3}
        del d[k]

    def pop(k):
        d = {(1, 2): 3}
        return d.pop(k)

    for f in (get, remove, pop):
        with pytest.raises(KeyError) as error:
            compiled(f)((4, 5))
        assert error.value.args == ((4, 5),)


def test_popitem_of_an_empty_dict():
    def f():
        d = {1: 2}
        d.popitem()
        d.popitem()

    with pytest.raises(KeyError, match="dictionary is empty"):
        njit(f)()


def test_change_during_iteration():
    def grow():
        d = {1: 2, 3: 4}
        for k in d:
            d[k + 10] = 1

    def shrink():
        d = {1: 2, 3: 4}
        for k, _ in d.items():
            del d[k]

    for f in (grow, shrink):
        with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
            njit(f)()

    def overwrite(n):
        d = {i: i for i in range(n)}
        for k in d:
            d[k] = -k
        return d

    assert_same(overwrite, 5)


def test_unhashable_keys():
    def f():
        d = {}
        d[[1]] = 2

    with pytest.raises(TypingError, match="unhashable"):
        njit(f)()


def test_keys_and_values_of_two_types():
    with pytest.raises(TypingError, match="Cannot unify"):
        njit(lambda a: {1: a, (1, 2): a})(1)

    def f(x):
        d = {1: 2}
        d[x] = 1
        return d

    with pytest.raises(TypingError, match="cannot safely cast float64 to int64"):
        njit(lambda d, x: d.get(x, 0))(typed.Dict.empty(types.int64, types.int64), 1.5)


def test_calls_share_dicts():
    @njit
    def count(d, a):
        for x in a:
            if x in d:
                d[x] += 1
            else:
                d[x] = 1

    @njit
    def f(a):
        d = {0: 0}
        count(d, a)
        count(d, a)
        return d

    check_same(f(np.array([1, 2, 1])), {0: 0, 1: 4, 2: 2})


def test_identity_and_isinstance():
    def f():
        d = {1: 2}
        e = d
        c = d.copy()
        return (
            d is e,
            d is c,
            isinstance(d, dict),
            isinstance(d, (list, set)),
            isinstance([1], dict),
        )

    assert_same(f)


def test_queue_by_popitem():
    def f(n):
        d = {i: i for i in range(n)}
        total = 0
        while d:
            k, v = d.popitem()
            total = (total * 3 + v) % 1000003
            if k % 5 == 4:
                d[-k] = k
        return total

    assert_same(f, 200)


def test_many_entries_come_and_go():
    def f(n):
        d = {}
        for i in range(n):
            d[i] = i
            if i >= 10:
                del d[i - 10]
        return d

    assert_same(f, 5000)


def test_update_operators():
    def f():
        a = {1: 2}
        b = {1: 3, 4: 5}
        c = a | b
        a |= b
        return a, b, c

    assert_same(f)


def test_strings_as_keys():
    def f(words):
        d = {"b": 0}
        for w in words:
            d[w] = d.get(w, 0) + 1
        by_first = {}
        for w in words:
            k = w[0]
            if k in by_first:
                by_first[k].append(w)
            else:
                by_first[k] = [w]
        return d, [(k, len(v)) for k, v in by_first.items()], "a" in d, "zz" in d

    assert_same(f, ["a", "bc", "häß", "a", "b", "\U0001f600"])


OPERATIONS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(-4, 12), st.integers(0, 100)), max_size=60
)


def run_operations(operations):
    d = {}
    d[0] = 0
    log = []
    for op, key, value in operations:
        if op <= 1:
            d[key] = value
        elif op == 2:
            log.append(d.pop(key, -1))
        elif op == 3:
            log.append(d.setdefault(key, value))
        elif op == 4:
            if len(d) > 0:
                k, v = d.popitem()
                log.append(k * 1000 + v)
        elif op == 5:
            if value < 3:
                d.clear()
            elif key in d:
                del d[key]
        else:
            log.append(d.get(key, -5))
    log.append(len(d))
    return d, log


@settings(max_examples=60, deadline=None)
@given(OPERATIONS)
def test_any_sequence_of_operations(operations):
    assert_same(run_operations, [*operations, (6, 1, 1)])


def test_hash():
    def f(x):
        return hash(x)

    for x in (0, 1, -1, -2, 2**61 - 1, 2**61, -(2**61), 2**63 - 1, -(2**63), True, 0.0, 1.5, -1.0):
        assert_same(f, x)
    for x in (1e300, -1e-300, 0.1, float("inf"), float("-inf"), 2.0**61, 5e-324, 1 + 2j, -1 - 1j):
        assert_same(f, x)
    for x in (
        (),
        (1,),
        (1, 2.5),
        (1, (2, 3), -1),
        (True, 0.1, 1j),
        np.int8(-3),
        np.uint64(2**64 - 1),
    ):
        assert_same(f, x)


def test_hash_of_what_has_none():
    with pytest.raises(TypingError, match="unhashable type"):
        njit(lambda x: hash(x))([1])


@settings(max_examples=50, deadline=None)
@given(st.floats(allow_nan=False), st.integers(-(2**63), 2**63 - 1))
def test_hash_of_numbers(x, n):
    def f(x, n):
        return hash(x), hash(n), hash((x, n))

    check_same(HASHES(x, n), f(x, n))


@njit
def HASHES(x, n):
    return hash(x), hash(n), hash((x, n))


def test_dates_as_keys():
    def f(days, a):
        d = {}
        for i in range(len(days)):
            d[days[i]] = d.get(days[i], 0.0) + a[i]
        return len(d), d[days[0]], days[1] in d, days[0] + np.timedelta64(99, "D") in d, set(days)

    days = np.array(["2020-01-01", "2020-02-03", "2020-01-01"], "M8[D]")
    n, first, found, other, kept = compiled(f)(days, np.arange(3.0))
    assert (n, first, found, other) == (2, 2.0, True, False)
    assert kept == set(days)
    shared = typed.Dict.empty(types.NPDatetime("D"), types.int64)
    shared[days[0]] = 5

    def look(d, day):
        d[day] += 1
        return d[day]

    assert compiled(look)(shared, days[2]) == 6 and shared[days[0]] == 6


class Side(enum.Enum):
    BUY = 1
    SELL = 2


def test_enumeration_members_as_keys():
    def f(side):
        d = {Side.BUY: 1, Side.SELL: 2}
        d[side] += 10
        return d[Side.BUY], d[Side.SELL], len(d), hash(side) == hash(side.name)

    assert_same(f, Side.BUY)
    assert_same(f, Side.SELL)
    shared = typed.Dict.empty(typeof(Side.BUY), types.int64)
    shared[Side.SELL] = 4

    def look(d):
        return d[Side.SELL]

    assert compiled(look)(shared) == 4


def test_groups_by_setdefault():
    def f(words):
        groups, counts = {}, {}
        for w in words:
            groups.setdefault(len(w), []).append(w)
            counts.setdefault(w[0], set()).add(len(w))
        return groups[1], sorted(groups.keys()), sorted(counts["b"]), len(counts)

    assert_same(f, ["a", "bbb", "b", "cc"])


def test_empty_containers_as_values():
    def groups(pairs):
        g = {}
        for k, v in pairs:
            if k not in g:
                g[k] = []
            g[k].append(v)
        return [(k, v) for k, v in g.items()]

    assert_same(groups, [(1, 2.5), (2, 3.5), (1, 4.5)])

    def neighbours(n):
        g = {}
        for i in range(n):
            g[i] = []
        for i in range(n):
            for j in range(i):
                g[i].append(j)
                g[j].append(i)
        total = 0
        for other in g.values():
            other.append(0)
        for _, other in g.items():
            total += sum(other)
        return total, [len(g[i]) for i in range(n)]

    assert_same(neighbours, 4)

    def of_sets(n):
        g = {}
        for i in range(n):
            g[i % 2] = g.get(i % 2, set())
            g[i % 2].add(i)
        return sorted(g[0]), sorted(g[1])

    assert_same(of_sets, 5)

    def of_dicts(n):
        rows = [{} for _ in range(n)]
        for i in range(n):
            rows[i]["a"] = i * 0.5
        return [row["a"] for row in rows]

    assert_same(of_dicts, 3)


def test_values_asked_for_by_constant_keys_keep_their_types():
    def f(x):
        d = {"n": 1, "x": x, "flag": True}
        return d["n"], d["x"], d["flag"], "x" in d, "z" in d

    check_same(compiled(f)(2.5), (1, 2.5, True, True, False))

    def g(k):
        d = {"n": 1, "x": 2.5}  # any of its items: one type
        return d[k]

    check_same(compiled(g)("n"), 1.0)


def updated_by_names(d, x):
    d.update(x=x)
    d.update({"y": 2.0}, z=x + 1)
    d.update([("k", 7.0)], x=3.0)
    d.update()
    return list(d.items())


def test_update_by_names():
    @njit
    def f(x):
        return updated_by_names({"a": 1.5}, x)

    assert f(0.5) == updated_by_names({"a": 1.5}, 0.5)
