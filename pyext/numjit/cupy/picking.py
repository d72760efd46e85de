"""Functions that read and write elements by index arrays."""

from __future__ import annotations

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .creation import array, asarray
from .indexing import nonzero, take
from .manipulation import where


def put(a, ind, v, mode="wrap"):
    """Stores values at flat indices."""
    ind, v = asarray(ind).ravel(), asarray(v)
    if mode == "raise":
        raise NotImplementedError("mode='raise' is not supported; use 'wrap' or 'clip'")
    if not ind.size:
        return
    if mode == "clip":
        ind = ind.clip(0, a.size - 1)
    v = v.ravel()
    if v.size != ind.size:
        v = take(v, array(np.arange(ind.size) % v.size))
    line = a.ravel()
    line[ind] = v
    if line._buffer is not a._buffer:
        a[...] = line.reshape(a.shape)


def choose(a, choices, out=None, mode="wrap"):
    """Elements of one of several arrays each."""
    parts = [asarray(each) for each in choices]
    if mode not in ("wrap", "clip"):
        raise NotImplementedError("mode='raise' is not supported; use 'wrap' or 'clip'")
    a = a % len(parts) if mode == "wrap" else a.clip(0, len(parts) - 1)
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
