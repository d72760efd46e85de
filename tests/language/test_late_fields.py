"""Plain classes and dataclasses whose methods set fields that `__init__` does not."""

import enum
from dataclasses import KW_ONLY, dataclass, field

import numpy as np
import pytest
from language.support import Programs, assert_same
from numjit import njit
from numjit.errors import TypingError

PROGRAMS = Programs()
program = PROGRAMS.add


class LinReg:
    def __init__(self, lr=0.01, epochs=100):
        self.lr = lr
        self.epochs = epochs

    def fit(self, X, y):
        n, m = X.shape
        self.w_ = np.zeros(m)
        self.b_ = 0.0
        for _ in range(self.epochs):
            e = X @ self.w_ + self.b_ - y
            self.w_ -= self.lr * (X.T @ e) / n
            self.b_ -= self.lr * e.mean()
        return self

    def predict(self, X):
        return X @ self.w_ + self.b_


@program(20)
def linreg(n):
    X = np.arange(2.0 * n).reshape(n, 2) / n
    y = X[:, 0] * 3 + 1
    m = LinReg(epochs=50).fit(X, y)
    return round(float(m.predict(X).sum()), 6), round(m.b_, 6)


class KMeans:
    def __init__(self, k):
        self.k = k

    def fit(self, X):
        self.centers = X[: self.k].copy()
        for _ in range(5):
            self.labels = np.array([np.argmin(((self.centers - x) ** 2).sum(axis=1)) for x in X])
            for j in range(self.k):
                if (self.labels == j).any():
                    self.centers[j] = X[self.labels == j].mean(axis=0)


@program(10)
def kmeans(n):
    X = np.column_stack((np.arange(n) % 3 * 1.0, np.arange(n) * 0.1))
    k = KMeans(2)
    k.fit(X)
    return k.labels.tolist(), np.round(k.centers, 3).tolist()


class Lazy:
    def __init__(self, n):
        self.n = n

    @property
    def sq(self):
        if not hasattr(self, "_sq"):
            self._sq = self.n**2
        return self._sq


@program(3)
def lazy(n):
    l = Lazy(n)
    return l.sq + l.sq


class PropInit:
    def __init__(self, v):
        self.v = v

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, x):
        if x < 0:
            raise ValueError("neg")
        self._v = x


@program(3)
def prop_init(n):
    a = PropInit(n)
    a.v = n + 1
    try:
        PropInit(-n)
    except ValueError as e:
        return a.v, str(e)
    return a.v, ""


class Cap:
    def __init__(self, n):
        self.n = n
        self.f = lambda x: x * n

    def run(self):
        return self.f(2)


@program(3)
def lam_field(n):
    return Cap(n).run()


class Cap2:
    def __init__(self, n):
        self.n = n
        self.vals = sorted([3, 1, 2], key=lambda x: -x * self.n)


@program(3)
def self_in_lambda(n):
    return Cap2(n).vals


class Sim:
    dt = 0.1
    G = 9.81

    def __init__(self, h):
        self.h = h
        self.v = 0
        self.t = 0
        self.log = []
        self._init_more()

    def _init_more(self):
        self.steps = 0

    def step(self):
        self.v -= self.G * self.dt
        self.h += self.v * self.dt
        self.t += self.dt
        self.steps += 1
        self.log.append((self.t, self.h))

    def run(self):
        while self.h > 0:
            self.step()
        return self


@program(10)
def sim(h):
    s = Sim(h).run()
    return s.steps, round(s.t, 6), round(s.h, 6), len(s.log), s.log[0][0]


@dataclass
class Stats:
    xs: list
    n: int = field(init=False)
    mean: float = field(init=False)

    def __post_init__(self):
        self.n = len(self.xs)
        self.mean = sum(self.xs) / self.n


@program([1.0, 2.0, 6.0])
def post_init(xs):
    s = Stats(xs)
    return s.n, s.mean


class Poly:
    def __init__(self, *coef):
        self.coef = list(coef)

    def __call__(self, x):
        r = 0
        for c in reversed(self.coef):
            r = r * x + c
        return r

    def __add__(self, o):
        n = max(len(self.coef), len(o.coef))
        a = self.coef + [0] * (n - len(self.coef))
        b = o.coef + [0] * (n - len(o.coef))
        return Poly(*[x + y for x, y in zip(a, b)])

    def __mul__(self, o):
        out = [0] * (len(self.coef) + len(o.coef) - 1)
        for i, a in enumerate(self.coef):
            for j, b in enumerate(o.coef):
                out[i + j] += a * b
        return Poly(*out)

    def deriv(self):
        return Poly(*[i * c for i, c in enumerate(self.coef)][1:])

    def __eq__(self, o):
        return self.coef == o.coef

    def __len__(self):
        return len(self.coef)


@program(3)
def polys(n):
    a = Poly(1, 2, n)
    b = Poly(0, 1)
    c = a * b + a
    return c.coef, c(2), c.deriv().coef, a == Poly(1, 2, n), len(c)


