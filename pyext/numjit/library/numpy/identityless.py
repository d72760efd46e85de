"""Reductions by functions of two numbers that start with the first element, or with an identity
that only the program knows."""

import numpy as np

from ..core.intrinsics import cast, promote, refuse
from .methods import axes_behind, last_axes, product


def first_of(op, count):
    """What a reduction begins with: the first of ``count`` elements, or what of none is known."""
    if hasattr(op, "nin") and op.identity is not None:
        return op.identity
    elif count == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")
    else:
        return None


def joined_axes(op, array, axes):
    """The array with some axes as one, behind the others."""
    if len(axes) > 1 and (not hasattr(op, "_identity") or op._identity is None):
        why = "' is not reorderable, so at most one axis may be specified"
        refuse(("reduction operation '", op.__name__, why))
    else:
        a = np.ascontiguousarray(axes_behind(array, axes))
        return a.reshape(a.shape[: a.ndim - len(axes)] + (product(a.shape[a.ndim - len(axes) :]),))


def reduce_from_first(op, array, axis):
    """Along axes by any function of two numbers, from the first element on."""
    if isinstance(axis, tuple) and len(axis) == 0:
        start = first_of(op, 1)
        return np.array(array) if start is None else op(start, array)
    elif array.ndim == 1:
        start = first_of(op, array.shape[0])
        s = array[0] if start is None else start
        for i in range(1 if start is None else 0, array.shape[0]):
            s = op(s, array[i])
        return s
    elif axis is None:
        return reduce_from_first(op, joined_axes(op, array, last_axes(array.ndim)), 0)
    elif isinstance(axis, tuple):
        return reduce_from_first(op, joined_axes(op, array, axis), array.ndim - len(axis))
    elif axis != 0:
        return reduce_from_first(op, np.moveaxis(array, axis, 0), 0)
    else:
        start = first_of(op, array.shape[0])
        if start is None:
            out = np.empty(array.shape[1:], promote(op(array[0], array[0])))
            out[...] = array[0]
        else:
            one = cast(1, array.dtype)
            out = np.empty(array.shape[1:], promote(op(one, one)))
            out[...] = start
        for i in range(1 if start is None else 0, array.shape[0]):
            out[...] = op(out, array[i])
        return out
