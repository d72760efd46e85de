"""Methods of ufuncs beside ``reduce`` and ``accumulate``, for any function of two numbers."""

import numpy as np

from ..core.array_expressions import store_all
from ..core.axes import replaced
from ..core.intrinsics import as_strong, cast, is_scalar, promote, refuse, set_item
from ..core.registry import function
from .methods import normal_axis
from .reductions import default_dtype, put_in_place


@function("Function.outer")
def outer(op, A, B, /, out=None, where=True, dtype=None):
    if isinstance(A, (list, tuple)):
        return outer(op, np.asarray(A), B, out, where, dtype)
    elif isinstance(B, (list, tuple)):
        return outer(op, A, np.asarray(B), out, where, dtype)
    elif is_scalar(A) or is_scalar(B):
        return applied(op, as_strong(A), as_strong(B), out, where, dtype)
    else:
        return applied(op, A[(..., *((None,) * B.ndim))], B, out, where, dtype)


def applied(op, a, b, out, where, dtype):
    if where is True and dtype is None and out is None:
        return op(a, b)
    elif where is True and dtype is None:
        return op(a, b, out=out)
    elif where is True:
        return op(a, b, out=out, dtype=dtype)
    else:
        return op(a, b, out=out, where=where, dtype=dtype)


def is_logical(op):
    return op is np.logical_and or op is np.logical_or or op is np.logical_xor


def check_starts(indices, n):
    for i in indices:
        if i < 0 or i >= n:
            raise IndexError(f"index {i} out-of-bounds in reduceat [0, {n})")


def end_of(indices, k, n):
    """Where the part that begins at one of the indices ends: it has one element at least."""
    end = np.int64(indices[k + 1]) if k + 1 < indices.shape[0] else np.int64(n)
    return max(end, np.int64(indices[k]) + 1)


def reduce_parts(op, out, a, indices, axis, dtype):
    n = a.shape[0]
    if a.ndim == 1:
        for k in range(indices.shape[0]):
            first = indices[k]
            s = cast(a[first], dtype)
            for i in range(first + 1, end_of(indices, k, n)):
                s = op(s, cast(a[i], dtype))
            set_item(out, k, s)
    elif axis == 0:
        for k in range(indices.shape[0]):
            first = indices[k]
            store_all(out[k], a[first])
            for i in range(first + 1, end_of(indices, k, n)):
                store_all(out[k], op(out[k], a[i]))
    else:
        for i in range(n):
            reduce_parts(op, out[i], a[i], indices, axis - 1, dtype)


@function("Function.reduceat")
def reduceat(op, array, indices, axis=0, dtype=None, out=None):
    if not isinstance(array, np.ndarray):
        return reduceat(op, np.asarray(array), indices, axis, dtype, out)
    elif not isinstance(indices, np.ndarray):
        return reduceat(op, array, np.asarray(indices), axis, dtype, out)
    elif indices.ndim != 1:
        return refuse("reduceat: the indices must be one-dimensional")
    elif indices.dtype.kind not in "iu":
        return refuse("reduceat: the indices must be integers")
    elif array.ndim == 0 or axis is None:
        return refuse("reduceat: one axis of an array is needed")
    else:
        if dtype is not None:
            kind = np.dtype(dtype)
        elif out is not None:
            kind = out.dtype
        else:
            kind = default_dtype(op, array.dtype)
        one = cast(1, kind)
        if kind.kind != "b" and promote(op(one, one)).kind == "b":
            if not is_logical(op):
                refuse("No loop matching the specified signature was found for this ufunc")
        along = normal_axis(axis, array.ndim)
        check_starts(indices, array.shape[along])
        made = np.empty(replaced(array.shape, along, indices.shape[0]), kind)
        reduce_parts(op, made, array, indices, along, kind)
        return put_in_place(made, out)
