"""Instances of plain classes that compiled code makes: `__init__` says what their fields are."""

import abc
import copy
import functools
import math
import pickle
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError


class Vec:
    dim = 2

    def __init__(self, x, y=0.0, *, scale=1):
        if x < 0:
            raise ValueError("negative")
        self.x = x * scale
        self.y = y * scale

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return hash((self.x, self.y))

    def __lt__(self, other):
        return self.x < other.x

    def __bool__(self):
        return self.x != 0

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    def __setitem__(self, i, value):
        if i == 0:
            self.x = value
        else:
            self.y = value

    def __len__(self):
        return 2

    def __call__(self, k):
        return self.x * k

    def __neg__(self):
        return Vec(abs(self.x), -self.y)

    def __contains__(self, value):
        return value in (self.x, self.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    @property
    def norm(self):
        return math.hypot(self.x, self.y)

    @norm.setter
    def norm(self, value):
        k = value / self.norm
        self.x *= k
        self.y *= k


class Shape(abc.ABC):
    def __init__(self, name):
        self.name = name

    @abc.abstractmethod
    def area(self): ...

    def describe(self):
        return self.name + " " + str(int(self.area()))


class Square(Shape):
    def __init__(self, a):
        super().__init__("square")
        self.a = a

    def area(self):
        return self.a**2


class Cube(Square):
    def area(self):
        return 6 * super().area()


class Particle:
    def __init__(self, place, speed):
        self.place = place
        self.speed = speed
        self.history = np.zeros(3)
        self.k = 0
        self.corner = Vec(1.0, 2.0)

    def step(self, dt):
        self.place += self.speed * dt
        self.history[self.k % 3] = self.place[0]
        self.k += 1
        self.corner.x += dt
        return self


class Settings:
    def __init__(self, n, kind="a", weights=None):
        self.n = n
        if kind == "a":
            self.f = 1.0
        else:
            self.f = 2.0
        self.weights = np.ones(n) if weights is None else weights
        for _ in range(n):
            self.f *= 1.5
        self.pair = (n, self.f)
        self.text = f"{n}-{kind}"


class Total:
    total = 0.0
    calls = 0

    def add(self, x):
        self.total += x
        self.calls += 1
        return self

    @classmethod
    def of(cls, n):
        made = cls()
        for i in range(n):
            made.add(i * 1.0)
        return made

    @staticmethod
    def twice(x):
        return 2 * x


class Stack:
    def __init__(self, n):
        self.items = np.zeros(n)
        self.n = 0

    def push(self, x):
        self.items[self.n] = x
        self.n += 1

    def pop(self):
        self.n -= 1
        return self.items[self.n]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.n = 0

    def __iter__(self):
        for i in range(self.n):
            yield self.items[i]


def operators(a):
    v, w = Vec(a, 4.0), Vec(1.0, y=2.0, scale=2.0)
    u = v + w * 2.0
    u += v
    u[1] = 9.5
    r = 2.0 * v
    return (
        (u.x, u.y, u[0], u[1], len(u), u(2.0), v == w, v < w, v != w, bool(v), abs(v), v.norm),
        (r.x, (-v).y, 3.0 in v, v.dim, Vec.dim, v is u, v is v),
    )


def properties(a):
    v = Vec(a, 4.0)
    v.norm = 10.0
    return v.x, v.y


def returned(a):
    return Vec(a, 1.0)


def in_containers(a):
    items = [Vec(float(i)) for i in range(3)]
    by_number = {i: Vec(float(i), 1.0) for i in range(3)}
    by_number[1].x = 50.0
    pair = (Vec(1.0, 2.0), a)
    pair[0].x += 1.0
    return items, sum([v.x for v in by_number.values()]), pair[0].x


def beside_an_argument(v):
    w = Vec(v.x, v.y)
    w.x = 5.0
    v.y = 7.0
    if w.x > 3:
        v = w
    return v.x, v.y, v is w


def that_raises(a):
    try:
        v = Vec(-a)
    except ValueError as error:
        return str(error)
    return str(v.x)


def the_best(n):
    best = None
    for i in range(int(n)):
        v = Vec(float(i), 1.0)
        if best is None or best < v:
            best = v
    return best.x


def bases(a):
    square, cube = Square(a), Cube(a)
    return (
        (square.describe(), cube.describe(), type(cube) is Cube, type(cube) is Square),
        (isinstance(cube, Square), isinstance(square, Cube), isinstance(cube, (int, Shape))),
    )


def instances_in_instances(n):
    particles = [Particle(np.array([1.0 * i, 2.0]), np.array([1.0, 1.0])) for i in range(int(n))]
    for _ in range(3):
        for p in particles:
            p.step(0.5).step(0.25)
    places = sum([p.place.sum() for p in particles])
    return float(places), particles[0].history, particles[1].corner.x, particles[0].k


def init_with_choices(n):
    a, b = Settings(int(n)), Settings(int(n), "b", np.arange(3.0))
    return a.f, b.f, a.weights, b.weights, a.pair, b.text


def constants_of_the_class(n):
    t = Total.of(int(n)).add(Total.twice(4))
    return t.total, t.calls, Total.total


def iterated(n):
    s = Stack(int(n))
    for i in range(int(n)):
        s.push(i * i)
    with Stack(2) as other:
        other.push(3.0)
    return [float(x) for x in s], float(s.pop() + s.pop()), other.n


def matched(a):
    match Vec(a, 2.0):
        case Vec(x=1.0):
            return "one"
        case Vec(x=3.0, y=y):
            return str(int(y))
    return "none"


def agree(a, b):
    if isinstance(a, Vec):
        return type(b) is Vec and (a.x, a.y) == (b.x, b.y)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(agree, a, b))
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and a == b


