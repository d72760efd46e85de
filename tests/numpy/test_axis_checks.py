"""Checks of axes, positions and counts. Those that packages call: NumPy's results and errors."""

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError
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


# What a float would be taken for is not what NumPy takes it for, if that takes it.
NOT_INTEGERS = [
    "np.roll(a, x)|shift",
    "np.roll(a, x, axis=1)|shift",
    "np.roll(a, (x, 1), axis=(0, 1))|shift",
    "np.rot90(a[0], x)|k",
    "np.tri(3, 3, x)|k",
    "np.tril(a, x)|k",
    "np.triu(a, x)|k",
    "np.triu_indices(3, x)|k",
    "np.diff(a, x)|n",
    "np.diff(a, 1, x)|axis",
    "np.expand_dims(a, x)|axis",
    "np.swapaxes(a, 0, x)|axis",
    "np.cumsum(a, x)|axis",
    "np.sum(a, axis=x)|axis",
    "np.unravel_index(x, a.shape)|indices",
    "np.ravel_multi_index((x, x), (2, 3))|multi_index",
    "a.item(x)|index",
]


@pytest.mark.parametrize("row", NOT_INTEGERS)
def test_floats_are_no_integers(row):
    expression, name = row.split("|")
    scope = {"np": np}
    exec(f"def f(a, x):\n    return {expression}", scope)
    compiled = njit(scope["f"])
    assert compiled(A, 1) is not None
    for x in (1.5, 1.0):
        with pytest.raises(TypingError, match=f"^{name} must be an integer, not"):
            compiled(A, x)


def test_positions_in_arrays_are_integers():
    @njit
    def count(x):
        return np.bincount(x)

    @njit
    def put(a, where):
        return np.insert(a, where, 9)

    with pytest.raises(TypingError, match="^first argument must have integers, not"):
        count(np.array([1.0]))
    with pytest.raises(TypingError, match="^obj must have integers, not"):
        put(np.arange(3), np.array([1.0]))
    assert count(np.array([1, 1, 0], np.uint64)).tolist() == [1, 2]
    assert put(np.arange(3), np.array([True, False, False])).tolist() == [9, 0, 1, 2]
