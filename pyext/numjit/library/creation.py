"""Functions that make arrays."""

import numpy as np

from .array_expressions import evaluate, fill
from .intrinsics import cast, is_scalar, nesting, promote, set_flat
from .registry import function


@function("numpy.ones")
def ones(shape, dtype=None, order="C"):
    out = np.empty(shape, dtype, order)
    fill(out, cast(1, out.dtype))
    return out


@function("numpy.full")
def full(shape, fill_value, dtype=None, order="C"):
    if dtype is None:
        out = np.empty(shape, promote(fill_value), order)
        fill(out, fill_value)
        return out
    else:
        out = np.empty(shape, dtype, order)
        fill(out, cast(fill_value, out.dtype))
        return out


@function("numpy.empty_like")
def empty_like(prototype, dtype=None):
    if is_scalar(prototype):
        return np.empty((), promote(prototype) if dtype is None else dtype)
    else:
        order = "F" if prototype.flags.f_contiguous and not prototype.flags.c_contiguous else "C"
        return np.empty(prototype.shape, prototype.dtype if dtype is None else dtype, order)


@function("numpy.zeros_like")
def zeros_like(a, dtype=None):
    order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    return np.zeros(a.shape, a.dtype if dtype is None else dtype, order)


@function("numpy.ones_like")
def ones_like(a, dtype=None):
    out = empty_like(a, dtype)
    fill(out, cast(1, out.dtype))
    return out


@function("numpy.full_like")
def full_like(a, fill_value, dtype=None):
    out = empty_like(a, dtype)
    fill(out, cast(fill_value, out.dtype))
    return out


@function("numpy.arange")
def arange(start, stop=None, step=None, dtype=None):
    if stop is None:
        return arange(start - start, start, step, dtype)
    elif step is None:
        return arange(start, stop, 1, dtype)
    else:
        kind = promote(start, stop, step)
        if dtype is None:
            if kind.kind == "f":
                target = np.float64
            else:
                target = np.int64
        else:
            target = dtype
        if kind.kind == "f" or kind.kind == "c":
            length = int(np.ceil((stop - start) / step))
        else:
            length = -((start - stop) // step)
        out = np.empty(max(length, 0), target)
        delta = (start + step) - start
        for i in range(out.size):
            set_flat(out, i, start + i * delta)
        return out


@function("numpy.linspace")
def linspace(start, stop, num=50, endpoint=True):
    out = np.empty(num, np.float64)
    parts = num - 1 if endpoint else num
    if parts > 0:
        step = (stop - start) / parts
    else:
        step = 0.0 * (stop - start)
    for i in range(num):
        out[i] = start + i * step
    if endpoint and num > 1:
        out[num - 1] = stop
    return out


@function("numpy.copy")
@function("Array.copy")
def copy(a):
    return evaluate(a)


@function("numpy.asarray")
def asarray(a):
    if isinstance(a, np.ndarray):
        return a
    elif is_scalar(a):
        out = np.empty((), promote(a))
        out[()] = a
        return out
    elif nesting(a) == 2:
        return array_of_rows(a)
    else:
        out = np.empty(len(a), promote(a))
        for i, x in enumerate(a):
            out[i] = x
        return out


def array_of_rows(rows):
    width = 0
    for row in rows:
        width = len(row)
    out = np.empty((len(rows), width), promote(rows))
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ValueError("the rows of the array have different lengths")
        for j, x in enumerate(row):
            out[i, j] = x
    return out


@function("numpy.array")
def array(object, dtype=None):
    if isinstance(object, np.ndarray):
        if dtype is None:
            return evaluate(object)
        else:
            return object.astype(dtype)
    elif dtype is None:
        return asarray(object)
    else:
        return asarray(object).astype(dtype)


@function("numpy.ascontiguousarray")
def ascontiguousarray(a):
    if a.flags.c_contiguous:
        return a
    else:
        out = np.empty(a.shape, a.dtype)
        out[...] = a
        return out
