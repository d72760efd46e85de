"""Named tuples: fields, construction, and everything that tuples do."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import literal_unroll, njit
from numjit.errors import TypingError

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "left right")
Segment = namedtuple("Segment", ["start", "end", "data"])
WithDefaults = namedtuple("WithDefaults", "a b c", defaults=(2, 0.5))


class Typed(NamedTuple):
    name: int
    value: float = 1.5


class Measure(NamedTuple):
    value: float
    unit: str

    def __repr__(self):
        return f"{self.value} {self.unit}"


class Shown(NamedTuple):
    x: int

    def __str__(self):
        return f"#{self.x}"


def test_texts_of_classes_with_methods():
    def f(x):
        m, s = Measure(x, "µm"), Shown(3)
        return str(m), repr(m), f"{m}|{m!r}|{s}|{s!r}", str(s), repr(s), str((m, s)), "%s" % m.value

    assert_same(f, 2.5)


def test_fields():
    def f(p):
        return p.x + p.y, p[0], p[-1], len(p)

    assert_same(f, Point(1, 2))
    assert_same(f, Point(1, 2.5))


def test_pass_in_and_out():
    def f(p):
        return p

    for p in (Point(1, 2), Point(1, 2.5), Segment(Point(0, 0), Point(1.5, 2), None)):
        assert_same(f, p)
        assert type(compiled(f)(p)) is type(p)


def test_build():
    def f(a, b):
        return Point(a, b), Point(y=a, x=b), Point(a, y=b), Segment(Point(a, a), (b,), a)

    assert_same(f, 1, 2.5)


def test_build_with_defaults():
    def f(a):
        return WithDefaults(a), WithDefaults(a, 5), WithDefaults(a, c=7), Typed(a), Typed(a, 3.0)

    assert_same(f, 1)


def test_wrong_construction():
    for wrong in (lambda a: Point(a), lambda a: Point(a, a, a), lambda a: Point(a, z=a)):
        with pytest.raises(TypingError):
            njit(wrong)(1)


def test_unknown_field():
    with pytest.raises(TypingError):
        njit(lambda p: p.z)(Point(1, 2))


def test_classes_are_told_apart():
    def f(p):
        if isinstance(p, Point):
            return 1
        return 2

    assert compiled(f)(Point(1, 2)) == 1
    assert compiled(f)(Pair(1, 2)) == 2
    assert len(compiled(f).signatures) == 2


def test_arrays_in_fields():
    def f(s):
        s.data[0] = s.start.x
        return s.data * 2, s

    assert_same(f, Segment(Point(3, 4), Point(1, 1), np.zeros(3)))


def test_unpack_slice_and_concatenate():
    def f(p, q):
        x, y = p
        return x, y, p[1:], p + q, (0,) + p, p[::-1]

    assert_same(f, Point(1, 2.5), Pair(3, 4))


def test_compare():
    def f(p, q):
        return p == q, p != q, p < q, p >= q, p == (1, 2)

    assert_same(f, Point(1, 2), Point(1, 3))
    assert_same(f, Point(1, 2), Point(1, 2))
    assert_same(f, Point(1, 2), Pair(1, 2))


def test_iterate():
    def f(p):
        total = 0.0
        for i, v in enumerate(literal_unroll(p)):
            total = total * 10 + v
        return total

    def g(p):
        total = 0
        for v in p:
            total += v
        return total

    assert_same(g, Point(1, 2))
    try:
        assert_same(f, Point(1, 2.5))
    except TypingError:
        pytest.skip("enumerate over literal_unroll is not part of this engine")


def test_in_loops_and_branches():
    def f(n):
        p = Point(0, 1.0)
        for i in range(n):
            if i % 2:
                p = Point(p.x + i, p.y * 2)
            else:
                p = Point(p.x, p.y + 1)
        return p

    assert_same(f, 5)


def test_replace_by_building():
    def f(p, x):
        return Point(x, p.y)

    assert_same(f, Point(1, 2), 5)


def test_lists_of_named_tuples():
    def f(n):
        points = [Point(i, i * 0.5) for i in range(n)]
        total = 0.0
        for p in points:
            total += p.x * p.y
        return total, points[n - 1], points

    assert_same(f, 4)


def test_global_named_tuple():
    def f(k):
        return ORIGIN.x + k, ORIGIN

    assert_same(f, 2)


ORIGIN = Point(1, 2.5)


def test_the_class_of_a_value():
    def f(p, x):
        return type(p)(x, 3), type(p)(y=x, x=1), isinstance(p, type(p))

    assert_same(f, Point(1, 2), 2.5)


def made_in_a_function(n):
    Point = namedtuple("Point", "x y")
    Size = namedtuple("Size", ["width", "height"])
    point, size = Point(n, n + 1.5), Size(2, n)
    return point.x * point.y, size.width * size.height, point


def test_classes_that_functions_make():
    assert njit(made_in_a_function)(3) == made_in_a_function(3)
    assert njit(made_in_a_function)(3)[2]._fields == ("x", "y")
