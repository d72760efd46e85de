"""Lists of slices, and arrays indexed by tuples of as many as a list has."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError

CUBE = np.arange(60.0).reshape(3, 4, 5)
ARRAYS = [
    CUBE, CUBE[0], CUBE[0, 0], np.asfortranarray(CUBE), CUBE[::-1, :, ::2], CUBE.T, CUBE[:0],
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ARRAYS)))
def test_differences_along_an_axis(number):
    def f(a, axis):
        after, before = [slice(None)] * a.ndim, [slice(None)] * a.ndim
        after[axis] = slice(1, None)
        before[axis] = slice(None, -1)
        return a[tuple(after)] - a[tuple(before)]

    for axis in range(-ARRAYS[number].ndim, ARRAYS[number].ndim):
        assert_same(f, ARRAYS[number], axis)


BOUNDS = [None, 0, 1, 2, -1, -2, 4, 7, -9, 2**62, -(2**63)]


@pytest.mark.parametrize("step", [None, 1, 2, 3, -1, -2, 9, -9])
def test_bounds_and_steps(step):
    def f(a, part, axis):
        index = [slice(None), slice(None)]
        index[axis] = part
        return a[tuple(index)]

    a = np.arange(20).reshape(4, 5)
    for low in BOUNDS:
        for high in BOUNDS:
            for axis in (0, 1):
                assert_same(f, a, slice(low, high, step), axis)


def test_writes_and_fewer_slices():
    def f(a, axis, n):
        index = [slice(None)] * n
        index[axis] = slice(0, 2)
        a[tuple(index)] = 7
        a[tuple(index)] += 1
        a[index[axis]] *= 2
        return a[tuple(index)].shape, len(index)

    for n in (1, 2, 3):
        for axis in range(n):
            assert_same(f, CUBE, axis, n)


def test_tuples_of_slices():
    def f(a, axis):
        index = (slice(None),) * axis + (slice(1, None),)
        return a[index], a[(slice(None),) * axis], a[tuple([slice(2)] * axis)]

    for axis in range(3):
        assert_same(f, CUBE, axis)


def test_slices_of_several_paths():
    def f(a, first, n):
        part = slice(None) if first else slice(1, n)
        return a[part], a[part, 0], "abcdef"[part], [1, 2, 3, 4][part], part.start, part.step

    for first in (False, True):
        assert_same(f, CUBE[0], first, 3)


def test_lists_of_slices_as_values():
    def f(n):
        parts = [slice(n), slice(1, n, 2)]
        parts.append(slice(None, None, -1))
        parts[0] = slice(None, 3)
        return parts, parts[0].start, parts[1].start, parts[2].step

    assert njit(f)(4) == f(4)


def test_what_is_wrong():
    def too_many(a, n):
        return a[tuple([slice(None)] * n)]

    def zero(a, n):
        return a[tuple([slice(None, None, n)])]

    assert_same(too_many, np.ones((2, 2)), 3)
    assert_same(zero, np.ones((2, 2)), 0)
    with pytest.raises(TypingError, match="only if it holds slices or integers alone"):
        njit(lambda a, n: a[tuple([0.5] * n)])(np.ones((2, 2)), 2)


@pytest.mark.parametrize("number", range(len(ARRAYS)))
def test_places_of_items(number):
    def read(a, place):
        return a[tuple(place)], [a[tuple(each)] for each in np.argwhere(a > 20.0)]

    def write(a, place):
        a[tuple(place)] = -1.0
        a[tuple(place)] += 3
        return a

    a = ARRAYS[number]
    if a.size:
        for place in ([0] * a.ndim, [-1] * a.ndim, np.ones(a.ndim, np.int32)):
            assert_same(read, a, place)
            assert_same(write, a.copy(), place)


def test_places_of_wrong_length():
    read = njit(lambda a, place: a[tuple(place)])
    with pytest.raises(IndexError, match="too many indices"):
        read(CUBE, [0, 0, 0, 0])
    with pytest.raises(TypeError, match="not parts of arrays"):
        read(CUBE, [0, 0])
