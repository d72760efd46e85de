"""Lists of extents whose length compilation knows: `shape = list(x.shape); shape[axis] = n`."""

import numpy as np
import pytest
from language.support import check_same
from numjit import njit

X = np.arange(12.0).reshape(3, 4)


def changed(x, axis, n):
    shape = list(x.shape)
    shape[axis] = n
    return np.zeros(shape), np.ones(tuple(shape)), tuple(shape)


def broadcast(x, axis):
    shape = [1] * x.ndim
    shape[axis] = -1
    return np.arange(3.0).reshape(shape)


def axes(x):
    order = list(range(x.ndim))
    order[0], order[1] = order[1], order[0]
    return x.transpose(order), np.transpose(x, tuple(order))


def removed(x, axis):
    shape = list(x.shape)
    del shape[axis]
    return np.zeros(shape)


def popped(x, axis):
    shape = list(x.shape)
    n = shape.pop(axis)
    return n, np.ones(tuple(shape))


def longer(x, n):
    shape = [n] + list(x.shape)
    shape.append(2)
    return np.zeros(shape, dtype=np.int32), np.reshape(np.arange(n * x.size * 2), shape)


def in_branches(x, axis, n):
    shape = list(x.shape)
    if n:
        for i in range(len(shape)):
            shape[i] += n
    return np.zeros(shape=shape)


def like(x, axis):
    shape = list(x.shape)
    shape[axis] = 1
    return np.zeros_like(x, shape=shape), np.full_like(x, 2, np.int8, shape=shape)


@pytest.mark.parametrize(
    "function, arguments",
    [
        (like, (X, 1)),
        (changed, (X, 1, 5)),
        (changed, (X[0], -1, 0)),
        (broadcast, (X, 1)),
        (broadcast, (X[None], 2)),
        (axes, (X,)),
        (removed, (X, 0)),
        (popped, (X, 1)),
        (longer, (X, 2)),
        (in_branches, (X, 0, 1)),
    ],
)
def test_like_tuples(function, arguments):
    check_same(njit(function)(*arguments), function(*arguments))


def test_a_length_that_changes_elsewhere_is_noticed():
    @njit
    def grow(items):
        items.append(1)

    @njit
    def known(x):
        shape = list(x.shape)
        grow(shape)
        return tuple(shape)

    assert known(X) == (3, 4, 1)

    @njit
    def hidden(x, twice):
        shape = list(x.shape)
        more = shape.append
        if twice:
            more(1)
        more(1)
        return np.zeros(shape).ndim

    assert hidden(X, False) == 3
    with pytest.raises(RuntimeError, match="a list with 4 items"):
        hidden(X, True)


def test_the_length_of_a_sum_is_that_of_its_lists():
    def moved(x, axis):
        order = [i for i in range(x.ndim) if i != axis] + [axis]
        return x.transpose(order)

    for axis in (0, 1):
        check_same(njit(moved)(X, axis), moved(X, axis))


def test_axes_that_are_moved():
    def to_the_end(x, axis):
        order = [i for i in range(x.ndim) if i != axis] + [axis]
        return np.moveaxis(x, order, list(range(x.ndim)))

    def kept_first(x, axes):
        keep = tuple(i for i in range(x.ndim) if i not in axes)
        return np.moveaxis(x, keep + axes, range(x.ndim))

    def merged(x, axes):
        keep = sorted(set(range(x.ndim)) - set(axes))
        moved = np.moveaxis(x, keep, range(len(keep)))
        return moved.reshape(moved.shape[:1] + (-1,))

    def by_arrays(x, source, target):
        return np.moveaxis(x, np.asarray(source), target)

    cube = np.arange(24.0).reshape(2, 3, 4)
    for axis in range(3):
        check_same(njit(to_the_end)(cube, axis), to_the_end(cube, axis))
    for axes in ((0,), (2, 0), (1, 0, 2)):
        check_same(njit(kept_first)(cube, axes), kept_first(cube, axes))
    check_same(njit(merged)(cube, (1, 2)), merged(cube, (1, 2)))
    check_same(njit(by_arrays)(cube, [0, -1], [1, 0]), by_arrays(cube, [0, -1], [1, 0]))
    for source, target in (([0, 0], [0, 1]), ([0], [0, 1]), ([3], [0])):
        with pytest.raises(ValueError):
            by_arrays(cube, source, target)
        with pytest.raises(ValueError):
            njit(by_arrays)(cube, source, target)
