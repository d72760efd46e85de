"""Objects of a program's classes as globals: their attributes are constants of what is compiled."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from language.support import Programs, assert_same
from numjit import njit
from numjit.errors import TypingError


class Config:
    limit = 7

    def __init__(self, n=3):
        self.n = n
        self.scale = 2.5
        self.mode = "fast"
        self.table = [1, 2, 3]
        self.weights = np.arange(4.0)
        self.function = lambda x: x - 1
        self.stream = object()  # no constant: compiled code does not see it

    @property
    def twice(self):
        return 2 * self.n

    def scaled(self, x, k=1):
        return self.scale * x * k + self.limit

    def bump(self):
        self.n += 1

    def __call__(self, x):
        return x + self.n

    def __getitem__(self, i):
        return self.table[i]


@dataclasses.dataclass
class Point:
    x: int = 1
    y: float = 2.0

    def both(self):
        return self.x + self.y


class Node:
    def __init__(self):
        self.itself = self
        self.value = 5
        self.place = Point()


CONFIG, POINT, NODE = Config(), Point(3, 4.5), Node()

PROGRAMS = Programs()


@PROGRAMS.add(4)
def attributes(x):
    return CONFIG.n * x + CONFIG.scale, CONFIG.twice, CONFIG.limit, CONFIG.mode == "fast"


@PROGRAMS.add(2.0)
def methods(x):
    return CONFIG.scaled(x, k=3), CONFIG(x), CONFIG[1], CONFIG.function(x)


@PROGRAMS.add()
def containers():
    return len(CONFIG.table), CONFIG.table[-1], CONFIG.weights[2] + CONFIG.weights.sum()


@PROGRAMS.add(1)
def dataclass(x):
    return POINT.x + x, POINT.both(), isinstance(POINT, Point), getattr(POINT, "y")


@PROGRAMS.add()
def nested():
    return NODE.value, NODE.place.both(), hasattr(NODE, "missing")


@PROGRAMS.add(3)
def as_argument(x):
    return scaled_by(CONFIG, x)


@njit
def scaled_by(config, x):
    return config.scale * x


POINTS = [Point(1, 2.0), Point(3, 4.0)]
BY_NAME = {"a": Point(1, 2.0), "b": Point(5, 6.0)}
BY_NUMBER = {1: Point(1, 2.0), 2: Point(5, 6.0)}


@PROGRAMS.add(1)
def in_lists(i):
    total = 0.0
    for k, point in enumerate(POINTS):
        total += k * point.both()
    return POINTS[i].y, POINTS[0].x, total, len(POINTS)


@PROGRAMS.add("b", 2)
def in_dicts(name, number):
    return BY_NAME[name].both(), BY_NAME["a"].x, BY_NUMBER[number].x, [*BY_NUMBER]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    function, args = PROGRAMS[name]
    assert_same(function, *args)


def test_captured():
    config = Config(11)
    assert_same(lambda x: config.n + x, 1)


def test_values_are_those_of_the_compilation():
    config = Config()
    f = njit(lambda x: config.n + x)
    assert f(1) == 4
    config.n = 50
    assert f(1) == 4 and f(1.0) == 51.0
    assert njit(lambda x: config.n + x)(1) == 51


def test_changes_are_refused():
    def assigns():
        CONFIG.n = 5

    for f in (assigns, lambda: CONFIG.bump(), lambda: POINT.__setattr__("x", 1)):
        with pytest.raises(TypingError, match="a global object|__setattr__"):
            njit(f)()
    assert CONFIG.n == 3
    with pytest.raises(TypingError, match=r"Unknown attribute 'missing' of type Config\("):
        njit(lambda: CONFIG.missing)()


@dataclasses.dataclass
class Branch:
    value: int
    left: object = None
    right: object = None


def test_objects_that_lead_back():
    a, b = Branch(1), Branch(2)
    a.left = a.right = b
    b.left = b.right = a
    with pytest.raises(TypingError, match="cannot determine Numba type"):
        njit(lambda: a.value)()
    nodes = [Config(i) for i in range(100)]
    for i, node in enumerate(nodes):
        node.later = nodes[i + 1 :]
    assert njit(lambda: nodes[0].n)() == 0


def test_objects_as_deep_as_arguments():
    outer = Config(5)
    for _ in range(7):
        inner, outer = outer, Config(0)
        outer.inner = inner
    deep = lambda x: x.inner.inner.inner.inner.inner.inner.inner.n
    assert njit(deep)(outer) == njit(lambda: deep(outer))() == 5


class MadeWith:
    def __new__(cls, n):
        made = super().__new__(cls)
        made.n = n
        return made


def test_returned_objects_are_copies():
    made = MadeWith(3)
    made.__dict__[5] = "no attribute"
    got = njit(lambda: made)()
    assert type(got) is MadeWith and got.n == 3 and got is not made


def test_threads_read_objects_that_refer_to_each_other():
    nodes = [Config(i) for i in range(16)]
    for i, node in enumerate(nodes):
        node.next = nodes[(i + 1) % 16]

    def total(i):
        node = nodes[i]
        return njit(lambda: 100 * node.n + node.next.n)()

    with ThreadPoolExecutor(16) as pool:
        assert [*pool.map(total, range(16))] == [100 * i + (i + 1) % 16 for i in range(16)]


def test_large_graphs_of_objects_are_not_read_whole():
    def tree(depth):
        node = Node()
        node.children = [tree(depth - 1) for _ in range(40)] if depth else []
        return node

    root = tree(3)
    assert njit(lambda: root.value)() == 5
    with pytest.raises(TypingError, match="Unknown attribute 'children'"):
        njit(lambda: len(root.children))()


class Domain:
    number = table = None


class Ring(Domain):
    """What it does needs no attributes of an object."""

    zero = 0
    unit = 1.5
    number = int
    table = object()  # no constant: compiled code does not see it

    def add(self, a, b):
        return a + b + self.zero

    def __call__(self, x):
        return x * self.unit


class Field(Ring):
    unit = 2.5


RING, FIELD = Ring(), Field()


def in_ring(x):
    return RING.add(x, RING.zero), RING(x), FIELD.add(x, 1), FIELD(x), RING.number(FIELD(x))


def in_given(ring, x):
    return ring.add(x, 1), ring(x), ring.unit


def test_objects_without_attributes():
    assert_same(in_ring, 4)
    compiled = njit(in_given)
    for ring in (RING, FIELD, Ring()):
        assert compiled(ring, 3) == in_given(ring, 3)


def test_attributes_that_replace_those_of_the_base():
    assert Ring.table is not None
    with pytest.raises(TypingError, match="Unknown attribute 'table'"):
        njit(lambda: RING.table is None)()
