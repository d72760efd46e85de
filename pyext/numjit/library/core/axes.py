"""Axes and shapes, and checks of what functions are given.

Axes may be known at run time only; tuples are indexed by constants then.
"""

import numpy as np

from .array_expressions import store
from .intrinsics import is_constant, is_scalar, layout_is, promote, refuse, strided


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


def replaced(items, axis, n, k=0):
    """The tuple with another item at ``axis``."""
    if k == len(items):
        return ()
    else:
        return (n if k == axis else items[k],) + replaced(items, axis, n, k + 1)


def without(items, axis, k=0):
    """The tuple without the item at ``axis``."""
    if k >= len(items) - 1:
        return ()
    else:
        return (items[k] if k < axis else items[k + 1],) + without(items, axis, k + 1)


def inserted(items, axis, n):
    """The tuple with one more item, at ``axis``."""
    return inserted_from(items + (n,), (n,) + items, axis, n, 0)


def inserted_from(before, behind, axis, n, k):
    if k == len(before):
        return ()
    else:
        item = before[k] if k < axis else (n if k == axis else behind[k])
        return (item,) + inserted_from(before, behind, axis, n, k + 1)


def outer_size(shape, axis):
    """Number of elements of the axes in front of ``axis``."""
    n = 1
    for k in range(len(shape)):
        if k < axis:
            n *= shape[k]
    return n


def inner_size(shape, axis):
    """Number of elements of the axes behind ``axis``."""
    n = 1
    for k in range(len(shape)):
        if k > axis:
            n *= shape[k]
    return n


def in_c_order(a):
    if layout_is(a, "C"):
        return a
    else:
        out = np.empty(a.shape, a.dtype)
        store(out, a)
        return out


def as_array(x):
    return np.asarray(x)


def rank(dtype):
    """Kinds of dtypes in order: each converts to the later ones by the rule 'same_kind'."""
    if dtype.kind == "b":
        return 0
    elif dtype.kind == "u":
        return 1
    elif dtype.kind == "i":
        return 2
    elif dtype.kind == "f":
        return 3
    else:
        return 4


def check_same_kind(source, target):
    """At compile time: arrays of one dtype may be stored to arrays of the other."""
    if promote(source) != promote(target) and rank(promote(source)) > rank(promote(target)):
        refuse(
            "Cannot cast array data to this dtype according to the rule 'same_kind'",
            "convert it with astype()",
        )


def check_safe(source, target):
    """At compile time: every value of one dtype is one of the other."""
    if promote(source, target) != promote(target):
        refuse(
            "Cannot cast array data to this dtype according to the rule 'safe'",
            "convert it with astype()",
        )


def check_real(source, target):
    """At compile time: complex numbers go to complex arrays only."""
    if promote(source).kind == "c" and promote(target).kind != "c":
        refuse("cannot convert complex numbers to real ones", "take .real or abs()")


def moved_last(a, axis):
    """The view with ``axis`` behind the others."""
    if is_constant(axis):
        if axis == a.ndim - 1:
            return a
        else:
            return with_axis_last(a, axis)
    else:
        return with_axis_last(a, axis)


def with_axis_last(a, axis):
    return strided(
        a,
        0,
        without(a.shape, axis) + (a.shape[axis],),
        without(a.strides, axis) + (a.strides[axis],),
    )


def check_integer(n, name):
    """At compile time: a count or a position is an integer."""
    if not is_scalar(n) or promote(n).kind not in "biu":
        refuse((name, " must be an integer, not "), None, "TypingError", n)


def check_integer_items(a, name):
    """The same of the items of an array. The items of an empty list may have any dtype."""
    if isinstance(a, np.ndarray) and rank(promote(a)) > 2:
        refuse((name, " must have integers, not "), None, "TypingError", a)


def check_shape(out, shape):
    if out.ndim != len(shape):
        raise ValueError("Output array is the wrong shape")
    for k in range(len(shape)):
        if out.shape[k] != shape[k]:
            raise ValueError("Output array is the wrong shape")
