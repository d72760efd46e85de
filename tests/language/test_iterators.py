"""Iterators that outlive the loop or call that they are made for remember where they are."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError


def asked_for_one(l, a):
    pairs, numbered = zip(l, a), enumerate(l, 3)
    squares, large = map(lambda v: v * v, l), filter(lambda v: v > 1, l)
    backwards = reversed(l)
    next(numbered)
    return next(pairs), next(numbered), next(squares), next(squares), next(large), next(backwards)


def asked_at_once(l, a):
    return (
        next(zip(l, a)),
        next(enumerate(a)),
        next(map(abs, l)),
        next(filter(None, l)),
        next(reversed(l)),
    )


def with_default(l, a):
    found = filter(lambda v: v > 2, l)
    return next(found, -1), next(found, -1), next(found, -1)


def goes_on_behind_break(l, a):
    places = enumerate(a)
    for i, x in places:
        if x > 1:
            break
    rest = [(i, x) for i, x in places]
    return i, rest, list(places)


def taken_twice(l, a):
    doubled = map(lambda v: v * 2, l)
    return sum(doubled), sum(doubled)


def each_gets_the_next(l, a):
    it = iter(l)
    pairs = [(x, y) for x, y in zip(it, it)]
    both = reversed(l)
    return pairs, [x - y for x in both for y in both]


def in_a_loop(l, a):
    total, turn = 0, zip(l, a)
    for _ in range(5):
        for x, y in turn:
            total += x
            if total % 2:
                break
    return total


def chosen(l, a):
    it = map(abs, l) if len(l) > 2 else map(abs, l[:1])
    return next(it), list(it)


def calls_in_order(l, a):
    seen = [0]

    def note(v):
        seen.append(v)
        return v

    it = map(note, l)
    seen.append(next(it))
    seen.append(-1)
    return next(it), seen


def several(l, a):
    it = map(lambda x, y, z: x + y * z, l, a, range(9))
    return next(it), list(it)


@pytest.mark.parametrize("f", [
    asked_for_one, asked_at_once, with_default, goes_on_behind_break, taken_twice,
    each_gets_the_next, in_a_loop, chosen, calls_in_order, several,
])  # fmt: skip
def test_iterators(f):
    assert_same(f, [1, 3, 2, 4], np.array([0.5, 1.5, 2.5, 3.5]))


def first_of(pairs):
    for x, y in pairs:
        if x > 1:
            return y
    return 0.0


def test_nothing_zipped():
    def f():
        n = 0
        for _ in zip():
            n += 1
        return n, len([i for i in zip()])

    assert_same(f)


def test_starts_that_are_no_integers():
    def f(x, start):
        return [i for i, _ in enumerate(x, start)]

    for start in (True, -2, np.uint8(200), np.int64(-5)):
        assert_same(f, [1.0, 2.0], start)
    for start in (1.5, "a", 1j):
        with pytest.raises(TypeError):
            f([1.0], start)
        with pytest.raises(TypingError, match="an integer is wanted here"):
            njit(f)([1.0], start)


def test_given_to_functions():
    callee = njit(first_of)

    def f(l, a, first):
        pairs = zip(l, a)
        return first(pairs), first(pairs), first(zip(l, a))

    for l in ([1, 3, 2, 4], [1, 1, 5]):
        a = np.arange(4.0)
        assert njit(f)(l, a, callee) == f(l, a, first_of)


def test_returned():
    @njit
    def f(l):
        return map(lambda v: v + 1, l), zip(l, l)

    made, pairs = f([1, 2])
    assert list(made) == [2, 3] and next(pairs) == (1, 1) and list(pairs) == [(2, 2)]


def test_end():
    def f(l):
        it = zip(l, l)
        next(it)
        return next(it)

    assert_same(f, [1, 2])
    assert_same(f, [1])


def test_range_of_floats():
    """As Numba: they are cut to integers."""

    @njit
    def numbers(start, stop, step):
        return list(range(stop)), list(range(start, stop)), list(range(start, stop, step))

    assert numbers(1, 3.7, 2) == ([0, 1, 2], [1, 2], [1])
    assert numbers(1.9, np.float32(5.5), 2.5) == ([0, 1, 2, 3, 4], [1, 2, 3, 4], [1, 3])
    assert numbers(5.5, -1.9, -2) == ([], [], [5, 3, 1])


def test_map_over_values_of_several_types():
    @njit
    def texts(a, b):
        x, y = map(str, (a, b))
        return x + y

    assert texts(1.5, 2) == "1.52"

    @njit
    def arrays(a, b):
        x, y = map(np.asarray, [a, b])
        return x + y

    assert arrays(np.array(1.5), np.array(2.0)) == 3.5
    assert arrays(np.array(1.5), 2) == 3.5
