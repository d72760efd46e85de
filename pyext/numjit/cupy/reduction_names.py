"""The functions sum, prod, max, ...: each is a ufunc's reduction over all axes by default."""

from __future__ import annotations

import numpy as np

from .reductions import position, reduce


def _named(function, name):
    def reduction(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return reduce(function, a, axis, dtype, out, keepdims, initial, where)

    reduction.__name__ = name
    return reduction


def _without_dtype(function, name):
    def reduction(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        return reduce(function, a, axis, None, out, keepdims, initial, where)

    reduction.__name__ = name
    return reduction


sum = _named(np.add, "sum")
prod = _named(np.multiply, "prod")
max = amax = _without_dtype(np.maximum, "max")
min = amin = _without_dtype(np.minimum, "min")
all = _without_dtype(np.logical_and, "all")
any = _without_dtype(np.logical_or, "any")


def argmax(a, axis=None, dtype=None, out=None, keepdims=False):
    """The number of the largest element; the first of several."""
    return position("argmax", a, axis, out, keepdims, dtype)


def argmin(a, axis=None, dtype=None, out=None, keepdims=False):
    """The number of the smallest element; the first of several."""
    return position("argmin", a, axis, out, keepdims, dtype)
