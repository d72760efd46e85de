"""NumPy's checks of axes, as packages call them: results and errors are NumPy's."""

import numpy as np
import pytest
from numjit import njit
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple


def index(axis, ndim):
    return normalize_axis_index(axis, ndim)


def extent(axis, a):
    return a.shape[normalize_axis_index(axis, a.ndim, msg_prefix="axis")]


def named(axis, a):
    return normalize_axis_tuple(axis, a.ndim, "where")


def unnamed(axis, a):
    return normalize_axis_tuple(axis, a.ndim)


def repeated(axis, a):
    return np.lib.array_utils.normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)


def outcome(f, *arguments):
    try:
        return f(*arguments)
    except (np.exceptions.AxisError, ValueError) as error:
        return type(error), str(error)


A = np.ones((2, 3, 4))


@pytest.mark.parametrize("axis", [-4, -3, -1, 0, 2, 3, True, np.int8(-1), np.uint64(1)])
def test_one_axis(axis):
    for f, of in [(index, 3), (extent, A), (named, A), (unnamed, A), (repeated, A)]:
        assert outcome(njit(f), axis, of) == outcome(f, axis, of)
    assert outcome(njit(index), axis, 0) == outcome(index, axis, 0)


@pytest.mark.parametrize("axes", [(), (0,), (0, -1), (1, -2), (2, 2, 2), (0, 5), [0, 1], [-1, 2]])
def test_axes(axes):
    for f in (named, unnamed, repeated):
        assert outcome(njit(f), axes, A) == outcome(f, axes, A)
