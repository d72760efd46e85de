"""Functions that are methods, with NumPy's order of arguments."""

from __future__ import annotations

import math

import numpy as np

from . import manipulation, picking
from .creation import asarray
from .ndarrays import ndarray


def _function(name):
    method = getattr(manipulation, name)

    def function(a, *args, **keywords):
        return method(asarray(a), *args, **keywords)

    function.__name__, function.__doc__ = name, method.__doc__
    return function


ravel, squeeze = _function("ravel"), _function("squeeze")
swapaxes, diagonal, repeat = map(_function, ("swapaxes", "diagonal", "repeat"))
clip, trace, astype = map(_function, ("clip", "trace", "astype"))


def reshape(a, shape=None, order="C", *, newshape=None, copy=None):
    """The same elements in another shape: a view where that is possible."""
    shape = newshape if shape is None else shape
    return manipulation.reshape(asarray(a), shape, order=order, copy=copy)


def transpose(a, axes=None):
    """A view with the axes in another order."""
    return manipulation.transpose(asarray(a), axes)


def compress(condition, a, axis=None, out=None):
    """Elements where a condition holds, along an axis."""
    return picking.compress(asarray(a), condition, axis, out)


def choose(a, choices, out=None, mode="raise"):
    """Elements of one of several arrays each; numbers beyond them raise ValueError."""
    return picking.choose(asarray(a), choices, out, mode)


def broadcast_arrays(*args, subok=False):
    """Views of arrays in one shape."""
    arrays = [asarray(each) for each in args]
    shape = np.broadcast_shapes(*(each.shape for each in arrays))
    return tuple(manipulation.broadcast_to(each, shape) for each in arrays)


def rot90(m, k=1, axes=(0, 1)):
    """A view turned by right angles in a plane."""
    m = asarray(m)
    return manipulation._shaped(m, lambda shadow: np.rot90(shadow, k, axes))


class broadcast:
    """The shape of several arrays together."""

    def __new__(cls, *arrays):
        if not any(isinstance(each, ndarray) for each in arrays):
            return np.broadcast(*arrays)
        return super().__new__(cls)

    def __init__(self, *arrays):
        self.values = broadcast_arrays(*arrays)
        self.shape = self.values[0].shape if arrays else ()
        self.nd = self.ndim = len(self.shape)
        self.size = math.prod(self.shape)

    def __iter__(self):
        return zip(*(each.ravel().get() for each in self.values))
