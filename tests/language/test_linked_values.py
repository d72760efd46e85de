"""What instances of classes that refer to themselves can be used for."""

import copy as cp
import math
from dataclasses import dataclass, field
from typing import Optional

import pytest
from language.support import Programs, assert_same
from numjit import njit

PROGRAMS = Programs()
program = PROGRAMS.add


class N:
    def __init__(self, v):
        self.v = v
        self.next = None
        self.prev = None


def build(n):
    h = None
    for i in range(n):
        x = N(i)
        x.next = h
        if h is not None:
            h.prev = x
        h = x
    return h


@program(4)
def in_dict(n):
    d = {}
    for i in range(n):
        d[i] = build(i + 1)
    return sorted([(k, x.v) for k, x in d.items()])


@program(4)
def in_set_by_id(n):
    h = build(n)
    seen = set()
    cur = h
    while cur is not None and cur not in seen:
        seen.add(cur)
        cur = cur.next
    return len(seen)


@program(4)
def in_dict_key(n):
    h = build(n)
    d = {h: 1, h.next: 2}
    return d[h] + d[h.next]


@program(4)
def eq_ne(n):
    h = build(n)
    return h == h, h != h.next, h.next == h, h is h.next.prev


@program(4)
def copied(n):
    h = build(n)
    k = cp.copy(h)
    k.v = 100
    return h.v, k.v, k.next is h.next


@program(4)
def in_tuple(n):
    h = build(n)
    t = (h, h.next, 3)
    a, b, c = t
    return a.v + b.v + c


@program(4)
def in_gen(n):
    def walk(h):
        while h is not None:
            yield h
            h = h.next

    return [x.v for x in walk(build(n))], sum(x.v for x in walk(build(n)))


@program(4)
def lambda_field(n):
    f = lambda h: h.v if h else -1
    return f(build(n)), f(None)


@program(4)
def cond_expr(n):
    h = build(n)
    x = h.next if n > 2 else None
    return x.v if x is not None else 0, (h.next or h).v, (None or h).v


@program(4)
def sorted_nodes(n):
    hs = [build(i + 1) for i in range(n)]
    hs.sort(key=lambda h: -h.v)
    return [h.v for h in hs], max(hs, key=lambda h: h.v).v, [h.v for h in reversed(hs)]


@program(4)
def swap(n):
    a = build(n)
    b = build(n + 1)
    a.next, b.next = b.next, a.next
    return a.next.v, b.next.v


@program(4)
def raise_node(n):
    h = build(n)
    try:
        if h.v > 1:
            raise ValueError("v", h.v)
    except ValueError as e:
        return e.args
    return ()


@dataclass
class DN:
    key: int
    left: Optional["DN"] = None
    right: Optional["DN"] = None
    data: list = field(default_factory=list)

    def insert(self, k):
        if k < self.key:
            if self.left:
                self.left.insert(k)
            else:
                self.left = DN(k)
        elif self.right:
            self.right.insert(k)
        else:
            self.right = DN(k)
        self.data.append(k)


@program([5, 2, 8, 6])
def dn(ks):
    r = DN(4)
    for k in ks:
        r.insert(k)
    return r.right.left.key if r.right.left else -1, r.data, r.right.key


@program(3)
def dn_eq(n):
    return DN(1, DN(2)) == DN(1, DN(2)), DN(1) == DN(2), repr(DN(1, DN(2)))


class Sym:
    def __init__(self, name, args=None):
        self.name = name
        self.args = args or []

    def __add__(self, o):
        return Sym("+", [self, o])

    def __mul__(self, o):
        return Sym("*", [self, o])

    def show(self):
        if not self.args:
            return self.name
        return "(" + f" {self.name} ".join([a.show() for a in self.args]) + ")"

    def eval(self, env):
        if not self.args:
            return env[self.name]
        v = [a.eval(env) for a in self.args]
        return v[0] + v[1] if self.name == "+" else v[0] * v[1]


@program(3.0)
def sym(x):
    e = Sym("x") * Sym("x") + Sym("y")
    return e.show(), e.eval({"x": x, "y": 1.0})


class Value:
    """micrograd"""

    def __init__(self, data, children=(), op=""):
        self.data = data
        self.grad = 0.0
        self.prev = children
        self.op = op

    def __add__(self, o):
        return Value(self.data + o.data, (self, o), "+")

    def __mul__(self, o):
        return Value(self.data * o.data, (self, o), "*")

    def tanh(self):
        return Value(math.tanh(self.data), (self,), "t")

    def back(self):
        topo = []
        seen = set()

        def build(v):
            if v not in seen:
                seen.add(v)
                for c in v.prev:
                    build(c)
                topo.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            if v.op == "+":
                for c in v.prev:
                    c.grad += v.grad
            elif v.op == "*":
                a, b = v.prev
                a.grad += b.data * v.grad
                b.grad += a.data * v.grad
            elif v.op == "t":
                v.prev[0].grad += (1 - v.data**2) * v.grad


@program(0.5)
def micrograd(x):
    a = Value(x)
    b = Value(2.0)
    c = Value(-1.0)
    o = (a * b + c).tanh()
    o.back()
    return o.data, a.grad, b.grad


class Pool:
    def __init__(self):
        self.free = []
        self.made = 0

    def get(self):
        if self.free:
            return self.free.pop()
        self.made += 1
        return N(self.made)

    def put(self, x):
        self.free.append(x)


@program(5)
def pool(n):
    q = Pool()
    for i in range(n):
        a = q.get()
        b = q.get()
        q.put(a)
        if i % 2:
            q.put(b)
    return q.made, len(q.free)


class Emp:
    def __init__(self, name, boss=None):
        self.name = name
        self.boss = boss
        self.team = []

    def hire(self, name):
        e = Emp(name, self)
        self.team.append(e)
        return e

    def chain(self):
        return [self.name] + (self.boss.chain() if self.boss else [])


@program(3)
def emp(n):
    ceo = Emp("c")
    vp = ceo.hire("v")
    d = vp.hire("d")
    return d.chain(), len(ceo.team), vp.team[0].name


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)


def test_texts():
    made = njit(lambda n: repr(build(n)))(2)
    assert made.startswith(f"<{N.__module__}.N object at 0x")


def endless(n):
    r = DN(n)
    r.left = r
    return repr(r)


def test_texts_without_end():
    with pytest.raises(RecursionError):
        njit(endless)(1)
