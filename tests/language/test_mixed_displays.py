"""Displays whose items have no common type: {"a": 1, "b": "x"} and [1, "x"]."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import literal_unroll, njit, types
from numjit.extending import overload


def test_values_by_constant_keys():
    def f(a, n):
        options = {"data": a, "count": n, "name": "x", "scale": 2.5}
        return options["data"].sum() * options["scale"], options["count"] + 1, options["name"]

    assert_same(f, np.arange(3.0), 4)


def test_a_dict_in_a_dict():
    def f(x):
        inner = {"value": x, "unit": "mm"}
        outer = {"length": inner, "n": 2}
        return outer["length"]["value"] * outer["n"], outer["length"]["unit"]

    assert_same(f, 1.5)


def test_questions_about_keys():
    def f(x):
        d = {"a": x, "b": "text", "c": (x, 1.5)}
        return len(d), "a" in d, "z" in d, bool(d), d.get("b"), d.get("z", 3)

    assert_same(f, 2)


def test_parts():
    def f(x):
        d = {"a": x, "b": "text"}
        keys = ""
        for key in d:
            keys += key
        texts = ""
        for key, value in d.items():
            texts += f"{key}={value};"
        return keys, texts, len(d.values()), [key + "!" for key in d.keys()]

    assert_same(f, 2)


def test_a_constant_key_from_a_caller():
    def get(d, key):
        return d[key]

    def f(x):
        d = {"a": x, "b": "text"}
        return d["b"] + str(get(d, "a"))

    assert_same(f, 7)


def test_a_dict_that_is_given_to_python():
    def f(a):
        return {"a": a, "n": 2, "s": "é"}

    got = compiled(f)(np.arange(3))
    assert type(got) is dict and list(got) == ["a", "n", "s"]
    assert got["n"] == 2 and got["s"] == "é" and got["a"].tolist() == [0, 1, 2]


def test_keys_that_are_not_known():
    def variable(key):
        d = {"a": 1, "b": "text"}
        return d[key]

    @njit
    def variable_of(keys):
        d = {"a": 1, "b": "text"}
        return d[keys[0]]

    def missing():
        d = {"a": 1, "b": "text"}
        return d["c"]

    def written():
        d = {"a": 1, "b": "text"}
        d["c"] = 2
        return d["a"]

    assert_same(variable, "a")
    assert_same(variable, "b")
    of_list = compiled(lambda keys: variable_of(keys))
    assert (of_list(["a"]), of_list(["b"])) == (1, "text")
    with pytest.raises(KeyError, match="'c'"):
        of_list(["c"])
    with pytest.raises(KeyError, match="key 'c' is not in"):
        compiled(missing)()
    assert compiled(written)() == 1


def test_values_of_one_type_make_a_dict():
    def f(x):
        d = {"a": x, "b": 2.5}
        d["c"] = 1.0
        return d["a"] + d["c"], len(d)

    assert_same(f, 1.5)


def test_items_of_a_list():
    def f(x, a):
        parts = [x, "text", a, (1, 2.5)]
        n = 0
        for part in literal_unroll(parts):
            n += len(str(part)) if not isinstance(part, np.ndarray) else part.size
        return parts[0] + 1, parts[1], parts[-1][1], len(parts), n

    assert_same(f, 3, np.arange(4))


def test_a_list_in_parts():
    def f(x):
        first, *rest = [x, "text", 2.5]
        a, b = [x, "u"]
        return first, rest[0], rest[1], a, b

    assert_same(f, 3)


def test_a_list_that_is_given_to_python():
    def f(x):
        return [x, "text", (x, None)], str([x, "t"])

    assert_same(f, 3)


def test_a_mixed_list_grows():
    def f(x):
        parts = [x, "text"]
        parts.append(x)
        return parts

    assert compiled(f)(1) == f(1)


def test_classes_of_mixed_displays():
    def f():
        row, d = [1, "a"], {"a": 1, "b": "x"}
        return (
            isinstance(row, list),
            isinstance(row, tuple),
            isinstance(d, dict),
            row[1:],
            row[::-1],
        )

    assert_same(f)


def describe(x):
    raise NotImplementedError


@overload(describe)
def describe_overload(x):
    text = f"{type(x).__name__} {x} {len(x.types)}"
    assert x._handle is not None
    return lambda x: text


def test_types_of_mixed_displays():
    def f():
        return describe([1, "a"]), describe({"a": 1, "b": "x"})

    assert compiled(f)() == (
        "LiteralList LiteralList((int64, Literal[str](a))) 2",
        "LiteralStrKeyDict LiteralStrKey[Dict]({a: int64, b: Literal[str](x)}) 2",
    )
    assert types.LiteralList((types.int64, types.float64))[1] is types.float64
    assert types.LiteralStrKeyDict({"a": types.int64}).count == 1


def test_loop_variables_in_a_dict_that_is_given_to_python():
    def f(n):
        for i in range(n):
            pass
        return {"n": i, "name": "x"}

    assert compiled(f)(3) == {"n": 2, "name": "x"}


def test_copies():
    @njit
    def f():
        x = ["a", 1]
        y = x.copy()
        return y[0], y[1], len(y)

    assert f() == ("a", 1, 2)


def test_attributes_that_are_not_there():
    @njit
    def f(x, caught):
        try:
            return getattr(x, "missing")
        except AttributeError:
            if not caught:
                raise
        return None

    assert f(1.5, True) is None
    with pytest.raises(AttributeError, match="'float64' has no attribute 'missing'"):
        f(1.5, False)
    assert njit(lambda x: getattr(x, "real"))(1.5) == 1.5
