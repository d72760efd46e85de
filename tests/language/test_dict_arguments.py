"""Python's dicts as arguments: copied in, and back where compiled code changed them."""

import collections
import copy
import dataclasses
import pickle
import threading

import numpy as np
import pytest
from language.support import compiled
from numjit import experimental, float64, njit, objmode, typed, typeof, types
from numjit.errors import TypingError


def check_changes(f, *arguments):
    """The interpreter's result, and the arguments are what it makes of them, in its order."""
    for _ in range(2):
        mine, expected = copy.deepcopy(arguments), copy.deepcopy(arguments)
        wanted = f(*expected)
        assert repr(compiled(f)(*mine)) == repr(wanted)
        assert repr(mine) == repr(expected)


def put(d, k, v):
    d[k] = v


@pytest.mark.parametrize(
    "arguments",
    [
        ({1: 2}, 3, 4),
        ({1: 2}, 1, 5),
        ({"a": 1.5}, "b", 2.5),
        ({"a": "x"}, "a", "y"),
        ({(1, 2): 0}, (3, 4), 1),
        ({1: np.arange(3)}, 2, np.arange(4)),
        ({1: [1, 2]}, 2, [3]),
        ({1: (1, "a")}, 1, (3, "b")),
        ({1: {2: 3}}, 2, {4: 5}),
        ({}, 1, 2.5),
        ({}, "a", "b"),
        ({}, 1.5, 1j),
    ],
    ids=repr,
)
def test_assignment(arguments):
    check_changes(put, *arguments)


def test_reading():
    def f(d, k):
        total = [(key, value) for key, value in d.items()]
        return d[k], d.get(k), k in d, len(d), list(d.keys()), list(d.values()), total

    check_changes(f, {1: 2.5, 3: 4.5}, 3)
    check_changes(f, {"a": 1, "b": 2}, "b")
    check_changes(f, {(1, "a"): 1, (2, "b"): 2}, (1, "a"))
    with pytest.raises(KeyError):
        njit(f)({1: 2}, 3)


def test_order_and_subclasses():
    def f(d):
        del d[1]
        d[1] = 7
        d.pop(2)
        d[9] = 9
        d[3] += 1

    made = {1: 1, 2: 2, 3: 3, 4: 4}
    moved = collections.OrderedDict(made)
    moved.move_to_end(1)
    for d in (made, moved, collections.defaultdict(int, made), collections.Counter(made)):
        check_changes(f, d)
    check_changes(lambda d: d.clear(), made)
    check_changes(lambda d: d.update({5: 6}), made)
    check_changes(lambda d: d.popitem(), made)
    check_changes(lambda d: d.setdefault(8, 9), made)


def test_what_is_not_changed_stays_the_object_that_it_is():
    key, value, array = (1, 10**9), 1.5e300, np.zeros(2)
    d, arrays = {key: value, (0, 1): 2.5}, {1: array, 2: np.ones(2)}
    njit(lambda d: put(d, (0, 1), 3.5))(d)
    assert d == {key: value, (0, 1): 3.5}
    assert next(iter(d)) is key and d[key] is value

    def f(d):
        d[1][0] = 5
        d[3] = d[1]
        return d

    assert njit(f)(arrays) is arrays
    assert arrays[1] is array and arrays[3] is array and array[0] == 5


def test_nested():
    @dataclasses.dataclass
    class Point:
        x: float
        marks: list

    def f(d, points):
        d["a"].append(1.5)
        d["b"][0] = 9.0
        points[0]["p"].x = 3.0
        points[1]["q"].marks.append(4)
        return d["a"]

    one, two = Point(1.0, [1]), Point(2.0, [2])
    d, points = {"a": [1.0], "b": [2.0]}, [{"p": one}, {"q": two}]
    inner = d["a"]
    assert njit(f)(d, points) is inner
    assert d == {"a": [1.0, 1.5], "b": [9.0]} and d["a"] is inner
    assert points == [{"p": one}, {"q": two}] and one.x == 3.0 and two.marks == [2, 4]


