"""Empty lists whose items are known by the lists that they meet."""

import functools

import pytest
from language.support import Programs, assert_same

PROGRAMS = Programs()
program = PROGRAMS.add


class T:
    def __init__(self, v, l=None, r=None):
        self.v = v
        self.l = l
        self.r = r

    def walk(self):
        return (self.l.walk() if self.l else []) + [self.v] + (self.r.walk() if self.r else [])


def ino(t):
    return ino(t.l) + [t.v] + ino(t.r) if t else []


def ino2(t):
    if t is None:
        return []
    return ino2(t.l) + [t.v] + ino2(t.r)


@program(3)
def inorder(n):
    return ino(T(n, T(1), T(9)))


@program(3)
def inorder_by_statements(n):
    return ino2(T(n, T(1), T(9)))


@program(3)
def walk(n):
    return T(n, T(1), T(9)).walk()


@program(3)
def reduced(n):
    return functools.reduce(lambda a, b: a + [b], range(n), [])


@program(3)
def permutations(n):
    def perms(xs):
        if not xs:
            return [[]]
        return [[x] + q for i, x in enumerate(xs) for q in perms(xs[:i] + xs[i + 1 :])]

    return perms(list(range(n)))


@program(3)
def subsets(n):
    def subs(k):
        if k == 0:
            return [[]]
        return [s + t for s in subs(k - 1) for t in ([], [k])]

    return subs(n)


@program(3)
def chosen(n):
    x = [] if n < 2 else [n]
    return x + [1]


@program(3)
def of_a_dict(n):
    d = {}
    for i in range(n):
        d[i] = d.get(i - 1, []) + [i]
    return d[n - 1]


@program(3)
def longest(n):
    best = []
    for k in range(n):
        cur = [k] * k
        if len(cur) > len(best):
            best = cur
    return best


@program(3)
def default(n):
    def collect(k, acc=[]):
        return acc if k == 0 else collect(k - 1, acc + [k])

    return collect(n)


@program(3)
def summed(n):
    return sum([[i, i + 1] for i in range(n)], [])


@program(3)
def accumulated(n):
    def f(k, acc):
        return acc if k == 0 else f(k - 1, acc + [k])

    return f(n, [])


@program(3)
def partitions(n):
    def part(k, mx):
        if k == 0:
            return [[]]
        out = []
        for i in range(min(k, mx), 0, -1):
            for q in part(k - i, i):
                out.append([i] + q)
        return out

    return part(n, n)


@program("aab")
def pal(s):
    res = []

    def go(i, path):
        if i == len(s):
            res.append(path[:])
            return
        for j in range(i, len(s)):
            w = s[i : j + 1]
            if w == w[::-1]:
                go(j + 1, path + [w])

    go(0, [])
    return res


@program([2, 3, 6, 7], 7)
def combo(c, t):
    res = []

    def bt(rem, start, path):
        if rem == 0:
            res.append(list(path))
            return
        for i in range(start, len(c)):
            if c[i] <= rem:
                path.append(c[i])
                bt(rem - c[i], i, path)
                path.pop()

    bt(t, 0, [])
    return res


@program(3)
def never(n):
    e = []
    for i in range(n):
        if i > 10:
            e.append(i)
    return len(e), e


@program(3)
def ret_pair(n):
    if n > 5:
        return [], 0
    return [n], 1


@program(3)
def ret_pair2(n):
    def lis(k):
        if k == 0:
            return 0, []
        a, q = lis(k - 1)
        return a + k, q + [k]

    return lis(n)


@program([3, 1, 2])
def merge_sort(a):
    def merge(x, y):
        if not x:
            return y
        if not y:
            return x
        return [x[0]] + merge(x[1:], y) if x[0] <= y[0] else [y[0]] + merge(x, y[1:])

    if len(a) <= 1:
        return a
    m = len(a) // 2
    return merge(merge_sort(a[:m]), merge_sort(a[m:]))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)
