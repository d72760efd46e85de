"""Functions that read and write elements by index arrays."""

from __future__ import annotations

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .creation import array, asarray
from .indexing import nonzero, take
from .manipulation import where
from .ndarrays import ndarray

_MODES = ("raise", "wrap", "clip")


def _check_mode(mode):
    if mode not in _MODES:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


def put(a, ind, v, mode="wrap"):
    """Stores values at flat indices; fewer values than indices repeat."""
    _check_mode(mode)
    ind, v = asarray(ind).ravel(), asarray(v)
    if not ind.size or not v.size:
        return
    if mode == "clip":
        ind = ind.clip(0, a.size - 1)
    elif mode == "raise":
        outside = ind[(ind < -a.size) | (ind >= a.size)]
        if outside.size:
            raise IndexError(
                f"index {int(outside[0])} is out of bounds for axis 0 with size {a.size}"
            )
    store_flat(a, ind, v)


def store_flat(a, index, values):
    """``a.flat[index] = values``: values repeat where there are fewer."""
    line, values = a.ravel(), asarray(values)
    count = line[index].size if not isinstance(index, ndarray) else index.size
    if values.ndim:
        values = values.ravel()
        if values.size != count:
            values = take(values, array(np.arange(count) % values.size))
        values = values.reshape(()) if isinstance(index, int) else values
    line[index] = values
    if line._buffer.root is not a._buffer.root:
        a[...] = line.reshape(a.shape)


def choose(a, choices, out=None, mode="raise"):
    """Elements of one of several arrays each."""
    parts = [asarray(each) for each in choices]
    _check_mode(mode)
    if mode == "raise" and bool(((a < 0) | (a >= len(parts))).any()):
        raise ValueError("invalid entry in choice array")
    if mode == "clip":
        a = a.clip(0, len(parts) - 1)
    elif mode == "wrap":
        a = a % len(parts)
    found = parts[-1]
    for number in reversed(range(len(parts) - 1)):
        found = where(a == number, parts[number], found)
    if found.shape != np.broadcast_shapes(a.shape, found.shape):
        found = where(a == a, found, found)
    if out is None:
        return found
    out[...] = found
    return out


def compress(a, condition, axis=None, out=None):
    """Elements where a condition holds, along an axis."""
    a, condition = asarray(a), asarray(condition)
    if axis is None or not a.ndim:
        a, axis = a.ravel(), 0 if axis is None else axis
    found = take(a, nonzero(condition)[0], axis)
    if out is None:
        return found
    out[...] = found
    return out


def take_along_axis(a, indices, axis=-1):
    """Elements along an axis by indices of the same number of dimensions."""
    if axis is None:
        a, axis = a.ravel(), 0
    return a[_along(a, indices, axis)]


def put_along_axis(a, indices, values, axis):
    """Stores what take_along_axis would read."""
    if axis is None:
        a, axis = a.ravel(), 0
    a[_along(a, indices, axis)] = values


def _along(a, indices, axis):
    axis = normalize_axis_index(axis, a.ndim)
    if indices.ndim != a.ndim:
        raise ValueError("`indices` and `a` must have the same number of dimensions")
    index = []
    for other, n in enumerate(a.shape):
        if other == axis:
            index.append(indices)
        else:
            shape = [1] * a.ndim
            shape[other] = n
            index.append(array(np.arange(n).reshape(shape)))
    return tuple(index)


def fill_diagonal(a, val, wrap=False):
    """Sets the main diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim == 2:
        step = a.shape[1] + 1
        end = None if wrap else a.shape[1] * a.shape[1]
    else:
        if len(set(a.shape)) != 1:
            raise ValueError("All dimensions of input must be of equal length")
        step, end = 1 + sum(a.shape[0] ** k for k in range(1, a.ndim)), None
    line = a.ravel()
    part = line[:end:step]
    value = asarray(val).ravel()
    if value.size == 1:
        part[...] = value
    else:
        part[...] = take(value, array(np.arange(part.size) % value.size))
    if line._buffer is not a._buffer:
        a[...] = line.reshape(a.shape)
