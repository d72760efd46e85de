"""Special methods of containers, strings and arrays that are called by name."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import NumbaError

METHODS = {
    "list": (
        [3, 1, 2],
        """x.__len__();x.__contains__(1);x.__getitem__(0);x.__getitem__(-1);x.__add__([1]);x.__mul__(2)
        x.__rmul__(2);x.__eq__([3, 1, 2]);x.__ne__([1]);x.__lt__([4]);x.__ge__([4]);x.__str__()
        x.__repr__();[i for i in x.__iter__()];[i for i in x.__reversed__()]""",
        "x.__setitem__(0, 5);x.__delitem__(0);x.__iadd__([4]);x.__imul__(2)",
    ),
    "list of strings": (["a", "b"], "x.__len__();x.__contains__('a');x.__getitem__(1)", ""),
    "str": (
        "abc",
        """x.__len__();x.__contains__('b');x.__getitem__(0);x.__add__('d');x.__mul__(2);x.__eq__('abc')
        x.__ne__('a');x.__lt__('b');x.__le__('abc');x.__str__();x.__repr__();x.__format__('>5')
        [c for c in x.__iter__()];x.__hash__() == hash(x)""",
        "",
    ),
    "bytes": (b"abc", "x.__len__();x.__getitem__(0);x.__add__(b'd');x.__eq__(b'abc')", ""),
    "tuple": (
        (1, 2.5),
        "x.__len__();x.__contains__(1);x.__getitem__(1);x.__add__((3,));x.__eq__((1, 2.5))",
        "",
    ),
    "dict": (
        {1: 2.5, 3: 4.5},
        """x.__len__();x.__contains__(1);x.__getitem__(1);x.__eq__({1: 2.5});x.__or__({5: 1.5})
        [k for k in x.__iter__()];x.__ne__({9: 1.5})""",
        "x.__setitem__(4, 5.5);x.__delitem__(1);x.__ior__({7: 0.5})",
    ),
    "set": (
        {1, 2},
        """x.__len__();x.__contains__(1);sorted(x.__or__({3}));x.__and__({1});x.__sub__({1})
        x.__xor__({1});x.__le__({1, 2, 3})""",
        "x.__ior__({5});x.__isub__({1})",
    ),
    "range": (range(5), "x.__len__();x.__contains__(3);x.__getitem__(2)", ""),
    "array": (
        np.arange(3.0),
        """x.__len__();x.__contains__(1);x.__getitem__(1);x.__getitem__(slice(1, 3));x.__add__(1)
        x.__radd__(x);x.__sub__(x);x.__mul__(2);x.__truediv__(2);x.__pow__(2);x.__eq__(1);x.__lt__(2)
        x.__matmul__(x);x.__neg__();x.__abs__();(x + 1).__len__()""",
        "x.__setitem__(0, 5);x.__iadd__(1);x.__imul__(x)",
    ),
}


def program(code):
    names = {}
    exec(code, names)
    return names["f"]


def expressions(text):
    return [each.strip() for line in text.splitlines() for each in line.split(";") if each.strip()]


@pytest.mark.parametrize("kind", METHODS)
def test_what_they_return(kind):
    value, methods, _ = METHODS[kind]
    for method in expressions(methods):
        f = program(f"def f(x):\n    return {method}")
        if isinstance(value, dict):
            assert njit(f)(value) == f(value)
        else:
            assert_same(f, value)


@pytest.mark.parametrize("kind", [kind for kind in METHODS if METHODS[kind][2]])
def test_what_they_change(kind):
    value, _, methods = METHODS[kind]
    for method in expressions(methods):
        f = program(f"def f(x):\n    {method}\n    return x")
        if isinstance(value, dict):
            assert njit(f)(value.copy()) == f(value.copy())
        else:
            assert_same(f, value)


def test_as_a_value():
    def kept(x):
        add = x.__add__
        return add([1])

    assert_same(kept, [3])
    assert njit(lambda d, keys: list(map(d.__getitem__, keys)))({1: 2.5, 2: 3.5}, [2, 1]) == [
        3.5,
        2.5,
    ]


@pytest.mark.parametrize(
    "code", ["[1].__eq__((1,))", "'a'.__lt__(1)", "[1].__sub__([1])", "(1,).__setitem__(0, 1)"]
)
def test_what_python_has_no_value_for_is_refused(code):
    with pytest.raises(NumbaError):
        njit(program(f"def f():\n    return {code}"))()
