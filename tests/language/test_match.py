"""Mapping and class patterns of the match statement."""

import dataclasses
from typing import NamedTuple

import pytest
from language.support import assert_same, compiled
from numjit import int64, njit
from numjit.errors import TypingError
from numjit.experimental import jitclass


@dataclasses.dataclass
class Point:
    x: float
    y: float


@dataclasses.dataclass
class Circle:
    centre: Point
    radius: float


class Pair(NamedTuple):
    first: int
    second: float


def kind(x):
    match x:
        case bool():
            return 1.0
        case int(n):
            return n + 0.5
        case float(v) if v > 10:
            return v
        case float():
            return -1.0
        case str(text):
            return len(text) * 1.0
        case (int(), y):
            return y * 2.0
        case list():
            return -3.0
    return -2.0


@pytest.mark.parametrize("x", [True, 3, 2.5, 11.5, "abc", (1, 2.5), [1], 1j])
def test_classes_of_python(x):
    assert_same(kind, x)


def where(p):
    match p:
        case Point(x=0.0, y=0.0):
            return "origin"
        case Point(0.0, y):
            return "on y at " + str(y)
        case Point(x, 0.0 | 1.0):
            return "low at " + str(x)
        case Point():
            return "somewhere"
        case Circle(Point(x, y), r) if r > x:
            return "round"
        case Circle(radius=r):
            return "small"
        case Pair(1, b):
            return str(b)
        case Pair(first=f):
            return "pair " + str(f)
    return "nothing"


@pytest.mark.parametrize(
    "p",
    [Point(0.0, 0.0), Point(0.0, 2.0), Point(3.0, 1.0), Point(3.0, 0.0), Point(3.0, 4.0)]
    + [Circle(Point(1.0, 2.0), 3.0), Circle(Point(5.0, 2.0), 3.0), Pair(1, 2.5), Pair(2, 2.5), 7],
)
def test_classes_with_attributes(p):
    assert_same(where, p)


def test_jitclasses():
    @jitclass([("n", int64)])
    class Box:
        def __init__(self, n):
            self.n = n

    def f(k):
        match Box(k):
            case Box(n=3):
                return -1
            case Box(n=n):
                return n

    assert [njit(f)(k) for k in (3, 4)] == [-1, 4]


def test_too_many_places():
    def f(p):
        match p:
            case Point(a, b, c):
                return a

    with pytest.raises(TypingError, match="accepts 2 positional sub-patterns, 3 are given"):
        compiled(f)(Point(1.0, 2.0))


def of_mapping(d):
    match d:
        case {"a": 1, "b": b}:
            return b
        case {"a": a, **rest}:
            return a * 100 + len(rest)
        case {}:
            return -1
    return -2


@pytest.mark.parametrize("d", [{"a": 1, "b": 5}, {"a": 1}, {"a": 3, "c": 4, "d": 5}, {"c": 1}])
def test_mappings(d):
    assert compiled(of_mapping)(dict(d)) == of_mapping(d)


def test_mappings_with_keys_of_other_types():
    def f(x):
        d = {1: x, 2: 2.5}
        match d:
            case {1: 7.0, 2: y}:
                return y
            case {3: y}:
                return -y
            case {1: y}:
                return y

    for x in (7.0, 8.0):
        assert_same(f, x)


def test_mappings_with_values_of_several_types():
    def f(n):
        settings = {"name": "x", "n": n, "scale": 2.5}
        match settings:
            case {"missing": m}:
                return 0.0
            case {"n": 3, "scale": s}:
                return s
            case {"name": name, "n": k}:
                return len(name) * 10.0 + k

    for n in (3, 4):
        assert_same(f, n)


def test_what_is_no_mapping():
    def f(x):
        match x:
            case {"a": a}:
                return a
            case _:
                return 5

    assert_same(f, 3)
    assert_same(f, (1, 2))