PROGRAMS = [
    operators,
    properties,
    returned,
    in_containers,
    that_raises,
    the_best,
    bases,
    instances_in_instances,
    init_with_choices,
    constants_of_the_class,
    iterated,
    matched,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    assert agree(f(3.0), njit(f)(3.0))


def test_an_argument_and_a_new_instance_are_of_one_type():
    mine, other = Vec(1.0, 2.0), Vec(1.0, 2.0)
    assert njit(beside_an_argument)(mine) == beside_an_argument(other)
    assert (mine.x, mine.y) == (other.x, other.y)


def test_threads_make_instances():
    f = njit(instances_in_instances)
    with ThreadPoolExecutor(16) as pool:
        for result in pool.map(f, [3.0] * 64):
            assert agree(instances_in_instances(3.0), result)


def test_pickle_and_copies():
    f = pickle.loads(pickle.dumps(njit(operators)))
    assert f(3.0) == copy.copy(f)(3.0) == operators(3.0)


PROGRAM = """\
from dataclasses import dataclass
from numjit import njit
from numjit.experimental import jitclass

FACTOR = 2

class Plain:
    def __init__(self, x):
        self.x = x
        self.items = [x]

    def twice(self):
        return FACTOR * self.x + sum(self.items)

@dataclass
class Data:
    x: float

    def twice(self):
        return FACTOR * self.x

@njit(cache=True)
def of_plain(n):
    return sum([p.twice() for p in [Plain(i * 1.0) for i in range(n)]])

@njit(cache=True)
def returned(n):
    return Plain(n)

@njit(cache=True)
def of_data(n):
    return Data(n).twice()

@njit(cache=True)
def of_argument(data):
    return data.twice()

print(of_plain(4), returned(3).x, of_data(2.0), of_argument(Data(3.0)), end=" ")
print(*(sum(f.stats.cache_hits.values()) for f in (of_plain, returned, of_data, of_argument)))
"""


def test_the_disk_cache_knows_methods_of_classes(tmp_path):
    path = tmp_path / "program.py"

    def run(text):
        path.write_text(text)
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
        assert not done.stderr
        return done.stdout.strip()

    assert run(PROGRAM) == "18.0 3 4.0 6.0 0 0 0 0"
    assert run(PROGRAM) == "18.0 3 4.0 6.0 1 1 1 1"
    changed = PROGRAM.replace("FACTOR = 2", "FACTOR = 3")
    assert run(changed).startswith("24.0 3 6.0 9.0 0")
    changed = PROGRAM.replace("return FACTOR * self.x", "return 1 + FACTOR * self.x")
    assert run(changed).startswith("22.0 3 5.0 7.0 0")


class Hooked:
    def __getattr__(self, name):
        return 1


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


class Ended:
    def __del__(self):
        print("ended")


class Made:
    def __new__(cls, x):
        return x


class Late:
    def __init__(self, x):
        if x is not None:
            self.x = x


class Child:
    def __init__(self, parent):
        self.parent = parent
        self.x = 1


class Parent:
    def __init__(self):
        self.x = 1
        self.child = Child(self)


class Listed:
    def __init__(self, others):
        self.x = 1
        others.append(self)


class InTuple:
    def __init__(self):
        self.x = 1
        self.pair = (1, self)


class Other:
    def __init__(self, x):
        other = Vec(1.0)
        other.x = x
        self.x = self.y + other.x
        self.y = 1


def later_a_fraction():
    v = Vec(1, 2)
    v.x = 2.5
    return v.x


@pytest.mark.parametrize(
    "f",
    [
        lambda: Parent().child.x,
        lambda: InTuple().pair[1].x,
        lambda: Listed([]).x,
        later_a_fraction,
        lambda: Slotted(1).x,
        lambda: Late(2).x,
    ],
)
def test_other_inits(f):
    assert njit(f)() == f()


def test_field_that_init_leaves_out():
    with pytest.raises(AttributeError, match="'Late' object has no attribute 'x'"):
        njit(lambda: Late(None).x)()


REFUSED = {
    "hooked": (lambda: Hooked(), "numjit does not know it"),
    "ended": (lambda: Ended(), "numjit does not know it"),
    "made": (lambda: Made(1), "numjit does not know it"),
    "read_too_early": (lambda: Other(1.0), "the field 'y' is read before __init__ sets it"),
    "arguments": (lambda: Vec(), "missing|misses"),
    "unknown_argument": (lambda: Vec(1.0, w=2.0), "w"),
    "arguments_of_none": (lambda: Total(1), r"Total\(\) takes no arguments"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    f, text = REFUSED[name]
    with pytest.raises(TypingError, match=text):
        njit(f)()


def test_a_class_made_by_overload_is_left_to_it():
    program = textwrap.dedent("""\
        from numjit import njit, types
        from numjit.extending import overload

        class Pair:
            def __init__(self, a):
                self.a = a

        @overload(Pair)
        def make_pair(a):
            return lambda a: (a, a + 1)

        assert njit(lambda: Pair(3))() == (3, 4)
    """)
    subprocess.run([sys.executable, "-c", program], check=True)


class Bounded:
    def __init__(self, x, low=0):
        if not (low <= x < 5):
            raise ValueError("out of bounds")
        self.x = x


def wrapped(function):
    @functools.wraps(function)
    def wrapper(*args, **keywords):
        return function(*args, **keywords)

    return wrapper


class Wrapped:
    @wrapped
    def __init__(self, x, scale=1):
        self.x = x * scale


class OfWrapped(Wrapped):
    def __init__(self, x):
        super().__init__(x, scale=5)
        self.y = 1


def test_chained_comparisons_in_init():
    f = njit(lambda n: Bounded(n).x)
    assert f(3) == 3
    with pytest.raises(ValueError, match="out of bounds"):
        f(9)


def test_decorated_init():
    def f(n):
        return Wrapped(n, scale=2).x, OfWrapped(n).x, OfWrapped(n).y

    assert njit(f)(3) == f(3)


class Restored:
    def __init__(self, x):
        self.__doc__ = "of an instance"
        self.x = x

    def __setstate__(self, state):
        self.__dict__ = state
        self.__class__ = Restored
        self.later = 0


def test_methods_that_replace_all_attributes():
    f = njit(lambda n: Restored(n).x)
    assert f(3) == 3


def test_objects_that_c_code_makes_are_not_plain():
    """Attributes of threading.local's are another thread's elsewhere: they are no constants."""
    local = threading.local()
    local.scale = 3

    def f(x):
        return local.scale * x

    with pytest.raises(TypingError, match="_thread._local"):
        njit(f)(2)