class Maze:
    DIRS = [(0, 1), (1, 0), (0, -1), (-1, 0)]

    def __init__(self, rows):
        self.g = [list(r) for r in rows]
        self.h = len(rows)
        self.w = len(rows[0])

    def find(self, ch):
        for i in range(self.h):
            for j in range(self.w):
                if self.g[i][j] == ch:
                    return i, j
        return None

    def solve(self):
        s, e = self.find("S"), self.find("E")
        prev = {s: None}
        q = [s]
        for cur in q:
            if cur == e:
                break
            for di, dj in self.DIRS:
                nx = (cur[0] + di, cur[1] + dj)
                if (
                    0 <= nx[0] < self.h
                    and 0 <= nx[1] < self.w
                    and self.g[nx[0]][nx[1]] != "#"
                    and nx not in prev
                ):
                    prev[nx] = cur
                    q.append(nx)
        path = []
        while e is not None:
            path.append(e)
            e = prev[e]
        return path[::-1]


@program(["S.#", "..#", "#.E"])
def maze(rows):
    return Maze(rows).solve()


@dataclass
class A:
    x: int
    y: int = field(init=False, default=5)
    z: int = field(kw_only=True, default=7)


@program(3)
def dc_args(n):
    a = A(n, z=9)
    b = A(n)
    return a.x, a.y, a.z, b.z


@dataclass
class V:
    _: KW_ONLY
    a: int
    b: int = 2


@program(3)
def dc_kwonly(n):
    return V(a=n).a, V(b=n, a=1).b


class Node:
    head = None
    names = ["a", "b"]
    table = {"x": 1, "y": 2}
    _priv = 3
    flags = {1, 2}
    arr = np.arange(3)

    class Kind(enum.Enum):
        P = 1
        Q = 2

    kind = Kind.P

    def __init__(self, v):
        self.v = v

    def push(self):
        if self.head is None:
            self.head = Node(self.v + 1)
        return self.head.v


@program(3)
def class_consts(n):
    a = Node(n)
    return (
        a.push(),
        a.names[1],
        a.table["y"],
        a._priv,
        2 in a.flags,
        int(a.arr.sum()),
        Node.names[0],
        Node.table["x"],
        a.kind is Node.Kind.P,
    )


class Counter2:
    n = 0

    def inc(self):
        self.n += 1
        return self


@program(3)
def class_default(n):
    c = Counter2()
    for _ in range(n):
        c.inc()
    return c.n, Counter2.n


class HasLate:
    def __init__(self, k):
        self.k = k

    def setx(self, x):
        self.x = x


@program(3)
def late_err(n):
    h = HasLate(n)
    try:
        return h.x
    except AttributeError as e:
        return str(e)


@program(3)
def late_list(n):
    hs = [HasLate(i) for i in range(n)]
    hs[1].setx(1)
    return [h.x if hasattr(h, "x") else 0 for h in hs]


class Ctx:
    def __init__(self):
        self.n = 0

    def __enter__(self):
        self.n += 1
        return self

    def __exit__(self, t, v, tb):
        self.n -= 1
        self.failed = t is not None


@program(3)
def ctx_late(n):
    c = Ctx()
    with c:
        n += c.n
    return n, c.n, c.failed


class Slots:
    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x

    def grow(self):
        self.y = self.x + 1


@program(3)
def slots(n):
    s = Slots(n)
    s.grow()
    return s.x, s.y


class Total:
    def __init__(self):
        self.total = 0

    def add(self, x):
        self.total += x


@program(3)
def widened_by_a_method(n):
    t = Total()
    for i in range(n):
        t.add(i * 0.5)
    return t.total


class Asked:
    def __init__(self, n):
        self.k = n
        self.m = self.grown()

    def grown(self):
        self.k += 1
        return self.k


@program(3)
def method_asked_in_init(n):
    a = Asked(n)
    return a.k, a.m


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)


def late_has(n):
    h = HasLate(n)
    before = hasattr(h, "x"), getattr(h, "x", -1.0)
    h.setx(2.5)
    return before, hasattr(h, "x"), getattr(h, "x", -1.0), h.x


def test_hasattr_and_getattr():
    assert njit(late_has)(3) == late_has(3)


def late_x(n):
    h = HasLate(n)
    if n:
        h.setx(1.5)
    return h.x


def test_fields_without_a_value_are_no_attributes():
    made = njit(lambda n: HasLate(n))(3)
    assert vars(made) == {"k": 3}
    with pytest.raises(AttributeError, match="'HasLate' object has no attribute 'x'"):
        njit(late_x)(0)
    assert njit(late_x)(1) == 1.5


def test_arguments_that_a_dataclass_does_not_take():
    with pytest.raises(TypingError, match="takes 1 arguments, got 2"):
        njit(lambda n: A(n, 5).y)(3)
    with pytest.raises(TypingError, match="unexpected keyword argument 'y'"):
        njit(lambda n: A(n, y=5).y)(3)
