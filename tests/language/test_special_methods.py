"""Special methods of numbers, containers, strings and arrays that are called by name."""

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


NUMBERS = {
    "int": (
        7,
        """x.__add__(2);x.__sub__(2);x.__mul__(3);x.__truediv__(2);x.__floordiv__(2);x.__mod__(4)
        x.__pow__(2);x.__divmod__(2);x.__radd__(1);x.__rsub__(1);x.__rmul__(2);x.__rtruediv__(14)
        x.__rfloordiv__(15);x.__rmod__(15);x.__rpow__(2);x.__and__(3);x.__or__(8);x.__xor__(1)
        x.__lshift__(2);x.__rshift__(1);x.__rand__(3);x.__ror__(8);x.__rxor__(1);x.__rlshift__(1)
        x.__neg__();x.__pos__();x.__abs__();x.__invert__();x.__int__();x.__float__();x.__bool__()
        x.__index__();x.__trunc__();x.__floor__();x.__ceil__();x.__round__();x.__eq__(7)
        x.__ne__(7);x.__lt__(8);x.__le__(7);x.__gt__(7);x.__ge__(7);x.__hash__();x.__str__()
        x.__repr__();x.__format__('04d');(3).__mul__(4);hasattr(x, '__len__')
        hasattr(x, '__iter__')""",
    ),
    "float": (
        -3.5,
        """x.__add__(2);x.__mul__(3.0);x.__floordiv__(2.0);x.__mod__(2);x.__divmod__(2.0)
        x.__rsub__(1);x.__rtruediv__(7);x.__pow__(2);x.__neg__();x.__abs__();x.__int__()
        x.__float__();x.__bool__();x.__trunc__();x.__floor__();x.__ceil__();x.__round__()
        x.__round__(1);x.__eq__(2);x.__lt__(3);x.__str__();x.__format__('.2f')
        hasattr(x, '__index__')""",
    ),
    "complex": (
        1 + 2j,
        """x.__add__(2);x.__mul__(x);x.__rsub__(1.0);x.__truediv__(x);x.__neg__();x.__abs__()
        x.__eq__(x);x.__bool__();x.__complex__();x.__repr__()""",
    ),
    "float32": (np.float32(1.5), "x.__add__(x);x.__abs__();x.__lt__(x)"),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_methods_of_numbers(kind):
    value, methods = NUMBERS[kind]
    assert_same(program(f"def f(x):\n    return {', '.join(expressions(methods))}"), value)


def test_what_python_does_not_implement():
    for method in ("(3).__add__(x)", "x.__add__(1j)", "x.__and__(1)"):
        with pytest.raises(NumbaError):
            njit(program(f"def f(x):\n    return {method}"))(2.5)