def test_lists_of_objects():
    @experimental.jitclass([("x", float64)])
    class Box:
        def __init__(self, x):
            self.x = x

    def f(boxes, arrays):
        boxes[0].x = 7.0
        boxes.append(boxes[0])
        arrays[0][0] = 9
        arrays[1] = arrays[0]

    first = Box(1.0)
    boxes, arrays = [first, Box(2.0)], [np.zeros(2), np.zeros(3)]
    array = arrays[0]
    njit(f)(boxes, arrays)
    assert [box.x for box in boxes] == [7.0, 2.0, 7.0] and boxes[0] is first
    assert arrays[0] is array and arrays[1] is array and array[0] == 9


def test_one_dict_twice():
    def f(a, b):
        a[1] = 2
        return b[1]

    d = {1: 1}
    assert njit(f)(d, d) == 2 and d == {1: 2}


def test_typed_and_plain_dicts_are_one_type():
    f = njit(lambda d: d[1])
    shared = typed.Dict()
    shared[1] = 2.5
    assert f({1: 1.5}) == 1.5 and f(shared) == 2.5 and len(f.signatures) == 1
    assert typeof({1: 2.5}) == types.DictType(types.int64, types.float64)
    declared = njit(types.float64(types.DictType(types.int64, types.float64)))(lambda d: d[1])
    assert declared({1: 1.5}) == 1.5
    with pytest.raises(KeyError):
        declared({})


def test_mixed_items():
    check_changes(lambda d: d[1] + d[3], {1: 2, 3: 4.5})
    f = njit(lambda d: sum(d.values()))
    assert f({1: 2, 3: 4}) == 6 and f({1: 2, 3: 4.5}) == 6.5 and f({1: 2}) == 2
    for d in ({1: 2, 3: "a"}, {1: 2, "a": 3}):
        with pytest.raises(TypeError, match=r"heterogeneous dict.*numjit\.typed\.Dict"):
            f(d)
    with pytest.raises(TypingError, match="cannot determine Numba type of <class '_thread.lock'>"):
        f({1: threading.Lock()})
    with pytest.raises(TypingError, match="cannot determine Numba type of <class '_thread.lock'>"):
        f({"a": 1, "b": threading.Lock()})
    with pytest.raises(TypingError, match="a dict of .* and"):
        f({range(3): 1})
    endless = {}
    endless[1] = endless
    with pytest.raises(RecursionError):
        f(endless)


def test_objects_mode_sees_one_dict():
    @njit
    def f(d):
        d[2] = 5
        with objmode():
            assert d == {1: 1, 2: 5}
            d[3] = 7
        return d[3]

    d = {1: 1}
    assert f(d) == 7 and d == {1: 1, 2: 5, 3: 7}


# -- values of several types under names -------------------------------------------------------

SETTINGS = {"rate": 0.5, "steps": 3, "name": "fast", "shape": (2, 3), "weights": np.arange(3.0)}


def test_settings():
    def f(p, x):
        return (
            p["rate"] * x + p["steps"],
            p["name"],
            p["shape"][1],
            float(p["weights"].sum()),
            len(p),
        )

    check_changes(f, SETTINGS, 2.0)
    check_changes(f, {**SETTINGS, "name": "slow", "steps": 4}, 1.0)


def test_settings_have_the_types_of_each_call():
    f = njit(lambda p: p["x"])
    assert f({"x": 1, "y": "a"}) == 1
    assert f({"x": 1.5, "y": "a"}) == 1.5
    assert f({"y": "a", "x": 2}) == 2
    assert f({"x": [1, 2], "y": "a"}) == [1, 2]
    assert f({"x": 1.5, "y": 2.5}) == 1.5  # a dict of floats
    assert f({"x": "b", "y": 2.5}) == "b"
    assert f({"x": 2, "y": "c"}) == 2
    with pytest.raises(KeyError):
        f({"z": 1, "y": "a"})


