"""numjit.typed: from Python, passed to compiled functions without copying, made in them."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language.support import assert_same, check_same, compiled
from numjit import njit, typed, typeof, types
from numjit.errors import TypingError

ROWS = types.float64[:]


# -- lists from Python -----------------------------------------------------------------------------


def test_list_methods():
    l = typed.List([3, 1, 2])
    l.append(5)
    l.insert(0, 7)
    l.insert(-1, 8)
    l.extend([1, 2])
    l += (4,)
    model = [3, 1, 2]
    model.append(5)
    model.insert(0, 7)
    model.insert(-1, 8)
    model.extend([1, 2, 4])
    assert list(l) == model
    assert (len(l), l[0], l[-1], l[2:5], l.count(1), l.index(2), 8 in l, 9 in l) == (
        *(len(model), model[0], model[-1], typed.List(model[2:5]), model.count(1), model.index(2)),
        *(True, False),
    )
    for change in (
        lambda x: x.pop(),
        lambda x: x.pop(0),
        lambda x: x.remove(1),
        lambda x: x.reverse(),
        lambda x: x.sort(reverse=True),
        lambda x: x.__setitem__(1, 100),
        lambda x: x.__setitem__(slice(0, 2), [9, 9, 9]),
        lambda x: x.__delitem__(1),
        lambda x: x.__delitem__(slice(None, None, 2)),
        lambda x: x.sort(key=lambda i: -i),
        lambda x: x.clear(),
    ):
        assert change(l) == change(model)
        assert l == model
        assert list(l) == model


def test_list_text_and_equality():
    l = typed.List([1, 2])
    assert str(l) == "[1, 2]"
    assert repr(l) == "ListType[int64]([1, 2])"
    assert str(typeof(l)) == "ListType[int64]"
    assert l == typed.List([1, 2]) == [1, 2] != typed.List([1])
    assert l < typed.List([2])
    assert repr(typed.List()) == "ListType[Undefined]([])"
    assert typeof(l) is types.ListType(types.int64)
    assert l[::-1] + [5] == [2, 1, 5]
    assert l * 2 == [1, 2, 1, 2]


@pytest.mark.parametrize("item", [1, 2.5, True, 1j, (1, 2.5), np.float32(2), (1, (2, 3))])
def test_items_of_lists(item):
    l = typed.List([item])
    l.append(item)
    assert list(l) == [item, item]
    assert type(l[0]) is type(item) or isinstance(item, np.generic)
    assert list(compiled(twice)(l)) == [item] * 4


def twice(l):
    for x in l.copy():
        l.append(x)
    return l


def test_list_of_arrays_and_lists():
    arrays = typed.List()
    arrays.append(np.arange(3.0))
    arrays.append(np.ones(2))
    arrays[0][1] = 7
    assert njit(lambda l: l[0].sum() + len(l[1]))(arrays) == 11
    del arrays[0]
    assert np.array_equal(arrays[0], np.ones(2))
    nested = typed.List([typed.List([1]), typed.List([2, 3])])
    nested[0].append(9)
    assert njit(lambda l: l[0][1] + l[1][1])(nested) == 12
    assert str(nested) == "[ListType[int64]([1, 9]), ListType[int64]([2, 3])]"


def test_lists_are_shared():
    @njit
    def f(l):
        l.append(10)
        l[0] = -1
        return l

    l = typed.List([1, 2])
    result = f(l)
    assert l == [-1, 2, 10]
    result.append(5)
    assert l == [-1, 2, 10, 5]


def test_refused_items():
    l = typed.List([1, 2])
    with pytest.raises(TypeError, match="cannot put a float"):
        l.append(1.5)
    with pytest.raises(TypeError):
        l[0] = "a"
    with pytest.raises(TypeError):
        l[0:1] = [1.5]
    assert l == [1, 2]
    floats = typed.List([1.5])
    floats.append(2)
    assert list(floats) == [1.5, 2.0]
    with pytest.raises(IndexError):
        l[2]
    with pytest.raises(IndexError, match="assignment index"):
        l[-3] = 1
    with pytest.raises(IndexError, match="pop from empty list"):
        typed.List().pop()
    with pytest.raises(TypingError, match="untyped"):
        njit(lambda l: len(l))(typed.List())


def test_copies_of_python_lists_are_refused():
    d = typed.Dict()
    with pytest.raises(TypeError, match="would be a copy"):
        d[1] = [2]
    with pytest.raises(TypeError, match="would be a copy"):
        typed.List([(1, {2})])
    assert repr(d) == "DictType[Undefined,Undefined]({})"
    with pytest.raises(TypeError, match="would be a copy"):
        typed.List([{1: 2}])
    with pytest.raises(TypeError, match="would be a copy"):
        d[1] = (1, {2: 3})


def test_list_from_arrays():
    a = np.arange(6)
    assert list(typed.List(a)) == list(a)
    assert list(typed.List(a[::-2])) == list(a[::-2])
    assert list(typed.List(a.astype(np.float32))) == list(a)
    rows = typed.List(np.arange(6.0).reshape(2, 3))
    assert str(typeof(rows)) == "ListType[array(float64, 1d, C)]"
    assert list(typed.List(range(3))) == [0, 1, 2]


def test_copies_and_pickles():
    for value in (
        typed.List([1, 2]),
        typed.List(),
        typed.List.empty_list(types.float64),
        typed.Dict({1: 2.5}),
        typed.Dict(),
        typed.Dict.empty(types.int64, ROWS),
        typed.Set([1, 2]),
    ):
        again = pickle.loads(pickle.dumps(value))
        assert repr(again) == repr(value)
        shallow = copy.copy(value)
        assert repr(shallow) == repr(value)
        assert shallow is not value


# -- dicts from Python -----------------------------------------------------------------------------


def test_dict_methods():
    d = typed.Dict()
    model = {}
    for x in (d, model):
        x[3] = 1.5
        x[1] = 2.5
        x[3] = 3.5
        x.update({7: 0.5, 8: 1.0})
        x.setdefault(1, 9.0)
        x.setdefault(2, 9.0)
        del x[7]
    assert dict(d) == model
    assert list(d) == list(model)
    assert list(d.items()) == list(model.items())
    assert list(d.values()) == list(model.values())
    assert (len(d), 3 in d, 7 in d, d.get(3), d.get(7), d.get(7, 4.0)) == (
        4,
        3 in d,
        False,
        3.5,
        None,
        4.0,
    )
    assert d == model
    assert d.copy() == d != {1: 2.5}
    assert (d.pop(3), d.pop(33, -1.0), d.popitem()) == (3.5, -1.0, (2, 9.0))
    assert str(d) == "{1: 2.5, 8: 1.0}"
    assert repr(d) == "DictType[int64,float64]<iv=None>({1: 2.5, 8: 1.0})"
    d.clear()
    assert not d
    with pytest.raises(KeyError) as error:
        d[5]
    assert error.value.args == (5,)
    with pytest.raises(KeyError):
        d.popitem()
    with pytest.raises(KeyError):
        del d[5]


def test_dict_refuses():
    d = typed.Dict.empty(types.int64, types.float64)
    with pytest.raises(TypeError):
        d["a"] = 1.0
    with pytest.raises(TypeError):
        d[1.5] = 1.0
    with pytest.raises(TypeError):
        d[1] = "x"
    d[1] = 2
    assert list(d.items()) == [(1, 2.0)]

    with pytest.raises(RuntimeError, match="changed size"):
        for k in d:
            d[k + 1] = 1.0


def test_typed_dict_in_and_out():
    @njit
    def fill(d, n):
        for i in range(n):
            d[i] = np.full(i, 1.5)
        return d

    d = typed.Dict.empty(key_type=types.int64, value_type=ROWS)
    again = fill(d, 5)
    assert len(d) == len(again) == 5
    assert d[4].sum() == 6.0
    again[4][0] = 10
    assert d[4][0] == 10
    del d, again


KEYS = {
    types.int64: [0, 1, -1, -2, 2**62],
    types.float64: [0.0, 1.5, -3.25, 1e300],
    types.int8: [1, -1, 127],
    types.boolean: [True, False],
    types.complex128: [1j, 2 + 1j],
    types.unicode_type: ["", "a", "häß", "\U0001f600"],
    types.UniTuple(types.int64, 2): [(1, 2), (-1, 5)],
    types.Tuple((types.int64, types.float64)): [(1, 2.5), (1, -0.5)],
}


@pytest.mark.parametrize("key_type", KEYS, ids=str)
def test_keys_from_both_sides(key_type):
    """What Python puts in compiled code finds, and the other way round."""
    keys = KEYS[key_type]
    d = typed.Dict.empty(key_type, types.int64)
    for i, key in enumerate(keys[1:]):
        d[key] = i
    seen = typed.List(keys)

    def touch(d, keys):
        for key in keys:
            d[key] = d.get(key, 100) + 1

    njit(touch)(d, seen)
    assert [d[key] for key in keys] == [101, *range(1, len(keys))]
    for key in keys:
        del d[key]
    assert len(d) == 0


def test_made_in_compiled_code():
    @njit
    def f(n):
        d = typed.Dict.empty(types.int64, ROWS)
        e = typed.Dict()
        l = typed.List.empty_list(types.int32)
        m = typed.List()
        s = typed.Set.empty(types.int64)
        for i in range(n):
            d[i] = np.ones(i)
            e[i] = i * 0.5
            l.append(i)
            m.append((i, 0.5))
            s.add(i % 2)
        return d, e, l, m, s, typed.List([1, 2]), typed.List(range(3))

    d, e, l, m, s, k, r = f(3)
    assert d[2].sum() == 2.0
    assert e == {0: 0.0, 1: 0.5, 2: 1.0}
    assert str(typeof(l)) == "ListType[int32]"
    assert list(l) == [0, 1, 2]
    assert list(m) == [(0, 0.5), (1, 0.5), (2, 0.5)]
    assert set(s) == {0, 1}
    assert k == [1, 2]
    assert r == [0, 1, 2]


def test_nested_typed_containers():
    @njit
    def f(n):
        d = typed.Dict()
        for i in range(n):
            l = typed.List()
            for j in range(i):
                l.append(j)
            d[i] = l
        d[2].append(50)
        return d

    d = f(3)
    assert {k: list(v) for k, v in d.items()} == {0: [], 1: [0], 2: [0, 1, 50]}
    d[1].append(4)
    assert list(d[1]) == [0, 4]


def test_methods_in_compiled_code():
    def f(l):
        l.append(4)
        l.insert(1, 9)
        l.extend([5, 6])
        x = l.pop()
        y = l.pop(0)
        l.sort()
        m = l[1:3]
        l.reverse()
        l.remove(9)
        del l[0]
        l[0] = 77
        return (
            x,
            y,
            len(m),
            m[0],
            l.index(77),
            l.count(3),
            3 in l,
            sum(l),
            (l + m)[-1],
            l == m,
            l < m,
        )

    model = [3, 1, 2, 3]
    l = typed.List(model)
    assert compiled(f)(l) == f(model)
    assert l == model


def test_signatures():
    list_type, dict_type = types.ListType(types.int64), types.DictType(types.int64, types.float64)
    f = njit(types.int64(list_type, dict_type))(lambda l, d: len(l) + len(d))
    assert f(typed.List([1]), typed.Dict({1: 1.5})) == 2
    with pytest.raises(TypeError):
        f([1], typed.Dict({1: 1.5}))
    g = njit("int64(ListType[int64], DictType[int64,float64])")(lambda l, d: len(l) + len(d))
    assert g(typed.List([1]), typed.Dict({1: 1.5})) == 2
    assert str(dict_type) == "DictType[int64,float64]<iv=None>"
    assert types.SetType(types.int64) is typeof(typed.Set([1]))


def test_sets_from_python():
    s = typed.Set([3, 1])
    s.add(5)
    s.discard(3)
    s.discard(30)
    with pytest.raises(KeyError):
        s.remove(3)
    assert (len(s), 5 in s, 3 in s, list(s)) == (2, True, False, [1, 5])
    assert s == {1, 5}
    assert s | {7} == {1, 5, 7}
    assert repr(s) == "SetType[int64]<iv=None>({1, 5})"

    @njit
    def f(s):
        s.add(10)
        return s

    t = f(s)
    assert 10 in s
    t.add(11)
    assert 11 in s
    assert s.pop() == 11
    s.clear()
    assert not s


OPERATIONS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(-3, 9), st.integers(0, 50)), max_size=40
)


@settings(max_examples=80, deadline=None)
@given(OPERATIONS)
def test_dict_as_model(operations):
    d, model = typed.Dict.empty(types.int64, types.int64), {}
    for op, key, value in operations:
        if op <= 1:
            d[key] = model[key] = value
        elif op == 2:
            assert d.pop(key, None) == model.pop(key, None)
        elif op == 3 and model:
            assert d.popitem() == model.popitem()
        elif op == 4 and value < 5:
            d.clear()
            model.clear()
        else:
            assert d.get(key) == model.get(key)
        assert len(d) == len(model)
    assert list(d.items()) == list(model.items())


@settings(max_examples=80, deadline=None)
@given(OPERATIONS)
def test_list_as_model(operations):
    l, model = typed.List.empty_list(types.int64), []
    for op, key, value in operations:
        if op <= 1:
            l.append(value)
            model.append(value)
        elif op == 2 and model:
            assert l.pop(key % len(model)) == model.pop(key % len(model))
        elif op == 3:
            l.insert(key, value)
            model.insert(key, value)
        elif op == 4:
            l[key : key + 2] = [value]
            model[key : key + 2] = [value]
        elif model:
            l[key % len(model)] = model[key % len(model)] = value
    assert list(l) == model
    assert l == model


def test_asarray():
    l = typed.List([1.5, 2.5])
    check_same(np.asarray(l), np.array([1.5, 2.5]))
    check_same(njit(lambda l: np.asarray(l))(l), np.array([1.5, 2.5]))
    assert_same(lambda n: np.array([[i, i + 1] for i in range(n)]), 4)


def test_refused_items_are_typing_errors():
    l, d = typed.List([1]), typed.Dict({1: 2.0})
    for refused in (
        lambda: l.append("a"),
        lambda: l.append(2.5),
        lambda: l.insert(0, None),
        lambda: l.extend(["a"]),
        lambda: l.__setitem__(0, "a"),
        lambda: d.__setitem__("a", 1.0),
        lambda: d.__setitem__(1, "a"),
        lambda: d["a"],
        lambda: typed.List([(1, 2)]).append((1.5, 2)),
        lambda: typed.List().append({1: 2}),
    ):
        with pytest.raises(TypingError):
            refused()
    assert list(l) == [1] and d == {1: 2.0}
    floats = typed.List([(1.5, 2)])
    floats.append((1, 2))
    assert list(floats) == [(1.5, 2), (1.0, 2)]


def test_ints_that_do_not_fit():
    with pytest.raises(OverflowError):
        typed.List([1]).append(2**63)
    assert typed.List([1, 2**63])._dtype == types.uint64
    with pytest.raises(OverflowError):
        typed.List([2**70])
    with pytest.raises(OverflowError):
        typed.Dict({1: 2})[2**63] = 1
    assert list(typed.List([np.uint64(1), 2**63])) == [1, 2**63]


def test_lists_of_mixed_tuples():
    def f(l):
        return l[1], l[0]

    assert compiled(f)([(1, 2), (1.5, 2)]) == ((1.5, 2), (1.0, 2))
    assert compiled(f)([(1.5, 2), (1, 2)]) == ((1.0, 2), (1.5, 2))


@pytest.mark.parametrize("value", [300, -129, np.int64(300), np.uint8(200), 2**70])
def test_stores_that_do_not_fit(value):
    items = typed.List.empty_list(types.int8)
    table = typed.Dict.empty(types.int8, types.int8)
    values = typed.Set.empty(types.int8)
    stores = [
        lambda: items.append(value),
        lambda: items.extend([value]),
        lambda: items.extend(np.array([value], object)),
        lambda: table.__setitem__(value, 1),
        lambda: table.__setitem__(1, value),
        lambda: values.add(value),
    ]
    for store in stores:
        with pytest.raises(OverflowError, match="does not fit into int8"):
            store()
    assert not items and not table and not values
    table[44] = 1
    assert value not in table and table.get(value) is None


def test_items_that_have_a_common_type():
    assert typed.List([1, np.float64(2.5), True])._dtype == types.float64
    assert typed.List([1, None])._dtype == types.optional(types.int64)
    with pytest.raises(TypingError):
        typed.List([1, "a"])


def test_lists_are_multiplied_in_place():
    l = same = typed.List([1, 2])
    l *= 2
    assert l is same and list(same) == [1, 2, 1, 2]
    assert l.pop(i=0) == 1 and l.getitem_unchecked(0) == 2
    assert l._list_type is types.ListType(types.int64) and l._dtype is types.int64
    assert typed.Dict({1: 2.0})._dict_type is types.DictType(types.int64, types.float64)


def test_values_and_items_of_keys_that_are_nan():
    d = typed.Dict.empty(types.float64, types.int64)
    d[float("nan")], d[1.0], d[float("nan")] = 5, 6, 7
    assert list(d.values()) == [5, 6, 7] and 7 in d.values() and 8 not in d.values()
    assert [value for _, value in d.items()] == [5, 6, 7] and (1.0, 6) in d.items()
    assert len(d.items()) == len(d.values()) == 3
    with pytest.raises(RuntimeError, match="changed size"):
        for _ in d.values():
            d[2.0] = 1


def test_items_without_a_check():
    values = typed.List([1.5, 2.5])
    assert values.getitem_unchecked(1) == njit(lambda l: l.getitem_unchecked(1))(values) == 2.5


def test_lists_must_not_change_length_during_iteration():
    """As in Numba; lists of Python may."""

    @njit
    def append(items):
        for x in items:
            if x < 3:
                items.append(x + 1)

    @njit
    def pop(items):
        return [items.pop() + x for x in items]

    @njit
    def walk(items):
        for x in items:
            yield x

    @njit
    def in_others(items):
        total = 0
        for i, x in enumerate(items):
            total += i * x
            items[i] = 7
        for x, y in zip(items, walk(items)):
            total += x * y
        return total

    @njit
    def clear_behind(items):
        for x in walk(items):
            items.clear()

    for f in (append, pop, clear_behind):
        with pytest.raises(RuntimeError, match="list was mutated during iteration"):
            f(typed.List([1, 2, 3, 4]))
    assert in_others(typed.List([1, 2, 3])) == 8 + 3 * 49
    plain = [1, 2]
    append(plain)
    assert plain == [1, 2, 2, 3, 3]


def test_typed_containers_stand_for_their_types():
    @njit
    def nested():
        counts = typed.List.empty_list(typed.Dict.empty(types.int32, types.int32))
        lists = typed.Dict.empty(types.int32, typed.List.empty_list(types.int32))
        return counts, lists

    counts, lists = nested()
    assert typeof(counts) == types.ListType(types.DictType(types.int32, types.int32))
    assert typeof(lists) == types.DictType(types.int32, types.ListType(types.int32))


def test_texts_of_long_containers_are_whole():
    numbers = typed.List(range(1005))
    assert repr(numbers) == f"ListType[int64]({list(range(1005))})"
    squares = typed.Dict({n: n * n for n in range(1005)})
    assert str(squares) == str({n: n * n for n in range(1005)})


def test_ipython_shows_the_beginning_of_a_long_list():
    shown = []

    class Printer:
        text = shown.append

    typed.List(range(1005))._repr_pretty_(Printer, False)
    typed.List([1, 2])._repr_pretty_(Printer, False)
    assert shown[0].endswith("998, 999, ...]") and shown[1] == "[1, 2]"
