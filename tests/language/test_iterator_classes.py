"""Objects of the program's own classes in loops; what can be unpacked."""

import pytest
from language.support import Programs, assert_same
from numjit import njit

PROGRAMS = Programs()
program = PROGRAMS.add


@program(3)
def un_set(n):
    (a,) = {n}
    return a


@program(3)
def un_dict(n):
    (k,) = {n: 2.0}
    ((q, v),) = {n: 2.0}.items()
    return k, q, v


@program(3)
def un_gen(n):
    a, b, c = (i * i for i in range(n))
    return a, b, c


@program(3)
def un_zip(n):
    x, y = zip([1, 2], [3.0, 4.0])
    return x, y


@program(3)
def un_star(n):
    a, *b = {n: 1, 4: 2}
    return a, b


@program(3)
def un_map(n):
    a, b = map(int, "3 4".split())
    return a + b


@program(3)
def un_enum(n):
    (i, a), (j, b) = enumerate([5.0, 6.0])
    return i, a, j, b


class Seq:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError("no")
        return i * 2


@program(3)
def seq(n):
    s = Seq(n)
    return (
        [x for x in s],
        sum(s),
        list(s),
        max(s),
        4 in s,
        sorted(s),
        len(s),
        [i for i in reversed(list(s))],
    )


class Cnt:
    def __init__(self, n):
        self.n = n
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


@program(3)
def own(n):
    c = Cnt(n)
    a = next(c)
    b = next(iter(c))
    d = next(c)
    e = next(c, -1)
    return (
        a,
        b,
        d,
        e,
        list(c),
        [x for x in Cnt(2)],
        sum(Cnt(4)),
        list(zip(Cnt(2), Cnt(3))),
        dict(enumerate(Cnt(2))) == {0: 1, 1: 2},
        list(map(lambda x: x + 1, Cnt(2))),
        2 in Cnt(3),
        sorted(Cnt(3), reverse=True),
        min(Cnt(2)),
        any(x > 1 for x in Cnt(2)),
        set(Cnt(2)) == {1, 2},
        tuple(Cnt(3)),
    )


class Agg:
    def __init__(self):
        self.items = [1, 2, 3]

    def __iter__(self):
        return iter(self.items)


@program(3)
def agg(n):
    a = Agg()
    x, y, z = a
    return x, y, z, [q for q in a], sum(a)


class Fib:
    def __init__(self, n):
        self.n = n
        self.a = 0
        self.b = 1
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        v = self.a
        self.a, self.b = self.b, self.a + self.b
        return v


@program(10)
def iter_class(n):
    return [x for x in Fib(n)], sum(Fib(n)), list(Fib(3))


@program([3, 1, 2])
def sort_cmp(a):
    import functools

    return sorted(a, key=functools.cmp_to_key(lambda x, y: y - x))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)


def test_no_items_left():
    def f(n):
        c = Cnt(1)
        next(c)
        return next(c)

    with pytest.raises(StopIteration):
        njit(f)(3)


@pytest.mark.parametrize("count, text", [(1, "not enough values"), (3, "too many values")])
def test_unpacking_another_number(count, text):
    def f(n):
        a, b = set(range(n))
        return a + b

    with pytest.raises(ValueError, match=text):
        njit(f)(count)
