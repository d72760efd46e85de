"""contextvars.ContextVar: compiled code asks the interpreter for values."""

import contextvars
import math

import numpy as np
import pytest
from numjit import njit

DEPTH = contextvars.ContextVar("depth", default=3)
NAME = contextvars.ContextVar("name")
MODULE = contextvars.ContextVar("module", default=math)
WEIGHTS = contextvars.ContextVar("weights", default=np.arange(3.0))
UNSET = contextvars.ContextVar("unset")


def in_context(function, *args):
    return contextvars.copy_context().run(function, *args)


def test_the_value_now():
    @njit
    def f(x):
        return DEPTH.get() + x, DEPTH.get(10), DEPTH.name

    def deeper():
        DEPTH.set(7)
        return f(1)

    assert f(1) == f.py_func(1) == (4, 10, "depth")
    assert in_context(deeper) == (8, 7, "depth")
    assert f(1) == (4, 10, "depth")


def test_strings_and_arrays():
    def named(name):
        NAME.set(name)
        f = njit(lambda x: NAME.get() + x)
        found = f("!")
        NAME.set(name * 2)
        return found, f("!")

    assert in_context(named, "ab") == ("ab!", "abab!")
    assert njit(lambda: WEIGHTS.get().sum())() == 3.0


def test_without_a_value():
    @njit
    def f(x):
        try:
            return UNSET.get()
        except LookupError:
            return x

    @njit
    def g(x):
        return UNSET.get(x)

    @njit
    def h():
        return UNSET.get() + 1

    def afterwards(function, *args):
        UNSET.set(1)
        return function(*args)

    assert f(2.5) == 2.5 and g("a") == "a"
    with pytest.raises(LookupError):
        h()
    for function in (f, g):
        with pytest.raises(TypeError, match="another one than when this was compiled"):
            in_context(afterwards, function, 1.5 if function is f else "a")


def test_the_value_is_lost_later():
    def f(x):
        return NAME.get(x)

    compiled = njit(f)

    def with_value():
        NAME.set("ab")
        return compiled("c")

    assert in_context(with_value) == "ab"
    assert compiled("c") == "c"


def test_values_without_a_type_are_constants():
    @njit
    def f(x):
        return MODULE.get().sqrt(x)

    def with_other():
        MODULE.set(np)
        return f(4.0)

    def with_this():
        MODULE.set(math)
        return f(4.0)

    assert f(4.0) == 2.0
    with pytest.raises(TypeError, match="another one than when this was compiled"):
        in_context(with_other)
    assert in_context(with_this) == 2.0
    assert f(4.0) == 2.0