def test_nested_settings():
    def f(p):
        return (
            p["grid"]["n"] * p["grid"]["h"],
            len(p["layers"]),
            p["by_name"]["a"],
            "n" in p["grid"],
        )

    config = {"grid": {"n": 3, "h": 0.5, "kind": "C"}, "layers": [1, 2], "by_name": {"a": 1}}
    check_changes(f, config)
    check_changes(lambda t: t[0]["a"] + t[1], ({"a": 1, "b": "x"}, 2))


def test_lists_in_settings_are_changed():
    def f(p):
        p["found"].append(p["n"] * 0.5)

    check_changes(f, {"found": [1.5], "n": 3, "name": "x"})


def test_settings_passed_on():
    @njit
    def scale(rate, steps, name="x"):
        return rate * steps, name

    check_changes(lambda p: list(p.keys()), SETTINGS)
    f = njit(lambda p: scale(**p))
    assert f({"rate": 0.5, "steps": 4, "name": "y"}) == (2.0, "y")
    assert njit(lambda p: (p, p["b"]))({"a": 1, "b": "x"}) == ({"a": 1, "b": "x"}, "x")


def test_settings_do_not_change():
    def put_number(p):
        p["a"] = 3

    def put_name(p):
        p["c"] = 3

    for f in (put_number, put_name):
        with pytest.raises(TypingError):
            njit(f)({"a": 1, "b": "x"})


def test_settings_in_other_containers():
    f = njit(lambda t: t[1]["a"])
    assert f((1, {"a": 2, "b": "x"})) == 2
    assert (
        njit(lambda p: p["x"]["a"] + p["y"]["a"])(
            {"x": {"a": 1, "b": "s"}, "y": {"a": 2, "b": "t"}}
        )
        == 3
    )
    assert njit(lambda l: l[0][0]["b"])([({"a": 1, "b": "x"}, 1)]) == "x"
    with pytest.raises((TypeError, TypingError)):
        njit(lambda x: len(x))({1: {"a": 1, "b": "x"}})


def test_settings_of_pickled_functions():
    config = {"rate": 0.5, "name": "x"}
    f = njit(lambda p: p["rate"])
    assert pickle.loads(pickle.dumps(f))(config) == 0.5


ROWS = [{"name": "a", "n": 2, "x": 0.5}, {"name": "b", "n": 4, "x": 1.5}]


@pytest.mark.parametrize(
    "f",
    [
        lambda rows: [row["n"] * row["x"] for row in rows if row["name"] != "b"],
        lambda rows: (rows[-1]["name"], len(rows), list(rows[0].keys()), "n" in rows[0]),
        lambda rows: rows,
        lambda rows: rows.append(rows[0]),
        lambda rows: rows.pop(),
        lambda rows: [row["n"] for row in sorted(rows, key=lambda row: -row["x"])],
    ],
)
@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], [{**ROWS[0], "x": 1}, ROWS[1]]])
def test_lists_of_settings(f, rows):
    mine, python = copy.deepcopy(rows), copy.deepcopy(rows)
    assert njit(f)(mine) == f(python) and mine == python


def test_lists_of_other_settings():
    for rows in ([ROWS[0], {"name": "c", "n": 1}], [ROWS[0], {**ROWS[1], "name": 3}]):
        assert njit(lambda rows: (len(rows), rows[1]["name"]))(rows) == (2, rows[1]["name"])


def test_lists_of_counters():
    def f(counts):
        counts[0].update([5])
        return counts[0][99], len(counts)

    for n in (1, 2):
        counts = [collections.Counter([1]), collections.Counter([1, 2])][:n]
        assert njit(f)(counts) == (0, n) and counts[0] == {1: 1, 5: 1}
