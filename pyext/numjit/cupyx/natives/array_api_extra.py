"""What SciPy calls of array_api_extra, over device arrays."""

from __future__ import annotations

import sys

import numpy as np

import numjit.cupy as cp

testing = sys.modules[__name__]


def lazy_xp_function(*ignored, **keywords):
    return None


class at:
    """Elements of an array that are changed in place."""

    def __init__(self, x, idx=None):
        self._array, self._index = x, idx

    def __getitem__(self, index):
        return at(self._array, index)

    def _changed(self, function, value, copy):
        array = self._array.copy() if copy else self._array
        array[self._index] = value if function is None else function(array[self._index], value)
        return array

    def set(self, value, copy=None, xp=None):
        return self._changed(None, value, copy)

    def add(self, value, copy=None, xp=None):
        return self._changed(cp.add, value, copy)

    def subtract(self, value, copy=None, xp=None):
        return self._changed(cp.subtract, value, copy)

    def multiply(self, value, copy=None, xp=None):
        return self._changed(cp.multiply, value, copy)

    def divide(self, value, copy=None, xp=None):
        return self._changed(cp.divide, value, copy)


def atleast_nd(x, /, *, ndim, xp=None):
    """The array with axes of one element in front."""
    x = cp.asarray(x)
    return x.reshape((1,) * (ndim - x.ndim) + x.shape) if x.ndim < ndim else x


def broadcast_shapes(*shapes):
    return np.broadcast_shapes(*shapes)


def pad(x, pad_width, mode="constant", *, constant_values=0, xp=None):
    return cp.pad(x, pad_width, mode, constant_values=constant_values)


def sinc(x, /, *, xp=None):
    return cp.sinc(x)


def apply_where(cond, args, f1, f2=None, /, *, fill_value=None, xp=None):
    """f1 of the arguments where a condition holds, elsewhere f2 or a value."""
    args = args if isinstance(args, tuple) else (args,)
    other = fill_value if f2 is None else f2(*args)
    return cp.where(cond, f1(*args), other)


def default_dtype(xp=None, kind="real floating", *, device=None):
    return np.dtype({"real floating": "f8", "complex floating": "c16"}.get(kind, "i8"))


def lazy_apply(func, *args, shape=None, dtype=None, as_numpy=False, xp=None, **keywords):
    return func(*args, **keywords)
