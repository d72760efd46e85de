"""Dataclasses: frozen ones are values, others references; fields, methods, in and out of Python."""

import dataclasses
import enum
from collections import namedtuple
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit, typeof
from numjit.errors import TypingError


@dataclass(frozen=True)
class Vector:
    x: float
    y: float = 0.0
    dimensions: ClassVar[int] = 2

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5

    @property
    def flipped(self):
        return Vector(self.y, self.x)

    @staticmethod
    def unit():
        return Vector(1.0, 0.0)

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)


@dataclass
class Account:
    number: int
    balance: float = 0.0

    def deposit(self, amount):
        self.balance += amount
        return self.balance


@dataclass
class Body:
    at: Vector
    path: np.ndarray
    mass: float = 1.0


@dataclass(order=True)
class Version:
    major: int
    minor: int = 0


@dataclass
class Checked:
    x: float
    twice: float = 0.0

    def __post_init__(self):
        self.twice = self.x * 2


def check(f, *args):
    made, wanted = compiled(f)(*args), f(*args)
    assert made == wanted and type(made) is type(wanted)


def test_frozen():
    def f(v):
        return v.x + v.y, v.norm(), v.flipped, v.dimensions

    check(f, Vector(3.0, 4.0))
    check(f, Vector(1, 2))  # fields are typed from their values


def test_made_in_compiled_code():
    def f(x):
        return Vector(x), Vector(y=x, x=2.0), Vector.unit(), dataclasses.replace(Vector(x), y=5.0)

    check(f, 1.5)


def test_operators():
    def f(a, b):
        return a + b, a * 2.0, a == b, a != b, a == a

    check(f, Vector(1.0, 2.0), Vector(3.0, 4.0))

    def g(a, b):
        return a < b, a >= b, a == b

    for a in (Version(1, 2), Version(2)):
        for b in (Version(1, 2), Version(1, 3)):
            check(g, a, b)


def test_plain_ones_are_references():
    def f(a):
        b = a
        b.balance = 10.0
        a.deposit(5.0)
        return a.balance, b is a

    mine, theirs = Account(1, 2.0), Account(1, 2.0)
    assert compiled(f)(mine) == f(theirs)
    assert mine == theirs  # the caller's object has the changes

    @njit
    def pay(a, amount):
        a.balance -= amount

    @njit
    def both(a, b):
        pay(a, 1.0)
        pay(b, 2.0)
        return a

    one = Account(7, 10.0)
    assert both(one, one) is one and one.balance == 7.0


def test_plain_ones_made_in_compiled_code():
    def f(n):
        total = Account(n)
        for i in range(n):
            total.deposit(i * 1.0)
        return total

    check(f, 4)

    def g(n):
        accounts = [Account(i, i * 2.0) for i in range(n)]
        accounts[1].balance += 100.0
        return accounts[1].balance, accounts[2]

    check(g, 3)


def test_post_init():
    def f(x):
        return Checked(x).twice

    check(f, 2.0)


def test_nested():
    @njit
    def f(body):
        body.path[0] = body.at.norm()
        body.at = body.at + Vector(1.0, 1.0)
        body.mass *= 2
        return body

    body = Body(Vector(3.0, 4.0), np.zeros(2))
    path = body.path
    assert f(body) is body
    assert body.at == Vector(4.0, 5.0) and path[0] == 5.0 and body.mass == 2.0
    assert body.path is path


def test_arrays_made_inside():
    @njit
    def f(n):
        return Body(Vector(0.0), np.arange(n) * 1.0)

    made = f(3)
    assert type(made) is Body and made.path.tolist() == [0, 1, 2] and made.mass == 1.0


def test_choice_and_optional():
    def f(a, b, x):
        c = a if x else b
        return c.x

    check(f, Vector(1.0), Vector(2.0), True)

    def g(x):
        v = Vector(x) if x > 0 else None
        return -1.0 if v is None else v.x

    check(g, 1.0)
    check(g, -1.0)


def test_isinstance():
    def f(v):
        if isinstance(v, Vector):
            return 1
        return 2

    check(f, Vector(1.0))
    check(f, 5)


def test_refused():
    with pytest.raises(TypingError, match="frozen"):

        @njit
        def f(v):
            v.x = 1.0

        f(Vector(1.0))
    with pytest.raises(TypingError, match="Unknown attribute 'z'"):
        njit(lambda v: v.z)(Vector(1.0))
    with pytest.raises(TypingError, match="missing a required argument"):
        njit(lambda: Vector())()
    with pytest.raises(TypingError, match="Cannot cast"):

        @njit
        def g(a):
            a.balance = "text"

        g(Account(1))


