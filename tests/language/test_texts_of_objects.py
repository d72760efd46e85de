"""repr() and str() of dataclasses and jitclasses that do not say their own."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit, types
from numjit.experimental import jitclass


@dataclass
class Body:
    mass: float
    items: list
    name: str = "sun"


@dataclass(frozen=True)
class Pair:
    first: int
    second: Body


@dataclass
class Told:
    x: int

    def __str__(self):
        return "told"


@dataclass
class Shown:
    x: int

    def __repr__(self):
        return "shown"


@jitclass([("x", types.float64)])
class Plain:
    def __init__(self):
        self.x = 1.0


@jitclass([("x", types.float64)])
class WithStr:
    def __init__(self):
        self.x = 1.0

    def __str__(self):
        return "with str"


@jitclass([("x", types.float64)])
class WithRepr:
    def __init__(self):
        self.x = 1.0

    def __repr__(self):
        return "with repr"


def texts(x):
    return repr(x), str(x), f"{x!r} {x}"


@pytest.mark.parametrize(
    "value",
    [
        Body(1.5, [1, 2]),
        Body(1.0, ["a'b"], "x"),
        Pair(1, Body(2.5, [0.5])),
        Told(3),
        Shown(3),
        (Told(1), [Shown(2)]),
    ],
    ids=repr,
)
def test_dataclasses(value):
    assert_same(texts, value)


def test_made_in_compiled_code():
    def local(n):
        return repr(Body(n / 2, [n])), repr(Pair(n, Body(1.0, [2]))), str([Told(n)])

    assert_same(local, 3)

    @dataclass
    class Inner:
        x: int

    assert_same(lambda: repr(Inner(1)))


@pytest.mark.parametrize("cls", [Plain, WithStr])
def test_jitclasses_have_the_default(cls):
    pattern = rf"<{re.escape(__name__)}\.{cls.__name__} object at 0x[0-9a-f]+>"
    x = cls()
    shown, told, both = njit(texts)(x)
    assert re.fullmatch(pattern, shown)
    assert shown == njit(repr_of)(x)
    assert shown != njit(repr_of)(cls())
    assert re.fullmatch(pattern, repr(x))
    if cls is WithStr:
        assert told == "with str" == str(x)
        assert both == f"{shown} with str"
    else:
        assert told == shown


def repr_of(x):
    return repr(x)


def test_jitclasses_with_a_repr():
    assert njit(texts)(WithRepr()) == ("with repr", "with repr", "with repr with repr")
    assert np.all([repr(WithRepr()) == "with repr", str(WithRepr()) == "with repr"])


def test_classes():
    def f(x, y):
        return str(type(x)), f"{type(y)} {ValueError!r}", repr(int), str(Body), f"{np.float32}"

    for x, y in ((np.ones(2), "a"), ([1], (1,)), ({1}, b"a")):
        assert_same(f, x, y)

    class Plain:
        def __init__(self):
            self.x = 1

    assert njit(lambda p: str(type(p)))(Plain()) == str(Plain)
