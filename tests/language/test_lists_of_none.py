"""`[None] * n`, and what is put there later."""

import pytest
from language.support import Programs, assert_same
from numjit import njit

PROGRAMS = Programs()
program = PROGRAMS.add


@program(4)
def nonelist(n):
    t = [None] * n
    t[0] = 5
    return t


@program(4)
def nonelist2(n):
    t = [None for _ in range(n)]
    for i in range(0, n, 2):
        t[i] = i * 1.5
    return [x for x in t if x is not None]


class H:
    def __init__(self, n):
        self.slots = [None] * n
        self.buckets = [[] for _ in range(n)]

    def put(self, k, v):
        self.slots[k % len(self.slots)] = v
        b = self.buckets[k % len(self.buckets)]
        for i, (kk, vv) in enumerate(b):
            if kk == k:
                b[i] = (k, v)
                return
        b.append((k, v))

    def get(self, k):
        for kk, vv in self.buckets[k % len(self.buckets)]:
            if kk == k:
                return vv
        return None


@program(4)
def hash_table(n):
    h = H(8)
    for i in range(n):
        h.put(i * 3, i * 0.5)
    return h.get(3), h.get(4), h.slots[0], h.slots[1]


class Heap2:
    def __init__(self):
        self.a = [None]
        self.n = 0

    def push(self, x):
        self.a.append(x)
        self.n += 1
        i = self.n
        while i > 1 and self.a[i] < self.a[i // 2]:
            self.a[i], self.a[i // 2] = self.a[i // 2], self.a[i]
            i //= 2

    def top(self):
        return self.a[1]


@program(5)
def heap_none(n):
    h = Heap2()
    for i in range(n):
        h.push((i * 7) % 5)
    return h.top()


@program(5)
def memo_none(n):
    memo = [None] * (n + 1)

    def fib(k):
        if k < 2:
            return k
        if memo[k] is not None:
            return memo[k]
        memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n)


@program(5)
def grid_none(n):
    g = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            g[i][j] = i * j
    return g


@program(5)
def ring(n):
    buf = [None] * 3
    k = 0
    for i in range(n):
        buf[k] = (i, i * 2.0)
        k = (k + 1) % 3
    return buf


class Ring:
    def __init__(self, cap):
        self.buf = [None] * cap
        self.head = 0
        self.n = 0

    def append(self, x):
        self.buf[(self.head + self.n) % len(self.buf)] = x
        if self.n < len(self.buf):
            self.n += 1
        else:
            self.head = (self.head + 1) % len(self.buf)

    def __iter__(self):
        for i in range(self.n):
            yield self.buf[(self.head + i) % len(self.buf)]

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.buf[(self.head + i) % len(self.buf)]


@program(5)
def ring_class(n):
    r = Ring(3)
    for i in range(n):
        r.append(float(i))
    return sum([x for x in r]), len(r), r[0]


@program(3)
def stays_none(n):
    t = [None] * n
    return t, t[0] is None


class Slot:
    def __init__(self, n):
        self.items = [None] * n


def fill(t, i, x):
    t[i] = x


@program(3)
def filled_elsewhere(n):
    t = [None] * n
    fill(t, 1, (n, 2.5))
    return t


@program(3)
def values_of_a_dict(n):
    d = {i: None for i in range(n)}
    fill(d, 1, 2.5)
    return sorted(d), d[1], d[0] is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)


def test_items_that_do_not_go_together():
    def f(n):
        t = [None] * n
        t[0] = 1
        t[1] = "a"
        return t

    assert njit(f)(3) == f(3)