def test_a_list_by_a_factory_may_stay_empty():
    @dataclass
    class Factory:
        items: list = field(default_factory=list)

    assert njit(lambda: Factory())() == Factory([])


def test_type_text():
    assert str(typeof(Vector(1.0, 2))) == "Vector(float64, int64)"


# -- named tuples --------------------------------------------------------------------------------

Point = namedtuple("Point", "x y", defaults=(7,))


class Named(NamedTuple):
    x: int
    y: float = 2.5

    def total(self):
        return self.x + self.y

    @property
    def double(self):
        return self.x * 2


def test_named_tuples():
    def f(p, q):
        return p._replace(x=5), p._fields, q.total(), q.double, Named(3).total(), Point(1)

    check(f, Point(1, 2), Named(4))


def test_classes_without_a_file_have_their_methods():
    namespace = {}
    text = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Frozen:
    a: int

    def more(self, n):
        return self.a + n

    def __add__(self, other):
        return Frozen(self.a + other.a)

@dataclass
class Changing:
    a: int

    @property
    def twice(self):
        return 2 * self.a
"""
    exec(compile(text, "<string>", "exec"), namespace)
    Frozen, Changing = namespace["Frozen"], namespace["Changing"]

    @njit
    def f(x, y):
        return (x + x).more(y.twice), x == Frozen(3)

    assert f(Frozen(3), Changing(5)) == (16, True)


@dataclass(frozen=True)
class Scene:
    origin: Vector
    name: str
    offsets: tuple
    heights: np.ndarray
    depth: int = 0

    def __bool__(self):
        return self.depth > 0


SCENE = Scene(Vector(3.0, 4.0), "flat", (1, 2.5), np.arange(4.0), depth=2)
NOTHING = Scene(Vector(0.0), "", (), np.zeros(0))
ACCOUNT = Account(1)


def test_frozen_ones_are_constants():
    def parts(k):
        here = SCENE.origin + Vector(1.0)
        return (
            here,
            SCENE.name,
            SCENE.offsets[1],
            SCENE.heights[k],
            SCENE.depth,
            [*SCENE.offsets[:1]],
        )

    def methods(move=Vector(1.0, 2.0)):
        return SCENE.origin.norm(), (SCENE.origin + move).flipped, move

    def chosen(c):
        place = SCENE.origin if c else Vector(0.0, 1.0)
        return place, [SCENE.origin, place], {place: 1}[place]

    def compared():
        same = SCENE.origin == Vector(3.0, 4.0)
        return same, 1 if SCENE else 0, not NOTHING, bool(NOTHING), SCENE.origin != NOTHING.origin

    scene = SCENE

    def captured():
        return scene.origin

    assert compiled(parts)(2) == parts(2)
    assert compiled(methods)() == methods()
    assert compiled(methods)(Vector(5.0)) == methods(Vector(5.0))
    for c in (True, False):
        assert compiled(chosen)(c) == chosen(c)
    assert compiled(compared)() == compared()
    assert compiled(captured)() == captured()


def test_frozen_ones_are_keys():
    def keys(n):
        counts, seen = {}, set()
        for i in range(n):
            place = Vector(i % 3, i % 2)
            counts[place] = counts.get(place, 0) + 1
            seen.add((i % 4, place))
        return counts, len(seen), Vector(1, 1) in counts, hash(Vector(2.5)), hash(SCENE.origin)

    assert compiled(keys)(20) == keys(20)
    with pytest.raises(TypingError, match="unhashable type"):
        njit(lambda: hash(Account(1)))()


def test_others_are_no_constants():
    ring = Scene(Vector(0.0), "", (), None)
    object.__setattr__(ring, "heights", ring)
    with pytest.raises(TypingError, match="cannot determine Numba type of "):
        njit(lambda: ring.depth)()
    with pytest.raises(TypingError):
        njit(lambda: [*SCENE.origin])()


@dataclasses.dataclass
class Purse:
    owner: str
    balance: float = 0.0
    log: list = None

    @classmethod
    def open(cls, owner, *gifts):
        made = cls(owner, sum(gifts), [0.5])
        made.log.append(1.5)
        return made

    @staticmethod
    def fee(x):
        return x * 0.01


class Pair(NamedTuple):
    x: int
    y: int = 2

    @classmethod
    def make(cls, v):
        return cls(v, v + 1)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2

    @classmethod
    def first(cls):
        return cls.LOW


def test_methods_of_classes():
    def f(x):
        a, b = Purse.open("ann", 2.0, 3.0), Purse.open("bob", x)
        p = Pair.make(3)
        return a, b.balance, b.log, Purse.fee(x), p, p.make(1).y, Level.first() + 1

    assert_same(f, 4.0)
