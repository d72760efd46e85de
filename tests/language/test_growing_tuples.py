"""Tuples that get longer in loops and recursions, and those of several lengths that meet."""

import pytest
from language.support import Programs, assert_same
from numjit import njit
from numjit.errors import TypingError

PROGRAMS = Programs()
program = PROGRAMS.add


@program(5)
def grow(n):
    t = ()
    for i in range(n):
        t = t + (i,)
    return t


@program(5)
def grow2(n):
    t = (1,)
    while len(t) < n:
        t += (t[-1] * 2,)
    return t


@program(4)
def queens_t(n):
    def place(row, cols):
        if row == n:
            return 1
        s = 0
        for c in range(n):
            if all(c != cc and abs(c - cc) != row - r for r, cc in enumerate(cols)):
                s += place(row + 1, cols + (c,))
        return s

    return place(0, ())


@program([1, 2, 3])
def subsets_t(xs):
    res = [()]
    for x in xs:
        res += [r + (x,) for r in res]
    return res


@program(3)
def ret_empty(n):
    if n > 5:
        return ()
    return (n, n + 1)


@program(3)
def ret_lens(n):
    if n > 5:
        return (1,)
    if n > 2:
        return (1, 2.5)
    return (1, 2, 3)


@program(3)
def var_lens(n):
    t = (1, 2)
    if n > 2:
        t = (1, 2, 3)
    return len(t), sum(t), t[-1], t


@program(5)
def paths(n):
    out = []

    def walk(k, path):
        if k == 0:
            out.append(path)
            return
        for i in (1, 2):
            if i <= k:
                walk(k - i, path + (i,))

    walk(n, ())
    return out


@program(4)
def bfs_path(n):
    q = [((0,), 0)]
    while q:
        path, d = q.pop(0)
        if path[-1] == n:
            return path
        for s in (1, 2):
            q.append((path + (path[-1] + s,), d + 1))
    return ()


@program(3)
def strs(n):
    t = ()
    for i in range(n):
        t += (str(i),)
    return t, "-".join(t)


@program(4)
def dictkey(n):
    memo = {}

    def f(k, used):
        key = (k, used)
        if key in memo:
            return memo[key]
        r = 1 if k == 0 else sum([f(k - 1, used + (i,)) for i in range(k) if i not in used])
        memo[key] = r
        return r

    return f(n, ())


@program(4)
def setof(n):
    seen = set()
    t = ()
    for i in range(n):
        t = t + (i % 2,)
        seen.add(t)
    return len(seen), (0, 1) in seen


@program(4)
def rev(n):
    def r(t):
        return () if not t else r(t[1:]) + (t[0],)

    return r(tuple(range(n)))


@program((1, 2, 3))
def rev_arg(t):
    def r(t):
        return () if not t else r(t[1:]) + (t[0],)

    return r(t)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)


def grown_in_front(n):
    t = (0.5,)
    for i in range(n):
        t = (i, *t)
    return t


def test_items_are_of_one_type():
    assert repr(njit(grown_in_front)(2)) == "(1.0, 0.0, 0.5)"

    def mixed(n):
        t = ()
        for i in range(n):
            t = (*t, i, str(i))
        return t

    with pytest.raises(TypingError, match="Cannot unify"):
        njit(mixed)(3)
